# find_package(asterism_firmware): bare-metal firmware on the start code, the drivers and the checkpoint
# library of this folder. `asterism new DIR` writes a project that uses it. It defines
#   asterism::firmware             for up to 8 cores and a GICv2: objects, include folders and linker script
#   asterism::firmware_many_cores  for up to 576 cores and a GICv3 (boot/many_cores.h)
# Both have the drivers of all devices and the stores of all checkpoint levels, of which the linker keeps what
# is called.
#   asterism_app(NAME SOURCE...), asterism_many_core_app(NAME SOURCE...): an executable NAME.elf on either
# The toolchain file is cmake/aarch64-none-toolchain.cmake. ASTERISM_FIRMWARE_HEADERS is a folder with
# asterism/platform.h; if it is not given, the header is that of the installation, or asterism_firmware_header
# of a build of this tree prints it.
set(ASTERISM_FIRMWARE_HEADERS "" CACHE PATH "Folder of the generated asterism/platform.h")
if(TARGET asterism_firmware_runtime)
  return()
endif()
if(NOT CMAKE_SYSTEM_NAME STREQUAL Generic OR NOT CMAKE_SYSTEM_PROCESSOR STREQUAL aarch64)
  set(asterism_firmware_FOUND FALSE)
  set(asterism_firmware_NOT_FOUND_MESSAGE "The target is not bare-metal AArch64: configure an empty build folder with \
--toolchain ${CMAKE_CURRENT_LIST_DIR}/../cmake/aarch64-none-toolchain.cmake")
  return()
endif()
if(NOT ASTERISM_FIRMWARE_HEADERS AND EXISTS ${CMAKE_CURRENT_LIST_DIR}/generated)
  set(firmware_headers ${CMAKE_CURRENT_LIST_DIR}/generated)
