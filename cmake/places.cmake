# Where an installation has what, relative to its prefix. The program and libraddle.so find each other by the way from one
# to the other, not by the prefix: so it can be moved.
include(GNUInstallDirs)

set(RADDLE_PRIVATE_DIR ${CMAKE_INSTALL_LIBDIR}/raddle) # libraddle.so and the pass: for raddle cc only
set(RADDLE_CHECKING checking) # below it, the libraddle.so that checks
set(RADDLE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/raddle)

# The way from one directory below the prefix to another.
function(way from to out)
    file(RELATIVE_PATH result "/prefix/${from}" "/prefix/${to}")
    string(REGEX REPLACE "/$" "" result "${result}")
    set(${out} ${result} PARENT_SCOPE)
endfunction()

way(${CMAKE_INSTALL_BINDIR} ${RADDLE_PRIVATE_DIR} bin_to_private)
way(${CMAKE_INSTALL_BINDIR} ${CMAKE_INSTALL_INCLUDEDIR} bin_to_include)
way(${RADDLE_PRIVATE_DIR} ${CMAKE_INSTALL_BINDIR} private_to_bin)
set_property(SOURCE src/cli/places.c APPEND PROPERTY COMPILE_DEFINITIONS
    RADDLE_BIN_TO_PRIVATE="${bin_to_private}" RADDLE_BIN_TO_INCLUDE="${bin_to_include}")
set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/plain/start.c APPEND PROPERTY COMPILE_DEFINITIONS
    RADDLE_PRIVATE_TO_BIN="${private_to_bin}")

# In the build tree everything is beside the program.
configure_file(include/raddle.h ${PROJECT_BINARY_DIR}/include/raddle.h COPYONLY)
configure_file(src/cli/gdb/raddle_gdb.py ${PROJECT_BINARY_DIR}/raddle_gdb.py COPYONLY)
install(FILES src/cli/gdb/raddle_gdb.py DESTINATION ${RADDLE_PRIVATE_DIR})
