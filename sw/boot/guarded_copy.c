#include "boot/guarded_copy.h"

#include "boot/exception.h"

bool memory_copy_guarded(void* destination, const void* source, size_t bytes) {
  exception_guard();
  copy_guarded(destination, source, bytes);
  return !exception_guard_end();
}
