// libFuzzer entry of the firmware loader. Corpus: tests/fuzz/elf.
#include <cstdint>

#include "platform/config/diagnostics.h"
#include "platform/firmware/elf_image.h"

using namespace asterism;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  try {
    const ElfImage image = ElfImage::parse({bytes, bytes + size}, "fuzz", {Address(0x4000'0000), 64_MiB});
    unsigned sum = 0;
    for (const auto& segment : image.segments())
      for (const std::byte byte : segment.contents) sum += static_cast<unsigned>(byte);
    [[maybe_unused]] volatile unsigned sink = sum;
  } catch (const ConfigError&) {
  }
  return 0;
}
