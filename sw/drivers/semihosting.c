#include "drivers/semihosting.h"

#include <stdint.h>
#include <string.h>

enum {
  sys_open = 0x01,
  sys_close = 0x02,
  sys_write0 = 0x04,
  sys_write = 0x05,
  sys_read = 0x06,
  sys_remove = 0x0e,
  sys_rename = 0x0f,
  sys_get_cmdline = 0x15,
  sys_exit = 0x18,
};
static const uint64_t stopped_application_exit = 0x20026;

static int64_t call(uint32_t operation, const void* parameter) {
  register uint64_t x0 __asm__("x0") = operation;
  register const void* x1 __asm__("x1") = parameter;
  __asm__ volatile("hlt #0xf000" : "+r"(x0) : "r"(x1) : "memory");
  return (int64_t)x0;
}

void semihosting_print(const char* text) { call(sys_write0, text); }

int semihosting_open(const char* path, FileMode mode) {
  const uint64_t block[3] = {(uintptr_t)path, mode, strlen(path)};
  return (int)call(sys_open, block);
}

size_t semihosting_write(int handle, const void* data, size_t bytes) {
  const uint64_t block[3] = {(uint64_t)handle, (uintptr_t)data, bytes};
  return (size_t)call(sys_write, block);
}

size_t semihosting_read(int handle, void* data, size_t bytes) {
  const uint64_t block[3] = {(uint64_t)handle, (uintptr_t)data, bytes};
  return (size_t)call(sys_read, block);
}

void semihosting_close(int handle) {
  const uint64_t block[1] = {(uint64_t)handle};
  call(sys_close, block);
}

bool semihosting_remove(const char* path) {
  const uint64_t block[2] = {(uintptr_t)path, strlen(path)};
  return call(sys_remove, block) == 0;
}

bool semihosting_rename(const char* from, const char* to) {
  const uint64_t block[4] = {(uintptr_t)from, strlen(from), (uintptr_t)to, strlen(to)};
  return call(sys_rename, block) == 0;
}

bool semihosting_command_line(char* text, size_t bytes) {
  uint64_t block[2] = {(uintptr_t)text, bytes};
  text[0] = 0;
  return call(sys_get_cmdline, block) == 0;
}

_Noreturn void semihosting_exit(int status) {
  const uint64_t block[2] = {stopped_application_exit, (uint64_t)(int64_t)status};
  for (;;) call(sys_exit, block);
}
