// GTKWave's writer and reader of FST (MIT; the LZ4 in it is BSD, the FastLZ is MIT), as Verilator ships them,
// for the program itself; RTL libraries have their own in Verilator's runtime. They are compiled as C++, as
// Verilator does.
#define HAVE_LIBPTHREAD
#define FST_CONFIG_INCLUDE "fst_config.h"
// NOLINTBEGIN(bugprone-suspicious-include): the library consists of C files, which this file combines
#include <gtkwave/fastlz.c>
#include <gtkwave/fstapi.c>
#include <gtkwave/lz4.c>
// NOLINTEND(bugprone-suspicious-include)
