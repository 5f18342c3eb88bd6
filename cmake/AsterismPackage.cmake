# What is installed: the program; the library of nodes with its headers, for programs of others
# (find_package(Asterism), pkg-config asterism); configurations, firmware with its sources, RTL.
include(CMakePackageConfigHelpers)
# The same for each prefix, so that a folder that has been installed may be moved.
set(CMAKE_INSTALL_LIBDIR lib/${CMAKE_LIBRARY_ARCHITECTURE})
include(GNUInstallDirs)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME asterism)

set(data ${CMAKE_INSTALL_DATADIR}/asterism)

# ---- the library: models/, and what a node is built with of platform/ ----

set(node_libraries "")
get_property(all GLOBAL PROPERTY asterism_libraries)
foreach(library IN LISTS all)
  if(NOT library MATCHES "^asterism_platform_(plugin_check|rtl_exchange|run|study)$" AND
     NOT library MATCHES "^asterism_(resilience|cluster_scale)_engine$" AND
     NOT library MATCHES "_(crash|truth)_engine$|_oracle$|_test_main$")
    list(APPEND node_libraries ${library})
  endif()
endforeach()
list(TRANSFORM node_libraries REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE node_objects)
# What a node may name, so that the library needs no files.
set(built_in_kinds cores cxl dram dram_curves fabric_curves flash graphs nodes pcram technologies)
set(built_in_configs ${CMAKE_BINARY_DIR}/built_in_configs.cpp)
list(TRANSFORM built_in_kinds REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/configs/\\1/*.json" OUTPUT_VARIABLE built_in_files)
file(GLOB built_in_files CONFIGURE_DEPENDS ${built_in_files})
list(JOIN built_in_kinds , comma_kinds)
add_custom_command(
  OUTPUT ${built_in_configs}
  COMMAND ${CMAKE_COMMAND} -DCONFIGS=${PROJECT_SOURCE_DIR}/configs -DKINDS=${comma_kinds} -DINTO=${built_in_configs}
          -P ${PROJECT_SOURCE_DIR}/cmake/package/built_in_configs.cmake
  DEPENDS ${built_in_files} ${PROJECT_SOURCE_DIR}/cmake/package/built_in_configs.cmake
  COMMENT "Writing the configurations that are built into the library"
  VERBATIM)
add_library(asterism_node SHARED ${PROJECT_SOURCE_DIR}/cmake/package/library.cpp ${built_in_configs} ${node_objects})
target_compile_definitions(asterism_node PRIVATE ASTERISM_VERSION="${PROJECT_VERSION}")
target_link_libraries(asterism_node PRIVATE ${node_libraries} PUBLIC asterism_systemc)
target_compile_features(asterism_node INTERFACE cxx_std_20)
set_target_properties(asterism_systemc PROPERTIES EXPORT_NAME systemc)
# The archives are named for the libraries that they need: all of their objects are there already.
list(JOIN node_libraries , archives)
set_target_properties(asterism_node PROPERTIES
  EXPORT_NAME node VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LINK_LIBRARY_OVERRIDE "DEFAULT,${archives}"
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}
  LINK_DEPENDS ${CMAKE_BINARY_DIR}/library.map)
# Names of another version are other names: a program that was linked to it says so at its start.
configure_file(${PROJECT_SOURCE_DIR}/cmake/package/library.map.in ${CMAKE_BINARY_DIR}/library.map @ONLY)
target_link_options(asterism_node PRIVATE -Wl,-Bsymbolic-functions
  -Wl,--version-script=${CMAKE_BINARY_DIR}/library.map)

# ---- the engines: libraries without SystemC ----

set(engines ecc fabric flash matt memory resilience zone_monitor)
set(engine_targets asterism_base)
foreach(engine IN LISTS engines ITEMS swizzle_switch)  # which `fabric` links
  list(APPEND engine_targets asterism_${engine}_engine)
  set_target_properties(asterism_${engine}_engine PROPERTIES EXPORT_NAME ${engine})
endforeach()
set_target_properties(asterism_base PROPERTIES EXPORT_NAME base)
target_compile_features(asterism_base PUBLIC cxx_std_20)

# ---- the public headers, below one include root ----

set(include_root ${CMAKE_BINARY_DIR}/include)
set(public_headers platform/embedding/node.h cmake/package/device.h)
file(GLOB_RECURSE header_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/models/*.h
     ${PROJECT_SOURCE_DIR}/platform/embedding/*.h ${PROJECT_SOURCE_DIR}/cmake/package/*.h
     ${PROJECT_SOURCE_DIR}/cmake/package/*.h.in)
list(JOIN public_headers , comma_headers)
list(JOIN engines , comma_engines)
add_custom_command(
  OUTPUT ${include_root}/asterism.stamp
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${include_root}
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DINTO=${include_root} -DHEADERS=${comma_headers}
          -DENGINES=${comma_engines} -DSYSTEMC=${SYSTEMC_VERSION}
          -P ${PROJECT_SOURCE_DIR}/cmake/package/public_headers.cmake
  COMMAND ${CMAKE_COMMAND} -E touch ${include_root}/asterism.stamp
  DEPENDS ${header_files} ${PROJECT_SOURCE_DIR}/cmake/package/public_headers.cmake
  COMMENT "Collecting the public headers"
  VERBATIM)
add_custom_target(asterism_public_headers ALL DEPENDS ${include_root}/asterism.stamp)

# ---- plug-ins: headers without a library (AsterismPlugin.cmake) ----

add_library(asterism_device INTERFACE)
add_library(Asterism::device ALIAS asterism_device)
set_target_properties(asterism_device PROPERTIES EXPORT_NAME device)
target_include_directories(asterism_device INTERFACE
  $<BUILD_INTERFACE:${include_root}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_include_directories(asterism_device SYSTEM INTERFACE
  $<TARGET_PROPERTY:PkgConfig::SYSTEMC,INTERFACE_INCLUDE_DIRECTORIES>
  $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
get_target_property(systemc_definitions asterism_systemc INTERFACE_COMPILE_DEFINITIONS)
target_compile_definitions(asterism_device INTERFACE ${systemc_definitions})
target_compile_features(asterism_device INTERFACE cxx_std_20)
include(${PROJECT_SOURCE_DIR}/cmake/package/AsterismPlugin.cmake)

# ---- what is installed ----

install(TARGETS asterism EXPORT Asterism RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS asterism_node asterism_device asterism_systemc ${engine_targets} EXPORT Asterism
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET asterism_mpi)
  install(TARGETS asterism_mpi LIBRARY DESTINATION lib/asterism COMPONENT cluster)
endif()
if(TARGET asterism_cluster)
  install(TARGETS asterism_cluster RUNTIME DESTINATION lib/asterism COMPONENT cluster)
endif()
install(DIRECTORY ${include_root}/asterism DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs DESTINATION ${data})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/rtl DESTINATION ${data})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/sw DESTINATION ${data})
install(PROGRAMS ${PROJECT_SOURCE_DIR}/sw/linux/init DESTINATION ${data}/sw/linux)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${data})
install(FILES ${PROJECT_SOURCE_DIR}/cmake/aarch64-none-toolchain.cmake DESTINATION ${data}/cmake)
# find_package(asterism_firmware) finds it there.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/asterism_firmware-config.cmake
     CONTENT "include(\${CMAKE_CURRENT_LIST_DIR}/../../asterism/sw/asterism_firmware-config.cmake)\n" @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/asterism_firmware-config.cmake
  DESTINATION ${CMAKE_INSTALL_DATADIR}/cmake/asterism_firmware)
if(ASTERISM_FIRMWARE)
  # The initial file system of `run linux` consists of programs of Debian, and is made where it is used.
  install(DIRECTORY ${CMAKE_BINARY_DIR}/sw/ DESTINATION ${data}/firmware FILES_MATCHING PATTERN "*.elf")
  install(FILES ${CMAKE_BINARY_DIR}/generated/asterism/platform.h DESTINATION ${data}/sw/generated/asterism)
endif()

set(cmake_files ${CMAKE_INSTALL_LIBDIR}/cmake/Asterism)
install(EXPORT Asterism NAMESPACE Asterism:: FILE AsterismTargets.cmake DESTINATION ${cmake_files})
set(firmware_sources ${data}/sw)
set(firmware_headers ${data}/sw/generated)
set(toolchain ${data}/cmake/aarch64-none-toolchain.cmake)
set(in_config PATH_VARS firmware_sources firmware_headers toolchain)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/package/AsterismConfig.cmake.in
  ${CMAKE_BINARY_DIR}/package/AsterismConfig.cmake INSTALL_DESTINATION ${cmake_files} ${in_config})
# The build can be used in the same way as an installation.
set(firmware_sources ${PROJECT_SOURCE_DIR}/sw)
set(firmware_headers ${CMAKE_BINARY_DIR}/generated)
set(toolchain ${PROJECT_SOURCE_DIR}/cmake/aarch64-none-toolchain.cmake)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/package/AsterismConfig.cmake.in
  ${CMAKE_BINARY_DIR}/AsterismConfig.cmake INSTALL_DESTINATION ${CMAKE_BINARY_DIR}
  INSTALL_PREFIX ${CMAKE_BINARY_DIR}
  ${in_config})
configure_file(${PROJECT_SOURCE_DIR}/cmake/package/AsterismPlugin.cmake ${CMAKE_BINARY_DIR} COPYONLY)
export(EXPORT Asterism NAMESPACE Asterism:: FILE ${CMAKE_BINARY_DIR}/AsterismTargets.cmake)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/AsterismConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/package/AsterismConfig.cmake ${CMAKE_BINARY_DIR}/AsterismConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/package/AsterismPlugin.cmake
        DESTINATION ${cmake_files})
file(RELATIVE_PATH prefix_of_pkgconfig /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/package/asterism.pc.in ${CMAKE_BINARY_DIR}/asterism.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/asterism.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
