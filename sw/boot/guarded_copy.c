#include "boot/guarded_copy.h"

#include <string.h>

#include "boot/exception.h"

bool memory_copy_guarded(void* destination, const void* source, size_t bytes) {
  exception_guard();
  memcpy(destination, source, bytes);
  return !exception_guard_end();
}
