# The firmware of sw/, cross-built by a CMake run of its own: ${CMAKE_BINARY_DIR}/sw/*.elf. The target is
# asterism_firmware.
#
# The firmware needs asterism/platform.h, the address map and registers as C constants. The host program
# asterism_firmware_header prints it; if there is none, ASTERISM_FIRMWARE_HEADERS names a folder that contains
# the header.
include(ExternalProject)

set(ASTERISM_FIRMWARE_HEADERS "" CACHE
  PATH "Folder with a hand-made asterism/platform.h instead of the generated one")

find_program(ASTERISM_AARCH64_GCC aarch64-linux-gnu-gcc)
find_program(ASTERISM_AARCH64_GXX aarch64-linux-gnu-g++)
if(NOT ASTERISM_AARCH64_GCC OR NOT ASTERISM_AARCH64_GXX)
  message(FATAL_ERROR "aarch64-linux-gnu-gcc or aarch64-linux-gnu-g++ is missing: install "
                      "gcc-aarch64-linux-gnu, g++-aarch64-linux-gnu and picolibc-aarch64-linux-gnu "
                      "(scripts/setup does), or configure with -DASTERISM_FIRMWARE=OFF")
endif()

set(firmware_headers ${ASTERISM_FIRMWARE_HEADERS})
set(firmware_depends "")
if(NOT firmware_headers)
  set(firmware_headers ${CMAKE_BINARY_DIR}/generated)
  set(platform_header ${firmware_headers}/asterism/platform.h)
  file(MAKE_DIRECTORY ${firmware_headers}/asterism)
  file(GLOB node_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/configs/nodes/*.json
       ${PROJECT_SOURCE_DIR}/rtl/*/block.json)  # which have the registers of devices in RTL
  add_custom_command(
    OUTPUT ${platform_header}
    COMMAND ${CMAKE_COMMAND} -E env ASTERISM_CONFIGS=${PROJECT_SOURCE_DIR}/configs
            $<TARGET_FILE:asterism_firmware_header> > ${platform_header}.new
    COMMAND ${CMAKE_COMMAND} -E rename ${platform_header}.new ${platform_header}
    DEPENDS asterism_firmware_header ${node_files}
    COMMENT "Generating asterism/platform.h"
    VERBATIM)
  add_custom_target(asterism_platform_header DEPENDS ${platform_header})
  set(firmware_depends asterism_platform_header)
endif()

# BUILD_ALWAYS: only the inner build knows whether a source has changed; if none has, it does nothing. The
# launcher is a list, which must be one argument there.
string(REPLACE ";" "|" firmware_launcher "${CMAKE_CXX_COMPILER_LAUNCHER}")
ExternalProject_Add(asterism_firmware
  LIST_SEPARATOR |
  SOURCE_DIR ${PROJECT_SOURCE_DIR}/sw
  BINARY_DIR ${CMAKE_BINARY_DIR}/sw-build
  CMAKE_ARGS
    -DCMAKE_TOOLCHAIN_FILE=${PROJECT_SOURCE_DIR}/cmake/aarch64-none-toolchain.cmake
    -DASTERISM_FIRMWARE_HEADERS=${firmware_headers}
    -DCMAKE_C_COMPILER_LAUNCHER=${firmware_launcher}
    -DASTERISM_FIRMWARE_OUTPUT=${CMAKE_BINARY_DIR}/sw
  BUILD_ALWAYS ON
  INSTALL_COMMAND ""
  DEPENDS ${firmware_depends})

# The initial file system of `asterism run linux`; none without Debian's installer (`scripts/setup linux`).
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/sw)
add_custom_target(asterism_initramfs COMMAND ${PROJECT_SOURCE_DIR}/scripts/initramfs
                                             ${CMAKE_BINARY_DIR}/sw/busybox.cpio ${firmware_headers})
if(firmware_depends)
  add_dependencies(asterism_initramfs ${firmware_depends})
endif()
add_dependencies(asterism_firmware asterism_initramfs)

