#include "platform/rtl/block_contract.h"

#include <gtest/gtest.h>

#include "platform/config/config.h"

namespace asterism {
namespace {

constexpr auto in = TopPort::Direction::input, out = TopPort::Direction::output;

TopPort port(const std::string& name, TopPort::Direction direction, unsigned width = 1) {
  return {.name = name, .identifier = name, .direction = direction, .width = width, .problem = ""};
}

struct Bound {
  std::vector<BoundPort> ports;
  std::string problems;
  std::string role(const std::string& name) const {
    for (const BoundPort& bound : ports)
      if (bound.port.name == name) return bound.role;
    return "no such port";
  }
};

Bound bound_to(const std::string& json, const std::vector<TopPort>& ports,
               const std::vector<std::string>& overrides = {}) {
  ConfigDocument document = ConfigDocument::parse(json, "block.json");
  for (const std::string& override : overrides) document.apply_override(override);
  Diagnostics problems;
  const auto config = read_config<BlockConfig>(document, nullptr, problems);
  EXPECT_EQ(problems.text(), "");
  Bound bound;
  bound.ports = bind_ports(config, document, {.name = "top", .ports = ports, .parameters = {}}, problems);
  bound.problems = problems.text();
  return bound;
}

// ---- arbiter ----

constexpr const char* arbiter = R"({ "name": "a", "contract": "arbiter", "sources": ["a.sv"], "top": "top",
  "parameters": { "Radix": 8 }, "radix": "Radix",
  "clock": "clk_i",
  "reset": { "port": "rst_ni" },
  "ports": [
    { "role": "request", "signal": "request_i" },
    { "role": "grant", "signal": "grant_o" } ] })";

const std::vector<TopPort> arbiter_ports = {port("clk_i", in), port("rst_ni", in), port("request_i", in, 8),
                                            port("grant_o", out, 8)};

std::vector<TopPort> with(std::vector<TopPort> ports, const TopPort& more) {
  std::erase_if(ports, [&](const TopPort& p) { return p.name == more.name; });
  ports.push_back(more);
  return ports;
}
std::vector<TopPort> without(std::vector<TopPort> ports, const std::string& name) {
  std::erase_if(ports, [&](const TopPort& p) { return p.name == name; });
  return ports;
}

TEST(ArbiterContractTest, PortsGetTheirRolesInTheModulesOrder) {
  const Bound bound = bound_to(arbiter, arbiter_ports);
  EXPECT_EQ(bound.problems, "");
  ASSERT_EQ(bound.ports.size(), 4U);
  EXPECT_TRUE(bound.ports[0].is_clock);
  EXPECT_EQ(bound.ports[0].role, "");
  EXPECT_EQ(bound.ports[1].role, "reset");
  EXPECT_EQ(bound.ports[2].role, "request");
  EXPECT_EQ(bound.ports[3].role, "grant");
}

TEST(ArbiterContractTest, AsManyGrantsAsRequests) {
  EXPECT_EQ(bound_to(arbiter, with(arbiter_ports, port("grant_o", out, 4))).problems,
            "block.json:7:34: error: ports.1.signal: grant_o has 4 bits, expected 8: as many as request_i\n");
}

TEST(ArbiterContractTest, AsManyRequestsAsTheRadixSays) {
  EXPECT_EQ(
      bound_to(arbiter, arbiter_ports, {"parameters.Radix=4"}).problems,
      "block.json:6:36: error: ports.0.signal: request_i has 8 bits, expected 4: the parameter Radix\n");
}

TEST(ArbiterContractTest, AtMost128Requests) {
  const std::vector<TopPort> wide =
      with(with(arbiter_ports, port("request_i", in, 129)), port("grant_o", out, 129));
  EXPECT_EQ(bound_to(arbiter, wide, {"radix=null"}).problems,
            "block.json:6:36: error: ports.0.signal: request_i has 129 bits, expected at most 128\n");
}

