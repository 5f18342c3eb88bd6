// The kinds of reset. Every engine and module has `void reset(Reset)`, and its header says which members
// survive which kind.
#pragma once

namespace asterism {

enum class Reset {
  // The first power-up: everything takes its reset value.
  cold,
  // The power stays on: storage and the contents of memory survive, and work in progress is dropped (a
  // non-volatile cell that was being changed is left torn).
  warm,
  // The power fails at this instant: only the contents of non-volatile cells survive, and an operation that
  // was changing such a cell leaves it torn.
  power_loss,
};

}  // namespace asterism
