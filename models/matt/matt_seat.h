// Who answers in place of a Matt, or watches it do so: RTL, or RTL in lockstep with the model. A Matt whose seat is empty
// answers alone.
//
// Called after each operation of the model, with its answer and with what pending() and has_candidates() say from then on;
// what these hold afterwards stands. entry() and is_buffered() stay the model's own. RTL in the place of the model that
// answers otherwise leaves the model behind: operations that do not fit its state do nothing there.
#pragma once

#include <cstdint>
#include <optional>

#include "base/reset.h"
#include "matt/matt.h"

namespace asterism {

class MattSeat {
 public:
  virtual ~MattSeat() = default;

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
