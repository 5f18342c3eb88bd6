#include "platform/firmware/firmware.h"

#include "platform/config/diagnostics.h"

namespace asterism {
namespace {

// Firmware with a damaged symbol table runs as well as one without symbols.
FunctionSymbols readable_symbols(const ElfImage& firmware, const std::string& file) {
  try {
    return firmware.bytes().empty() ? FunctionSymbols() : FunctionSymbols::parse(firmware.bytes(), file);
  } catch (const ConfigError&) {
    return {};
  }
}

}  // namespace

Firmware Firmware::of_elf(const std::string& file, AddressRange dram) {
  return of_elf(ElfImage::read_file(file), file, dram);
}

Firmware Firmware::of_elf(std::vector<std::byte> bytes, const std::string& name, AddressRange dram) {
  Firmware firmware{.file = name, .elf = ElfImage::parse(std::move(bytes), name, dram)};
  firmware.symbols = readable_symbols(firmware.elf, name);
  return firmware;
}

}  // namespace asterism
