# Tests, all of them in ctest: unit.<room>.<name>, engine.oracle.<shard>, tool.<name>.
# They link every room: a test of explore drives it with a scripted target. Rooms are kept apart by
# tests/tool/rooms.sh, not by what the tests link.
enable_testing()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)

# tests/unit/<room>/test_<name>.c: one cmocka program each.
file(GLOB unit_tests CONFIGURE_DEPENDS tests/unit/*/test_*.c)
if(unit_tests)
    find_path(CMOCKA_INCLUDE cmocka.h REQUIRED)
    find_library(CMOCKA_LIBRARY cmocka REQUIRED)
endif()

# Tests of cli need its files without main().
file(GLOB cli_tests CONFIGURE_DEPENDS tests/unit/cli/test_*.c)
file(GLOB cli_sources CONFIGURE_DEPENDS src/cli/*.c)
list(FILTER cli_sources EXCLUDE REGEX "/main\\.c$")
if(cli_tests AND cli_sources)
    add_library(raddle_cli_tested STATIC ${cli_sources})
    target_include_directories(raddle_cli_tested SYSTEM PUBLIC ${JANSSON_INCLUDE})
    target_link_libraries(raddle_cli_tested PUBLIC ${all_rooms} ${JANSSON_LIBRARY})
endif()

foreach(source IN LISTS unit_tests)
    string(REGEX REPLACE ".*/([^/]+)/test_([^/]+)\\.c$" "\\1;\\2" parts ${source})
    list(POP_FRONT parts room name)
    set(target unit_${room}_${name})
    add_executable(${target} ${source})
    target_include_directories(${target} PRIVATE tests)
    target_include_directories(${target} SYSTEM PRIVATE ${CMOCKA_INCLUDE})
    target_link_libraries(${target} PRIVATE ${all_rooms} ${CMOCKA_LIBRARY})
    if(room STREQUAL "cli" AND TARGET raddle_cli_tested)
        target_link_libraries(${target} PRIVATE raddle_cli_tested)
    endif()
    add_test(NAME unit.${room}.${name} COMMAND ${target})
    list(APPEND registered unit.${room}.${name})
endforeach()

# tests/engine/*.c: one program; its shards differ in the seed, so that they run side by side.
file(GLOB sources CONFIGURE_DEPENDS tests/engine/*.c)
if(sources)
    add_executable(engine_oracle ${sources})
    target_include_directories(engine_oracle PRIVATE tests)
    foreach(room script explore model base)
        if(TARGET raddle_${room})
            target_link_libraries(engine_oracle PRIVATE raddle_${room})
        endif()
    endforeach()
    # programs that once showed a mistake
    file(GLOB kept CONFIGURE_DEPENDS tests/engine/kept/*.script)
    foreach(script IN LISTS kept)
        get_filename_component(stem ${script} NAME_WE)
        add_test(NAME engine.kept.${stem} COMMAND engine_oracle --file ${script})
    endforeach()
    # … that go round, with and without interchangeable threads
    file(GLOB kept CONFIGURE_DEPENDS tests/engine/kept-round/*.script)
    foreach(script IN LISTS kept)
        get_filename_component(stem ${script} NAME_WE)
        add_test(NAME engine.round.${stem} COMMAND engine_oracle --twins --file ${script})
    endforeach()
    foreach(i RANGE 1 4)
        add_test(NAME engine.oracle.${i} COMMAND engine_oracle --seed ${i} --programs 200)
        list(APPEND registered engine.oracle.${i})
    endforeach()
endif()

# tests/cluster/*.c: a simulated cluster against one search, in many orders of messages.
file(GLOB sources CONFIGURE_DEPENDS tests/cluster/*.c)
if(sources AND TARGET raddle_cluster)
    add_executable(cluster_orders ${sources} tests/engine/generate.c tests/engine/generate_sync.c
                   tests/engine/twins_make.c tests/engine/cycles_make.c tests/engine/file.c)
    target_include_directories(cluster_orders PRIVATE tests)
    target_link_libraries(cluster_orders PRIVATE raddle_cluster raddle_script raddle_explore raddle_model raddle_base)
    add_test(NAME cluster.orders COMMAND cluster_orders --seed 1 --programs 300 --seconds 200)
    add_test(NAME cluster.states COMMAND cluster_orders --only states --seed 1 --programs 300 --seconds 200)
    add_test(NAME cluster.symmetry COMMAND cluster_orders --only symmetry --seed 1 --programs 400 --seconds 200)
    add_test(NAME cluster.bounds COMMAND cluster_orders --only bounds --seed 1 --programs 200 --seconds 200)
    list(APPEND registered cluster.orders cluster.states cluster.symmetry cluster.bounds)
    # programs that fail without one of the rules: KIND-….script
    file(GLOB kept CONFIGURE_DEPENDS tests/cluster/kept/*.script)
    foreach(script IN LISTS kept)
        get_filename_component(stem ${script} NAME_WE)
        string(REGEX REPLACE "-.*" "" kind ${stem})
        add_test(NAME cluster.kept.${stem} COMMAND cluster_orders --only ${kind} --file ${script} --orders 200)
    endforeach()
    file(GLOB kept CONFIGURE_DEPENDS tests/engine/kept-round/*.script)
    foreach(script IN LISTS kept)
        get_filename_component(stem ${script} NAME_WE)
        add_test(NAME cluster.round.${stem} COMMAND cluster_orders --only round --file ${script} --orders 60)
    endforeach()
endif()

# tests/tool/*.sh: scripts that run the program, or check the tree. Sanitizers are in the driver only, which does the same for
# programs of each level of optimisation.
if(RADDLE_SANITIZE)
    set(levels ";LEVELS=-O0;SHARE=4")
endif()
set(of_the_runtime accesses conformance estimate library mpi names states symmetry)
file(GLOB scripts CONFIGURE_DEPENDS tests/tool/*.sh)
foreach(script IN LISTS scripts)
    get_filename_component(stem ${script} NAME_WE)
    if(RADDLE_SANITIZE AND stem IN_LIST of_the_runtime) # many runs of what has no sanitizers, by a driver that does the same each time
        continue()
    endif()
    add_test(NAME tool.${stem} COMMAND bash ${script})
    set_tests_properties(tool.${stem} PROPERTIES
        SKIP_RETURN_CODE 77 # what it needs is not there; it says what
        ENVIRONMENT "RADDLE=${PROJECT_BINARY_DIR}/raddle;SOURCE_DIR=${PROJECT_SOURCE_DIR};XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache${levels}")
    list(APPEND registered tool.${stem})
endforeach()

# A search that never ends must fail here, with its name, and not when CI gives up.
if(registered)
    set_tests_properties(${registered} PROPERTIES TIMEOUT 900)
endif()

foreach(test tool.programs tool.races) # many programs, each under three models
    if(TEST ${test})
        set_tests_properties(${test} PROPERTIES TIMEOUT 1800)
    endif()
endforeach()

# tests/native/*.c: random programs as scripts and as C; both must show the same. Needs what `raddle cc` needs.
file(GLOB sources CONFIGURE_DEPENDS tests/native/*.c)
if(sources AND TARGET raddle AND TARGET raddle_so AND TARGET raddle_pass)
    add_executable(native_random ${sources}
        tests/engine/generate.c tests/engine/generate_sync.c tests/engine/shrink.c)
    target_include_directories(native_random PRIVATE tests)
    target_include_directories(native_random SYSTEM PRIVATE ${JANSSON_INCLUDE})
    target_compile_definitions(native_random PRIVATE
        NATIVE_SOURCE_DIR="${PROJECT_SOURCE_DIR}/tests/native")
    target_link_libraries(native_random PRIVATE
        raddle_script raddle_explore raddle_model raddle_base ${JANSSON_LIBRARY})
    add_dependencies(native_random raddle raddle_so raddle_pass)
    foreach(i RANGE 1 2) # the first unoptimised, the second with -O1 and larger programs
        if(RADDLE_SANITIZE AND i EQUAL 2) # what it tries beyond the first is the runtime
            continue()
        endif()
        math(EXPR opt "${i} - 1")
        math(EXPR events "8 + 3 * ${i}")
        add_test(NAME native.random.${i} COMMAND native_random --seed ${i} --programs 400
            --events ${events} --opt ${opt} --raddle $<TARGET_FILE:raddle>)
        set_tests_properties(native.random.${i} PROPERTIES TIMEOUT 900)
    endforeach()
endif()

# tests/native_states/*.c: random C programs, searched with and without comparing states; both must show the same.
file(GLOB sources CONFIGURE_DEPENDS tests/native_states/*.c)
if(sources AND TARGET native_random)
    add_executable(native_states ${sources} tests/native/outcome.c)
    target_include_directories(native_states PRIVATE tests)
    target_include_directories(native_states SYSTEM PRIVATE ${JANSSON_INCLUDE})
    target_compile_definitions(native_states PRIVATE
        NATIVE_SOURCE_DIR="${PROJECT_SOURCE_DIR}/tests/native")
    target_link_libraries(native_states PRIVATE raddle_model raddle_base ${JANSSON_LIBRARY})
    add_dependencies(native_states raddle raddle_so raddle_plain raddle_pass)
    if(NOT RADDLE_SANITIZE) # the same
        add_test(NAME native.states COMMAND native_states --seed 1 --programs 30 --limit 500
            --raddle $<TARGET_FILE:raddle>)
        add_test(NAME native.twins COMMAND native_states --twins --seed 1 --programs 30 --limit 500
            --raddle $<TARGET_FILE:raddle>)
        add_test(NAME native.jobs COMMAND native_states --jobs 3 --seed 2 --programs 20 --limit 300
            --raddle $<TARGET_FILE:raddle>)
        set_tests_properties(native.jobs PROPERTIES ENVIRONMENT RADDLE_PILOT=1)
        set_tests_properties(native.states native.twins native.jobs PROPERTIES TIMEOUT 900)
    endif()
endif()

# tests/native_rounds/*.c: random C programs of loops, searched with and without rounds that change nothing; both must show the same.
file(GLOB sources CONFIGURE_DEPENDS tests/native_rounds/*.c)
if(sources AND TARGET native_states)
    add_executable(native_rounds ${sources} tests/native_states/result.c tests/native/outcome.c)
    target_include_directories(native_rounds PRIVATE tests)
    target_include_directories(native_rounds SYSTEM PRIVATE ${JANSSON_INCLUDE})
    target_compile_definitions(native_rounds PRIVATE
        NATIVE_SOURCE_DIR="${PROJECT_SOURCE_DIR}/tests/native")
    target_link_libraries(native_rounds PRIVATE raddle_model raddle_base ${JANSSON_LIBRARY})
    add_dependencies(native_rounds raddle raddle_so raddle_plain raddle_pass)
    if(NOT RADDLE_SANITIZE)
        add_test(NAME native.rounds COMMAND native_rounds --seed 1 --programs 60 --limit 300
            --raddle $<TARGET_FILE:raddle>)
        set_tests_properties(native.rounds PROPERTIES TIMEOUT 900)
    endif()
endif()
