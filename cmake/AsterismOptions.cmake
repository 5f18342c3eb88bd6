# Compiler settings and external packages.
option(ASTERISM_WERROR "Treat warnings as errors" OFF)
option(ASTERISM_FIRMWARE "Cross-build sw/ (needs gcc- and g++-aarch64-linux-gnu and picolibc)" ON)
option(ASTERISM_SIMGRID
  "Build the simulation of machines in a network, a program of its own that links SimGrid" ON)
option(ASTERISM_MPI "Build the library that runs sweeps under MPI, where MPI is found" ON)
option(ASTERISM_PYTHON "Build the engines as a module for Python, where pybind11 and Python's headers are found" ON)
option(ASTERISM_BENCH "Build bench/" ON)
set(ASTERISM_SANITIZE "" CACHE STRING "Sanitizers to build with, e.g. address,undefined")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# -ffp-contract=off: results must not depend on whether the host has fused multiply-add.
add_compile_options(-Wall -Wextra -Wpedantic -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options(-fpch-preprocess)  # required by ccache
  # The compiler collects its garbage only from 600 MB on, which saves a sixth of its time.
  cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY)
  cmake_host_system_information(RESULT processors QUERY NUMBER_OF_LOGICAL_CORES)
  math(EXPR memory_of_each "${memory} / ${processors}")
  if(memory_of_each GREATER 2000)
    add_compile_options(--param=ggc-min-heapsize=600000)
  endif()
  # GCC 12 warns wrongly about std::string concatenation (PR 105651), more often if a header is precompiled.
  add_compile_options(-Wno-array-bounds -Wno-restrict -Wno-stringop-overflow)
endif()
if(ASTERISM_WERROR)
  add_compile_options(-Werror)
endif()
if(ASTERISM_SANITIZE)
  # AddressSanitizer finds accesses by wrong pointers; three checks of the pointers themselves would take a
  # tenth of the time of compilation.
  add_compile_options(-fsanitize=${ASTERISM_SANITIZE} -fno-sanitize=null,object-size,pointer-overflow
                      -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ASTERISM_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    # The sanitizer's library is shared, as GCC's is, because models/tlm/sanitized_stack.cpp replaces one of
    # its functions.
    execute_process(COMMAND ${CMAKE_CXX_COMPILER}
      -print-file-name=libclang_rt.asan-${CMAKE_HOST_SYSTEM_PROCESSOR}.so
                    OUTPUT_VARIABLE sanitizer OUTPUT_STRIP_TRAILING_WHITESPACE)
    cmake_path(GET sanitizer PARENT_PATH sanitizer)
    add_link_options(-shared-libasan -Wl,-rpath,${sanitizer})
  endif()
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths are relative to the tree, so that two clones share their objects. ccache requires the sloppiness if
  # headers are precompiled; no source uses __DATE__ or __TIME__. It takes the included files from the
  # compiler's list, so that it need not preprocess what it compiles.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()

find_package(PkgConfig REQUIRED)
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc)
# What `asterism rtl import` reads: YAML and XML.
pkg_check_modules(YAML_CPP REQUIRED IMPORTED_TARGET yaml-cpp)
pkg_check_modules(TINYXML2 REQUIRED IMPORTED_TARGET tinyxml2)
# GPLv2, only an oracle of tests: the program does not link it.
pkg_check_modules(UNICORN IMPORTED_TARGET unicorn)
pkg_check_modules(VIXL IMPORTED_TARGET vixl)  # another oracle
if(ASTERISM_SIMGRID)
  pkg_check_modules(SIMGRID REQUIRED IMPORTED_TARGET simgrid)
endif()
if(ASTERISM_MPI)
  find_package(MPI COMPONENTS CXX)
endif()
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(GTest REQUIRED)

# Debian's libsystemc is built as C++17; its version symbol must match (models/tlm/README.md).
add_library(asterism_systemc INTERFACE)
target_link_libraries(asterism_systemc INTERFACE PkgConfig::SYSTEMC)
target_compile_definitions(asterism_systemc INTERFACE SC_CPLUSPLUS=201703L SC_INCLUDE_DYNAMIC_PROCESSES)
add_library(asterism::systemc ALIAS asterism_systemc)