TEST(ArbiterContractTest, AMissingClockOrResetIsNamedWithWhatLooksLikeIt) {
  EXPECT_EQ(bound_to(arbiter, arbiter_ports, {"clock=null", "reset=null"}).problems,
            "block.json:1:1: error: contract arbiter needs \"clock\"; did you mean \"clk_i\"?\n"
            "block.json:1:1: error: contract arbiter needs \"reset\"; did you mean \"rst_ni\"?\n");
  EXPECT_EQ(bound_to(arbiter, without(arbiter_ports, "clk_i"), {"clock=null"}).problems,
            "block.json:1:1: error: contract arbiter needs \"clock\"\n");
}

TEST(ArbiterContractTest, AClockThatIsNotAPortIsReportedOnce) {
  EXPECT_EQ(bound_to(arbiter, arbiter_ports, {"clock=clk"}).problems,
            "command line: error: clock: module top has no port clk; did you mean \"clk_i\"?\n");
}

TEST(ArbiterContractTest, ASignalThatIsNoPortNamesTheNearest) {
  EXPECT_EQ(
      bound_to(arbiter, arbiter_ports, {"ports.1.signal=grnt_o"}).problems,
      "command line: error: ports.1.signal: module top has no port grnt_o; did you mean \"grant_o\"?\n");
}

TEST(ArbiterContractTest, WrongDirectionsAreReported) {
  EXPECT_EQ(bound_to(arbiter, with(arbiter_ports, port("grant_o", in, 8))).problems,
            "block.json:7:34: error: ports.1.signal: grant_o is an input, expected an output\n");
}

TEST(ArbiterContractTest, BothPortsAreNeeded) {
  EXPECT_EQ(bound_to(arbiter, without(arbiter_ports, "grant_o"),
                     {R"(ports=[{"role":"request","signal":"request_i"}])"})
                .problems,
            "command line: error: ports: contract arbiter needs a port with role \"grant\"\n");
}

TEST(ArbiterContractTest, APortHasOneRoleAndARoleOnePort) {
  EXPECT_EQ(bound_to(arbiter, arbiter_ports, {"idle=grant_o"}).problems,
            "command line: error: idle: grant_o already has a role, at ports.1.signal\n");
  EXPECT_EQ(bound_to(arbiter, with(arbiter_ports, port("more_o", out, 8)),
                     {R"(ports.2={"role":"grant","signal":"more_o"})"})
                .problems,
            "command line: error: ports.2.signal: there is already a port for grant\n");
}

TEST(ArbiterContractTest, RolesOfOtherContractsAreRefused) {
  EXPECT_EQ(bound_to(arbiter, with(arbiter_ports, port("irq_o", out)),
                     {R"(ports.2={"role":"interrupt","signal":"irq_o"})"})
                .problems,
            "command line: error: ports.2.role: contract arbiter has no role \"interrupt\"; its roles are "
            "request, grant, state, input, output\n");
}

TEST(ArbiterContractTest, EveryPortIsNamed) {
  EXPECT_EQ(
      bound_to(arbiter, with(with(arbiter_ports, port("scan_i", in)), port("scan_o", out))).problems,
      "block.json:5:12: error: ports: nothing drives the input scan_i; name it by its role, or with role "
      "\"input\" and the value that it is tied to\n"
      "block.json:5:12: error: ports: the output scan_o has no role; name it with role \"output\" to "
      "leave it open\n");
}

TEST(ArbiterContractTest, InputsAreTiedAndOutputsLeftOpen) {
  const Bound bound = bound_to(arbiter, with(with(arbiter_ports, port("scan_i", in, 2)), port("scan_o", out)),
                               {R"(ports.2={"role":"input","signal":"scan_i","value":3})",
                                R"(ports.3={"role":"output","signal":"scan_o"})"});
  EXPECT_EQ(bound.problems, "");
  EXPECT_EQ(bound.role("scan_i"), "");
  EXPECT_EQ(bound.ports[4].tied, 3U);
  EXPECT_EQ(bound_to(arbiter, with(arbiter_ports, port("scan_i", in, 2)),
                     {R"(ports.2={"role":"input","signal":"scan_i","value":4})"})
                .problems,
            "command line: error: ports.2.signal: scan_i has 2 bits, which is too few for the value 4\n");
}

