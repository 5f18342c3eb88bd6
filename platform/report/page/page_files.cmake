# Writes INTO, a source with the parts of the page of a report (platform/report/page.h).
#   cmake -DFOLDER=platform/report/page -DINTO=file.cpp -P page_files.cmake
cmake_minimum_required(VERSION 3.25)
function(read result)
  set(all "")
  foreach(name IN LISTS ARGN)
    file(READ ${FOLDER}/${name} text)
    string(APPEND all "${text}\n")
  endforeach()
  set(${result} "${all}" PARENT_SCOPE)
endfunction()

read(style uplot/uPlot.min.css page.css)
read(plots uplot/uPlot.iife.min.js)
read(script record.js format.js timeline.js curves.js flame.js memory.js panel.js tables.js netlist.js live.js main.js)
read(licence uplot/LICENSE)
file(STRINGS ${FOLDER}/uplot/uPlot.iife.min.js banner LIMIT_COUNT 1)
string(REGEX MATCH "v([0-9.]+)" banner "${banner}")
set(version ${CMAKE_MATCH_1})
file(WRITE ${INTO} "#include \"platform/report/page.h\"

namespace asterism {

const std::string_view page_style = R\"page(${style})page\";
const std::string_view page_plots = R\"page(${plots})page\";
const std::string_view page_script = R\"page(${script})page\";
const std::string_view page_plots_version = \"${version}\";
const std::string_view page_licence = R\"page(${licence})page\";

}  // namespace asterism
")
