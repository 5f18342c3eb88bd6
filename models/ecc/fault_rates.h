// How often memory devices fail in the field, and how: files of configs/faults, each value with its source.
//
// A mode is a way in which a device fails, with its rate in FIT (failures in 10^9 device hours) and the bits
// of a block that it covers (ddr5_coverage.h). Errors are those that a fleet has counted behind the code of
// its own devices, such as those of GPUs, which nobody sees without it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ecc/ddr5_coverage.h"

namespace asterism {

class Fields;

// The blocks of a chip that a fault covers.
enum class FaultExtent : std::uint8_t { block, column, row, bank, chip };
constexpr auto enum_names(FaultExtent) {
  using enum FaultExtent;
  return std::to_array<EnumName<FaultExtent>>({{block, "block", "one block"},
                                               {column, "column", "one block of every row of a bank"},
                                               {row, "row", "every block of a row"},
                                               {bank, "bank", "every block of a bank"},
                                               {chip, "chip", "every block"}});
}

// A chip as blocks of a rank see it.
struct ChipArray {
  std::uint32_t banks = 0, rows = 0, blocks_of_row = 0;
};
void describe(Fields& f, ChipArray& array);

struct FaultMode {
  std::string name;
  Ddr5Fault covers = Ddr5Fault::bit;
  double transient_fit = 0, permanent_fit = 0;
  FaultExtent extent = FaultExtent::chip;

  double fit() const { return transient_fit + permanent_fit; }
};
void describe(Fields& f, FaultMode& mode);

struct FieldErrors {
  std::string name;
  std::uint64_t count = 0;
};
void describe(Fields& f, FieldErrors& errors);

struct FaultRates {
  std::string device;
  std::vector<FaultMode> modes = {};
  std::vector<FieldErrors> errors = {};
  std::uint64_t device_hours = 0;  // in which the errors were counted
  std::optional<ChipArray> array = {};
};
void describe(Fields& f, FaultRates& rates);

}  // namespace asterism
