// The address range table of the dual-mode controller. It lists the pages whose blocks have another mode than
// the rest: the flag in the page table of abeyratne2017 section 4.4.3, as a table in the controller. reset:
// warm keeps the table, because the contents of memory are encoded by it; power_loss and cold empty it.
#pragma once

#include <array>
#include <optional>

#include "base/enum_names.h"
#include "base/reset.h"
#include "base/units.h"
#include "ecc/dual_mode_codec.h"

namespace asterism {

struct EccRange {
  AddressRange offsets;  // in the memory; whole pages of 4 KiB
  EccMode mode = EccMode::strong;
  bool operator==(const EccRange&) const = default;
};

enum class RangeProblem { none, unaligned, outside, overlap, one_rank, no_code, no_room, reserved_mode };
constexpr auto enum_names(RangeProblem) {
  return std::to_array<EnumName<RangeProblem>>(
      {{RangeProblem::none, "none"},
       {RangeProblem::unaligned, "unaligned", "not whole pages of 4 KiB"},
       {RangeProblem::outside, "outside", "reaches beyond the memory"},
       {RangeProblem::overlap, "overlap", "another entry covers a part of it"},
       {RangeProblem::one_rank, "one_rank", "strong ECC keeps parity in another rank, and there is only one"},
       {RangeProblem::no_code, "no_code", "this memory has no ECC, or the range asks for none"},
       {RangeProblem::no_room, "no_room", "the memory uses rows that the parity of strong ECC needs"},
       {RangeProblem::reserved_mode, "reserved_mode", "the code of this memory has no such mode"}});
}

class EccRanges {
 public:
  static constexpr unsigned capacity = 16;
  static constexpr Bytes page = 4_KiB;

  // `ranks` is the number per channel. `room_for_parity` says whether there are enough rows above those in
  // use (parity_translation.h), `has_strong` whether the code has a strong mode.
  EccRanges(EccMode everywhere_else, Bytes memory, std::uint32_t ranks, bool room_for_parity = true,
            bool has_strong = true)
      : everywhere_else_(everywhere_else),
        memory_(memory),
        ranks_(ranks),
        room_for_parity_(room_for_parity),
        has_strong_(has_strong) {}

  // The problem with a range as entry `index`, which is below `capacity`. The present entry will be replaced,
  // and may overlap.
  RangeProblem problem(unsigned index, const EccRange& range) const;
  // Sets an entry to a range without a problem, or clears it.
  void set(unsigned index, const std::optional<EccRange>& range) {
    used_ += (range ? 1u : 0u) - (entries_.at(index) ? 1u : 0u);
    entries_[index] = range;
  }
  const std::optional<EccRange>& operator[](unsigned index) const { return entries_[index]; }
  EccMode mode(Bytes offset) const { return used_ == 0 ? everywhere_else_ : mode_by_table(offset); }
  // The largest range around `offset` in which all pages have the same mode.
  AddressRange uniform_range(Bytes offset) const;
  void reset(Reset kind);

 private:
  EccMode mode_by_table(Bytes offset) const;

  EccMode everywhere_else_;
  Bytes memory_;
  std::uint32_t ranks_;
  bool room_for_parity_, has_strong_;
  std::array<std::optional<EccRange>, capacity> entries_;
  unsigned used_ = 0;  // entries
};

}  // namespace asterism