elseif(NOT ASTERISM_FIRMWARE_HEADERS)
  file(GLOB builds ${CMAKE_CURRENT_LIST_DIR}/../build/*/platform)
  find_program(ASTERISM_FIRMWARE_HEADER asterism_firmware_header HINTS ${builds})
  if(NOT ASTERISM_FIRMWARE_HEADER)
    set(asterism_firmware_FOUND FALSE)
    set(asterism_firmware_NOT_FOUND_MESSAGE "asterism/platform.h is missing: build the target asterism_firmware_header \
in a folder of build/, or name the folder of the header by -DASTERISM_FIRMWARE_HEADERS")
    return()
  endif()
  set(firmware_headers ${CMAKE_CURRENT_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${firmware_headers}/asterism)
  execute_process(COMMAND ${ASTERISM_FIRMWARE_HEADER} OUTPUT_FILE ${firmware_headers}/asterism/platform.h
                  COMMAND_ERROR_IS_FATAL ANY)
elseif(EXISTS ${ASTERISM_FIRMWARE_HEADERS}/asterism/platform.h)
  set(firmware_headers ${ASTERISM_FIRMWARE_HEADERS})
else()
  set(asterism_firmware_FOUND FALSE)
  set(asterism_firmware_NOT_FOUND_MESSAGE "ASTERISM_FIRMWARE_HEADERS='${ASTERISM_FIRMWARE_HEADERS}' does not hold \
asterism/platform.h")
  return()
endif()

enable_language(C)
enable_language(ASM)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_C_FLAGS_RELEASE "-O2 -g")  # without -DNDEBUG and the host's flags
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g")
set(CMAKE_ASM_FLAGS_RELEASE "-g")
set(CMAKE_EXECUTABLE_SUFFIX .elf)

set(firmware_sources
  boot/start.S boot/second_exception.S boot/abort.S boot/start.c boot/exception.c boot/memory.c boot/guarded_copy.c
  boot/ranks.c boot/string.c boot/arguments.c
  drivers/semihosting.c drivers/psci.c drivers/device_tree.c drivers/generic_timer.c drivers/pl011.c
  drivers/rtc.c drivers/power.c drivers/dimm_ssd.c drivers/gpu.c drivers/gpu_snapshot.c drivers/memory_controller.c
  drivers/cxl.c drivers/nvme.c drivers/pcram.c
  checkpoint/checkpoint.c checkpoint/asynchronous.c checkpoint/status.c checkpoint/memory_level.c checkpoint/pcram_level.c
  checkpoint/checksum.c
  checkpoint/controller.c checkpoint/location.c)
# Devices that few nodes have. They are archives, so that an app may have its own driver in place of one of
# these. Apps of this tree name some of the files themselves: their code stays where it was when they were
# measured.
set(device_sources drivers/nic.c drivers/apb_timer.c drivers/dma_engine.c drivers/cxl_ssd.c checkpoint/cxl_ssd_store.c)
list(TRANSFORM firmware_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
list(TRANSFORM device_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
add_library(asterism_firmware_runtime OBJECT EXCLUDE_FROM_ALL ${firmware_sources} ${CMAKE_CURRENT_LIST_DIR}/boot/cores.c
                                             ${CMAKE_CURRENT_LIST_DIR}/drivers/gicv2.c)
add_library(asterism_firmware_runtime_many_cores OBJECT EXCLUDE_FROM_ALL ${firmware_sources} ${CMAKE_CURRENT_LIST_DIR}/boot/many_cores.c
                                                        ${CMAKE_CURRENT_LIST_DIR}/drivers/gicv3.c)
add_library(asterism::firmware ALIAS asterism_firmware_runtime)
add_library(asterism::firmware_many_cores ALIAS asterism_firmware_runtime_many_cores)
target_compile_definitions(asterism_firmware_runtime_many_cores PUBLIC ASTERISM_MANY_CORES)
# Otherwise the compiler would replace the loops in these functions by calls of the functions.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/boot/string.c
                            PROPERTIES COMPILE_OPTIONS -fno-tree-loop-distribute-patterns)

foreach(library asterism_firmware_runtime asterism_firmware_runtime_many_cores)
  add_library(${library}_devices STATIC EXCLUDE_FROM_ALL ${device_sources})
  target_include_directories(${library}_devices PRIVATE ${CMAKE_CURRENT_LIST_DIR})
  target_include_directories(${library}_devices SYSTEM PRIVATE ${firmware_headers})
  target_compile_features(${library}_devices PRIVATE c_std_17)
  target_link_libraries(${library} INTERFACE ${library}_devices)
  target_compile_features(${library} PUBLIC c_std_17)
  target_include_directories(${library} PUBLIC ${CMAKE_CURRENT_LIST_DIR})
  target_include_directories(${library} SYSTEM PUBLIC ${firmware_headers})
  # The linker script takes its sizes from boot/layout.h.
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${library}.ld)
  set(definitions $<TARGET_PROPERTY:${library},INTERFACE_COMPILE_DEFINITIONS>)
  add_custom_command(
    OUTPUT ${script}
    COMMAND ${CMAKE_C_COMPILER} -E -P -x c -I ${CMAKE_CURRENT_LIST_DIR} "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
            -o ${script} ${CMAKE_CURRENT_LIST_DIR}/boot/firmware.ld.in
    DEPENDS ${CMAKE_CURRENT_LIST_DIR}/boot/firmware.ld.in ${CMAKE_CURRENT_LIST_DIR}/boot/layout.h
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${library}_script DEPENDS ${script})
  add_dependencies(${library} ${library}_script)
  target_link_options(${library} INTERFACE -nostartfiles -T ${script} -Wl,--gc-sections)
  set_target_properties(${library} PROPERTIES INTERFACE_LINK_DEPENDS ${script})
endforeach()

function(asterism_app name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE asterism::firmware)
endfunction()
function(asterism_many_core_app name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE asterism::firmware_many_cores)
endfunction()
