#include "platform/rtl/block_config.h"

#include <algorithm>

#include "base/fields.h"

namespace asterism {
namespace {

using enum PortRole;

void describe_bus(Fields& f, BlockPort& p) {
  f("side", p.side, "Whether the block answers accesses or makes them.", one_of<BusSide>());
  f("address", p.address, "The signal PADDR, an address in bytes within the block.", required());
  f("select", p.select, "The signal PSEL.", required());
  f("enable", p.enable, "The signal PENABLE.", required());
  f("write", p.write, "The signal PWRITE.", required());
  f("write_data", p.write_data, "The signal PWDATA.", required());
  f("strobe", p.strobe,
    "The signal PSTRB, one bit for each byte to write. Without it only whole words are written.");
  f("read_data", p.read_data, "The signal PRDATA.", required());
  f("error", p.error, "The signal PSLVERR. Without it no access fails.");
}

void describe_flow(Fields& f, BlockPort& p) {
  f("direction", p.direction, "Whether flits, blocks of memory or operations go into the RTL or out of it.",
    one_of<StreamDirection>());
  f("valid", p.valid,
    "The signal that is 1 when data are present. A stream has one bit for each input or output.", required());
  f.when("role", p.role, {stream, block}, [&] {
    f("data", p.data,
      "The data. For a stream: the flits next to each other, that of input 0 in the lowest bits. For a "
      "block: its 64 "
      "bytes, byte 0 in the lowest bits.",
      required());
  });
}

void describe_stream(Fields& f, BlockPort& p) {
  f("last", p.last, "One bit for each input or output that is 1 if the flit is the last of its packet.",
    required());
  f.when("direction", p.direction, StreamDirection::in, [&] {
    f("destination", p.destination, "The output ports of the packets, next to each other, as binary numbers.",
      required());
  });
}

void describe_block(Fields& f, BlockPort& p) {
  f("parity", p.parity, "The 8 parity bytes of the block, that of beat 0 in the lowest bits.", required());
  f("third", p.third, "The third parity symbols of the 4 strong codewords of the block.", required());
  f.when("direction", p.direction, StreamDirection::in, [&] {
    f("operation", p.operation, "The operation. 0: encode, 1: decode.", required());
    f("mode", p.mode, "The ECC mode. 0: normal, 1: strong.", required());
  });
  f.when("direction", p.direction, StreamDirection::out, [&] {
    f("outcome", p.outcome,
      "The outcome of a decoding. 0: clean, 1: corrected, 2: uncorrectable. It is 0 for an encoding.",
      required());
    f("chips", p.chips, "One bit for each chip whose symbols were changed; bit 18 is for the third parity.",
      required());
    f("used_third", p.used_third, "Whether the third parity was used.", required());
    f("syndromes", p.syndromes,
      "The syndromes: 4 bytes for each of the 4 codewords, the first byte of each in its lowest bits.",
      required());
  });
}

// The name is also the name of a folder of the cache.
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
  f("role", p.role, "The role of the signal or signals.", one_of<PortRole>(), required());
  f.when("role", p.role, {request, grant, interrupt, state, input, output},
         [&] { f("signal", p.signal, "The port of the top module.", required()); });
  f.when("role", p.role, state, [&] {
    f("states", p.states, "The names of the values of the state, from 0 on. The coverage report uses them.");
  });
  f.when("role", p.role, input, [&] { f("value", p.value, "The constant that the input is tied to."); });
  f.when("role", p.role, bus, [&] { describe_bus(f, p); });
  f.when("role", p.role, {stream, block, table}, [&] { describe_flow(f, p); });
  f.when("role", p.role, table, [&] {
    f("signals", p.signals,
      "The signals by name. For the direction in: operation, page, lines and flag. For the direction out: "
      "answer, page, "
      "lines, phase, reason, pending and candidates.",
      required());
  });
  f.when("role", p.role, stream, [&] { describe_stream(f, p); });
  f.when("role", p.role, block, [&] { describe_block(f, p); });
  f.when("role", p.role, {bus, stream}, [&] {
    f("ready", p.ready,
      "The signal PREADY of a bus; for a stream, one bit for each input or output that is 1 when the flit is "
      "accepted.",
      required());
  });
}

static_assert(member_count<BlockReset>() == 4);
void describe(Fields& f, BlockReset& r) {
  f("port", r.port, "The port of the top module.", required());
  f("power_on", r.power_on,
    "The port of a second reset, for state that a battery retains. It is asserted together with the first "
    "one only on "
    "a cold start. Without it every reset is a cold start for the block.");
  f("active", r.active, "The level of both resets while the block is in reset.", one_of<ResetLevel>());
  f("cycles", r.cycles, "The number of clock cycles of a reset. A pipeline may need more than two.",
    within(1, 10'000));
}

static_assert(member_count<BlockConfig>() == 14);
void describe(Fields& f, BlockConfig& c) {
  f("name", c.name, "The name of the block in lists and messages.", required());
  f("contract", c.contract,
    "The contract of the block: the environment in which it works, which determines its ports.",
    one_of<BlockContract>(), required());
  f("sources", c.sources, "The SystemVerilog files, packages first, and waivers for Verilator (.vlt).",
    required());
  f("include", c.include, "The folders of files that the sources include.");
  f("properties", c.properties,
    "The SystemVerilog files with assertions. They are used if `assertions` is true.");
  f("assertions", c.assertions,
    "Whether assertions are compiled. The first assertion that fails ends the block. Assertions make a block "
    "slower; how "
    "much depends on the block.");
  f("top", c.top, "The name of the top module.", required());
  f("parameters", c.parameters,
    "The parameters of the top module. Parameters that are not given keep the default of the module.");
  f("radix", c.radix,
    "The parameter that is set to the number of ports of a switch. If it is absent, the block fits any "
    "switch.");
  f("clock", c.clock, "The clock port of the top module. Its rising edge is the active one.");
  f("reset", c.reset, "The reset of the block. It is asserted at the start and at every reset of the node.");
  f("ports", c.ports, "All other ports of the top module, with their roles.", required());
  f("idle", c.idle,
    "An output of one bit that is 1 if no output changes until an input does. Cycles in which it is 1 are "
    "not simulated.");
  f("next_event", c.next_event,
    "An output with the number of clock cycles to the next change of an output (0: unknown, all ones: "
    "never). The cycles "
    "until then are not simulated one by one.");
  f.check([&] { return is_plain_name(c.name); }, "name",
          "has at most 64 characters, which are letters, digits, _ and -");
  f.check([&] { return !c.sources.empty() && are_texts(c.sources); }, "sources",
          "names at least one file, and no empty name");
  f.check([&] { return are_texts(c.include) && are_texts(c.properties); }, "properties",
          "has no empty name of a file or folder");
  f.check([&] { return are_identifiers(c.parameters); }, "parameters",
          "has only names of parameters as its keys");
  f.check([&] { return !c.radix || c.parameters.contains(*c.radix); }, "radix",
          "is the name of one of `parameters`");
}

}  // namespace asterism