TEST(ArbiterContractTest, IdleHasOneBitAndNextEventUpTo64) {
  const auto ports = with(with(arbiter_ports, port("idle_o", out, 2)), port("next_o", out, 65));
  EXPECT_EQ(bound_to(arbiter, ports, {"idle=idle_o", "next_event=next_o"}).problems,
            "command line: error: idle: idle_o has 2 bits, expected 1\n"
            "command line: error: next_event: next_o has 65 bits, expected at most 64\n");
}

TEST(ArbiterContractTest, APortOfAnImpossibleTypeIsRefusedByName) {
  TopPort unpacked = port("request_i", in, 8);
  unpacked.problem = "is an unpacked array; make it a packed one";
  EXPECT_EQ(bound_to(arbiter, with(arbiter_ports, unpacked)).problems,
            "block.json:6:36: error: ports.0.signal: request_i is an unpacked array; make it a packed one\n");
}

// ---- bus device ----

constexpr const char* device = R"({ "name": "d", "contract": "bus_device", "sources": ["d.sv"], "top": "top",
  "clock": "clk_i",
  "reset": { "port": "rst_ni", "power_on": "por_ni" },
  "ports": [
    { "role": "bus", "address": "paddr_i", "select": "psel_i", "enable": "penable_i", "write": "pwrite_i",
      "write_data": "pwdata_i", "strobe": "pstrb_i", "read_data": "prdata_o", "ready": "pready_o" },
    { "role": "interrupt", "signal": "irq_o" },
    { "role": "state", "signal": "state_o", "states": ["quiet", "armed", "raised"] } ] })";

const std::vector<TopPort> device_ports = {
    port("clk_i", in),      port("rst_ni", in),        port("por_ni", in),    port("paddr_i", in, 12),
    port("psel_i", in),     port("penable_i", in),     port("pwrite_i", in),  port("pwdata_i", in, 32),
    port("pstrb_i", in, 4), port("prdata_o", out, 32), port("pready_o", out), port("irq_o", out),
    port("state_o", out, 2)};

TEST(BusDeviceContractTest, SignalsOfTheBusGetTheRolesOfTheirSide) {
  const Bound bound = bound_to(device, device_ports);
  EXPECT_EQ(bound.problems, "");
  EXPECT_EQ(bound.role("paddr_i"), "bus.address");
  EXPECT_EQ(bound.role("pready_o"), "bus.ready");
  EXPECT_EQ(bound.role("pstrb_i"), "bus.strobe");
  EXPECT_EQ(bound.role("por_ni"), "power_on_reset");
  EXPECT_EQ(bound.role("irq_o"), "interrupt.0");
  EXPECT_EQ(bound.role("state_o"), "state.0");
}

TEST(BusDeviceContractTest, AMastersSignalsGoTheOtherWay) {
  const char* master = R"(ports.3={"role":"bus","side":"master","address":"ma","select":"ms","enable":"me",
    "write":"mw","write_data":"mwd","read_data":"mrd","ready":"mr","error":"mer"})";
  std::vector<TopPort> ports = device_ports;
  for (const char* name : {"ms", "me", "mw"}) ports.push_back(port(name, out));
  for (const TopPort& more : {port("ma", out, 40), port("mwd", out, 32), port("mrd", in, 32), port("mr", in)})
    ports.push_back(more);
  const Bound bound = bound_to(device, with(ports, port("mer", in)), {master});
  EXPECT_EQ(bound.problems, "");
  EXPECT_EQ(bound.role("ma"), "master.address");
  EXPECT_EQ(bound_to(device, with(ports, port("mer", out)), {master}).problems,
            "command line: error: ports.3.error: mer is an output, expected an input\n");
}

TEST(BusDeviceContractTest, WidthsAreThoseOfTheBus) {
  std::vector<TopPort> ports = with(device_ports, port("pwdata_i", in, 64));
  ports = with(with(ports, port("psel_i", in, 2)), port("paddr_i", in, 65));
  EXPECT_EQ(bound_to(device, ports).problems,
            "block.json:5:33: error: ports.0.address: paddr_i has 65 bits, expected at most 64\n"
            "block.json:5:54: error: ports.0.select: psel_i has 2 bits, expected 1: it is a signal of a bus\n"
            "block.json:6:21: error: ports.0.write_data: pwdata_i has 64 bits, expected 32: a bus carries 32 "
            "bits of data\n");
}

