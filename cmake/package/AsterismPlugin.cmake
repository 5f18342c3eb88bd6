# asterism_plugin(NAME SOURCE...): the plug-in libNAME.so, with the devices of these sources. It links none of
# Asterism and no SystemC, but takes both from the program that loads it.
function(asterism_plugin name)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE Asterism::device)
endfunction()
