// The functions that libsupc++ and libgcc_eh, which Debian builds for Linux, need from a C library beyond
// picolibc, for one thread on bare metal: the address of the unwind tables, and locks. It must be linked
// first, so that its .eh_frame precedes all others.

extern void __register_frame_info(const void* frames, void* object);
extern const char eh_frames[];
__asm__(".section .eh_frame, \"a\"\n .globl eh_frames\n eh_frames:\n .text\n");

// Runs before any constructor that may throw. `object` is for libgcc: six words, and some to spare.
__attribute__((constructor(101))) static void register_frames(void) {
  static void* object[16];
  __register_frame_info(eh_frames, object);
}

// glibc's function to find the tables of a loaded object: there is none.
int _dl_find_object(void* address, void* result);
int _dl_find_object(void* address, void* result) {
  (void)address, (void)result;
  return -1;
}

int pthread_mutex_lock(void* mutex);
int pthread_mutex_lock(void* mutex) {
  (void)mutex;
  return 0;
}
int pthread_mutex_unlock(void* mutex);
int pthread_mutex_unlock(void* mutex) {
  (void)mutex;
  return 0;
}
