# asterism_plugin(NAME SOURCE...): the plug-in libNAME.so, with the devices of these sources. It links none of
# Asterism and no SystemC, but takes both from the program that loads it. Unless the project chooses a build
# type, it is optimised and has debug information.
function(asterism_plugin name)
  if(NOT SYSTEMC_FOUND)
    message(FATAL_ERROR "A plug-in is compiled with the headers of SystemC, which are missing: "
                        "install libsystemc-dev")
  endif()
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE Asterism::device)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES AND NOT CMAKE_CXX_FLAGS MATCHES "-O")
    target_compile_options(${name} PRIVATE -O2 -g)
  endif()
endfunction()

# asterism_plugin_test(PLUGIN SCENARIO SOURCE...): bare-metal firmware in C, PLUGIN_test.elf, and the test of
# CTest that runs the scenario, which names both. The firmware includes PLUGIN.h, the registers of the
# scenario's node, and uses the drivers of Asterism (asterism_firmware-config.cmake).
function(asterism_plugin_test plugin scenario)
  find_program(ASTERISM_AARCH64_GCC aarch64-linux-gnu-gcc)
  if(NOT ASTERISM_AARCH64_GCC)
    message(FATAL_ERROR "The compiler of firmware, aarch64-linux-gnu-gcc, is missing: "
                        "install gcc-aarch64-linux-gnu and picolibc-aarch64-linux-gnu")
  endif()
  include(ExternalProject)
  set(sources ${ARGN})
  list(TRANSFORM sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  cmake_path(ABSOLUTE_PATH scenario)
  set(firmware ${CMAKE_CURRENT_BINARY_DIR}/${plugin}_firmware)
  set(header ${firmware}/${plugin}.h)
  file(MAKE_DIRECTORY ${firmware})
  add_custom_command(
    OUTPUT ${header}
    COMMAND Asterism::asterism list devices --node ${scenario} firmware=hello --header ${header}
    DEPENDS ${plugin} ${scenario} COMMENT "Writing ${plugin}.h" VERBATIM)
  add_custom_target(${plugin}_header DEPENDS ${header})
  list(TRANSFORM sources REPLACE "(.+)" "[==[\\1]==]")
  list(JOIN sources " " sources)
  file(CONFIGURE OUTPUT ${firmware}/CMakeLists.txt @ONLY CONTENT [[
cmake_minimum_required(VERSION 3.25)
project(@plugin@_test LANGUAGES C)
find_package(asterism_firmware REQUIRED)
asterism_app(@plugin@_test @sources@)
# For #include "..." alone, so that no device hides a header of C that has its name.
target_compile_options(@plugin@_test PRIVATE "SHELL:-iquote \"${CMAKE_CURRENT_SOURCE_DIR}\"")
]])
  ExternalProject_Add(${plugin}_firmware
    SOURCE_DIR ${firmware} BINARY_DIR ${firmware}/build DEPENDS ${plugin}_header
    CMAKE_ARGS -DCMAKE_TOOLCHAIN_FILE=${Asterism_FIRMWARE_TOOLCHAIN}
               -Dasterism_firmware_DIR=${Asterism_FIRMWARE_SOURCES}
               -DASTERISM_FIRMWARE_HEADERS=${Asterism_FIRMWARE_HEADERS}
               -DCMAKE_RUNTIME_OUTPUT_DIRECTORY=${CMAKE_CURRENT_BINARY_DIR}
    BUILD_ALWAYS ON INSTALL_COMMAND "")
  add_test(NAME ${plugin} COMMAND Asterism::asterism run ${scenario} --out ${CMAKE_CURRENT_BINARY_DIR}/run
           WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
endfunction()
