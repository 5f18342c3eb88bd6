#include "core/a64/oracle/machine.h"

namespace asterism::a64::oracle {
namespace {

constexpr std::uint64_t block = 1, page = 3, table = 3, shareable = 3 << 8;
constexpr std::uint64_t accessed = 1 << 10, read_only = 1 << 7, el0 = 1 << 6;

std::uint64_t bits_of(PageKind kind) {
  switch (kind) {
    case PageKind::read_write:
      return page | accessed;
    case PageKind::missing:
      return 0;
    case PageKind::read_only:
      return page | accessed | read_only;
    case PageKind::not_accessed:
      return page;
    case PageKind::el0:
      return page | accessed | el0;
    case PageKind::el0_read_only:
      return page | accessed | el0 | read_only;
  }
  return 0;
}

}  // namespace

// Levels 1, 2 and 3, a page each.
std::vector<std::uint64_t> identity_tables(std::span<const PageKind> data_pages) {
  constexpr std::size_t entries = 512;
  std::vector<std::uint64_t> tables(3 * entries);
  tables[1] = (tables_base + 0x1000) | table;
  tables[entries] = code_base | shareable | block | accessed;
  tables[entries + (data_base - 0x4000'0000) / 0x20'0000] = (tables_base + 0x2000) | table;
  for (std::size_t i = 0; i < data_pages.size(); ++i)
    if (const std::uint64_t bits = bits_of(data_pages[i]); bits != 0)
      tables[2 * entries + i] = (data_base + 4096 * i) | shareable | bits;
  return tables;
}

}  // namespace asterism::a64::oracle
