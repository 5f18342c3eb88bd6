// Mutants of the table of modified pages (MATT), which the trials must detect. They are attached to the hook
// that RTL uses, and change the table's answers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dimm_ssd/crash/crash_trial.h"
#include "matt/matt.h"
#include "matt/matt_hook.h"

namespace asterism {

class MattMutant final : public MattHook {
 public:
  MattMutant(CrashMutant mutant, std::uint32_t pages) : mutant_(mutant), pages_(pages) {}

  static bool implements(CrashMutant mutant) {
    return mutant == CrashMutant::early_lines_of_a_lost_base ||
           mutant == CrashMutant::increment_of_a_lost_base || mutant == CrashMutant::forgotten_line;
  }

  void track(std::uint32_t page, bool, Matt::Work&) override { pages_[page] = {.is_tracked_now = true}; }
  // Follows track() for each first checkpoint; comes alone if the base of an increment has gone.
  void mark(std::uint32_t page, Matt::Work&) override {
    Page& p = pages_[page];
    p.is_marked = !p.is_tracked_now;
    p.is_tracked_now = false;
    may_forget_ = may_forget_ || p.is_marked;
  }
  void write(std::uint32_t page, std::uint64_t lines, Matt::Answer& answer, Matt::Work&) override {
    if (answer == Matt::Answer::ready) pages_[page].written |= lines;
  }
  void peek(std::uint32_t, Matt::Answer&) override {}
  void begin_phase(Matt::Work&) override {}
  void next(bool, std::optional<Matt::Choice>& choice, Matt::Work&) override { change(choice); }
  void take(std::uint32_t, std::optional<Matt::Choice>& choice, Matt::Work&) override { change(choice); }
  void copied(std::uint32_t, bool&, Matt::Work&) override {}
  void reset(Reset) override {
    pages_.assign(pages_.size(), {});
    may_forget_ = false;
  }

 private:
  struct Page {
    std::uint64_t written = 0;  // since it was copied
    bool is_tracked_now = false, is_marked = false;
  };

  void change(std::optional<Matt::Choice>& choice) {
    if (!choice) return;
    Page& page = pages_[choice->page];
    const bool is_early = choice->reason == Matt::Reason::candidate;
    switch (mutant_) {
      case CrashMutant::early_lines_of_a_lost_base:  // of the first page, chosen before all were marked
        if (!is_early || !may_forget_ || page.written == 0) break;
        may_forget_ = false;
        choice->lines = page.written;
        break;
      case CrashMutant::increment_of_a_lost_base:
        if (page.is_marked && page.written != 0) choice->lines = page.written;
        break;
      case CrashMutant::forgotten_line:
        if (const std::uint64_t rest = choice->lines & (choice->lines - 1); rest != 0 && ++choices_ % 8 == 0)
          choice->lines = rest;
        break;
      default:
        break;
    }
    page.written = 0;
    page.is_marked = false;
  }

  CrashMutant mutant_;
  std::vector<Page> pages_;
  bool may_forget_ = false;
  std::uint64_t choices_ = 0;
};

}  // namespace asterism
