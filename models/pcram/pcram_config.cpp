#include "pcram/pcram_config.h"

#include <array>

#include "base/fields.h"
#include "base/file_kind.h"

namespace asterism {
namespace {

constexpr std::array energy_units = {QuantityUnit{"mJ", 1'000'000'000}, QuantityUnit{"uJ", 1'000'000},
                                     QuantityUnit{"nJ", 1'000}, QuantityUnit{"pJ", 1}};
constexpr std::array power_units = {QuantityUnit{"W", 1'000'000}, QuantityUnit{"mW", 1'000},
                                    QuantityUnit{"uW", 1}};

}  // namespace

const QuantityKind& quantity_kind(Picojoules) {
  static constexpr QuantityKind kind{"an energy", "31.5nJ", energy_units};
  return kind;
}

const QuantityKind& quantity_kind(Microwatts) {
  static constexpr QuantityKind kind{"a power", "60.8mW", power_units};
  return kind;
}

Picojoules PcramPart::energy(std::uint64_t set_cells, std::uint64_t reset_cells) const {
  return Picojoules(scale(set_cells, set_energy.count(), word_cells) +
                    scale(reset_cells, reset_energy.count(), word_cells));
}

static_assert(member_count<PcramPart>() == 12);
void describe(Fields& f, PcramPart& p) {
  f.sourced();
  f("form", p.form, "What is built from the part, which determines its organisation.", one_of<PcramForm>(),
    required());
  f("capacity", p.capacity,
    "The capacity of a chip, including one check bit for eight data bits; for a stack, that of a bank "
    "without check bits.",
    within(64_KiB, 64_GiB), required());
  f.when("form", p.form, PcramForm::stack, [&] {
    f("mats", p.mats,
      "The number of mats per bank. All mats of a stack are written at once, each at its own bandwidth.",
      within(1, 4096), required());
    f("subarrays", p.subarrays,
      "The number of subarrays per mat. They are written in rotation: a write may take as many times as long "
      "as a line takes to arrive.",
      within(1, 64), required());
    f("mat", p.mat,
      "The bandwidth between a DRAM mat and the PCRAM mat above it. With the number of mats it gives the "
      "total bandwidth.",
      within(1_MBps, 1000_GBps), required());
  });
  f("read", p.read,
    "The time from the cells to the sense amplifiers. The comparison before a write takes it, too.",
    within(1_ps, 1_ms), required());
  f("reset", p.reset, "The length of a RESET pulse, which writes 0.", within(1_ps, 1_ms), required());
  f.when("form", p.form, PcramForm::chip, [&] {
    f("set", p.set, "The length of a SET pulse, which writes 1: the longer one.", within(1_ps, 1_ms),
      required());
  });
  const auto energy = at_most(Picojoules(1'000'000'000));
  f("reset_energy", p.reset_energy, "The energy to RESET 576 cells.", energy, required());
  f("set_energy", p.set_energy, "The energy to SET 576 cells.", energy, required());
  f("leakage", p.leakage, "The leakage power of a chip, or of a bank of a stack, while it works.",
    at_most(Microwatts(1'000'000'000)), required());
  f("endurance", p.endurance,
    "The writes that a line is rated for; it fails around this number. 0: it never fails. With suppress, a "
    "write that changes nothing does not count.",
    at_most(1'000'000'000'000'000), required());
  f.check([&] { return p.form != PcramForm::chip || p.set >= p.reset; }, "set", "is no shorter than reset");
  f.check([&] { return p.form != PcramForm::chip || p.capacity % 64_KiB == Bytes(0); }, "capacity",
          "is a multiple of 64 KiB");
  f.check([&] { return p.form != PcramForm::stack || p.capacity % (4_KiB * p.mats) == Bytes(0); }, "mats",
          "share the bank in whole pages of 4 KiB");
}
const RegisteredFileKind<PcramPart> part_files{"pcram", "pcram", "Asterism PCRAM part", {"reset_energy"}};

}  // namespace asterism
