#include "platform/firmware/source_lines.h"

#include <elfutils/libdw.h>

#include <map>
#include <utility>

namespace asterism {
namespace {

SourceLine line_of(Dwarf_Line* row) {
  int line = 0;
  const char* const file = row ? dwarf_linesrc(row, nullptr, nullptr) : nullptr;
  if (!file || dwarf_lineno(row, &line) != 0 || line <= 0) return {};
  return {file, static_cast<unsigned>(line)};
}

}  // namespace

struct SourceLines::DebugInfo {
  explicit DebugInfo(std::span<const std::byte> bytes) {
    elf_version(EV_CURRENT);
    // libelf only reads the bytes of a file of the host's byte order.
    elf = elf_memory(const_cast<char*>(reinterpret_cast<const char*>(bytes.data())), bytes.size());
    if (elf) dwarf = dwarf_begin_elf(elf, DWARF_C_READ, nullptr);
  }
  ~DebugInfo() {
    if (dwarf) dwarf_end(dwarf);
    if (elf) elf_end(elf);
  }
  DebugInfo(const DebugInfo&) = delete;
  DebugInfo& operator=(const DebugInfo&) = delete;

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
  Dwarf* dwarf = nullptr;
};

SourceLines::SourceLines(std::span<const std::byte> elf) : elf_(elf) {}
SourceLines::~SourceLines() = default;

const SourceLines::DebugInfo& SourceLines::debug_info() const {
  if (!debug_info_) debug_info_ = std::make_unique<DebugInfo>(elf_);
  return *debug_info_;
}

SourceLine SourceLines::at(std::uint64_t address) const {
  Dwarf_Die unit;
  if (!debug_info().dwarf || !debug_info().find_unit(address, unit)) return {};
  return line_of(dwarf_getsrc_die(&unit, address));
}

std::vector<SourceRow> SourceLines::rows() const {
  if (!debug_info().dwarf) return {};
  std::map<std::uint64_t, SourceLine> by_address;
  Dwarf_Off at = 0, next = 0;
  for (std::size_t header = 0;
       dwarf_nextcu(debug_info().dwarf, at, &next, &header, nullptr, nullptr, nullptr) == 0; at = next) {
    Dwarf_Die unit;
    Dwarf_Lines* lines = nullptr;
    std::size_t count = 0;
    if (!dwarf_offdie(debug_info().dwarf, at + header, &unit) ||
        dwarf_getsrclines(&unit, &lines, &count) != 0)
      continue;
    for (std::size_t i = 0; i < count; ++i) {
      Dwarf_Line* const row = dwarf_onesrcline(lines, i);
      Dwarf_Addr address = 0;
      bool is_end = false;  // of a sequence: the address behind it
      if (dwarf_lineaddr(row, &address) != 0 || dwarf_lineendsequence(row, &is_end) != 0) continue;
      if (is_end)
        by_address.try_emplace(address);
      else
        by_address[address] = line_of(row);
    }
  }
  std::vector<SourceRow> rows;
  rows.reserve(by_address.size());
  for (auto& [address, source] : by_address) rows.push_back({address, std::move(source)});
  return rows;
}

}  // namespace asterism
