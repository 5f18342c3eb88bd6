#include "platform/scenario_config.h"

#include <sstream>

#include "base/fields.h"

namespace asterism {

static_assert(member_count<FaultPlaceConfig>() == 7);
void describe_place(Fields& f, FaultConfig& c) {
  using enum FaultKind;
  FaultPlaceConfig& place = c.place;
  f.when("kind", c.kind, {bit, pin, column, word, chip, row}, [&] {
    f("persistence", c.persistence, "Whether a block that is written anew is sound again",
      one_of<Persistence>());
    f("channel", place.channel, "Of all controllers", required());
    f("rank", place.rank, "Of the channel", required());
    f("chip", place.chip, "Of the rank: 0 to 15 hold data, 16 and 17 parity", within(0, 17), required());
  });
  f.when("kind", c.kind, {bit, column, word, row}, [&] { f("bank", place.bank, "Of the rank", required()); });
  f.when("kind", c.kind, {bit, word, row}, [&] { f("row", place.row, "Of the bank", required()); });
  f.when("kind", c.kind, {bit, column, word},
         [&] { f("column", place.column, "Of the row, in blocks of 64 bytes", required()); });
  f.when("kind", c.kind, {bit, pin, column, word}, [&] {
    f("bit", place.bit,
      "Of the chip's 32 in a block, 4 * beat + pin: a pin fault takes its pin, a word fault its beat",
      within(0, 31), required());
  });
}

static_assert(member_count<FlashFault>() == 4);
void describe_flash(Fields& f, FaultConfig& c) {
  FlashFault& flash = c.flash;
  f.when("kind", c.kind, FaultKind::flash_bits, [&] {
    f("holds", flash.holds, "What the page holds", one_of<FlashHold>(), required());
    f("version", flash.version, "Whose data or metadata it is; 0: of the newest checkpoint that is durable");
    f("page", flash.page,
      "Which of these pages, counted from 0: there are two roots, and of the others as many as the version "
      "needs");
    f("bits", flash.bits,
      "That flip in one KiB of the page, for good: the page can be read while they are not more than the "
      "part's correctable_bits",
      within(1, 65535), required());
    f.check(flash.holds != FlashHold::root || flash.version == 0, "version",
            "is 0 where the page holds a root");
    f.check(flash.holds != FlashHold::root || flash.page < 2, "page",
            "is 0 or 1 where the page holds a root");
  });
}

static_assert(member_count<FaultConfig>() == 8);
void describe(Fields& f, FaultConfig& c) {
  f("at", c.at, "When it strikes, in simulated time from the start of the run", required());
  f("kind", c.kind, "What happens", one_of<FaultKind>(), required());
  f.when("kind", c.kind, {FaultKind::power_loss, FaultKind::link_loss}, [&] {
    f("restore_after", c.restore_after,
      "Until power is back; the node then starts as from cold, flash keeps its contents. Of a link: until it "
      "is up",
      within(1_ns, 3600_s));
  });
  describe_place(f, c);
  describe_flash(f, c);
  f.when("kind", c.kind, FaultKind::gpu_loss,
         [&] { f("gpu", c.gpu, "Which of the node, counted from 0", required()); });
  f("node", c.node,
    "Of a cluster, where every fault has one: which node it strikes. Ranks come first, then spares with "
    "firmware, then "
    "the others");
}

std::optional<MemoryFault> FaultConfig::memory_fault() const {
  using enum FaultKind;
  if (kind == power_loss || kind >= flash_bits) return std::nullopt;
  return MemoryFault{.kind = static_cast<MemoryFaultKind>(kind),
                     .persistence = persistence,
                     .at = {place.channel, place.rank, place.bank, place.row, place.column},
                     .chip = place.chip,
                     .bit = place.bit};
}

std::optional<FlashFault> FaultConfig::flash_fault() const {
  return kind == FaultKind::flash_bits ? std::optional(flash) : std::nullopt;
}

std::optional<std::uint32_t> FaultConfig::gpu_loss() const {
  return kind == FaultKind::gpu_loss ? std::optional(gpu) : std::nullopt;
}

std::optional<Loss> FaultConfig::cluster_loss() const {
  switch (kind) {
    case FaultKind::node_loss:
      return Loss::node;
    case FaultKind::link_loss:
      return Loss::link;
    case FaultKind::memory_loss:
      return Loss::memory;
    case FaultKind::ssd_loss:
      return Loss::ssd;
    case FaultKind::gpu_state_loss:
      return Loss::gpu;
    default:
      return std::nullopt;
  }
}

static_assert(member_count<ExpectConfig>() == 5);
void describe(Fields& f, ExpectConfig& c) {
  f("exit", c.exit, "Status that the firmware must end with; without it any will do");
  f("recoveries", c.recoveries,
    "Power losses, lost GPUs and uncorrectable errors after which the firmware went on from a checkpoint; in "
    "a cluster: "
    "losses after which its ranks went on");
  f("result", c.result, "What result.txt must hold, without its end of line");
  f("not_recoverable", c.not_recoverable,
    "Of a cluster: whether it must come to a state from which nothing can be restored, instead of to its "
    "end");
  f("result_equals", c.result_equals,
    "\"the same scenario with KEY=VALUE...\": that one runs too, and both must leave the same result.txt, "
    "bit for bit");
  f.check([&] { return !c.result_equals || reference_overrides(*c.result_equals).has_value(); },
          "result_equals", "reads \"the same scenario with KEY=VALUE\"");
}

static_assert(member_count<ScenarioConfig>() == 11);
void describe(Fields& f, ScenarioConfig& c) {
  f("node", c.node, "The machine: \"use\" names a file in configs/nodes, keys beside it override that");
  f("cluster", c.cluster,
    "Several nodes that compute one program and hold each other's checkpoints; \"node\" is then what each of "
    "those with "
    "firmware is");
  constexpr std::string_view firmware = "Name of an app in sw/apps, or the path of a file";
  const bool runs_firmware = c.has_firmware();
  // Where nodes were refused or are 0, who prepares the scenario says whether firmware is missing.
  if (runs_firmware && (!c.cluster || c.is_cluster()))
    f("firmware", c.firmware, firmware, required());
  else
    f("firmware", c.firmware, firmware);
  f("firmware_format", c.firmware_format, "What the firmware's file is", one_of<FirmwareFormat>());
  f("firmware_package", c.firmware_package,
    "Debian package that has the firmware's file: who has not is told to install it");
  f("args", c.args, "Command line that the firmware reads through semihosting, without the program's name");
  f("files", c.files,
    "Folder whose contents the firmware finds through semihosting. They are copied to files/ in the run "
    "directory; "
    "the firmware reads and writes there, and nowhere else");
  f("seed", c.seed, "Of all random choices of the run: the same seed gives the same stats.json");
  f("until", c.until, "Simulated time at which a run that has not ended is stopped with status 69",
    within(1_ns, 10000_s));
  f("faults", c.faults, "What goes wrong and when");
  f("expect", c.expect, "What must hold at the end, else the exit status is 67");
  const char* rule =
      c.is_cluster() ? "stands only with cluster.firmware_nodes" : "stands only where the node runs firmware";
  for (const auto& [key, is_empty] :
       {std::pair{"firmware", c.firmware.empty()}, std::pair{"firmware_package", c.firmware_package.empty()},
        std::pair{"args", c.args.empty()}, std::pair{"files", c.files.empty()}})
    f.check(runs_firmware || is_empty, key, rule);
  f.check(runs_firmware || c.is_cluster() || c.faults.empty(), "faults", rule);
  f.check(c.firmware_format != FirmwareFormat::raw || c.node.nor_flash.present, "firmware_format",
          "is elf where node.nor_flash.present is false");
  f.check(!c.is_cluster() || c.node.runs == NodeProgram::firmware, "node",
          "runs firmware in a cluster: trace cores have no network");
}

bool ScenarioConfig::has_firmware() const {
  if (is_cluster()) return !whole_nodes(*cluster).empty();
  return node.runs == NodeProgram::firmware;
}

std::vector<NodeNumber> whole_nodes(const ClusterConfig& cluster) {
  std::vector<NodeNumber> nodes;
  for (NodeNumber node = 0; node < cluster.first_spare(); ++node)
    if (cluster.is_firmware(node)) nodes.push_back(node);
  return nodes;
}

std::string node_name(NodeNumber node) { return "node" + std::to_string(node); }

std::optional<std::vector<std::string>> reference_overrides(const std::string& result_equals) {
  constexpr std::string_view start = "the same scenario with ";
  if (!result_equals.starts_with(start)) return std::nullopt;
  std::istringstream words(result_equals.substr(start.size()));
  std::vector<std::string> overrides;
  for (std::string word; words >> word;) {
    if (word.find('=') == std::string::npos) return std::nullopt;
    overrides.push_back(word);
  }
  if (overrides.empty()) return std::nullopt;
  return overrides;
}

}  // namespace asterism
