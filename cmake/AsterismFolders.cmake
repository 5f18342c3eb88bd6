# A folder of models/ is built by these four calls. A target may use only what it links.
#
#   asterism_engine(memory SOURCES dram.cpp)                      plain C++: asterism::memory_engine, links base
#   asterism_module(memory SOURCES dram_module.cpp LINKS ...)     SystemC:   asterism::memory, links base, tlm, its engine
#   asterism_test(dram_test.cpp LINKS asterism::memory_engine)    GoogleTest without SystemC
#   asterism_systemc_test(dram_module_test.cpp LINKS ...)         GoogleTest, one process a case (tlm/systemc_test.h)
include(GoogleTest)

function(asterism_library target alias)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_library(${target} STATIC ${ARG_SOURCES})
  add_library(${alias} ALIAS ${target})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/models)
  target_link_libraries(${target} PUBLIC ${ARG_LINKS})
endfunction()

function(asterism_engine folder)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  asterism_library(asterism_${folder}_engine asterism::${folder}_engine SOURCES ${ARG_SOURCES} LINKS asterism::base ${ARG_LINKS})
endfunction()

function(asterism_module folder)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  set(engine "")
  if(TARGET asterism_${folder}_engine)
    set(engine asterism::${folder}_engine)
  endif()
  asterism_library(asterism_${folder} asterism::${folder} SOURCES ${ARG_SOURCES}
                   LINKS asterism::base asterism::tlm ${engine} ${ARG_LINKS})
endfunction()

# More arguments are those of gtest_discover_tests() before PROPERTIES. A test is named by its parameter's name
# (base/parameter_name.h), not by what is printed of it.
function(asterism_discover target timeout)
  gtest_discover_tests(${target} NO_PRETTY_VALUES ${ARGN} PROPERTIES TIMEOUT ${timeout} DISCOVERY_TIMEOUT 60)
endfunction()

function(asterism_test_program main source)
  cmake_parse_arguments(ARG "" "" "LINKS" ${ARGN})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} ${main})
  asterism_discover(${name} 120)
endfunction()

function(asterism_test)
  asterism_test_program(GTest::gtest_main ${ARGN})
endfunction()

function(asterism_systemc_test)
  asterism_test_program(asterism::systemc_test ${ARGN})
endfunction()
