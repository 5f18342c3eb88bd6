// How long the instructions of a core take: an interval model. A core executes at the rate that its pipelines
// and the dependences of the program allow, except for misses of its caches, and for branches that it has
// predicted wrongly. Files in configs/cores.
//
// The rate is computed once for each line of code, from its instructions alone (a64/instruction_timing.h).
// Each instruction belongs to a class:
//
//   latency    cycles from the begin of an instruction to that of another one which needs its result
//   per_cycle  how many begin in a cycle, if all are of this class
//
// Wrong predictions are counted as a share of the branches, since branch predictors are not modelled.
//
// Source of the method: Eyerman, Eeckhout, Karkhanis and Smith, A Mechanistic Performance Model for
// Superscalar Out-of-Order Processors, ACM TOCS 27(2), 2009.
#pragma once

#include <cstddef>
#include <cstdint>

namespace asterism {

class Fields;

struct ClassTiming {
  double latency = 1;
  double per_cycle = 1;
};
void describe(Fields& f, ClassTiming& timing);

struct BranchTiming {
  double latency = 1;
  double per_cycle = 1;
  double mispredicted = 0;  // of conditional and indirect branches
  double penalty = 0;       // cycles
};
void describe(Fields& f, BranchTiming& timing);

// Misses of the L1 in flight (misses_in_flight.h). By default, each one is waited for at once.
struct MissTiming {
  std::uint32_t window = 0;   // instructions that the core executes behind a load that misses
  std::uint32_t buffers = 1;  // of the L1: lines that it waits for at the same time
  std::uint32_t stores = 0;   // places in the store buffer for stores that miss
};
void describe(Fields& f, MissTiming& timing);

struct CoreTiming {
  std::uint32_t width = 1;  // instructions that begin in a cycle
  ClassTiming integer = {}, multiply = {}, divide = {};
  ClassTiming load = {}, store = {};
  ClassTiming fp_add = {}, fp_multiply = {}, fp_fused = {}, fp_divide = {};
  ClassTiming vector = {};  // of integers
  ClassTiming other = {};
  BranchTiming branch = {};
  MissTiming misses = {};
};
void describe(Fields& f, CoreTiming& timing);

}  // namespace asterism
