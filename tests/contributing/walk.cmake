# The CMakeLists.txt of the copy that device_walk.cmake makes. It builds the touched folder and the touched
# files of platform/; everything else comes as libraries from the build that runs the test (BUILT).
cmake_minimum_required(VERSION 3.25)
project(walk LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_SOURCE_DIR}/cmake)
include(AsterismOptions)
include(AsterismFolders)
enable_testing()

function(built alias library)
  add_library(${alias} STATIC IMPORTED GLOBAL)
  set_target_properties(${alias} PROPERTIES IMPORTED_LOCATION ${BUILT}/${library})
  target_include_directories(${alias} INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/models)
  target_link_libraries(${alias} INTERFACE ${ARGN})
endfunction()
built(asterism::base models/base/libasterism_base.a)
built(asterism::tlm models/tlm/libasterism_tlm.a asterism::base asterism::systemc spdlog::spdlog fmt::fmt)
built(asterism::systemc_test models/tlm/libasterism_systemc_test_main.a asterism::tlm GTest::gtest)
built(asterism::config platform/config/libasterism_platform_config.a asterism::base fmt::fmt nlohmann_json::nlohmann_json)

add_subdirectory(models/devices)

add_executable(firmware_header platform/registers/firmware_header.cpp platform/registers/firmware_header_main.cpp platform/node/address_map.cpp
               platform/registers/register_lists.cpp)
add_library(netlist OBJECT platform/system/node.cpp)
foreach(target firmware_header netlist)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE asterism::devices asterism::config)
endforeach()
