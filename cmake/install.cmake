# What is made for an installation, and where it goes: `make install PREFIX=… DESTDIR=…`, or cmake --install.
# The program and its libraries are installed where they are defined.
include(CMakePackageConfigHelpers)

install(FILES include/raddle.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# ---- manual pages: man/*.1.in with the options filled in

set(made)
file(GLOB pages CONFIGURE_DEPENDS man/*.1.in)
foreach(page IN LISTS pages)
    get_filename_component(name ${page} NAME_WLE) # raddle-check.1
    string(REGEX REPLACE "^raddle-?([^.]*).*" "\\1" command ${name})
    if(NOT command)
        set(command help) # raddle(1) itself has no options to fill in
    endif()
    set(out ${PROJECT_BINARY_DIR}/man/${name})
    add_custom_command(OUTPUT ${out}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/man
        COMMAND raddle manual ${command} < ${page} > ${out}
        DEPENDS raddle ${page} VERBATIM)
    list(APPEND made ${out})
    install(FILES ${out} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endforeach()

# ---- completion for shells

foreach(shell bash zsh fish)
    set(out ${PROJECT_BINARY_DIR}/completion/${shell})
    add_custom_command(OUTPUT ${out}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/completion
        COMMAND raddle completion ${shell} > ${out}
        DEPENDS raddle VERBATIM)
    list(APPEND made ${out})
endforeach()
add_custom_target(documents ALL DEPENDS ${made})

set(completion ${PROJECT_BINARY_DIR}/completion)
install(FILES ${completion}/bash RENAME raddle
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${completion}/fish RENAME raddle.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
# Debian's zsh looks elsewhere for what a package brings.
install(CODE "
    set(directory site-functions)
    if(CMAKE_INSTALL_PREFIX MATCHES \"/usr\$\")
        set(directory vendor-completions)
    endif()
    file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/zsh/\${directory}\"
        TYPE FILE RENAME _raddle FILES \"${completion}/zsh\")")

# ---- for projects that use raddle: find_package(raddle), pkg-config

way(${RADDLE_CMAKE_DIR} ${CMAKE_INSTALL_BINDIR} cmake_to_bin)
way(${RADDLE_CMAKE_DIR} ${CMAKE_INSTALL_INCLUDEDIR} cmake_to_include)
way(${CMAKE_INSTALL_LIBDIR}/pkgconfig "" pkgconfig_to_prefix)
set(installed ${PROJECT_BINARY_DIR}/installed)
configure_file(cmake/installed/raddleConfig.cmake.in ${installed}/raddleConfig.cmake @ONLY)
configure_file(cmake/installed/raddle.pc.in ${installed}/raddle.pc @ONLY)
write_basic_package_version_file(${installed}/raddleConfigVersion.cmake
    COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${installed}/raddleConfig.cmake ${installed}/raddleConfigVersion.cmake
    cmake/installed/raddleRunTest.cmake DESTINATION ${RADDLE_CMAKE_DIR})
install(FILES ${installed}/raddle.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# ---- to read

install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE RENAME copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

# ---- and away again

add_custom_target(uninstall COMMAND ${CMAKE_COMMAND}
    -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake)
