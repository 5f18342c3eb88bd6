# Takes the files and the patch of "A device" from CONTRIBUTING.md, applies them to a copy of the tree, builds
# what they touch (walk.cmake), runs the new device's tests and looks for it in the firmware's header.

function(run)
  execute_process(COMMAND ${ARGV} WORKING_DIRECTORY ${TREE} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGV}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# The code block that follows a title in bold.
function(code_block title result)
  string(FIND "${page}" "**${title}**" at)
  if(at LESS 0)
    message(FATAL_ERROR "CONTRIBUTING.md has no block titled ${title}")
  endif()
  string(SUBSTRING "${page}" ${at} -1 rest)
  string(FIND "${rest}" "```" fence)
  string(SUBSTRING "${rest}" ${fence} -1 rest)
  string(FIND "${rest}" "\n" line_end)
  math(EXPR start "${line_end} + 1")
  string(SUBSTRING "${rest}" ${start} -1 rest)
  string(FIND "${rest}" "\n```" end)
  math(EXPR end "${end} + 1")
  string(SUBSTRING "${rest}" 0 ${end} text)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

file(READ ${SOURCE}/CONTRIBUTING.md page)
file(REMOVE_RECURSE ${TREE}/cmake ${TREE}/configs ${TREE}/models ${TREE}/platform ${TREE}/rtl)
file(COPY ${SOURCE}/cmake ${SOURCE}/configs ${SOURCE}/models ${SOURCE}/platform ${SOURCE}/rtl DESTINATION ${TREE})
configure_file(${CMAKE_CURRENT_LIST_DIR}/walk.cmake ${TREE}/CMakeLists.txt COPYONLY)

foreach(file models/devices/countdown.h models/devices/countdown.cpp models/devices/countdown_test.cpp)
  code_block(${file} text)
  file(WRITE ${TREE}/${file} "${text}")
endforeach()
code_block("The other two places" patch)
file(WRITE ${TREE}/walk.patch "${patch}")
# The copy usually lies inside the repository, but git must not treat it as a part of the repository.
set(ENV{GIT_CEILING_DIRECTORIES} ${TREE}/..)
run(git apply walk.patch)

# The copy is not optimised, because only a fast compilation counts here.
run(${CMAKE_COMMAND} -S . -B build -G Ninja -D BUILT=${BUILT} -D TYPES=${TYPES} -D CMAKE_CXX_COMPILER=${COMPILER}
    -D CMAKE_BUILD_TYPE=None "-DCMAKE_CXX_FLAGS=${FLAGS} -O0" -D ASTERISM_SANITIZE=${SANITIZE})
run(${CMAKE_COMMAND} --build build --target devices_systemc_tests firmware_header)
run(build/models/devices/devices_systemc_tests --gtest_filter=Countdown*)
run(build/firmware_header)
foreach(line "COUNTDOWN_BASE 0x0b060000" "COUNTDOWN_INTERRUPT 20" "COUNTDOWN_VALUE 0x0" "COUNTDOWN_STATUS_ELAPSED_MASK 0x1")
  string(FIND "${output}" "#define ${line}" at)
  if(at LESS 0)
    message(FATAL_ERROR "the firmware's header has no ${line}")
  endif()
endforeach()
