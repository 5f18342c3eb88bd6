// Executes every instruction twice, translated and interpreted, and compares.
//
// Translated code executes up to some thousand instructions, a random number, as a speculation
// (core/a64/speculation.h): it ends before an instruction that calls the host or takes an exception. Then the
// memory and the registers of before are restored, the interpreter executes the same number of instructions,
// and everything is compared: where execution is, the registers and flags, the number of instructions and
// their time, the contents of memory, and which of its lines were stored to. What the interpreter has done
// stays. The instruction that has ended the speculation is interpreted only; of the translated code that
// leads to it, all has been compared.
//
// Executing ahead fills the TLB in another order than without lockstep. With caches, accesses take other ways
// through the models then, so that the times of such a run may differ a little; the two executions see the
// same.
//
// At a difference the shortest execution that shows it is searched. The block that ends it is reported.
//
// With a debugger, a trace or a profile, nothing is translated, nor compared.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "core/a64/memory.h"
#include "core/a64/speculation.h"
#include "core/iss.h"

namespace asterism::a64 {

class Lockstep {
 public:
  explicit Lockstep(Cpu& cpu);

  // Executes at least one instruction, and at most to where the core attends to something (Cpu::attend()).
  void run_blocks();

  // Instructions that were executed by both.
  std::uint64_t compared() const { return compared_; }

 private:
  // After an execution by one of them.
  struct Outcome {
    SavedCore core;
    std::uint64_t instructions = 0, time = 0;
    std::vector<Memory::StoredPage> stored;
    std::vector<Memory::UsedEntry> lines;
  };
  void compare(std::uint64_t most);
  void interpret();
  // Up to a count; the speculation that it was can be rolled back.
  Outcome execute(bool interprets, std::uint64_t until);
  void roll_back(const SavedCore& to);
  std::vector<TranslationMismatch::Difference> differences(const Outcome& translated,
                                                           const Outcome& interpreted) const;
  std::vector<TranslationMismatch::Difference> differences_up_to(const SavedCore& from, std::uint64_t until);
  void find_block(const SavedCore& from, std::uint64_t until, TranslationMismatch& mismatch);

  Cpu& cpu_;
  Random random_;
  std::uint64_t compared_ = 0;
};

}  // namespace asterism::a64
