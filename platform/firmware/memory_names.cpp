#include "platform/firmware/memory_names.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>

#include "platform/config/diagnostics.h"
#include "platform/firmware/elf_symbols.h"

namespace asterism {
namespace {

std::vector<PageMap::Name> symbols_of(const Firmware& firmware) {
  std::vector<PageMap::Name> names;
  try {
    for (const ElfSymbol& symbol : elf_symbols(firmware.elf.bytes(), firmware.file))
      if (symbol.size != 0 && (symbol.type == STT_OBJECT || symbol.type == STT_FUNC))
        names.push_back({symbol.name, {Address(symbol.value), Bytes(symbol.size)}});
  } catch (const ConfigError&) {  // the table is damaged: the firmware runs without symbols
  }
  return names;
}

std::string name_of(const Segment& segment) {
  return segment.is_executable ? "code" : segment.is_writable ? "data" : "constants";
}

}  // namespace

std::vector<PageMap::Name> names_in_memory(const Firmware& firmware) {
  std::vector<PageMap::Name> names;
  if (firmware.linux_image) {
    names.push_back({"kernel", firmware.linux_image->segments().front().range()});
    if (firmware.linux_image->initrd().size != Bytes(0))
      names.push_back({"initial file system", firmware.linux_image->initrd()});
    return names;
  }
  if (!firmware.elf.bytes().empty()) names = symbols_of(firmware);
  if (names.empty())
    for (const Segment& segment : firmware.elf.segments())
      names.push_back({name_of(segment), segment.range()});
  for (std::size_t i = 0; i < firmware.stacks.size(); ++i)
    names.push_back({fmt::format("stack of core{}", i), firmware.stacks[i]});
  std::ranges::sort(names, {}, [](const PageMap::Name& name) { return name.range.first; });
  return names;
}

}  // namespace asterism
