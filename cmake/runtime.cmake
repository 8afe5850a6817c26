# The room core of the runtime: fibers, heap, image, process state. It goes into libraddle.so, and into the tests and
# benchmarks as an ordinary library. Include after the rooms are defined and before cmake/tests.cmake: being in
# all_rooms, it is linked by tests/unit/runtime/test_*.c and bench/*.c through the rules that are there.
enable_language(ASM)

add_library(raddle_runtime_low STATIC
    src/runtime/core/fiber.c
    src/runtime/core/fiber_threads.c
    src/runtime/core/fiber_${CMAKE_SYSTEM_PROCESSOR}.S
    src/runtime/core/heap.c
    src/runtime/core/guard.c
    src/runtime/core/heap_outside.c
    src/runtime/core/heap_quarantine.c
    src/runtime/core/image.c
    src/runtime/core/image_modules.c
    src/runtime/core/kernel.c
    src/runtime/core/part.c
    src/runtime/core/place.c
    src/runtime/core/place_maps.c
    src/runtime/core/spin_image.c
    src/runtime/core/state.c
    src/runtime/core/state_fd.c
    src/runtime/core/state_fork.c
    src/runtime/core/state_place.c
    src/runtime/core/tls.c
    src/runtime/core/tracker.c)
# Inside the tested process nothing but the hooks and interposed functions may be seen.
set_target_properties(raddle_runtime_low PROPERTIES
    POSITION_INDEPENDENT_CODE ON
    C_VISIBILITY_PRESET hidden)
target_compile_definitions(raddle_runtime_low PRIVATE _GNU_SOURCE __RADDLE__) # raddle.h is meant
target_link_libraries(raddle_runtime_low PUBLIC raddle_base)
list(APPEND all_rooms raddle_runtime_low)

# checking/libraddle.so: the engine and the runtime, in one library that `raddle check` puts in place of the one below. Built from sources, not from
# the libraries above: it needs position-independent code with hidden names, and never a sanitizer, which would
# interpose the same functions.
set(sources)
foreach(room base model explore detect runtime/*)
    file(GLOB room_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.c)
    list(APPEND sources ${room_sources})
endforeach()
# Of the cluster, a worker: what the process of a program does in a search with several.
foreach(file worker link reversal numbers findings)
    list(APPEND sources ${PROJECT_SOURCE_DIR}/src/cluster/${file}.c)
endforeach()
# The engine is compiled as one file, so that its small functions are inlined across files: 15 % on its benchmarks. Not the
# runtime: each of its files has names of its own kind.
file(GLOB room_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/runtime/*/*.c)
set_source_files_properties(${room_sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# The library under a name and in a directory of its own, with further options. Its options replace those of all others: no sanitizers.
function(engine_library name directory compile_options link_options)
    add_library(${name} SHARED ${sources} src/runtime/core/fiber_${CMAKE_SYSTEM_PROCESSOR}.S)
    set_target_properties(${name} PROPERTIES
        OUTPUT_NAME raddle
        UNITY_BUILD ON
        UNITY_BUILD_BATCH_SIZE 0
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${directory}
        C_VISIBILITY_PRESET hidden
        COMPILE_OPTIONS "-Wall;-Wextra;-Wshadow;-Wstrict-prototypes;$<$<COMPILE_LANGUAGE:C>:${compile_options}>"
        LINK_OPTIONS "-Wl,-z,now;-Wl,-z,noexecstack;-Wl,--wrap=syscall;${link_options}") # its own calls of the kernel do not meet the interposed one
    target_compile_definitions(${name} PRIVATE _GNU_SOURCE __RADDLE__)
    target_link_libraries(${name} PRIVATE dl)
endfunction()

# A step is some two thousand instructions in two hundred functions of two hundred files, none of which stands out. So the compiler is told
# which ways are busy (tools/profile.sh, which "make" calls once), and may look across all files when it links.
set(RADDLE_PROFILE "" CACHE FILEPATH "what tools/profile.sh has measured; empty: compile libraddle.so without it (clang only)")
set(quick)
set(quick_link)
if(CMAKE_C_COMPILER_ID MATCHES "Clang" AND NOT RADDLE_SANITIZE AND NOT RADDLE_FUZZ)
    include(CheckLinkerFlag)
    check_linker_flag(C -fuse-ld=lld RADDLE_LLD)
    if(RADDLE_LLD)
        set(quick -flto)
        set(quick_link -flto -fuse-ld=lld)
    endif()
    if(RADDLE_PROFILE AND EXISTS ${RADDLE_PROFILE})
        # a function that has changed since is compiled as if there were none
        list(APPEND quick -fprofile-instr-use=${RADDLE_PROFILE} -Wno-profile-instr-out-of-date -Wno-profile-instr-unprofiled)
    endif()
    # The same library, counting: only tools/profile.sh wants it.
    engine_library(raddle_so_counting counting/${RADDLE_CHECKING} "-O1;-fprofile-instr-generate" -fprofile-instr-generate)
    set_target_properties(raddle_so_counting PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
engine_library(raddle_so ${RADDLE_CHECKING} "${quick}" "${quick_link}")
install(TARGETS raddle_so LIBRARY DESTINATION ${RADDLE_PRIVATE_DIR}/${RADDLE_CHECKING})

# libraddle.so: what a program built by `raddle cc` finds when it is started by itself.
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/plain/*.c)
add_library(raddle_plain SHARED ${sources})
set_target_properties(raddle_plain PROPERTIES
    OUTPUT_NAME raddle
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
    C_VISIBILITY_PRESET hidden
    COMPILE_OPTIONS "-mcx16;-Wall;-Wextra;-Wshadow"
    LINK_OPTIONS "-Wl,-z,noexecstack")
target_include_directories(raddle_plain PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(raddle_plain PRIVATE _GNU_SOURCE)
add_dependencies(raddle_plain raddle_so) # whoever has built the one has built both
install(TARGETS raddle_plain LIBRARY DESTINATION ${RADDLE_PRIVATE_DIR})
