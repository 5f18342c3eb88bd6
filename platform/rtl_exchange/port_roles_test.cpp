#include "platform/rtl_exchange/port_roles.h"

#include <gmock/gmock.h>

#include "base/thrown.h"

namespace asterism {
namespace {

constexpr auto in = TopPort::Direction::input, out = TopPort::Direction::output;

TopPort port(const std::string& name, TopPort::Direction direction, unsigned width = 1) {
  return {.name = name, .identifier = name, .direction = direction, .width = width, .problem = ""};
}

const std::vector<TopPort> apb_target = {
    port("s_paddr", in, 12),  port("s_psel", in),        port("s_penable", in), port("s_pwrite", in),
    port("s_pwdata", in, 32), port("s_prdata", out, 32), port("s_pready", out)};

std::vector<TopPort> with(std::vector<TopPort> ports, const std::vector<TopPort>& more) {
  ports.insert(ports.end(), more.begin(), more.end());
  return ports;
}

// The roles that follow from names, and what is said of the others.
struct Inferred {
  explicit Inferred(const std::vector<TopPort>& ports, BlockContract contract = BlockContract::bus_device,
                    const std::vector<std::string>& options = {}) {
    const TopModule top{.name = "top", .ports = ports, .parameters = {}};
    DescribedBlock described;
    described.origin = {"a.core", 1, 1};
    described.block["contract"] = std::string(to_text(contract));
    PortRoles roles(top, described);
    for (const std::string& option : options) roles.claim(port_claim(option));
    roles.infer_buses();
    has_target = roles.has_target();
    roles.infer(contract);
    Diagnostics found;
    roles.write(described.block, described.said, found);
    problems = found.text();
    for (const PortClaim& claim : roles.claims()) claims[claim.port] = claim.role;
    block = described.block;
  }
  bool has_target = false;
  std::map<std::string, std::string> claims;
  std::string problems;
  nlohmann::ordered_json block;
};

TEST(PortRolesTest, AWholeApbPortIsATarget) {
  const Inferred ports(with(apb_target, {port("PCLK", in), port("PRESETn", in), port("irq0", out)}));
  EXPECT_TRUE(ports.has_target);
  EXPECT_EQ(ports.problems, "");
  EXPECT_EQ(ports.claims.at("s_paddr"), "bus.address");
  EXPECT_EQ(ports.claims.at("s_prdata"), "bus.read_data");
  EXPECT_EQ(ports.claims.at("PCLK"), "clock");
  EXPECT_EQ(ports.claims.at("PRESETn"), "reset:low");
  EXPECT_EQ(ports.claims.at("irq0"), "interrupt");
}

TEST(PortRolesTest, APartOfAnApbPortIsNone) {
  std::vector<TopPort> ports = apb_target;
  ports.pop_back();  // s_pready
  EXPECT_FALSE(Inferred(ports).has_target);
  ports.push_back(port("s_pready", in));  // of a master, and the others of a target
  EXPECT_FALSE(Inferred(ports).has_target);
  ports.back() = port("t_pready", out);
  EXPECT_FALSE(Inferred(ports).has_target);
}

TEST(PortRolesTest, AResetWithoutALevelIsAskedFor) {
  EXPECT_EQ(
      Inferred({port("clk", in), port("rst", in)}).problems,
      "a.core:1:1: error: nothing says at which level rst resets the block; --port rst=reset:low or --port "
      "rst=reset:high says it\n");
  const Inferred said({port("clk", in), port("rst", in)}, BlockContract::bus_device, {"rst=reset:high"});
  EXPECT_EQ(said.problems, "");
  EXPECT_EQ(said.block["reset"]["active"], "high");
}

TEST(PortRolesTest, NothingIsGuessed) {
  const Inferred ports({port("clk_a", in), port("core_clk", in), port("ref_clk", in), port("idle_o", out),
                        port("rst_ni", in), port("tx", out)});
  EXPECT_EQ(
      ports.problems,
      "a.core:1:1: error: nothing says what drives clk_a, core_clk, ref_clk; --port clk_a=input:VALUE ties "
      "an input to a constant, --port clk_a=ROLE gives it a role\n"
      "a.core:1:1: error: nothing says what idle_o, tx mean; --port idle_o=output leaves an output open, "
      "--port idle_o=ROLE gives it a role\n");
}

TEST(PortRolesTest, TheSignalsOfAContractHaveItsNames) {
  EXPECT_EQ(Inferred({port("req_i", in, 4), port("gnt_o", out, 4)}, BlockContract::arbiter).problems, "");
  const Inferred matt(
      {port("valid_i", in), port("page_i", in, 32), port("valid_o", out), port("page_o", out, 32)},
      BlockContract::matt);
  EXPECT_EQ(matt.problems, "");
  EXPECT_EQ(
      matt.block["ports"][0],
      (nlohmann::ordered_json{
          {"role", "table"}, {"direction", "in"}, {"valid", "valid_i"}, {"signals", {{"page", "page_i"}}}}));
}

TEST(PortRolesTest, OptionsTieAndLeaveOpen) {
  const Inferred ports({port("scan_i", in, 4), port("tx", out), port("mode", out, 2)},
                       BlockContract::bus_device, {"scan_i=input:9", "tx=output", "mode=state:slow,fast"});
  EXPECT_EQ(ports.problems, "");
  EXPECT_EQ(ports.block["ports"], nlohmann::ordered_json::parse(R"([
    { "role": "state", "signal": "mode", "states": ["slow", "fast"] },
    { "role": "input", "signal": "scan_i", "value": 9 },
    { "role": "output", "signal": "tx" } ])"));
}

TEST(PortRolesTest, ARoleThatABlockHasOnceIsNotGivenTwice) {
  const Inferred ports(with(apb_target, {port("paddr", in, 12), port("psel", in), port("irq", out)}),
                       BlockContract::bus_device,
                       {"paddr=bus.address", "psel=bus.select", "s_paddr=bus.address", "s_psel=bus.select",
                        "irq=interrupt:1"});
  EXPECT_THAT(
      ports.problems,
      testing::HasSubstr("command line: error: s_paddr, s_psel would be a second bus beside paddr, psel, and "
                         "a block has one; --port s_paddr=ROLE gives it another role\n"));
  EXPECT_THAT(
      ports.problems,
      testing::HasSubstr("command line: error: irq is interrupt:1, but there are 1 interrupts, from 0 on\n"));
  const Inferred resets({port("rst_ni", in), port("por_ni", in), port("clk", in)}, BlockContract::bus_device,
                        {"rst_ni=reset:low", "por_ni=reset:low"});
  EXPECT_EQ(resets.problems,
            "command line: error: por_ni would be a second reset beside rst_ni, and a block has one; --port "
            "por_ni=ROLE gives it another role\n");
}

TEST(PortRolesTest, InterruptsWithNumbersAreAtTheirPlaces) {
  const Inferred ports(
      {port("clk", in), port("rst_n", in), port("irq0", out), port("irq1", out), port("late", out)},
      BlockContract::bus_device, {"late=interrupt:0"});
  EXPECT_EQ(ports.problems, "");
  std::vector<std::string> signals;
  for (const auto& each : ports.block["ports"]) signals.push_back(each["signal"]);
  EXPECT_EQ(signals, (std::vector<std::string>{"late", "irq0", "irq1"}));
}

TEST(PortRolesTest, AnUnknownRoleHasANearestOne) {
  EXPECT_EQ(thrown<ConfigError>([] { port_claim("a=interupt"); }),
            "command line: error: --port: a: there is no role \"interupt\"; did you mean \"interrupt\"?");
  EXPECT_EQ(thrown<ConfigError>([] { port_claim("scan_en=input:x"); }),
            "command line: error: --port scan_en=input:x: expected input:NUMBER with a decimal number of at "
            "most 32 bits, got \"x\"");
  EXPECT_EQ(thrown<ConfigError>([] { port_claim("a"); }),
            "command line: error: --port: expected PORT=ROLE, got \"a\"");
}

}  // namespace
}  // namespace asterism
