# raddle_pass.so, the plugin that `raddle cc` loads into clang-19. It links no LLVM library: clang, which loads it,
# has one, and a second copy in the same process would clash.
enable_language(CXX)

find_program(LLVM_CONFIG NAMES llvm-config-19 HINTS /usr/lib/llvm-19/bin REQUIRED)
execute_process(COMMAND ${LLVM_CONFIG} --includedir OUTPUT_VARIABLE LLVM_INCLUDE
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/instrument/*.c)
list(APPEND sources
    ${PROJECT_SOURCE_DIR}/src/instrument/register.cpp
    ${PROJECT_SOURCE_DIR}/src/base/arena.c
    ${PROJECT_SOURCE_DIR}/src/base/check.c
    ${PROJECT_SOURCE_DIR}/src/base/demangled.c
    ${PROJECT_SOURCE_DIR}/src/base/map.c
    ${PROJECT_SOURCE_DIR}/src/base/text.c
    ${PROJECT_SOURCE_DIR}/src/base/vec.c)
add_library(raddle_pass MODULE ${sources})
target_include_directories(raddle_pass PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_include_directories(raddle_pass SYSTEM PRIVATE ${LLVM_INCLUDE})
# Instead of the project's options, not besides them: clang itself has no sanitizer, so its plugin cannot, and
# some warnings are for C only.
set_target_properties(raddle_pass PROPERTIES
    PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
    C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden
    CXX_STANDARD 17
    COMPILE_OPTIONS "-Wall;-Wextra;-Wshadow;$<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>"
    LINK_OPTIONS "")
install(TARGETS raddle_pass LIBRARY DESTINATION ${RADDLE_PRIVATE_DIR})

if(NOT RADDLE_FUZZ)
    enable_testing()
    add_test(NAME instrument.pass COMMAND bash ${PROJECT_SOURCE_DIR}/tests/instrument/run.sh)
    set_tests_properties(instrument.pass PROPERTIES TIMEOUT 900
        ENVIRONMENT "PASS=${PROJECT_BINARY_DIR}/raddle_pass.so;RADDLE=${PROJECT_BINARY_DIR}/raddle")
endif()
