// GTKWave's writer and reader of FST (MIT; LZ4 in it BSD, FastLZ MIT), as Verilator ships them, for the
// program itself: RTL libraries have their own within Verilator's runtime. Compiled as C++, as Verilator
// does.
#define HAVE_LIBPTHREAD
#define FST_CONFIG_INCLUDE "fst_config.h"
// NOLINTBEGIN(bugprone-suspicious-include): its sources are C files, which this one is to consist of
#include <gtkwave/fastlz.c>
#include <gtkwave/fstapi.c>
#include <gtkwave/lz4.c>
// NOLINTEND(bugprone-suspicious-include)
