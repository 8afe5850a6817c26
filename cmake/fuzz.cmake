# tests/fuzz/fuzz_<name>.c: one libFuzzer program each, in <build>/fuzz. "make fuzz-readers" runs them.
file(GLOB fuzzers CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
add_custom_target(fuzzers)
foreach(source IN LISTS fuzzers)
    get_filename_component(stem ${source} NAME_WE)
    add_executable(${stem} ${source})
    # libFuzzer calls LLVMFuzzerTestOneInput by name; no header declares it.
    target_compile_options(${stem} PRIVATE -Wno-missing-prototypes)
    target_link_libraries(${stem} PRIVATE ${all_rooms})
    target_link_options(${stem} PRIVATE -fsanitize=fuzzer)
    set_target_properties(${stem} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
    add_dependencies(fuzzers ${stem})
endforeach()
