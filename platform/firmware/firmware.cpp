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
  Firmware firmware{.file = file, .elf = ElfImage::load(file, dram)};
  firmware.symbols = readable_symbols(firmware.elf, file);
  return firmware;
}

}  // namespace asterism
