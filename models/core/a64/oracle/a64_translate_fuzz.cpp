// Runs arbitrary bytes as a guest with missing, refused and read-only pages (anything.h), with an interpreter
// and a translator, which must do the same.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/a64/oracle/anything.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t instructions = 300;
  if (size <= asterism::a64::oracle::head_of_anything) return 0;
  const std::string difference = asterism::a64::oracle::translate_anything({data, size}, instructions);
  if (!difference.empty()) {
    std::fprintf(stderr, "%s\n", difference.c_str());
    std::abort();
  }
  return 0;
}
