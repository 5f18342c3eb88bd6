# A folder of models/ is built by the first two calls below, one of platform/ by the third, and the tests of
# both by the last two. A target may use only what it links.
#
#   asterism_engine(memory SOURCES dram.cpp)                      plain C++: asterism::memory_engine, links
#                                                                 base
#   asterism_module(memory SOURCES dram_module.cpp LINKS ...)     SystemC: asterism::memory, links base, tlm,
#                                                                 and its engine
#   asterism_platform(run SOURCES summary.cpp LINKS ...)          asterism::run; PRECOMPILED systemc_o1 if
#                                                                 most of its sources include SystemC
#   asterism_test(dram_test.cpp LINKS asterism::memory_engine)    GoogleTest without SystemC
#   asterism_systemc_test(dram_module_test.cpp LINKS ...)         GoogleTest, each case in a process of its
#                                                                 own (tlm/systemc_test.h)
#
# The tests of a folder are one program, memory_tests, and those with SystemC another, memory_systemc_tests.
# PROGRAM gives another name if sources must not be linked with each other. DEFINES are macros of the program,
# DEPENDS are targets that must be built before the tests run. asterism_compile_alone() is for sources that
# share names with others and therefore are not compiled together with them.
include(GoogleTest)

# Most of the time of the command and of tests is spent in the code of models/, which they call. They are
# compiled with little optimisation, which saves a third of the compiler's time, or with none if sanitized,
# which saves two thirds.
function(asterism_optimise_little target)
  if(ASTERISM_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  else()
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# What is compiled of models/ and platform/ is linked into programs and into the library of nodes
# (AsterismPackage.cmake). No call within the library has to be replaceable from outside, which would cost
# time.
function(asterism_position_independent target)
  if(NOT ASTERISM_SANITIZE)
    target_compile_options(${target} PRIVATE -fPIC $<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>)
  endif()
endfunction()

# Headers that are parsed once for all targets of a kind. GCC uses them only if the options are the same.
function(asterism_precompile kind header)
  set(source ${CMAKE_BINARY_DIR}/precompiled/${kind}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// ${header}.h is compiled with this file.\n")
  add_library(asterism_precompiled_${kind} STATIC ${source})
  target_precompile_headers(asterism_precompiled_${kind}
    PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled/${header}.h)
  target_link_libraries(asterism_precompiled_${kind} PRIVATE ${ARGN})
endfunction()
asterism_precompile(standard standard)
asterism_precompile(systemc systemc asterism::systemc fmt::fmt)
asterism_precompile(standard_o1 standard)
asterism_precompile(systemc_o1 systemc asterism::systemc fmt::fmt)
asterism_precompile(test test GTest::gmock)
asterism_precompile(systemc_test systemc_test asterism::systemc fmt::fmt GTest::gmock)
foreach(kind IN ITEMS standard systemc standard_o1 systemc_o1)
  asterism_position_independent(asterism_precompiled_${kind})
endforeach()
foreach(kind IN ITEMS standard_o1 systemc_o1 test systemc_test)
  asterism_optimise_little(asterism_precompiled_${kind})
endforeach()

# Gives a target the headers of a kind, and the optimisation with which they were compiled.
function(asterism_use_precompiled target kind)
  target_precompile_headers(${target} REUSE_FROM asterism_precompiled_${kind})
  if(NOT kind MATCHES test)
    asterism_position_independent(${target})
  endif()
  if(NOT kind MATCHES "^(standard|systemc)$")
    asterism_optimise_little(${target})
  endif()
endfunction()

function(asterism_library target alias)
  cmake_parse_arguments(ARG "" "PRECOMPILED" "SOURCES;LINKS" ${ARGN})
  if(NOT ARG_PRECOMPILED)
    set(ARG_PRECOMPILED standard)
  endif()
  add_library(${target} STATIC ${ARG_SOURCES})
  add_library(${alias} ALIAS ${target})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/models>)
  target_link_libraries(${target} PUBLIC ${ARG_LINKS})
  asterism_use_precompiled(${target} ${ARG_PRECOMPILED})
  set_property(GLOBAL APPEND PROPERTY asterism_libraries ${target})
endfunction()

# Compiles several sources of a target at once: most of the time of a source is spent on headers, and on the
# templates that these instantiate. An engine's sources are edited one by one, so its groups are smaller.
function(asterism_compile_together target group)
  if(CMAKE_DISABLE_PRECOMPILE_HEADERS)
    return()  # for tools that read each file by itself
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${group})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # GCC warns about types of unnamed namespaces that are not in the main file, and wrongly about
    # copies of std::optional.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage -Wno-maybe-uninitialized)
  endif()
