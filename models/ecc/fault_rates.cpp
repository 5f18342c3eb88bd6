#include "ecc/fault_rates.h"

#include "base/fields.h"
#include "base/file_kind.h"

namespace asterism {

static_assert(member_count<ChipArray>() == 3);
void describe(Fields& f, ChipArray& a) {
  f("banks", a.banks, "The number of banks.", within(1, 1024), required());
  f("rows", a.rows, "The number of rows of a bank.", within(1, 1 << 24), required());
  f("blocks_of_row", a.blocks_of_row, "The number of bursts in a row.", within(1, 1 << 16), required());
}

static_assert(member_count<FaultMode>() == 5);
void describe(Fields& f, FaultMode& m) {
  f("name", m.name, "The name in the source, for tables.", required());
  f("covers", m.covers, "The bits of a block that are wrong. A code may correct few and refuse many.",
    one_of<Ddr5Fault>(), required());
  f("transient_fit", m.transient_fit,
    "Faults of a device in 10^9 hours that end when the data are rewritten.", within(0.0, 1e9));
  f("permanent_fit", m.permanent_fit, "Faults of a device in 10^9 hours that stay.", within(0.0, 1e9));
  f("extent", m.extent,
    "The blocks of the device that are wrong. Larger faults meet more of the others; every block is the "
    "worst "
    "case.",
    one_of<FaultExtent>());
}

static_assert(member_count<FieldErrors>() == 2);
void describe(Fields& f, FieldErrors& e) {
  f("name", e.name, "The class of errors, by its name in the source.", required());
  f("count", e.count, "The number of errors in device_hours.", at_most(1'000'000'000'000), required());
}

static_assert(member_count<FaultRates>() == 5);
void describe(Fields& f, FaultRates& r) {
  f.sourced();
  f("device", r.device, "The device that the rates are of.", required());
  f("modes", r.modes, "The ways in which a device fails.");
  f("errors", r.errors, "Errors that were counted behind the device's own code.");
  f("device_hours", r.device_hours, "The hours of devices in which errors were counted.",
    at_most(1'000'000'000'000));
  f("array", r.array,
    "The array of the device. Without it, faults of two devices that meet in a block are not counted.");
  f.check([&] { return r.errors.empty() || r.device_hours > 0; }, "device_hours",
          "is more than 0 if there are errors");
}
const RegisteredFileKind<FaultRates> fault_files{
    "faults", "faults", "Asterism fault rates of memory", {"modes", "errors"}};

}  // namespace asterism