# The checkpoint library is also built for the host, where it is tested with simulated devices that are maps.
enable_language(C)
add_library(asterism_firmware_checkpoint STATIC
  ${PROJECT_SOURCE_DIR}/sw/checkpoint/checkpoint.c
  ${PROJECT_SOURCE_DIR}/sw/checkpoint/asynchronous.c
  ${PROJECT_SOURCE_DIR}/sw/checkpoint/controller.c
  ${PROJECT_SOURCE_DIR}/sw/checkpoint/cxl_ssd_store.c
  ${PROJECT_SOURCE_DIR}/sw/checkpoint/location.c
  ${PROJECT_SOURCE_DIR}/sw/checkpoint/status.c
  ${PROJECT_SOURCE_DIR}/sw/checkpoint/memory_level.c
  ${PROJECT_SOURCE_DIR}/sw/checkpoint/pcram_level.c
  ${PROJECT_SOURCE_DIR}/sw/checkpoint/checksum.c)
target_include_directories(asterism_firmware_checkpoint PUBLIC ${PROJECT_SOURCE_DIR}/sw)
target_compile_features(asterism_firmware_checkpoint PRIVATE c_std_17)
add_library(asterism_firmware_test_machine STATIC ${PROJECT_SOURCE_DIR}/sw/checkpoint/test_machine.cpp)
target_link_libraries(asterism_firmware_test_machine PUBLIC asterism_firmware_checkpoint GTest::gtest)
foreach(test checksum checkpoint cxl_level cxl_ssd_store memory_level pcram_level asynchronous location controller)
  asterism_test(${PROJECT_SOURCE_DIR}/sw/checkpoint/${test}_test.cpp PROGRAM sw_checkpoint
    LINKS asterism_firmware_test_machine
                asterism_firmware_checkpoint)
endforeach()
asterism_test(${PROJECT_SOURCE_DIR}/sw/checkpoint/pcram_level_trial_test.cpp PROGRAM sw_checkpoint
  LINKS asterism_firmware_test_machine
              asterism_firmware_checkpoint GTest::gmock)
# resilience_engine makes the same decisions in C++, with which the tests compare.
target_link_libraries(sw_checkpoint_tests PRIVATE asterism::resilience_engine)

# The code of auxiliary cores is also built for the host, where the cores are threads.
add_library(asterism_firmware_auxiliary STATIC
  ${PROJECT_SOURCE_DIR}/sw/auxiliary/auxiliary.c
  ${PROJECT_SOURCE_DIR}/sw/auxiliary/benefactor_image.c
  ${PROJECT_SOURCE_DIR}/sw/auxiliary/chain.c
  ${PROJECT_SOURCE_DIR}/sw/auxiliary/chunk_hash.c
  ${PROJECT_SOURCE_DIR}/sw/auxiliary/chunk_store.c
  ${PROJECT_SOURCE_DIR}/sw/auxiliary/image.c
  ${PROJECT_SOURCE_DIR}/sw/auxiliary/queue.c
  ${PROJECT_SOURCE_DIR}/sw/auxiliary/ssd_image.c
  ${PROJECT_SOURCE_DIR}/sw/auxiliary/benefactor.c
  ${PROJECT_SOURCE_DIR}/sw/auxiliary/storage_client.c
  ${PROJECT_SOURCE_DIR}/sw/auxiliary/storage_manager.c
  ${PROJECT_SOURCE_DIR}/sw/auxiliary/storage_message.c
  ${PROJECT_SOURCE_DIR}/sw/auxiliary/storage_service.c
  ${PROJECT_SOURCE_DIR}/sw/auxiliary/stores.c
  ${PROJECT_SOURCE_DIR}/sw/auxiliary/transforms.c)
target_include_directories(asterism_firmware_auxiliary PUBLIC ${PROJECT_SOURCE_DIR}/sw)
target_compile_features(asterism_firmware_auxiliary PRIVATE c_std_17)
add_library(asterism_firmware_test_node STATIC ${PROJECT_SOURCE_DIR}/sw/auxiliary/test_node.cpp)
target_link_libraries(asterism_firmware_test_node PUBLIC asterism_firmware_auxiliary GTest::gmock GTest::gtest
                      Threads::Threads)
foreach(test auxiliary chain chunk_store queue storage_manager storage_message storage_store transforms)
  asterism_test(${PROJECT_SOURCE_DIR}/sw/auxiliary/${test}_test.cpp PROGRAM sw_auxiliary
    LINKS asterism_firmware_test_node
                asterism_firmware_auxiliary)
endforeach()
# The checkpoint library on auxiliary cores combines the two.
add_library(asterism_firmware_chain STATIC ${PROJECT_SOURCE_DIR}/sw/auxiliary/checkpoint_chain.c)
target_compile_features(asterism_firmware_chain PRIVATE c_std_17)
target_link_libraries(asterism_firmware_chain PUBLIC asterism_firmware_auxiliary asterism_firmware_checkpoint)
asterism_test(${PROJECT_SOURCE_DIR}/sw/auxiliary/checkpoint_chain_test.cpp PROGRAM sw_auxiliary
              LINKS asterism_firmware_test_node asterism_firmware_chain)

