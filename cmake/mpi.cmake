# raddle_relay: what `raddle check --mpi` needs of MPI (src/mpi/relay.c). Without MPI all else is built, and --mpi says what is missing.
find_package(MPI COMPONENTS C QUIET)
if(MPI_C_FOUND)
    add_executable(raddle_relay src/mpi/relay.c)
    target_link_libraries(raddle_relay PRIVATE MPI::MPI_C)
    # no sanitizers: MPI keeps what it has until the end
    set_target_properties(raddle_relay PROPERTIES COMPILE_OPTIONS "-fno-sanitize=all" LINK_OPTIONS "-fno-sanitize=all")
    install(TARGETS raddle_relay RUNTIME DESTINATION ${RADDLE_PRIVATE_DIR} COMPONENT mpi)
else()
    message(NOTICE "MPI was not found: raddle check --mpi will not work")
endif()
