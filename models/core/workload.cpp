#include "core/workload.h"

#include "base/fields.h"
#include "base/file_kind.h"

namespace asterism {

static_assert(member_count<Workload>() == 3);
void describe(Fields& f, Workload& w) {
  f.sourced();
  f("cores", w.cores,
    "The number of cores that run the mix, one program each. The misses are divided among them.",
    within(1, 65'536), required());
  f("l1_mpki", w.l1_mpki,
    "The L1 misses per 1,000 instructions, summed over the cores. Each one sends a request to an L2 bank.",
    required());
  f("l2_mpki", w.l2_mpki,
    "The number of these misses that also miss in the L2 bank and go to a memory controller.", required());
  f.check([&] { return w.l1_mpki <= std::uint64_t{1000} * w.cores; }, "l1_mpki",
          "is at most one miss per instruction");
  f.check([&] { return w.l2_mpki <= w.l1_mpki; }, "l2_mpki", "is at most l1_mpki");
}
const RegisteredFileKind<Workload> workload_files{
    "workload", "workloads", "Asterism workload", {"l1_mpki", "l2_mpki"}};

}  // namespace asterism
