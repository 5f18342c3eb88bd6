// A program with nodes that runs where it finds no file of Asterism but the library, and checks that the
// library leaves alone what belongs to the whole process: signals, streams, the environment, SystemC's
// reports, and the end of the simulation.
#include <asterism/ecc/dual_mode_codec.h>
#include <asterism/node.h>
#include <unistd.h>

#include <array>
#include <cfenv>
#include <csignal>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <locale>
#include <string>
#include <systemc>
#include <vector>

namespace {

// What must be the same before and after.
struct Process {
  std::array<void (*)(int), NSIG> handlers{};
  std::array<std::streambuf*, 3> buffers{std::cin.rdbuf(), std::cout.rdbuf(), std::cerr.rdbuf()};
  std::ios_base::fmtflags flags = std::cout.flags();
  std::string locale = std::locale().name(), folder = std::filesystem::current_path();
  std::vector<std::string> environment;
  int rounding = std::fegetround();
  sc_core::sc_report_handler_proc reports = sc_core::sc_report_handler::get_handler();
  sc_core::sc_time resolution = sc_core::sc_get_time_resolution();

  Process() {
    for (int signal = 1; signal < NSIG; ++signal) {
      struct sigaction action {};
      if (sigaction(signal, nullptr, &action) == 0)
        handlers[static_cast<std::size_t>(signal)] = action.sa_handler;
    }
    for (char** each = environ; *each; ++each) environment.emplace_back(*each);
  }
  bool operator==(const Process&) const = default;
};

int failures = 0;
void expect(bool is_true, const std::string& what) {
  if (is_true) return;
  ++failures;
  std::cerr << "not so: " << what << '\n';
}

void expect_error(const std::string& words, const std::function<void()>& action) {
  try {
    action();
    expect(false, "there is an error with " + words);
  } catch (const std::exception& error) {
    expect(std::string(error.what()).find(words) != std::string::npos, words + " is in " + error.what());
  }
}

}  // namespace

int sc_main(int, char**) {
  const Process before;
  using asterism::Node, asterism::NodeDescription;
  for (const char* name : {"checkpoint_node", "cluster_node", "gpu_node", "graviton4", "kilocore_a64",
                           "linux_node", "pcram_node", "snapshot_tiers_node", "virt_node"})
    NodeDescription::of_file(name);
  expect_error("asterism:configs/nodes; did you mean \"gpu_node\"?",
               [] { NodeDescription::of_file("gpu_nod"); });
  expect_error("node:1:", [] { NodeDescription(R"({"memory": {"part": "ddr3_1600"}})"); });
  expect_error("no.elf: error: ", [] { asterism::NodeFirmware::of_file("no.elf"); });

  const NodeDescription description(R"({"use": "checkpoint_node", "cores": {"count": 1}})");
  Node left("left", description),
      right("right", description, {.faults = R"([{"kind": "power_loss", "at": "1ms"}])"});
  expect_error("node_loss",
               [&] { Node("third", description, {.faults = R"([{"kind": "node_loss", "at": "1ms"}])"}); });
  expect_error("/none", [&] { Node("third", description, {.files = "/none"}); });
  unsigned messages = 0;
  left.on_log = right.on_log = [&](std::string_view, const std::string&, std::string_view) { ++messages; };
  left.power_on();
  right.power_on();
  sc_core::sc_start(5, sc_core::SC_MS);  // without firmware: random words, until an undefined one
  expect_error("before simulation", [&] { Node("late", description); });
  left.lose();
  sc_core::sc_start(5, sc_core::SC_MS);
  expect(sc_core::sc_get_status() == sc_core::SC_PAUSED, "the simulation goes on");
  expect(sc_core::sc_time_stamp() == sc_core::sc_time(10, sc_core::SC_MS), "10 ms have passed");
  asterism::MemoryBlock block;  // of an engine, which is linked beside the library
  asterism::DualModeCodec::encode(asterism::EccMode::strong, block);
  block.flip_symbol(3, 0, 0xff);
  const auto decoded =
      asterism::DualModeCodec(asterism::EccProfile::strict).decode(asterism::EccMode::strong, block);
  expect(decoded.outcome == asterism::DecodeResult::Outcome::corrected, "the codec corrects a symbol");
  expect(messages > 0, "each node locks up, which is logged");
  expect(Process() == before, "the process is as it was");
  return failures;
}
