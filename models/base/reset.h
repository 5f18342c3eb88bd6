// The kinds of reset. Every engine and module has `void reset(Reset)`, and its header says which members
// survive which.
#pragma once

namespace asterism {

enum class Reset {
  cold,  // power was never there: everything takes its reset value
  warm,  // power stays: storage and contents of memory survive, work in flight is dropped (a non-volatile cell
         // that it was changing is left torn)
  power_loss,  // power goes away at this instant: only what non-volatile cells hold survives, an operation
               // that was changing such a cell leaves it torn
};

}  // namespace asterism
