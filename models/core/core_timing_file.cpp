#include "base/fields.h"
#include "base/file_kind.h"
#include "core/core_timing.h"

namespace asterism {
namespace {

void describe_rate(Fields& f, double& latency, double& per_cycle) {
  f("latency", latency, "The cycles until an instruction that needs the result can begin.",
    within(0.0, 1000.0), required());
  f("per_cycle", per_cycle, "How many can begin in a cycle, if there are no others.", within(0.001, 16.0),
    required());
}

}  // namespace

static_assert(member_count<ClassTiming>() == 2);
void describe(Fields& f, ClassTiming& c) {
  f.sourced();
  describe_rate(f, c.latency, c.per_cycle);
}

static_assert(member_count<BranchTiming>() == 4);
void describe(Fields& f, BranchTiming& c) {
  f.sourced();
  describe_rate(f, c.latency, c.per_cycle);
  f("mispredicted", c.mispredicted,
    "The share of conditional and indirect branches that are predicted wrongly. Programs differ.",
    within(0.0, 1.0), required());
  f("penalty", c.penalty, "The cycles that a branch costs if it was predicted wrongly.", within(0.0, 100.0),
    required());
}

static_assert(member_count<MissTiming>() == 3);
void describe(Fields& f, MissTiming& c) {
  f.sourced();
  f("window", c.window,
    "The number of instructions that can be executed behind a load that misses the L1, before its data are "
    "there. 0: it is waited for at once, as by a core that executes in order.",
    within(0, 4096));
  f("buffers", c.buffers, "How many lines the L1 can wait for at the same time.", within(1, 256));
  f("stores", c.stores,
    "The places in the store buffer for stores that miss the L1. 0: they are waited for as loads are.",
    within(0, 256));
}

static_assert(member_count<CoreTiming>() == 14);
void describe(Fields& f, CoreTiming& c) {
  f.sourced();
  f("width", c.width, "How many instructions can begin in a cycle.", within(1, 16), required());
  f("integer", c.integer, "Integer operations but multiplications and divisions.", required());
  f("multiply", c.multiply, "Integer multiplications.", required());
  f("divide", c.divide, "Integer divisions.", required());
  f("load", c.load, "Loads that find their line in the L1. With caches, the L1's own latency counts instead.",
    required());
  f("store", c.store, "Stores that find their line in the L1.", required());
  f("fp_add", c.fp_add, "Floating-point additions, comparisons and conversions, of scalars and vectors.",
    required());
  f("fp_multiply", c.fp_multiply, "Floating-point multiplications.", required());
  f("fp_fused", c.fp_fused, "Fused multiplications and additions.", required());
  f("fp_divide", c.fp_divide, "Floating-point divisions and square roots.", required());
  f("vector", c.vector, "Integer operations on vectors, and moves between registers of both kinds.",
    required());
  f("other", c.other, "All other instructions, such as barriers and accesses to system registers.",
    required());
  f("branch", c.branch, "Branches.", required());
  f("misses", c.misses, "What the core does while its L1 waits for lines. It has an effect with caches.");
}

const RegisteredFileKind<CoreTiming> core_timing_files{
    "core", "cores", "Asterism core timing", {"fp_fused", "branch"}};

}  // namespace asterism
