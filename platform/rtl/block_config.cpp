#include "platform/rtl/block_config.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "base/fields.h"
#include "base/file_kind.h"

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

template <class Value>
bool are_identifiers(const std::map<std::string, Value>& named) {
  return std::ranges::all_of(named, [](const auto& entry) {
    const std::string& name = entry.first;
    return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
           std::ranges::all_of(name, [](unsigned char c) {
             return c < 0x80 && (std::isalnum(c) != 0 || c == '_' || c == '$');
           });
  });
}

bool are_texts(const std::vector<std::string>& texts) { return std::ranges::count(texts, "") == 0; }

// Names become constants in C.
bool is_constant_name(const std::string& name, bool upper) {
  const auto is_letter = [upper](char c) { return upper ? c >= 'A' && c <= 'Z' : c >= 'a' && c <= 'z'; };
  return !name.empty() && is_letter(name.front()) && std::ranges::all_of(name, [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
  });
}

// Meanings become comments in C, elements of XML and cells of tables.
bool is_plain_line(const std::string& text) {
  return text.find("*/") == std::string::npos &&
         std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

std::uint32_t mask_of(const BlockField& field) {
  return (field.width >= 32 ? ~0U : (1U << field.width) - 1) << field.low;
}

bool values_fit(const BlockField& field) {
  return std::ranges::all_of(field.values, [&](const auto& value) {
    return is_constant_name(value.first, false) && (field.width >= 32 || value.second >> field.width == 0);
  });
}

bool fields_are_apart(const BlockRegister& reg) {
  std::uint32_t taken = 0;
  std::set<std::string> names;
  return std::ranges::all_of(reg.fields, [&](const BlockField& field) {
    const std::uint32_t mask = mask_of(field);
    const bool is_free = (taken & mask) == 0;
    taken |= mask;
    return is_free && names.insert(field.name).second;
  });
}

bool reset_value_fits(const BlockRegister& reg) {
  std::uint32_t known = reg.fields.empty() ? ~0U : 0U;
  for (const BlockField& field : reg.fields) known |= mask_of(field);
  return !reg.reset_value || (reg.reset_value->value & ~known) == 0;
}

bool registers_are_apart(const BlockAsDevice& device) {
  std::set<std::uint32_t> offsets;
  std::set<std::string> names;
  return std::ranges::all_of(device.registers, [&](const BlockRegister& reg) {
    return reg.offset.value < device.size.count() && offsets.insert(reg.offset.value).second &&
           names.insert(reg.name).second;
  });
}

}  // namespace

HexWord ScalarCodec<HexWord>::decode(const PlainValue& plain) {
  const std::uint64_t value = parse_address(plain_as<std::string>(plain)).value();
  if (value >> 32 != 0) throw std::invalid_argument("it has more than 32 bits");
  return {static_cast<std::uint32_t>(value)};
}

static_assert(member_count<BlockField>() == 5);
void describe(Fields& f, BlockField& c) {
  f("name", c.name, "The name of the field, in lower case.", required());
  f("low", c.low, "The number of its lowest bit.", within(0, 31));
  f("width", c.width, "The number of its bits.", within(1, 32));
  f("meaning", c.meaning, "What the field is, in one line.", required());
  f("values", c.values, "The values that have names for software: \"read\": 1.");
  f.check(is_constant_name(c.name, false) || c.name.empty(), "name",
          "consists of lower-case letters, digits and underscores, and begins with a letter");
  f.check([&] { return c.low + c.width <= 32; }, "width", "ends at bit 31 at the latest");
  f.check([&] { return is_plain_line(c.meaning); }, "meaning", "is one line of ASCII");
  f.check([&] { return values_fit(c); }, "values",
          "has names in lower case, and numbers that fit in the field");
}

static_assert(member_count<BlockRegister>() == 6);
void describe(Fields& f, BlockRegister& c) {
  f("offset", c.offset, "Its first byte in the device's range.", required());
  f("name", c.name, "The name of the register, in capitals.", required());
  f("access", c.access, "What software may do with it.", one_of<RegisterAccess>());
  f("reset_value", c.reset_value,
    "Its value after a cold reset. Without it the value is not known: it depends on a parameter, for "
    "example.");
  f("meaning", c.meaning, "What the register is, in one line.", required());
  f("fields", c.fields, "Its fields. Without fields it is one number.");
  f.check(is_constant_name(c.name, true) || c.name.empty(), "name",
          "consists of capitals, digits and underscores, and begins with a letter");
  f.check(c.offset.value % 4 == 0, "offset", "is a multiple of 4: all registers have 32 bits");
  f.check([&] { return is_plain_line(c.meaning); }, "meaning", "is one line of ASCII");
  f.check([&] { return fields_are_apart(c); }, "fields", "has no name and no bit twice");
  f.check([&] { return reset_value_fits(c); }, "reset_value", "has ones in the fields only");
}

static_assert(member_count<BlockAsDevice>() == 4);
void describe(Fields& f, BlockAsDevice& c) {
  f("meaning", c.meaning, "What the device is, in one line; it is shown with the registers.", required());
  f("size", c.size, "The size of its range of addresses.", within(4_KiB, 1_GiB));
  f("compatible", c.compatible,
    "The names by which software finds it in the device tree, the most special one first. Without names it "
    "is "
    "not in the device tree.");
  f("registers", c.registers,
    "Its registers, for the firmware's header, debuggers (SVD) and lists. They have no effect on the block.");
  f.check([&] { return is_plain_line(c.meaning); }, "meaning", "is one line of ASCII");
  f.check([&] { return c.size.count() % (4_KiB).count() == 0; }, "size", "is a multiple of 4 KiB");
  f.check([&] { return are_texts(c.compatible); }, "compatible", "has no empty name");
  f.check([&] { return registers_are_apart(c); }, "registers",
          "has no name and no offset twice, and no register beyond `size`");
}

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

static_assert(member_count<BlockConfig>() == 16);
void describe(Fields& f, BlockConfig& c) {
  f("name", c.name, "The name of the block in lists and messages.", required());
  f("contract", c.contract,
    "The contract of the block: the environment in which it works, which determines its ports.",
    one_of<BlockContract>(), required());
  f("sources", c.sources, "The SystemVerilog files, packages first, and waivers for Verilator (.vlt).",
    required());
  f("include", c.include, "The folders of files that the sources include.");
  f("defines", c.defines, "The macros that are defined for all files, as texts: \"SYNTHESIS\": \"1\".");
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
  f.when("contract", c.contract, BlockContract::bus_device, [&] {
    f("device", c.device, "What software sees of the block where it is a device of a node (type rtl).");
  });
  f.check([&] { return is_plain_name(c.name); }, "name",
          "has at most 64 characters, which are letters, digits, _ and -");
  f.check([&] { return !c.sources.empty() && are_texts(c.sources); }, "sources",
          "names at least one file, and no empty name");
  f.check([&] { return are_texts(c.include) && are_texts(c.properties); }, "properties",
          "has no empty name of a file or folder");
  f.check([&] { return are_identifiers(c.parameters); }, "parameters",
          "has only names of parameters as its keys");
  f.check([&] { return are_identifiers(c.defines); }, "defines", "has only names of macros as its keys");
  f.check([&] { return !c.radix || c.parameters.contains(*c.radix); }, "radix",
          "is the name of one of `parameters`");
}
const RegisteredFileKind<BlockConfig> block_files{"block", "", "Asterism RTL block", {"contract"}};

}  // namespace asterism