TEST(BusDeviceContractTest, ThereAreEnoughValuesForTheStates) {
  EXPECT_EQ(bound_to(device, with(device_ports, port("state_o", out, 1))).problems,
            "block.json:8:34: error: ports.2.signal: state_o has 1 bit, which is too few for 3 states\n");
}

TEST(BusDeviceContractTest, ATargetIsNeeded) {
  EXPECT_EQ(
      bound_to(device, {port("clk_i", in), port("rst_ni", in), port("por_ni", in)}, {"ports=[]"}).problems,
      "command line: error: ports: contract bus_device needs a port with role \"bus\" and side "
      "\"target\"\n");
}

// ---- stream switch ----

constexpr const char* stream_switch = R"({ "name": "s", "contract": "stream_switch", "sources": ["s.sv"],
  "top": "top", "clock": "clk_i",
  "reset": { "port": "rst_ni" },
  "ports": [
    { "role": "stream", "direction": "in", "valid": "iv", "ready": "ir", "data": "id", "last": "il",
      "destination": "ie" },
    { "role": "stream", "direction": "out", "valid": "ov", "ready": "or", "data": "od", "last": "ol" } ] })";

std::vector<TopPort> switch_ports(unsigned radix, unsigned width, unsigned destination) {
  return {port("clk_i", in),     port("rst_ni", in),     port("iv", in, radix),       port("ir", out, radix),
          port("id", in, width), port("il", in, radix),  port("ie", in, destination), port("ov", out, radix),
          port("or", in, radix), port("od", out, width), port("ol", out, radix)};
}

TEST(StreamSwitchContractTest, EveryWidthFollowsFromTheInputs) {
  EXPECT_EQ(bound_to(stream_switch, switch_ports(5, 5 * 32, 5 * 3)).problems, "");
  EXPECT_EQ(bound_to(stream_switch, switch_ports(4, 4 * 32, 4 * 2)).role("ie"), "in.destination");
  EXPECT_EQ(
      bound_to(stream_switch, switch_ports(5, 5 * 32, 5 * 2)).problems,
      "block.json:6:22: error: ports.0.destination: ie has 10 bits, expected 15: 3 for each bit of iv\n");
  EXPECT_EQ(
      bound_to(stream_switch, switch_ports(5, 32, 5 * 3)).problems,
      "block.json:5:82: error: ports.0.data: id has 32 bits, expected a whole number of bits for each of "
      "the 5 of iv\n");
}

TEST(StreamSwitchContractTest, AsManyOutputsAsInputs) {
  EXPECT_EQ(bound_to(stream_switch, with(switch_ports(4, 128, 8), port("ov", out, 3))).problems,
            "block.json:7:54: error: ports.1.valid: ov has 3 bits, expected 4: as many as iv\n");
}

TEST(StreamSwitchContractTest, BothDirectionsAreNeeded) {
  EXPECT_EQ(
      bound_to(stream_switch, {port("clk_i", in), port("rst_ni", in)}, {"ports=[]"}).problems,
      "command line: error: ports: contract stream_switch needs a port with role \"stream\" and direction "
      "\"in\"\n"
      "command line: error: ports: contract stream_switch needs a port with role \"stream\" and direction "
      "\"out\"\n");
}

// ---- codec ----

constexpr const char* codec = R"({ "name": "c", "contract": "codec", "sources": ["c.sv"], "top": "top",
  "clock": "clk_i",
  "reset": { "port": "rst_ni" },
  "ports": [
    { "role": "block", "direction": "in", "valid": "iv", "operation": "io", "mode": "im",
      "data": "id", "parity": "ip", "third": "it" },
    { "role": "block", "direction": "out", "valid": "ov", "data": "od", "parity": "op", "third": "ot",
      "outcome": "oo", "chips": "oc", "used_third": "ou", "syndromes": "os" } ] })";

