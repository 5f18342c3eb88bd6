// The kinds of reset. Every engine and module has `void reset(Reset)`, and its header says which members
// survive which kind.
#pragma once

namespace asterism {

enum class Reset {
  cold,  // the first power-up: everything takes its reset value
  // The power stays on: storage and contents of memory survive, work in progress is dropped (a non-volatile
  // cell.
  warm,
  // that was being changed is left torn)
  // The power fails at this instant: only the contents of non-volatile cells survive, and an operation.
  power_loss,
  // that was changing such a cell leaves it torn
};

}  // namespace asterism
