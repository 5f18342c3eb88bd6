// Writes result.txt, by which two runs are compared.
#pragma once

#include <stdbool.h>
#include <stdint.h>

bool result_write(const char* text);  // replaces the file; false: it cannot be written
uint64_t result_bits(double value);   // the bits of a value, to be written instead of a rounded number
