#include "platform/source_lines.h"

#include <elfutils/libdw.h>

namespace asterism {

struct SourceLines::Dwarf {
  explicit Dwarf(std::span<const std::byte> bytes) {
    elf_version(EV_CURRENT);
    // libelf only reads the bytes of a file of the host's byte order.
    elf = elf_memory(const_cast<char*>(reinterpret_cast<const char*>(bytes.data())), bytes.size());
    if (elf) dwarf = dwarf_begin_elf(elf, DWARF_C_READ, nullptr);
  }
  ~Dwarf() {
    if (dwarf) dwarf_end(dwarf);
    if (elf) elf_end(elf);
  }
  Dwarf(const Dwarf&) = delete;
  Dwarf& operator=(const Dwarf&) = delete;

  // The compilation unit that covers an address. The index of addresses in the file is optional and may lack
  // units, for example those of an assembler.
  bool find_unit(std::uint64_t address, Dwarf_Die& unit) const {
    if (dwarf_addrdie(dwarf, address, &unit)) return true;
    Dwarf_Off at = 0, next = 0;
    for (std::size_t header = 0; dwarf_nextcu(dwarf, at, &next, &header, nullptr, nullptr, nullptr) == 0;
         at = next)
      if (dwarf_offdie(dwarf, at + header, &unit) && dwarf_haspc(&unit, address) > 0) return true;
    return false;
  }

  Elf* elf = nullptr;
  ::Dwarf* dwarf = nullptr;
};

SourceLines::SourceLines(std::span<const std::byte> elf) : elf_(elf) {}
SourceLines::~SourceLines() = default;

SourceLine SourceLines::at(std::uint64_t address) const {
  if (!dwarf_) dwarf_ = std::make_unique<Dwarf>(elf_);
  Dwarf_Die unit;
  if (!dwarf_->dwarf || !dwarf_->find_unit(address, unit)) return {};
  Dwarf_Line* const found = dwarf_getsrc_die(&unit, address);
  int line = 0;
  const char* const file = found ? dwarf_linesrc(found, nullptr, nullptr) : nullptr;
  if (!file || dwarf_lineno(found, &line) != 0 || line <= 0) return {};
  return {file, static_cast<unsigned>(line)};
}

}  // namespace asterism
