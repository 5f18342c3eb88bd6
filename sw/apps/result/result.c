#include "apps/result/result.h"

#include <string.h>

#include "drivers/semihosting.h"

bool result_write(const char* text) {
  const int file = semihosting_open("result.txt", file_write);
  if (file < 0) return false;
  const bool written = semihosting_write(file, text, strlen(text)) == 0;
  semihosting_close(file);
  return written;
}

uint64_t result_bits(double value) {
  uint64_t word;
  memcpy(&word, &value, sizeof word);
  return word;
}
