// PCRAM parts, and the memories built from them. The values of real parts are in configs/pcram, each with its
// source.
//
// A cell holds a bit: crystalline (SET) is 1, amorphous (RESET) is 0. Cells are written in words of 576: 64
// bytes of data, a line, and 8 check bits for each 8 bytes of it (pcram/word_code.h).
//
//   chip    18 of them make a PCRAM-DIMM (pcram/dimm_timing.h)
//   stack   banks on those of a DRAM, mat on mat (pcram/stack_timing.h)
//
// Sources: dong2011 sections 2.2, 3, 5.1, Tables II, III and VI.
#pragma once

#include <cstdint>
#include <string>

#include "base/enum_names.h"
#include "base/quantity_text.h"
#include "base/units.h"

namespace asterism {

class Fields;

using Picojoules = Quantity<struct PicojouleUnit>;
using Microwatts = Quantity<struct MicrowattUnit>;
const QuantityKind& quantity_kind(Picojoules);  // "31.5nJ"
const QuantityKind& quantity_kind(Microwatts);  // "60.8mW"

enum class PcramForm { chip, stack };
constexpr auto enum_names(PcramForm) {
  return std::to_array<EnumName<PcramForm>>({{PcramForm::chip, "chip", "a chip of a PCRAM-DIMM"},
                                             {PcramForm::stack, "stack", "mats stacked on those of a DRAM"}});
}

struct PcramPart {
  PcramForm form = PcramForm::chip;
  Bytes capacity = 128_MiB;     // of a chip with check bits; of a bank of a stack without them
  std::uint32_t mats = 16;      // of a bank of a stack
  std::uint32_t subarrays = 4;  // of a mat, written in rotation
  Bandwidth mat = 2500_MBps;    // to or from a mat
  Picoseconds read = 18_ns, reset = 46_ns, set = 106_ns;
  Picojoules reset_energy = Picojoules(31'500), set_energy = Picojoules(19'600);  // of 576 cells
  Microwatts leakage = Microwatts(60'800);  // of a chip, or of a bank of a stack, while it works
  std::uint64_t endurance = 100'000'000;    // rated writes of a line; 0: it never wears out

  static constexpr std::uint64_t word_cells = 576;
  static constexpr std::uint64_t word_data = 512;

  Picojoules energy(std::uint64_t set_cells, std::uint64_t reset_cells) const;
  // The energy of a line half of whose cells are SET and half RESET.
  Picojoules line_energy() const { return (set_energy + reset_energy) / 2; }
  bool operator==(const PcramPart&) const = default;
};
void describe(Fields& f, PcramPart& part);

}  // namespace asterism