# The driver of GPU snapshots is also built for the host, where it uses the model of a GPU.
add_library(asterism_firmware_gpu STATIC ${PROJECT_SOURCE_DIR}/sw/drivers/gpu_snapshot.c
            ${PROJECT_SOURCE_DIR}/sw/drivers/gpu_test_machine.cpp)
target_include_directories(asterism_firmware_gpu PUBLIC ${PROJECT_SOURCE_DIR}/sw)
target_compile_features(asterism_firmware_gpu PRIVATE c_std_17)
target_link_libraries(asterism_firmware_gpu PUBLIC asterism::gpu_engine)
asterism_test(${PROJECT_SOURCE_DIR}/sw/drivers/gpu_snapshot_test.cpp PROGRAM sw_drivers
  LINKS asterism_firmware_gpu)
asterism_test(${PROJECT_SOURCE_DIR}/sw/drivers/gpu_snapshot_trial_test.cpp PROGRAM sw_drivers
  LINKS asterism_firmware_gpu asterism::gpu_truth_engine
              GTest::gmock)

# The network of the app `training` is also built for the host, whose losses have to have the same bits.
add_library(asterism_firmware_network STATIC ${PROJECT_SOURCE_DIR}/sw/apps/training/network.c)
target_include_directories(asterism_firmware_network PUBLIC ${PROJECT_SOURCE_DIR}/sw)
target_compile_features(asterism_firmware_network PRIVATE c_std_17)
target_link_libraries(asterism_firmware_network PUBLIC m)  # sqrtf
asterism_test(${PROJECT_SOURCE_DIR}/sw/apps/training/network_test.cpp PROGRAM sw_drivers
  LINKS asterism_firmware_network)

# The buddy protocol is also built for the host, where its ranks exchange messages in memory.
add_library(asterism_firmware_cluster STATIC
  ${PROJECT_SOURCE_DIR}/sw/cluster/buddy.c
  ${PROJECT_SOURCE_DIR}/sw/cluster/coordinator.c
  ${PROJECT_SOURCE_DIR}/sw/cluster/message.c
  ${PROJECT_SOURCE_DIR}/sw/cluster/ring.c
  ${PROJECT_SOURCE_DIR}/sw/cluster/ring_program.c)
# The folder is private, because models/ has a cluster/ of its own, which the tests include too.
target_include_directories(asterism_firmware_cluster PRIVATE ${PROJECT_SOURCE_DIR}/sw)
target_compile_features(asterism_firmware_cluster PRIVATE c_std_17)
add_library(asterism_firmware_test_cluster STATIC ${PROJECT_SOURCE_DIR}/sw/cluster/test_cluster.cpp)
target_link_libraries(asterism_firmware_test_cluster PUBLIC asterism_firmware_cluster
  asterism::cluster_engine)
asterism_test(${PROJECT_SOURCE_DIR}/sw/cluster/firmware_message_test.cpp PROGRAM sw_cluster
  LINKS asterism_firmware_cluster
              asterism::cluster_engine)
asterism_test(${PROJECT_SOURCE_DIR}/sw/cluster/firmware_ring_program_test.cpp PROGRAM sw_cluster
  LINKS asterism_firmware_cluster
              asterism::cluster_engine)
asterism_test(${PROJECT_SOURCE_DIR}/sw/cluster/buddy_test.cpp PROGRAM sw_cluster
  LINKS asterism_firmware_test_cluster)
asterism_test(${PROJECT_SOURCE_DIR}/sw/cluster/mixed_cluster_test.cpp PROGRAM sw_cluster
  LINKS asterism_firmware_cluster
              asterism::cluster_engine)
asterism_compile_alone(
  ${PROJECT_SOURCE_DIR}/sw/auxiliary/chunk_store_test.cpp
  ${PROJECT_SOURCE_DIR}/sw/checkpoint/location_test.cpp
  ${PROJECT_SOURCE_DIR}/sw/cluster/buddy_test.cpp
  ${PROJECT_SOURCE_DIR}/sw/cluster/firmware_message_test.cpp
  ${PROJECT_SOURCE_DIR}/sw/drivers/gpu_snapshot_trial_test.cpp)
