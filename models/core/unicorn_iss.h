// The A64 engine made of Unicorn (QEMU's translator as a library). Unicorn is GPLv2, and so is a binary that
// links it: it stays behind Iss, in a library of its own that nothing but this factory is visible of.
#pragma once

#include <memory>
#include <string>

#include "core/iss.h"

namespace asterism {

// `core`, up to 15, becomes MPIDR_EL1.Aff0. The host outlives the engine. Throws std::runtime_error when the library
// does not behave as this engine needs it.
std::unique_ptr<Iss> make_unicorn_iss(IssHost& host, unsigned core);

// The same as a Cortex-A57: Armv8.0-A without LSE, with the identification registers of that core.
std::unique_ptr<Iss> make_unicorn_cortex_a57(IssHost& host, unsigned core);

// Of the library that runs: "2.0.1".
std::string unicorn_version();

}  // namespace asterism
