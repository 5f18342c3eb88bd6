#include "core/a64/translation_table_walk.h"

#include <algorithm>

namespace asterism::a64 {
namespace {

constexpr unsigned table_address_bits = 48, deepest_level = 3;
constexpr unsigned smallest_tsz = 16, largest_tsz = 39;
constexpr std::uint8_t outer_shareable = 0b10;

constexpr std::uint64_t bits(std::uint64_t value, unsigned high, unsigned low) {
  return value >> low & ((std::uint64_t{2} << (high - low)) - 1);
}
constexpr bool bit(std::uint64_t value, unsigned at) { return value >> at & 1; }

// The fields of TCR_EL1 and a TTBR for the half of the address space that an address is in.
struct AddressHalf {
  unsigned tsz = 0, granule = 12;  // granule: log2 of its bytes
  unsigned top = 63;               // the highest bit of the address that is used
  bool is_upper = false, is_disabled = false;
  std::uint64_t base = 0;  // TTBR

  unsigned input_bits() const { return 64 - tsz; }
  unsigned stride() const { return granule - 3; }
  // The lowest bit of the address in the index of a level.
  unsigned index_low(unsigned level) const { return (deepest_level - level) * stride() + granule; }
  unsigned first_level() const { return 4 - (input_bits() - granule + stride() - 1) / stride(); }
  bool has_tables_for(std::uint64_t address) const {
    if (is_disabled || tsz < smallest_tsz || tsz > largest_tsz) return false;
    const std::uint64_t high = bits(address, top, input_bits());
    return high == (is_upper ? bits(~std::uint64_t{0}, top, input_bits()) : 0);
  }
};

unsigned lower_granule(std::uint64_t tg0) { return tg0 == 0b01 ? 16 : tg0 == 0b10 ? 14 : 12; }
unsigned upper_granule(std::uint64_t tg1) { return tg1 == 0b11 ? 16 : tg1 == 0b01 ? 14 : 12; }

// With TBI, the top byte is not part of the address, and bit 55 selects the half.
unsigned top_bit(std::uint64_t tcr, std::uint64_t address) {
  return bit(tcr, bit(address, 55) ? 38 : 37) ? 55 : 63;
}

AddressHalf half_of(const SystemRegisters& system, std::uint64_t address) {
  const std::uint64_t tcr = system.tcr;
  AddressHalf half;
  half.top = top_bit(tcr, address);
  half.is_upper = bit(address, half.top);
  half.tsz = static_cast<unsigned>(half.is_upper ? bits(tcr, 21, 16) : bits(tcr, 5, 0));
  half.granule = half.is_upper ? upper_granule(bits(tcr, 31, 30)) : lower_granule(bits(tcr, 15, 14));
  half.is_disabled = bit(tcr, half.is_upper ? 23 : 7);
  half.base = half.is_upper ? system.ttbr1 : system.ttbr0;
  return half;
}

// TCR_EL1.IPS, limited to the implemented size.
unsigned output_bits(std::uint64_t tcr) {
  constexpr unsigned sizes[] = {32, 36, 40, 42, 44, 48, 48, 48};
  return std::min(sizes[bits(tcr, 34, 32)], physical_address_bits);
}

bool is_too_wide(std::uint64_t address, unsigned output_bits) {
  return bits(address, table_address_bits - 1, 0) >> output_bits != 0;
}

Walk faulty(std::uint8_t status, unsigned level) {
  Walk walk;
  walk.level = static_cast<std::uint8_t>(level);
  walk.fault = static_cast<std::uint8_t>(status + level);
  return walk;
}

Walk untranslated(const SystemRegisters& system, std::uint64_t address) {
  const unsigned top = top_bit(system.tcr, address);
  if (bits(address, top, physical_address_bits) != 0) return faulty(fault_status::address_size, 0);
  Walk walk;
  walk.physical = bits(address, physical_address_bits - 1, 0);
  constexpr Permissions all{true, true, true};
  walk.permissions = {all, all};
  walk.shareability = outer_shareable;
  return walk;
}

// The permissions that the tables on the path remove.
struct TableAttributes {
  bool read_only = false, not_at_el0 = false, execute_never = false, privileged_execute_never = false;
  void add(std::uint64_t table) {
    read_only |= bit(table, 62);
    not_at_el0 |= bit(table, 61);
    execute_never |= bit(table, 60);
    privileged_execute_never |= bit(table, 59);
  }
};

std::array<Permissions, 2> permissions(std::uint64_t leaf, const TableAttributes& tables, bool wxn) {
  const bool writable = !bit(leaf, 7) && !tables.read_only;
  const bool at_el0 = bit(leaf, 6) && !tables.not_at_el0;
  const bool el0_writable = writable && at_el0;
  const bool uxn = bit(leaf, 54) || tables.execute_never || (wxn && el0_writable);
  // Memory that EL0 can write is never executed at EL1.
  const bool pxn = bit(leaf, 53) || tables.privileged_execute_never || (wxn && writable) || el0_writable;
  return {{{at_el0, el0_writable, !uxn}, {true, writable, !pxn}}};
}

std::uint8_t shareability(std::uint8_t attributes, std::uint64_t leaf) {
  constexpr std::uint8_t non_cacheable = 0x44;
  const bool is_device = (attributes & 0xf0) == 0;
  if (is_device || attributes == non_cacheable) return outer_shareable;
  return static_cast<std::uint8_t>(bits(leaf, 9, 8));
}

Walk found(const SystemRegisters& system, const AddressHalf& half, std::uint64_t address, std::uint64_t leaf,
           unsigned level, const TableAttributes& tables) {
  const unsigned low = half.index_low(level);
  Walk walk;
  walk.level = static_cast<std::uint8_t>(level);
  walk.span = static_cast<std::uint8_t>(low);
  walk.physical = bits(leaf, table_address_bits - 1, low) << low | bits(address, low - 1, 0);
  walk.permissions = permissions(leaf, tables, system.sctlr & sctlr::wxn);
  walk.attributes = static_cast<std::uint8_t>(system.mair >> 8 * bits(leaf, 4, 2));
  walk.shareability = shareability(walk.attributes, leaf);
  return walk;
}

}  // namespace

Walk walk(const SystemRegisters& system, std::uint64_t address, TableMemory& tables) {
  if (!(system.sctlr & sctlr::m)) return untranslated(system, address);
  const AddressHalf half = half_of(system, address);
  if (!half.has_tables_for(address)) return faulty(fault_status::translation, 0);
  const unsigned wide = output_bits(system.tcr);
  if (is_too_wide(half.base, wide)) return faulty(fault_status::address_size, 0);

  const unsigned first_block_level = half.granule == 12 ? 1 : 2;
  unsigned level = half.first_level(), index_high = half.input_bits() - 1;
  const unsigned base_low = 3 + half.input_bits() - half.index_low(level);
  std::uint64_t table = bits(half.base, table_address_bits - 1, base_low) << base_low;
  TableAttributes attributes;
  for (;; ++level) {
    const unsigned index_low = half.index_low(level);
    const auto descriptor = tables.descriptor(table | bits(address, index_high, index_low) << 3);
    if (!descriptor) return faulty(fault_status::external_abort_on_walk, level);
    const bool is_valid = bit(*descriptor, 0), is_leaf = !bit(*descriptor, 1) || level == deepest_level;
    const bool may_be_leaf =
        bit(*descriptor, 1) ? level == deepest_level : level >= first_block_level && level < deepest_level;
    if (!is_valid || (is_leaf && !may_be_leaf)) return faulty(fault_status::translation, level);
    if (is_too_wide(*descriptor, wide)) return faulty(fault_status::address_size, level);
    if (is_leaf) {
      if (!bit(*descriptor, 10)) return faulty(fault_status::access_flag, level);
      return found(system, half, address, *descriptor, level, attributes);
    }
    attributes.add(*descriptor);
    table = bits(*descriptor, table_address_bits - 1, half.granule) << half.granule;
    index_high = index_low - 1;
  }
}

}  // namespace asterism::a64
