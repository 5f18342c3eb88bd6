// Prints one line of a conformance program's output: what was examined, and whether it holds.
#pragma once

#include <stdbool.h>
#include <stdio.h>

static inline void yes_no(const char* what, bool is_so) { printf("%s: %s\n", what, is_so ? "yes" : "NO"); }
