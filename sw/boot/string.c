// memcpy and related functions, and snprintf, for memory that is Device memory while the MMU is off: they use
// only aligned accesses and no DC ZVA. Picolibc's versions use both, which hardware refuses there.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void* memset(void* destination, int value, size_t bytes) {
  uint8_t* to = destination;
  const uint64_t word = 0x0101010101010101u * (uint8_t)value;
  for (; bytes > 0 && ((uintptr_t)to & 7) != 0; --bytes) *to++ = (uint8_t)value;
  for (; bytes >= 8; bytes -= 8, to += 8) *(uint64_t*)to = word;
  for (; bytes > 0; --bytes) *to++ = (uint8_t)value;
  return destination;
}

void* memcpy(void* restrict destination, const void* restrict source, size_t bytes) {
  uint8_t* to = destination;
  const uint8_t* from = source;
  if ((((uintptr_t)to ^ (uintptr_t)from) & 7) == 0) {
    for (; bytes > 0 && ((uintptr_t)to & 7) != 0; --bytes) *to++ = *from++;
    for (; bytes >= 8; bytes -= 8, to += 8, from += 8) *(uint64_t*)to = *(const uint64_t*)from;
  }
  for (; bytes > 0; --bytes) *to++ = *from++;
  return destination;
}

void* memmove(void* destination, const void* source, size_t bytes) {
  uint8_t* to = destination;
  const uint8_t* from = source;
  if ((uintptr_t)to - (uintptr_t)from >= bytes) return memcpy(destination, source, bytes);
  while (bytes-- > 0) to[bytes] = from[bytes];
  return destination;
}

int memcmp(const void* left, const void* right, size_t bytes) {
  const uint8_t* a = left;
  const uint8_t* b = right;
  for (; bytes > 0; --bytes, ++a, ++b)
    if (*a != *b) return *a - *b;
  return 0;
}

// A stream whose characters go to an array.
typedef struct {
  FILE file;
  char* to;
  size_t left;  // without the terminating zero
} TextStream;

static int put(char character, FILE* file) {
  TextStream* const text = (TextStream*)file;
  if (text->left > 0) --text->left, *text->to++ = character;
  return 0;
}

int vsnprintf(char* restrict to, size_t bytes, const char* restrict format, va_list arguments) {
  TextStream text = {.file = FDEV_SETUP_STREAM(put, NULL, NULL, _FDEV_SETUP_WRITE),
                     .to = to,
                     .left = bytes > 0 ? bytes - 1 : 0};
  const int length = vfprintf(&text.file, format, arguments);
  if (bytes > 0) *text.to = '\0';
  return length;
}

int snprintf(char* restrict to, size_t bytes, const char* restrict format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(to, bytes, format, arguments);
  va_end(arguments);
  return length;
}