endfunction()

function(asterism_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

function(asterism_engine folder)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  asterism_library(asterism_${folder}_engine asterism::${folder}_engine SOURCES ${ARG_SOURCES}
    LINKS asterism::base ${ARG_LINKS})
  asterism_compile_together(asterism_${folder}_engine 4)
endfunction()

# With REGISTERS, programs contain all of a library: nothing calls the sources whose objects register
# themselves, so that the linker would leave them out.
function(asterism_registering target alias)
  add_library(${target}_whole INTERFACE)
  target_link_libraries(${target}_whole INTERFACE $<LINK_LIBRARY:WHOLE_ARCHIVE,${target}>)
  add_library(${alias} ALIAS ${target}_whole)
endfunction()

# The libraries of all types of devices (tlm/device.h), which are those of models/ with REGISTERS.
add_library(asterism_device_types INTERFACE)
add_library(asterism::device_types ALIAS asterism_device_types)

function(asterism_module folder)
  cmake_parse_arguments(ARG "REGISTERS" "" "SOURCES;LINKS" ${ARGN})
  set(engine "")
  if(TARGET asterism_${folder}_engine)
    set(engine asterism::${folder}_engine)
  endif()
  set(name asterism::${folder})
  if(ARG_REGISTERS)
    set(name asterism::${folder}_archive)
    asterism_registering(asterism_${folder} asterism::${folder})
    target_link_libraries(asterism_device_types INTERFACE asterism::${folder})
  endif()
  asterism_library(asterism_${folder} ${name} PRECOMPILED systemc SOURCES ${ARG_SOURCES}
                   LINKS asterism::base asterism::tlm ${engine} ${ARG_LINKS})
  asterism_compile_together(asterism_${folder} 8)
endfunction()

function(asterism_platform folder)
  cmake_parse_arguments(ARG "REGISTERS" "PRECOMPILED" "SOURCES;LINKS" ${ARGN})
  if(NOT ARG_PRECOMPILED)
    set(ARG_PRECOMPILED standard_o1)
  endif()
  set(name asterism::${folder})
  if(ARG_REGISTERS)
    set(name asterism::${folder}_archive)
    asterism_registering(asterism_platform_${folder} asterism::${folder})
  endif()
  asterism_library(asterism_platform_${folder} ${name} PRECOMPILED ${ARG_PRECOMPILED} SOURCES ${ARG_SOURCES}
                   LINKS ${ARG_LINKS})
  target_include_directories(asterism_platform_${folder} PUBLIC ${PROJECT_SOURCE_DIR})
  asterism_compile_together(asterism_platform_${folder} 8)
endfunction()

# Further arguments are those of gtest_discover_tests() before PROPERTIES. A test is named after its
# parameter's name (base/parameter_name.h), not after the parameter's printed value.
function(asterism_discover target timeout)
  gtest_discover_tests(${target} NO_PRETTY_VALUES ${ARGN} PROPERTIES LABELS ${target} TIMEOUT ${timeout}
    DISCOVERY_TIMEOUT 60)
endfunction()

function(asterism_add_test kind main source)
  cmake_parse_arguments(ARG "" "PROGRAM" "LINKS;DEFINES;DEPENDS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "the test ${source}: one source a call, not also ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_PROGRAM)
    cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR}
      OUTPUT_VARIABLE ARG_PROGRAM)
    string(REGEX REPLACE "^models/" "" ARG_PROGRAM ${ARG_PROGRAM})
    string(MAKE_C_IDENTIFIER ${ARG_PROGRAM} ARG_PROGRAM)
  endif()
  string(REGEX REPLACE "test$" "tests" program ${ARG_PROGRAM}_${kind})
  if(NOT TARGET ${program})
    add_executable(${program})
    target_link_libraries(${program} PRIVATE ${main} GTest::gmock)
    asterism_use_precompiled(${program} ${kind})
    asterism_compile_together(${program} 8)
    asterism_discover(${program} 600)  # ends what hangs, also on a slow machine
  endif()
  target_sources(${program} PRIVATE ${source})
  target_link_libraries(${program} PRIVATE ${ARG_LINKS})
  target_compile_definitions(${program} PRIVATE ${ARG_DEFINES})
  if(ARG_DEPENDS)
    add_dependencies(${program} ${ARG_DEPENDS})
  endif()
endfunction()

function(asterism_test)
  asterism_add_test(test GTest::gtest_main ${ARGN})
endfunction()

function(asterism_systemc_test)
  asterism_add_test(systemc_test asterism::systemc_test ${ARGN})
endfunction()
