# Bare-metal AArch64 with Debian's gcc-aarch64-linux-gnu, g++-aarch64-linux-gnu and
# picolibc-aarch64-linux-gnu.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_ASM_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

# -mstrict-align: with the MMU off all memory is Device, in which an unaligned access faults.
# -mno-outline-atomics: LDXR/STXR are inlined, because libgcc's helpers need the C library of Linux.
set(CMAKE_C_FLAGS_INIT
    "--specs=picolibc.specs -march=armv8-a -ffreestanding -mstrict-align -mno-outline-atomics -fno-pie \
-fno-stack-protector -fno-common -ffunction-sections -fdata-sections -fno-unwind-tables \
-fno-asynchronous-unwind-tables")
# The flags include the tables that exceptions need. -fno-threadsafe-statics: there are no threads, and no
# locks of Linux.
set(CMAKE_CXX_FLAGS_INIT
    "--specs=picolibcpp.specs -march=armv8-a -ffreestanding -mstrict-align -mno-outline-atomics -fno-pie \
-fno-stack-protector -fno-threadsafe-statics -ffunction-sections -fdata-sections")
set(CMAKE_ASM_FLAGS_INIT "-march=armv8-a")
set(CMAKE_EXE_LINKER_FLAGS_INIT
    "-DPICOLIBC_DOUBLE_PRINTF_SCANF -static -no-pie -Wl,--build-id=none -Wl,-z,max-page-size=4096")
