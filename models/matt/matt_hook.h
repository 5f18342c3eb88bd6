// A hook into a Matt: it answers in place of the model or observes it. RTL uses it, alone or in lockstep with
// the model. Without a hook the Matt answers alone.
//
// The hook is called after each operation of the model, with the model's answer and with the values that
// pending() and has_candidates() have from then on. Their content after the call is what the caller of the
// Matt gets. entry() and is_buffered() always return the model's own state. If RTL that replaces the model
// answers differently, the state of the model falls behind, and operations that do not fit that state have no
// effect on it.
#pragma once

#include <cstdint>
#include <optional>

#include "base/reset.h"
#include "matt/matt.h"

namespace asterism {

class MattHook {
 public:
  virtual ~MattHook() = default;

  virtual void track(std::uint32_t page, bool tracked, Matt::Work& work) = 0;
  virtual void mark(std::uint32_t page, Matt::Work& work) = 0;
  virtual void write(std::uint32_t page, std::uint64_t lines, Matt::Answer& answer, Matt::Work& work) = 0;
  virtual void peek(std::uint32_t page, Matt::Answer& answer) = 0;
  virtual void begin_phase(Matt::Work& work) = 0;
  virtual void next(bool candidates_too, std::optional<Matt::Choice>& choice, Matt::Work& work) = 0;
  virtual void take(std::uint32_t page, std::optional<Matt::Choice>& choice, Matt::Work& work) = 0;
  virtual void copied(std::uint32_t page, bool& waited, Matt::Work& work) = 0;
  virtual void reset(Reset kind) = 0;
};

}  // namespace asterism
