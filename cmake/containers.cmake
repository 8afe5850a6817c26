# libraddle_cxx.a: what containers of libstdc++ call, with hooks. Compiled by `raddle cc`, as any program that is to be checked, and linked into each one of C++. The
# file names are those of a library of the system, so that reports show where the program calls it.
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/containers/*.c)
set(objects)
foreach(source IN LISTS sources)
    get_filename_component(stem ${source} NAME_WE)
    set(object ${PROJECT_BINARY_DIR}/containers/${stem}.o)
    add_custom_command(OUTPUT ${object}
        COMMAND raddle cc -std=c11 -O2 -fPIC -I${PROJECT_SOURCE_DIR}/src -ffile-prefix-map=${PROJECT_SOURCE_DIR}/src/=/usr/lib/raddle/
            -c ${source} -o ${object}
        DEPENDS ${source} ${PROJECT_SOURCE_DIR}/src/containers/containers.h raddle raddle_pass
        VERBATIM)
    list(APPEND objects ${object})
endforeach()
set(archive ${PROJECT_BINARY_DIR}/libraddle_cxx.a)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/containers)
add_custom_command(OUTPUT ${archive}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
    COMMAND ${CMAKE_AR} rcs ${archive} ${objects}
    DEPENDS ${objects}
    VERBATIM)
add_custom_target(raddle_cxx ALL DEPENDS ${archive})
install(FILES ${archive} DESTINATION ${RADDLE_PRIVATE_DIR})
