// Arm semihosting 2.0 for AArch64 (HLT #0xF000): console, files of the host, command line, end of the run.
// Paths are paths of the host; Asterism confines them to the run's folder, QEMU does not.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef enum { file_read = 1, file_write = 5 } FileMode;  // "rb", "wb"

void semihosting_print(const char* text);                              // SYS_WRITE0
int semihosting_open(const char* path, FileMode mode);                 // a handle, or -1
size_t semihosting_write(int handle, const void* data, size_t bytes);  // bytes NOT written: 0 is success
size_t semihosting_read(int handle, void* data, size_t bytes);         // bytes NOT read: 0 is success
void semihosting_close(int handle);
bool semihosting_remove(const char* path);
bool semihosting_rename(const char* from, const char* to);
bool semihosting_command_line(char* text, size_t bytes);  // NUL terminated, the first word is the app's name
_Noreturn void semihosting_exit(int status);
