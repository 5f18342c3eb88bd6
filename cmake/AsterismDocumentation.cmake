# What an installation has to read: man pages, the completion of bash, and the pages of docs/.

# The date of this version, which is that of its man pages and of the package.
file(STRINGS ${PROJECT_SOURCE_DIR}/CHANGELOG.md heading
  REGEX "^## \\[${PROJECT_VERSION}\\] - [0-9]+-[0-9]+-[0-9]+$")
if(NOT heading)
  message(FATAL_ERROR "CHANGELOG.md has no heading \"## [${PROJECT_VERSION}] - YEAR-MONTH-DAY\"")
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/CHANGELOG.md)
string(REGEX REPLACE ".* - " "" ASTERISM_DATE "${heading}")

set(manual ${CMAKE_BINARY_DIR}/man)
add_custom_command(
  OUTPUT ${manual}/stamp
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${manual}
  COMMAND ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0 $<TARGET_FILE:asterism> --help-json
          > ${CMAKE_BINARY_DIR}/help.json
  COMMAND asterism_manual_pages ${PROJECT_SOURCE_DIR}/docs/command.md ${PROJECT_VERSION} ${ASTERISM_DATE}
          ${manual}/man1
          < ${CMAKE_BINARY_DIR}/help.json
  COMMAND sh -c "gzip -9nk ${manual}/man1/*.1"
  COMMAND ${CMAKE_COMMAND} -E touch ${manual}/stamp
  DEPENDS asterism asterism_manual_pages ${PROJECT_SOURCE_DIR}/docs/command.md
  COMMENT "Writing the man pages"
  VERBATIM)
add_custom_target(asterism_manual ALL DEPENDS ${manual}/stamp)

install(DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} FILES_MATCHING PATTERN "*.gz")
install(FILES ${PROJECT_SOURCE_DIR}/cmake/package/asterism.bash RENAME asterism
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
# Below share/asterism, so that the links between them and to configurations, RTL and firmware hold.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DATADIR}/asterism)
