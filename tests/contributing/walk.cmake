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

add_subdirectory(models/devices)

# The rest of the program that prints the firmware's header: libraries of that build, of which those with
# types of devices (TYPES, separated by commas) are linked whole.
string(REPLACE "," ";" types "${TYPES}")
list(FILTER types INCLUDE REGEX "\\.a$")  # without the folders that generator expressions name
file(GLOB libraries ${BUILT}/models/*/*.a ${BUILT}/models/*/*/*.a ${BUILT}/platform/*/*.a)
list(REMOVE_ITEM libraries ${types})
list(FILTER libraries EXCLUDE REGEX "/libasterism_(devices_engine|systemc_test_main)\\.a$")
list(FILTER types EXCLUDE REGEX "/libasterism_devices\\.a$")
add_executable(firmware_header platform/registers/firmware_header_main.cpp)
target_include_directories(firmware_header PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(firmware_header PRIVATE
  asterism::devices -Wl,--whole-archive ${types} -Wl,--no-whole-archive -Wl,--start-group ${libraries} -Wl,--end-group
  asterism::tlm nlohmann_json::nlohmann_json dw elf fdt z zstd ${CMAKE_DL_LIBS})