const std::vector<TopPort> codec_ports = {
    port("clk_i", in),  port("rst_ni", in),   port("iv", in),      port("io", in),
    port("im", in),     port("id", in, 512),  port("ip", in, 64),  port("it", in, 32),
    port("ov", out),    port("od", out, 512), port("op", out, 64), port("ot", out, 32),
    port("oo", out, 2), port("oc", out, 19),  port("ou", out),     port("os", out, 128)};

TEST(CodecContractTest, SignalsOfABlockGetTheRolesOfTheirDirection) {
  const Bound bound = bound_to(codec, codec_ports);
  EXPECT_EQ(bound.problems, "");
  EXPECT_EQ(bound.role("io"), "in.operation");
  EXPECT_EQ(bound.role("it"), "in.third");
  EXPECT_EQ(bound.role("ot"), "out.third");
  EXPECT_EQ(bound.role("os"), "out.syndromes");
}

TEST(CodecContractTest, WidthsAreThoseOfABlock) {
  EXPECT_EQ(bound_to(codec, with(codec_ports, port("id", in, 576))).problems,
            "block.json:6:15: error: ports.0.data: id has 576 bits, expected 512: a block has 64 bytes\n");
  EXPECT_EQ(
      bound_to(codec, with(codec_ports, port("oc", out, 18))).problems,
      "block.json:8:33: error: ports.1.chips: oc has 18 bits, expected 19: 18 chips and the third parity\n");
}

TEST(CodecContractTest, BothDirectionsAreNeeded) {
  EXPECT_EQ(
      bound_to(codec, {port("clk_i", in), port("rst_ni", in)}, {"ports=[]"}).problems,
      "command line: error: ports: contract codec needs a port with role \"block\" and direction \"in\"\n"
      "command line: error: ports: contract codec needs a port with role \"block\" and direction \"out\"\n");
}

TEST(CodecContractTest, RolesOfOtherContractsAreRefused) {
  EXPECT_EQ(bound_to(codec, with(codec_ports, port("ready_o", out)),
                     {R"(ports.2={"role":"interrupt","signal":"ready_o"})"})
                .problems,
            "command line: error: ports.2.role: contract codec has no role \"interrupt\"; its roles are "
            "block, state, input, output\n");
}

// ---- rank_codec ----

constexpr const char* rank_codec =
    R"({ "name": "r", "contract": "rank_codec", "sources": ["r.sv"], "top": "top",
  "clock": "clk_i",
  "reset": { "port": "rst_ni" },
  "ports": [
    { "role": "table", "direction": "in", "valid": "iv",
      "signals": { "operation": "io", "data": "id", "parity": "ip" } },
    { "role": "table", "direction": "out", "valid": "ov",
      "signals": { "data": "od", "parity": "op", "outcome": "oo", "chips": "oc", "syndromes": "os" } } ] })";

TEST(RankCodecContractTest, ItsSignalsHaveTheWidthsOfARank) {
  const std::vector<TopPort> ports = {port("clk_i", in),  port("rst_ni", in),   port("iv", in),
                                      port("io", in),     port("id", in, 512),  port("ip", in, 128),
                                      port("ov", out),    port("od", out, 512), port("op", out, 128),
                                      port("oo", out, 2), port("oc", out, 10),  port("os", out, 128)};
  EXPECT_EQ(bound_to(rank_codec, ports).problems, "");
  EXPECT_EQ(
      bound_to(rank_codec, with(ports, port("ip", in, 64))).problems,
      "block.json:6:63: error: ports.0.signals.parity: ip has 64 bits, expected 128: a byte for each of 16 "
      "beats\n");
}

// ---- matt ----

constexpr const char* matt = R"({ "name": "m", "contract": "matt", "sources": ["m.sv"], "top": "top",
  "clock": "clk_i",
  "reset": { "port": "rst_ni" },
  "ports": [
    { "role": "table", "direction": "in", "valid": "iv",
      "signals": { "operation": "io", "page": "ip", "lines": "il", "flag": "if" } },
    { "role": "table", "direction": "out", "valid": "ov",
      "signals": { "answer": "oa", "page": "op", "lines": "ol", "phase": "oh", "reason": "or", "pending": "on",
                   "candidates": "oc" } } ] })";

