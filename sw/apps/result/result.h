// result.txt: what two runs are compared by.
#pragma once

#include <stdbool.h>
#include <stdint.h>

bool result_write(const char* text);  // replaces it; false: it cannot be written
uint64_t result_bits(double value);   // to be written in place of a rounded number
