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
#include <map>
#include <optional>
#include <string>

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

// The parameters that a block must have which replaces a Matt of so many pages.
inline std::map<std::string, std::uint64_t> matt_block_parameters(const MattConfig& config,
                                                                  std::uint32_t pages) {
  return {{"Pages", pages},
          {"BufferEntries", config.buffer_entries},
          {"PhaseBits", config.phase_bits},
          {"EarlyWrites", config.early_writes}};
}

// The role of a device whose Matt takes a hook (tlm/device_roles.h).
class MattHost {
 public:
  virtual ~MattHost() = default;
  virtual const MattConfig& matt_config() const = 0;
  virtual std::uint32_t matt_pages() const = 0;
  // Before simulation begins.
  virtual void attach_hook(MattHook* hook) = 0;
};

}  // namespace asterism
