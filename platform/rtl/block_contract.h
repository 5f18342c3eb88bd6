// Checks the ports of a block's top module against its contract, and assigns a role to each.
//
//   arbiter        clock, reset; one request (up to 128 bits) and one grant of the same width, which is the
//                  value of the parameter named by `radix`
//   bus_device     clock, reset; one bus as a target (APB: 32 bits of data, up to 64 of address), at most one
//                  as a master; interrupts of one bit
//   stream_switch  clock, reset; one stream in and one out. in.valid has one bit for each input, and so have
//                  ready and last; data and destination have a whole number of bits for each; there are as
//                  many outputs as inputs
//   codec          clock, reset; one block in and one out: data of 512 bits, parity of 64, third of 32. In:
//                  operation and mode of 1. Out: outcome of 2, chips of 19, used_third of 1 and syndromes of
//                  128. The answers come in the order of the requests
//   rank_codec     clock, reset; one table in and one out. In: operation of 1 bit, data of 512 and parity of
//                  128. Out: data, parity, outcome of 2, chips of 10 and syndromes of 128. The answers come
//                  in the order of the requests
//   matt           clock, reset; one table in and one out. In: operation of 3 bits (track, mark, write, peek,
//                  begin_phase, next, take, copied), page of 32, lines of 64, flag of 1 (tracked, candidates
//                  too). Out: answer of 1 (ready, chosen, waited), page of 32, lines of 64, phase of 16 and
//                  reason of 2 (priority, pending, candidate) of the choice, pending of 32, candidates of 1.
//                  One operation at a time
//   zone_monitor   clock, reset; one table in and one out. In: operation of 3 bits (track, write, expose,
//                  begin, preserve, refresh, complete), zone of 32, flag of 1 (tracked). Out: answer of 2
//                  (proceed, first stall, stall), sectors of 16, complete of 1. One operation at a time
//   all            optionally a second reset, for state that a battery retains; idle: an output of one bit;
//                  next_event: an output of up to 64 bits; states of up to 64 bits and tied inputs of up to
//                  32 bits. Every port of the top module must be named, except the clock and the reset, which
//                  have keys of their own.
//
// Roles are those of models/cosim/rtl_abi.h: "request", "bus.address", "in.valid", "interrupt.0", "idle",
// "reset".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/config/config_document.h"
#include "platform/rtl/block_config.h"
#include "platform/rtl/port_list.h"

namespace asterism {

// A port of the top module with its role.
struct BoundPort {
  TopPort port;
  std::string role;  // "" for the clock, a tied input and an open output
  bool is_clock = false;
  std::uint32_t tied = 0;  // the constant of a tied input
};

// Returns all ports in the order of the module. Errors are added to `problems`, each at the line of
// block.json that names the port or should name it.
std::vector<BoundPort> bind_ports(const BlockConfig& config, const ConfigDocument& document,
                                  const TopModule& top, Diagnostics& problems);

}  // namespace asterism
