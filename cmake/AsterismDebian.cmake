# The Debian packages, which scripts/package makes: `asterism`, and `asterism-cluster` with what depends on
# SimGrid and MPI.

# The files of both in share/doc, compressed as Debian's policy says. Their time is that of the version, so
# that the packages of two builds are the same.
execute_process(COMMAND date -u -R -d ${ASTERISM_DATE} OUTPUT_VARIABLE date_of_mail
  OUTPUT_STRIP_TRAILING_WHITESPACE)
set(contact "Asterism developers <asterism@users.noreply.invalid>")
set(debian ${CMAKE_BINARY_DIR}/debian)
file(MAKE_DIRECTORY ${debian})
file(READ ${PROJECT_SOURCE_DIR}/LICENSE licence)
file(READ ${PROJECT_SOURCE_DIR}/NOTICE notice)
string(REGEX MATCH "Copyright \\(c\\) ([^\n]*)" unused "${licence}")
set(holder ${CMAKE_MATCH_1})
foreach(text IN ITEMS licence notice)  # as continuation lines of a field
  string(STRIP "${${text}}" ${text})
  string(REGEX REPLACE "\n\n" "\n.\n" ${text} "${${text}}")
  string(REGEX REPLACE "\n" "\n " ${text} "${${text}}")
endforeach()
file(CONFIGURE OUTPUT ${debian}/copyright @ONLY CONTENT
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: asterism
Comment:
 @notice@

Files: *
Copyright: @holder@
License: BSD-3-Clause
 @licence@
")

foreach(package IN ITEMS asterism asterism-cluster)
  file(CONFIGURE OUTPUT ${debian}/${package}.changelog @ONLY CONTENT
"@package@ (@PROJECT_VERSION@) bookworm; urgency=medium

  * Version @PROJECT_VERSION@; /usr/share/doc/asterism/CHANGELOG.md.gz has the changes.

 -- @contact@  @date_of_mail@
")
  execute_process(COMMAND sh -c
    "mkdir -p ${package} && gzip -9nc <${package}.changelog >${package}/changelog.gz"
                  WORKING_DIRECTORY ${debian} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND sh -c "gzip -9nc <${PROJECT_SOURCE_DIR}/CHANGELOG.md >asterism/CHANGELOG.md.gz"
                WORKING_DIRECTORY ${debian} COMMAND_ERROR_IS_FATAL ANY)
install(DIRECTORY ${debian}/asterism DESTINATION ${CMAKE_INSTALL_DATADIR}/doc)
install(FILES ${debian}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/asterism)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/package/asterism.lintian RENAME asterism
        DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides)
install(DIRECTORY ${debian}/asterism-cluster DESTINATION ${CMAKE_INSTALL_DATADIR}/doc COMPONENT cluster)
install(FILES ${debian}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/asterism-cluster COMPONENT cluster)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT ${contact})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL asterism)
if(TARGET asterism_cluster OR TARGET asterism_mpi)
  list(APPEND CPACK_COMPONENTS_ALL cluster)
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION electronics)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

set(CPACK_DEBIAN_ASTERISM_PACKAGE_NAME asterism)
# Of both; what a component says follows it.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "virtual platform of an exascale compute node")
set(CPACK_COMPONENT_ASTERISM_DESCRIPTION
  "Asterism simulates compute nodes with SystemC and TLM-2.0: A64 cores that
execute bare-metal firmware or Linux, fabrics, memory with its ECC, and the
checkpoint hardware that was proposed for exascale machines. Models can be
replaced by SystemVerilog, or run in lockstep with it.

The package has the command, the library of nodes for programs of others,
configurations, and firmware with its sources.")
# For RTL; for firmware; for programs with nodes, plug-ins and engines; for Python.
set(recommended "verilator;g++;gcc-aarch64-linux-gnu;g++-aarch64-linux-gnu;picolibc-aarch64-linux-gnu;\
cmake;ninja-build;pkg-config;libsystemc-dev;libboost-dev;libfmt-dev;zlib1g-dev;\
python3-numpy;python3-pandas")
list(JOIN recommended ", " CPACK_DEBIAN_ASTERISM_PACKAGE_RECOMMENDS)
set(CPACK_DEBIAN_ASTERISM_PACKAGE_SUGGESTS
  "asterism-cluster, bash-completion, gdb-multiarch, graphviz, gtkwave, librsvg2-bin, python3-matplotlib, u-boot-qemu")
# The engines for Python are a module of this version of it.
set(CPACK_DEBIAN_ASTERISM_PACKAGE_DEPENDS python3)
if(TARGET asterism_engines)
  set(CPACK_DEBIAN_ASTERISM_PACKAGE_DEPENDS "python3 (>= 3.11), python3 (<< 3.12)")
endif()
# For dpkg-shlibdeps and the dynamic linker, in place of scripts.
set(minor_version ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
file(CONFIGURE OUTPUT ${debian}/shlibs CONTENT
"libasterism_node ${minor_version} asterism (>= ${minor_version})\n" @ONLY)
file(CONFIGURE OUTPUT ${debian}/triggers CONTENT "activate-noawait ldconfig\n" @ONLY)
set(CPACK_DEBIAN_ASTERISM_PACKAGE_CONTROL_EXTRA "${debian}/shlibs;${debian}/triggers")

set(CPACK_DEBIAN_CLUSTER_PACKAGE_NAME asterism-cluster)
set(CPACK_DEBIAN_CLUSTER_PACKAGE_DEPENDS "asterism (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_CLUSTER_PACKAGE_RECOMMENDS openmpi-bin)  # mpirun
set(CPACK_COMPONENT_CLUSTER_DESCRIPTION "The package has the program with which `asterism study cluster_scale`
simulates a machine of many nodes by SimGrid, and the library by which
studies and sweeps are distributed by MPI.")
include(CPack)

add_custom_target(asterism_installed DEPENDS asterism asterism_node asterism_manual asterism_public_headers
                  asterism_python ${engine_targets})
foreach(target IN ITEMS asterism_cluster asterism_mpi asterism_firmware)
  if(TARGET ${target})
    add_dependencies(asterism_installed ${target})
  endif()
endforeach()
