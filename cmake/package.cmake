# A Debian package: `make package` writes <build>/raddle_<version>_<architecture>.deb.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME raddle)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The raddle authors <raddle@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "model checker for multithreaded C programs")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"raddle runs a multithreaded C program natively under every thread interleaving
that matters, under sequential consistency or with the store buffers of TSO and
PSO, and either shows that none breaks it or hands over the one that does,
replayable and explained.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
# Without the component mpi, which would make the package depend on MPI.
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};raddle;Unspecified;/")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# What the programs are linked with is found out; what raddle cc starts must be named.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS clang-19)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gdb, cmake")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
include(CPack)
