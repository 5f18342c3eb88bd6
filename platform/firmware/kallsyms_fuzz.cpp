// libFuzzer entry of the symbols of Linux: an Image with its table, or a list as System.map. Corpus:
// tests/fuzz/kallsyms.
#include <cstdint>

#include "platform/config/diagnostics.h"
#include "platform/firmware/kernel_symbols.h"

using namespace asterism;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  const Segment kernel{Address(0x4020'0000), bytes, Bytes(0x10000), true, true};
  const KernelSymbols symbols(kernel);
  std::size_t sum = symbols.elf_file(0).size();
  try {
    sum += KernelSymbols::parse(bytes, "fuzz", kernel).all().size();
  } catch (const ConfigError&) {
  }
  [[maybe_unused]] volatile std::size_t sink = sum;
  return 0;
}
