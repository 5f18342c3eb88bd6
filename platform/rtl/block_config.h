// block.json: what an architect says about an RTL block, beside its SystemVerilog.
//
//   {
//     "name": "lrg_arbiter",
//     "contract": "arbiter",
//     "sources": ["lrg_arbiter.sv"],
//     "properties": ["lrg_arbiter_properties.sv"],
//     "top": "lrg_arbiter",
//     "parameters": { "Radix": 64 },
//     "radix": "Radix",
//     "clock": "clk_i",
//     "reset": { "port": "rst_ni", "active": "low" },
//     "ports": [ { "role": "request", "signal": "request_i" },
//                { "role": "grant",   "signal": "grant_o" } ],
//     "idle": "idle_o"
//   }
//
// Paths are relative to the file. What each contract asks of the ports is in block_contract.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_names.h"

namespace asterism {

class Fields;

enum class BlockContract { arbiter, bus_device, stream_switch, codec, matt, zone_monitor };
constexpr auto enum_names(BlockContract) {
  return std::to_array<EnumName<BlockContract>>(
      {{BlockContract::arbiter, "arbiter", "requests in, at most one grant out in the same cycle"},
       {BlockContract::bus_device, "bus_device",
        "registers behind an APB port, interrupt lines, perhaps an APB port of its own as a master"},
       {BlockContract::stream_switch, "stream_switch", "streams of flits from inputs to outputs"},
       {BlockContract::codec, "codec",
        "blocks of memory in, encoded or decoded out some cycles later, in their order"},
       {BlockContract::matt, "matt", "operations of a DIMM-SSD's tracking table in, their answers out"},
       {BlockContract::zone_monitor, "zone_monitor",
        "operations of the zone monitor of a GPU's channel in, their answers out"}});
}

enum class PortRole { request, grant, bus, stream, block, table, interrupt, state, input, output };
constexpr auto enum_names(PortRole) {
  return std::to_array<EnumName<PortRole>>(
      {{PortRole::request, "request", "who asks, a bit each"},
       {PortRole::grant, "grant", "who wins, a bit each"},
       {PortRole::bus, "bus", "an APB port: as a target, or as a master"},
       {PortRole::stream, "stream", "flits with valid, ready, data and last"},
       {PortRole::block, "block", "blocks of memory with valid, data, parity and what was done or is to be"},
       {PortRole::table, "table", "operations of a tracking table or a zone monitor, or their answers"},
       {PortRole::interrupt, "interrupt", "a level, high while the interrupt is asserted"},
       {PortRole::state, "state", "told for coverage: its values count as states reached"},
       {PortRole::input, "input", "tied to a constant"},
       {PortRole::output, "output", "left open"}});
}

enum class BusSide { target, master };
constexpr auto enum_names(BusSide) {
  return std::to_array<EnumName<BusSide>>(
      {{BusSide::target, "target", "answers accesses"}, {BusSide::master, "master", "makes accesses"}});
}

enum class StreamDirection { in, out };
constexpr auto enum_names(StreamDirection) {
  return std::to_array<EnumName<StreamDirection>>(
      {{StreamDirection::in, "in", "into the RTL"}, {StreamDirection::out, "out", "out of the RTL"}});
}

enum class ResetLevel { low, high };
constexpr auto enum_names(ResetLevel) {
  return std::to_array<EnumName<ResetLevel>>({{ResetLevel::low, "low"}, {ResetLevel::high, "high"}});
}

// Which keys there are depends on the role.
struct BlockPort {
  PortRole role = PortRole::request;
  std::string signal = {};               // of all but bus, stream, block and table
  std::vector<std::string> states = {};  // of state: names of its values, from 0
  std::uint32_t value = 0;               // of input: what it is tied to
  BusSide side = BusSide::target;        // of bus, and its signals:
  std::string address = {}, select = {}, enable = {}, write = {}, write_data = {}, read_data = {};
  std::optional<std::string> strobe = {}, error = {};
  std::map<std::string, std::string> signals = {};  // of table, but valid
  StreamDirection direction = StreamDirection::in;  // of stream, block and table, and their signals:
  std::string valid = {}, data = {};
  std::string last = {}, destination = {};                                // of stream, and of its `in`
  std::string parity = {}, third = {};                                    // of block
  std::string operation = {}, mode = {};                                  // of its `in`
  std::string outcome = {}, chips = {}, used_third = {}, syndromes = {};  // of its `out`
  std::string ready = {};                                                 // of bus and stream
};
void describe(Fields& f, BlockPort& port);

struct BlockReset {
  std::string port = {};
  std::optional<std::string> power_on = {};  // a second one, asserted with it on a cold start only
  ResetLevel active = ResetLevel::low;       // of both
  std::uint32_t cycles = 2;                  // that it is held
};
void describe(Fields& f, BlockReset& reset);

struct BlockConfig {
  std::string name = {};
  BlockContract contract = BlockContract::arbiter;
  std::vector<std::string> sources = {};
  std::vector<std::string> include = {};     // folders
  std::vector<std::string> properties = {};  // bound assertions, compiled when `assertions` is set
  bool assertions = false;
  std::string top = {};
  std::map<std::string, std::uint32_t> parameters = {};
  std::optional<std::string> radix = {};  // the parameter that the node sets to a switch's number of ports
  std::optional<std::string> clock = {};
  std::optional<BlockReset> reset = {};
  std::vector<BlockPort> ports = {};
  std::optional<std::string> idle = {};  // output: nothing changes until an input does
  // Output: clock cycles to the next change of an output, 0: unknown, all ones: never.
  std::optional<std::string> next_event = {};
};
void describe(Fields& f, BlockConfig& config);

}  // namespace asterism
