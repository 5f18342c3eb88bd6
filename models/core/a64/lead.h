// A core's run ahead of its turn (turns.h): what it has done, and how that is undone.
//
// Between two instructions the simulation's thread offers to run on up to a count. Another thread may do so, on the core
// itself: registers, direct memory that the core has the right to, its TLB and its decoded blocks. The lead ends at the count, or
// before the first instruction that needs its turn: one that asks the host, takes an exception, uses exclusives, waits, or touches a page
// whose right it lacks. Then the turn comes and takes it up, or something that it has depended on changes and takes it back.
#pragma once

#include <cstdint>

#include "core/a64/state.h"
#include "core/host_threads.h"

namespace asterism::a64 {

class Cpu;
class Turns;

// What an instruction in a lead throws that needs its turn, before it has changed anything.
struct NeedsTurn {};

class Lead final : public HostThreads::Task {
 public:
  Lead(Cpu& cpu, Turns& turns) : cpu_(cpu), turns_(turns) {}

  // While run() waits in IssHost::due(). Nothing, when the core has something to attend to, or when leads of this core have been of no
  // use lately.
  void offer(std::uint64_t until);
  // The turn has come: what the lead has done is done.
  void take_up();
  // As if there had been no offer.
  void take_back();
  // No thread runs it; what it has done can be taken back still.
  void settle();

  bool is_outstanding() const { return is_outstanding_; }
  bool is_done() const { return is_outstanding_ && (is_done_ || Task::is_done()); }
  // Of its turn, while a lead is outstanding.
  std::uint64_t instructions() const { return began_; }

 private:
  void run_ahead() override;
  // The offer is over. True: the lead was done, and is counted.
  bool end();
  void judge(bool was_useful);

  Cpu& cpu_;
  Turns& turns_;
  bool is_outstanding_ = false, is_settled_ = false, is_done_ = false;
  std::uint64_t began_ = 0, until_ = 0;  // counts
  unsigned useless_ = 0, to_skip_ = 0;
  // Of the core, when the lead began.
  State state_;
  std::int64_t left_ = 0;
  std::uint64_t attend_at_ = 0;
};

}  // namespace asterism::a64
