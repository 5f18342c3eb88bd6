// The state of a crash trial while it runs; included only by its own sources.
#pragma once

#include <fmt/format.h>

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "dimm_ssd/checkpointer.h"
#include "dimm_ssd/crash/crash_audit.h"
#include "dimm_ssd/crash/crash_history.h"
#include "dimm_ssd/crash/crash_memory.h"
#include "dimm_ssd/crash/crash_setup.h"
#include "dimm_ssd/crash/crash_states.h"
#include "dimm_ssd/crash/crash_trial.h"
#include "dimm_ssd/crash/matt_mutant.h"

namespace asterism {

class CrashTrial final : private Checkpointer::Sink, private CheckpointLog::RestoreSink {
 public:
  CrashTrial(const CrashTrialConfig& config, std::uint64_t seed, CrashStates* states);

  CrashCounts run();

 private:
  static constexpr std::uint64_t max_steps_to_drain = 1'000'000;

  struct HeldWrite {
    std::uint32_t page;
    std::uint64_t lines;
  };
  struct Discard {
    CrashHistory* of;
    std::uint64_t version;
  };
  // An interval as the trial expects it: the current one, or that of an open version.
  struct Interval {
    CheckpointMethod method = CheckpointMethod::stop_and_copy;     // in the interval
    CheckpointMethod copied_by = CheckpointMethod::stop_and_copy;  // after the interval
    std::optional<BaseFate> fate;                                  // set once its checkpoint is open
    bool is_early = false;  // its checkpoint was opened by an early copy
    BaseAfter after = BaseAfter::stays;
  };

  CrashHistory& history() { return histories_[active_]; }
  void make_device();
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw CrashFailure(
        fmt::format("after {} power failures, at {} ps: ", counts_.power_failures, now_.count()) +
        fmt::format(format, std::forward<Args>(args)...));
  }

  // crash_program.cpp: the actions between two power failures, at random
  void run_at_random();
  void step();
  void write_somewhere();
  void flip_bits();
  // the same, directed at states
  void run_aimed();
  void interval_aimed();
  void write_aimed();
  void lose_base();
  void lose_flash_page_of_base();
  bool discard_newest();
  void change_pages();
  void restore_while_on();
  void read_back();
  void warm_reset();
  void run_to(DevicePhase phase);
  void wait_until_durable();
  // used by both
  std::optional<Picoseconds> next_due() const { return earlier(device_->next_event(), memory_.next_event()); }
  void next_event();
  void some_events(std::uint64_t most);
  void check_readable() const;
  void pass(Picoseconds time);
  void track(BaseFate why);
  void write(std::uint32_t page, std::uint64_t lines);
  void retry();
  void end_interval();
  void abort(bool changes_program);
  void discard_any();
  void discard(CrashHistory& of, std::uint64_t version);
  void drain();

  // crash_trial.cpp: power failures, and the checks after them
  void fail_power();
  void forget_what_was_under_way();
  void power_up();
  void recover();
  bool check_what_is_there();
  CrashHistory::Versions versions_of(const std::string& name, bool only_usable) const;
  void begin_restore(CrashHistory& history, std::uint64_t version);
  bool fail_power_while_restoring(CrashHistory& history, std::uint64_t version);
  bool restore(CrashHistory& history, std::uint64_t version);
  void audit();
  void check_kind(std::uint64_t version, BaseFate fate);
  void count_work();

  // states
  BaseFate fate();
  void note_open();
  void record(CrashEvent event);
  std::uint32_t phases() const;
  void count_outcomes(std::size_t first, CrashOutcome outcome);
  void count_durable(const Interval& interval);

  void recovered(Picoseconds) override { recovered_ = true; }
  void durable(Picoseconds, std::uint64_t version) override;
  void failed(Picoseconds, std::uint64_t version, Checkpointer::Error error) override;
  void released(Picoseconds, std::uint32_t page) override { released_.push_back(page); }
  void resumed(Picoseconds) override {
    if (device_->stopped()) fail("software is resumed while it is stopped");
  }
  void discarded(Picoseconds) override;
  void restored(Picoseconds, std::uint32_t page, std::uint64_t lines,
                std::span<const std::byte> data) override;
  void piece_ended(Picoseconds at) override { device_->log().next_piece(at); }
  void restore_ended(Picoseconds, CheckpointLog::Error error) override { restore_error_ = error; }

  CrashTrialConfig config_;
  Random random_;
  CrashSetup setup_;
  FlashImage image_;
  CrashMemory memory_;
  std::optional<MattMutant> matt_mutant_;
  std::unique_ptr<Checkpointer> device_;
  CrashAudit audit_;
  Picoseconds now_;
  std::array<CrashHistory, 2> histories_;
  std::size_t active_ = 0;
  std::uint32_t tracked_;  // pages

  bool recovered_ = false;
  bool has_lost_pages_ = false;
  std::uint32_t failures_when_worn_out_ = 0;
  std::vector<HeldWrite> held_;
  std::deque<std::uint32_t> released_;
  std::deque<Discard> discarding_;
  CrashHistory* restoring_ = nullptr;
  CrashHistory::Image restored_image_;
  std::vector<std::uint64_t> restored_lines_;
  std::optional<CheckpointLog::Error> restore_error_;
  CrashCounts counts_;

  CrashStates* states_;
  CheckpointMethod next_method_;  // the method requested last
  Interval interval_;
  std::deque<Interval> intervals_;          // of the open versions
  std::optional<std::uint64_t> base_;       // the preceding version, durable or open
  BaseFate why_no_base_ = BaseFate::first;  // if there is none
  std::optional<CrashEvent> last_event_;
};

}  // namespace asterism
