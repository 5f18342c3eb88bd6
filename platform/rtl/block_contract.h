// What a block's contract asks of the ports of its top module, and which port has which role.
//
//   arbiter        clock, reset; one request (up to 128 bits) and one grant of the same width, which is the parameter
//                  named by `radix`
//   bus_device     clock, reset; one bus as a target (APB: 32 bits of data, up to 64 of address), at most one as a
//                  master; interrupts of one bit
//   stream_switch  clock, reset; one stream in and one out. in.valid has a bit for each input, and so have ready and
//                  last; data and destination are a whole number of bits for each; as many outputs as inputs
//   codec          clock, reset; one block in and one out: data of 512 bits, parity of 64, third of 32; in, operation and
//                  mode of 1; out, outcome of 2, chips of 19, used_third of 1 and syndromes of 128. Answers come in the
//                  order of what was asked
//   matt           clock, reset; one table in and one out. In: operation of 3 bits (track, mark, write, peek, begin_phase, next,
//                  take, copied), page of 32, lines of 64, flag of 1 (tracked, candidates too). Out: answer of 1 (ready,
//                  chosen, waited), page of 32, lines of 64, phase of 16 and reason of 2 (priority, pending, candidate) of
//                  the choice, pending of 32, candidates of 1. One operation at a time
//   zone_monitor   clock, reset; one table in and one out. In: operation of 3 bits (track, write, expose, begin, preserve,
//                  refresh, complete), zone of 32, flag of 1 (tracked). Out: answer of 2 (proceed, first stall, stall),
//                  sectors of 16, complete of 1. One operation at a time
//   all            a second reset for what a battery keeps; idle: an output of one bit; next_event: an output of up to 64; states and tied inputs up to 64 and
//                  32 bits. Every port of the top module is named, or it is the clock or the reset.
//
// Roles are those of models/cosim/rtl_abi.h: "request", "bus.address", "in.valid", "interrupt.0", "idle", "reset".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/config/config_document.h"
#include "platform/rtl/block_config.h"
#include "platform/rtl/port_list.h"

namespace asterism {

// A port of the top module with what it is for.
struct BoundPort {
  TopPort port;
  std::string role;  // "" for the clock, a tied input and an output left open
  bool is_clock = false;
  std::uint32_t tied = 0;  // an input that nobody drives has this
};

// All ports, in the order of the module. Adds what is wrong to `problems`, each at the line of block.json that names
// the port or misses it.
std::vector<BoundPort> bind_ports(const BlockConfig& config, const ConfigDocument& document,
                                  const TopModule& top, Diagnostics& problems);

}  // namespace asterism
