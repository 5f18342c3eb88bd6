#include "platform/rtl/block_config.h"

#include <algorithm>

#include "base/fields.h"

namespace asterism {
namespace {

using enum PortRole;

void describe_bus(Fields& f, BlockPort& p) {
  f("side", p.side, "Whether the block answers accesses or makes them", one_of<BusSide>());
  f("address", p.address, "PADDR, of bytes in the block", required());
  f("select", p.select, "PSEL", required());
  f("enable", p.enable, "PENABLE", required());
  f("write", p.write, "PWRITE", required());
  f("write_data", p.write_data, "PWDATA", required());
  f("strobe", p.strobe, "PSTRB, a bit for each byte written; without it only whole words are written");
  f("read_data", p.read_data, "PRDATA", required());
  f("error", p.error, "PSLVERR; without it no access fails");
}

void describe_flow(Fields& f, BlockPort& p) {
  f("direction", p.direction, "Whether flits, blocks of memory or operations go into the RTL or out of it",
    one_of<StreamDirection>());
  f("valid", p.valid, "There is one: of a stream, a bit for each input or output", required());
  f.when("role", p.role, {stream, block}, [&] {
    f("data", p.data,
      "Of a stream the flits side by side, that of input 0 in the lowest bits; of a block its 64 bytes, byte "
      "0 "
      "in the lowest",
      required());
  });
}

void describe_stream(Fields& f, BlockPort& p) {
  f("last", p.last, "A bit each: this flit ends its packet", required());
  f.when("direction", p.direction, StreamDirection::in, [&] {
    f("destination", p.destination, "The packets' outputs side by side, in binary", required());
  });
}

void describe_block(Fields& f, BlockPort& p) {
  f("parity", p.parity, "Its 8 bytes of parity, that of beat 0 in the lowest bits", required());
  f("third", p.third, "The third parity symbols of its 4 strong codewords", required());
  f.when("direction", p.direction, StreamDirection::in, [&] {
    f("operation", p.operation, "0: encode, 1: decode", required());
    f("mode", p.mode, "0: normal, 1: strong", required());
  });
  f.when("direction", p.direction, StreamDirection::out, [&] {
    f("outcome", p.outcome, "0: clean, 1: corrected, 2: uncorrectable; 0 of an encoding", required());
    f("chips", p.chips, "A bit for each chip whose symbols were changed, bit 18 for the third parity",
      required());
    f("used_third", p.used_third, "Whether the third parity was looked at", required());
    f("syndromes", p.syndromes, "4 bytes for each of 4 codewords, the first of each in its lowest bits",
      required());
  });
}

// It names a folder of the cache.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name.front() != '-' && name.size() <= 64 &&
         std::ranges::all_of(name, [](unsigned char c) {
           return c < 0x80 && (std::isalnum(c) != 0 || c == '_' || c == '-');
         });
}

bool are_identifiers(const std::map<std::string, std::uint32_t>& parameters) {
  return std::ranges::all_of(parameters, [](const auto& parameter) {
    const std::string& name = parameter.first;
    return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
           std::ranges::all_of(name, [](unsigned char c) {
             return c < 0x80 && (std::isalnum(c) != 0 || c == '_' || c == '$');
           });
  });
}

bool are_texts(const std::vector<std::string>& texts) { return std::ranges::count(texts, "") == 0; }

}  // namespace

static_assert(member_count<BlockPort>() == 28);
void describe(Fields& f, BlockPort& p) {
  f("role", p.role, "What the signal or signals are for", one_of<PortRole>(), required());
  f.when("role", p.role, {request, grant, interrupt, state, input, output},
         [&] { f("signal", p.signal, "Port of the top module", required()); });
  f.when("role", p.role, state,
         [&] { f("states", p.states, "Names of its values, from 0: what the coverage calls them"); });
  f.when("role", p.role, input, [&] { f("value", p.value, "What it is tied to"); });
  f.when("role", p.role, bus, [&] { describe_bus(f, p); });
  f.when("role", p.role, {stream, block, table}, [&] { describe_flow(f, p); });
  f.when("role", p.role, table, [&] {
    f("signals", p.signals,
      "By name: in, operation, page, lines and flag; out, answer, page, lines, phase, reason, pending and "
      "candidates",
      required());
  });
  f.when("role", p.role, stream, [&] { describe_stream(f, p); });
  f.when("role", p.role, block, [&] { describe_block(f, p); });
  f.when("role", p.role, {bus, stream}, [&] {
    f("ready", p.ready, "PREADY of a bus; of a stream, a bit for each input or output: the flit is taken",
      required());
  });
}

static_assert(member_count<BlockReset>() == 4);
void describe(Fields& f, BlockReset& r) {
  f("port", r.port, "Port of the top module", required());
  f("power_on", r.power_on,
    "Port of a second reset, for what a battery keeps: asserted with the first on a cold start only; without "
    "it a "
    "reset is a cold start to the block");
  f("active", r.active, "Level of both while the block is in reset", one_of<ResetLevel>());
  f("cycles", r.cycles, "Clock cycles that it is held; a pipeline may need more than two", within(1, 10'000));
}

static_assert(member_count<BlockConfig>() == 14);
void describe(Fields& f, BlockConfig& c) {
  f("name", c.name, "What the block is called in lists and messages", required());
  f("contract", c.contract, "What stands around the block, hence which ports it has", one_of<BlockContract>(),
    required());
  f("sources", c.sources, "SystemVerilog files, packages first, and Verilator's waivers (.vlt)", required());
  f("include", c.include, "Folders of files that the sources include");
  f("properties", c.properties, "SystemVerilog files with assertions, used where `assertions` is set");
  f("assertions", c.assertions,
    "Whether assertions are compiled: the first that fails ends the block; slower, and not of the same speed "
    "in every block");
  f("top", c.top, "Name of the top module", required());
  f("parameters", c.parameters, "Of the top module; those left out have the module's own value");
  f("radix", c.radix,
    "The parameter that is set to a switch's number of ports; absent: the block fits any switch as it is");
  f("clock", c.clock, "Port of the top module; its rising edge is the one that counts");
  f("reset", c.reset, "Held at the start and at every reset of the node");
  f("ports", c.ports, "Every other port of the top module, by role", required());
  f("idle", c.idle,
    "Output, one bit: nothing changes until an input does; its cycles are then not stepped, at no cost");
  f("next_event", c.next_event,
    "Output: clock cycles to the next change of an output, 0: unknown, all ones: never; cycles until then "
    "are "
    "not stepped one by one");
  f.check([&] { return is_plain_name(c.name); }, "name",
          "has letters, digits, _ and - only, at most 64 of them");
  f.check([&] { return !c.sources.empty() && are_texts(c.sources); }, "sources",
          "names at least one file, and no empty one");
  f.check([&] { return are_texts(c.include) && are_texts(c.properties); }, "properties",
          "names no empty file or folder");
  f.check([&] { return are_identifiers(c.parameters); }, "parameters", "has names of parameters as its keys");
  f.check([&] { return !c.radix || c.parameters.contains(*c.radix); }, "radix",
          "is the name of one of `parameters`");
}

}  // namespace asterism
