// Linked only into programs under AddressSanitizer.
//
// libsystemc announces its switches of stacks to AddressSanitizer, but announces SystemC's main coroutine
// without its bounds. After the first switch back, an exception thrown and caught in a method process leaves
// the marks of the frames that it unwound, and a later call that reuses them is reported as a stack overflow.
// The definition below is found before the sanitizer's own, and adds the bounds of the stack on which the
// program began.
#include <dlfcn.h>
#include <pthread.h>

#include <cstddef>

namespace {

struct Stack {
  const void* bottom = nullptr;
  size_t size = 0;
};

Stack own_stack() {
  pthread_attr_t attributes;
  void* lowest = nullptr;
  Stack stack;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return stack;
  if (pthread_attr_getstack(&attributes, &lowest, &stack.size) == 0) stack.bottom = lowest;
  pthread_attr_destroy(&attributes);
  return stack;
}

}  // namespace

// A program pulls this file out of its library by this symbol.
extern "C" {
void asterism_sanitized_stack() {}

// The sanitizer's own function, which this one replaces and calls.
void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, size_t size) {
  using Start = void (*)(void**, const void*, size_t);
  static const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__sanitizer_start_switch_fiber"));
  if (!bottom || !size) {
    static const Stack main = own_stack();  // reads /proc: once
    bottom = main.bottom, size = main.size;
  }
  start(fake_stack, bottom, size);
}
}
