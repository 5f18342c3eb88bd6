// block.json: the description of an RTL block, which an architect writes beside the SystemVerilog.
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
// Paths are relative to the file. The ports that each contract requires are in block_contract.h.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/scalar_codec.h"
#include "base/units.h"

namespace asterism {

class Fields;

enum class BlockContract { arbiter, bus_device, stream_switch, codec, rank_codec, matt, zone_monitor };
constexpr auto enum_names(BlockContract) {
  return std::to_array<EnumName<BlockContract>>(
      {{BlockContract::arbiter, "arbiter", "Requests in, at most one grant out in the same cycle."},
       {BlockContract::bus_device, "bus_device",
        "Registers behind an APB port, interrupt lines, and optionally an APB port as a master."},
       {BlockContract::stream_switch, "stream_switch", "Streams of flits from inputs to outputs."},
       {BlockContract::codec, "codec",
        "Blocks of memory in; encoded or decoded blocks out some cycles later, in the same order."},
       {BlockContract::rank_codec, "rank_codec", "The same for a code of the ten chips of a DDR5 rank."},
       {BlockContract::matt, "matt", "Operations of a DIMM-SSD's tracking table in, their answers out."},
       {BlockContract::zone_monitor, "zone_monitor",
        "Operations of the zone monitor of a GPU's channel in, their answers out."}});
}

// Contracts whose operations and answers are ports with the role "table".
constexpr bool has_table(BlockContract contract) {
  return contract == BlockContract::rank_codec || contract == BlockContract::matt ||
         contract == BlockContract::zone_monitor;
}

enum class PortRole { request, grant, bus, stream, block, table, interrupt, state, input, output };
constexpr auto enum_names(PortRole) {
  return std::to_array<EnumName<PortRole>>(
      {{PortRole::request, "request", "The requests, one bit for each requester."},
       {PortRole::grant, "grant", "The grants, one bit for each requester."},
       {PortRole::bus, "bus", "An APB port, as a target or as a master."},
       {PortRole::stream, "stream", "Flits with valid, ready, data and last."},
       {PortRole::block, "block",
        "Blocks of memory with valid, data and parity, and with the operation or its outcome."},
       {PortRole::table, "table",
        "Operations of a rank's codec, a tracking table or a zone monitor, or their answers."},
       {PortRole::interrupt, "interrupt", "A level that is high while the interrupt is asserted."},
       {PortRole::state, "state",
        "A state for the coverage report, which counts the values that were reached."},
       {PortRole::input, "input", "An input that is tied to a constant."},
       {PortRole::output, "output", "An output that is left open."}});
}

enum class BusSide { target, master };
constexpr auto enum_names(BusSide) {
  return std::to_array<EnumName<BusSide>>({{BusSide::target, "target", "The block answers accesses."},
                                           {BusSide::master, "master", "The block makes accesses."}});
}

enum class StreamDirection { in, out };
constexpr auto enum_names(StreamDirection) {
  return std::to_array<EnumName<StreamDirection>>(
      {{StreamDirection::in, "in", "Into the RTL."}, {StreamDirection::out, "out", "Out of the RTL."}});
}

enum class ResetLevel { low, high };
constexpr auto enum_names(ResetLevel) {
  return std::to_array<EnumName<ResetLevel>>({{ResetLevel::low, "low"}, {ResetLevel::high, "high"}});
}

// The valid keys depend on the role.
struct BlockPort {
  PortRole role = PortRole::request;
  std::string signal = {};               // for all roles except bus, stream, block and table
  std::vector<std::string> states = {};  // for state: the names of its values, from 0 on
  std::uint32_t value = 0;               // for input: the constant that it is tied to
  BusSide side = BusSide::target;        // for bus; its signals follow
  std::string address = {}, select = {}, enable = {}, write = {}, write_data = {}, read_data = {};
  std::optional<std::string> strobe = {}, error = {};
  std::map<std::string, std::string> signals = {};  // for table: all signals except valid
  StreamDirection direction = StreamDirection::in;  // for stream, block and table; their signals follow
  std::string valid = {}, data = {};
  std::string last = {}, destination = {};  // for stream; `destination` only for `in`
  std::string parity = {}, third = {};      // for block
  std::string operation = {}, mode = {};    // for block, only `in`
  std::string outcome = {}, chips = {}, used_third = {}, syndromes = {};  // for block, only `out`
  std::string ready = {};                                                 // for bus and stream
};
void describe(Fields& f, BlockPort& port);

struct BlockReset {
  std::string port = {};
  std::optional<std::string> power_on = {};  // a second reset, asserted with the first on a cold start only
  ResetLevel active = ResetLevel::low;       // the level of both
  std::uint32_t cycles = 2;                  // the length of a reset
};
void describe(Fields& f, BlockReset& reset);

// A word of 32 bits that a file has in hexadecimal: "0x5449_4d31".
struct HexWord {
  std::uint32_t value = 0;
  auto operator<=>(const HexWord&) const = default;
};
template <>
struct ScalarCodec<HexWord> {
  static HexWord decode(const PlainValue& plain);
  static PlainValue encode(HexWord word) { return to_text(Address(word.value)); }
  static ScalarType type() {
    return {
        .noun = "a word of 32 bits", .example = "0x5449_4d31", .pattern = "^0x[0-9a-fA-F]+(_[0-9a-fA-F]+)*$"};
  }
};

enum class RegisterAccess { read_write, read_only, write_only, write_one_to_clear, write_one_to_set };
constexpr auto enum_names(RegisterAccess) {
  return std::to_array<EnumName<RegisterAccess>>(
      {{RegisterAccess::read_write, "read_write"},
       {RegisterAccess::read_only, "read_only", "A write has no effect."},
       {RegisterAccess::write_only, "write_only", "It reads as zero."},
       {RegisterAccess::write_one_to_clear, "write_one_to_clear", "Ones that are written clear their bits."},
       {RegisterAccess::write_one_to_set, "write_one_to_set", "Ones that are written set their bits."}});
}

struct BlockField {
  std::string name = {};  // "enable"
  unsigned low = 0, width = 1;
  std::string meaning = {};
  std::map<std::string, std::uint32_t> values = {};
};
void describe(Fields& f, BlockField& field);

struct BlockRegister {
  HexWord offset = {};
  std::string name = {};  // "CONTROL"
  RegisterAccess access = RegisterAccess::read_write;
  std::optional<HexWord> reset_value = {};  // nullopt: it depends on parameters or on a state that survives
  std::string meaning = {};
  std::vector<BlockField> fields = {};
};
void describe(Fields& f, BlockRegister& reg);

// What software sees of a block of the contract bus_device that is a device of a node (docs/devices.md).
struct BlockAsDevice {
  std::string meaning = {};
  Bytes size = 4_KiB;                        // of its range of addresses
  std::vector<std::string> compatible = {};  // in the device tree; empty: it is not there
  std::vector<BlockRegister> registers = {};
};
void describe(Fields& f, BlockAsDevice& device);

struct BlockConfig {
  std::string name = {};
  BlockContract contract = BlockContract::arbiter;
  std::vector<std::string> sources = {};
  std::vector<std::string> include = {};  // folders
  std::map<std::string, std::string> defines = {};
  std::vector<std::string> properties = {};  // files with bound assertions, compiled if `assertions` is set
  bool assertions = false;
  std::string top = {};
  std::map<std::string, std::uint32_t> parameters = {};
  std::optional<std::string> radix =
      {};  // the parameter that the node sets to the number of ports of a switch
  std::optional<std::string> clock = {};
  std::optional<BlockReset> reset = {};
  std::vector<BlockPort> ports = {};
  std::optional<std::string> idle = {};  // output: no output changes until an input does
  // An output: the clock cycles to the next change of an output; 0 if unknown, all ones for never.
  std::optional<std::string> next_event = {};
  std::optional<BlockAsDevice> device = {};
};
void describe(Fields& f, BlockConfig& config);

}  // namespace asterism
