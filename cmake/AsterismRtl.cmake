# The RTL blocks of the tree, built in the same way as those of an architect.
#
#   asterism_rtl_block(rtl/lrg_arbiter/block.json)                          target rtl_lrg_arbiter
#   asterism_rtl_block(rtl/lrg_arbiter/block.json parameters.Radix=4)
#                                                       target rtl_lrg_arbiter_parameters_Radix_4
#
# The library is written to the cache of this build, rtl/ next to the program. It is built again when a file
# next to the description changes.
find_program(ASTERISM_VERILATOR verilator REQUIRED)

function(asterism_rtl_block description)
  get_filename_component(folder ${description} DIRECTORY)
  get_filename_component(name ${folder} NAME)
  string(MAKE_C_IDENTIFIER "rtl_${name};${ARGN}" target)
  string(REGEX REPLACE "_$" "" target ${target})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*)
  set(stamp ${CMAKE_BINARY_DIR}/rtl/.${target})
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${CMAKE_COMMAND} -E env --unset=ASTERISM_RTL_CACHE ASAN_OPTIONS=detect_leaks=0
            $<TARGET_FILE:asterism> rtl build ${description} ${ARGN}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS asterism ${sources}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMENT "RTL block ${name} ${ARGN}" VERBATIM)
  add_custom_target(${target} ALL DEPENDS ${stamp})
endfunction()

file(GLOB blocks RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/rtl/*/block.json)
foreach(block ${blocks})
  asterism_rtl_block(${block})
endforeach()