const std::vector<TopPort> matt_ports = {
    port("clk_i", in),   port("rst_ni", in),  port("iv", in),     port("io", in, 3),   port("ip", in, 32),
    port("il", in, 64),  port("if", in),      port("ov", out),    port("oa", out),     port("op", out, 32),
    port("ol", out, 64), port("oh", out, 16), port("or", out, 2), port("on", out, 32), port("oc", out)};

TEST(MattContractTest, SignalsOfATableGetTheRolesOfTheirDirection) {
  const Bound bound = bound_to(matt, matt_ports);
  EXPECT_EQ(bound.problems, "");
  EXPECT_EQ(bound.role("io"), "in.operation");
  EXPECT_EQ(bound.role("ip"), "in.page");
  EXPECT_EQ(bound.role("op"), "out.page");
  EXPECT_EQ(bound.role("oc"), "out.candidates");
}

TEST(MattContractTest, WidthsAreThoseOfATable) {
  EXPECT_EQ(
      bound_to(matt, with(matt_ports, port("il", in, 32))).problems,
      "block.json:6:62: error: ports.0.signals.lines: il has 32 bits, expected 64: a page has so many\n");
}

TEST(MattContractTest, EverySignalIsNeededAndNoOtherIsKnown) {
  std::string text = matt;
  text.replace(text.find("\"flag\""), 6, "\"flags\"");
  EXPECT_EQ(bound_to(text, matt_ports).problems,
            "block.json:4:12: error: ports: nothing drives the input if; name it by its role, or with role "
            "\"input\" and the value that it is tied to\n"
            "block.json:6:18: error: ports.0.signals: contract matt needs the signal \"flag\"\n"
            "block.json:6:77: error: ports.0.signals.flags: contract matt has no such signal\n");
}

// ---- zone_monitor ----

constexpr const char* zone_monitor =
    R"({ "name": "z", "contract": "zone_monitor", "sources": ["z.sv"], "top": "top",
  "clock": "clk_i",
  "reset": { "port": "rst_ni" },
  "ports": [
    { "role": "table", "direction": "in", "valid": "iv",
      "signals": { "operation": "io", "zone": "iz", "flag": "if" } },
    { "role": "table", "direction": "out", "valid": "ov",
      "signals": { "answer": "oa", "sectors": "os", "complete": "oc" } } ] })";

const std::vector<TopPort> zone_monitor_ports = {
    port("clk_i", in), port("rst_ni", in), port("iv", in),     port("io", in, 3),   port("iz", in, 32),
    port("if", in),    port("ov", out),    port("oa", out, 2), port("os", out, 16), port("oc", out)};

TEST(ZoneMonitorContractTest, ItsSignalsAreThoseOfAZoneMonitor) {
  const Bound bound = bound_to(zone_monitor, zone_monitor_ports);
  EXPECT_EQ(bound.problems, "");
  EXPECT_EQ(bound.role("iz"), "in.zone");
  EXPECT_EQ(bound.role("oc"), "out.complete");
}

TEST(ZoneMonitorContractTest, SignalsOfATrackingTableAreNot) {
  std::string text = zone_monitor;
  text.replace(text.find("\"zone\""), 6, "\"page\"");
  EXPECT_EQ(bound_to(text, zone_monitor_ports).problems,
            "block.json:4:12: error: ports: nothing drives the input iz; name it by its role, or with role "
            "\"input\" and the value that it is tied to\n"
            "block.json:6:18: error: ports.0.signals: contract zone_monitor needs the signal \"zone\"\n"
            "block.json:6:47: error: ports.0.signals.page: contract zone_monitor has no such signal\n");
}

TEST(ZoneMonitorContractTest, AnAnswerHasTwoBits) {
  EXPECT_EQ(bound_to(zone_monitor, with(zone_monitor_ports, port("oa", out))).problems,
            "block.json:8:30: error: ports.1.signals.answer: oa has 1 bit, expected 2: it is proceed, first "
            "stall or stall\n");
}

}  // namespace
}  // namespace asterism
