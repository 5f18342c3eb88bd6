#include "platform/scenario/scenario_config.h"

#include <fmt/format.h>

#include <sstream>

#include "base/fields.h"
#include "platform/firmware/linux_image.h"

namespace asterism {

static_assert(member_count<FaultPlaceConfig>() == 7);
void describe_place(Fields& f, FaultConfig& c) {
  using enum FaultKind;
  FaultPlaceConfig& place = c.place;
  f.when("kind", c.kind, {bit, pin, column, word, chip, row, gpu_memory}, [&] {
    f("persistence", c.persistence,
      "Whether the fault disappears when the block, or the sector of a GPU's memory, is written again.",
      one_of<Persistence>());
  });
  f.when("kind", c.kind, {bit, pin, column, word, chip, row}, [&] {
    f("channel", place.channel, "The memory channel, counted over all controllers.", required());
    f("rank", place.rank, "The rank of the channel.", required());
    f("chip", place.chip,
      "The chip of the rank. Chips 0 to 15 hold data, chips 16 and 17 hold parity; in a DDR5 rank chips 0 to "
      "7 "
      "hold data, chips 8 and 9 checks.",
      within(0, 17), required());
  });
  f.when("kind", c.kind, {bit, column, word, row},
         [&] { f("bank", place.bank, "The bank of the rank.", required()); });
  f.when("kind", c.kind, {bit, word, row}, [&] { f("row", place.row, "The row of the bank.", required()); });
  f.when("kind", c.kind, {bit, column, word},
         [&] { f("column", place.column, "The column of the row, in blocks of 64 bytes.", required()); });
  f.when("kind", c.kind, {bit, pin, column, word}, [&] {
    f("bit", place.bit,
      "The bit among the 32 bits of the chip in a block, or the 64 of a chip in a DDR5 rank: 4 * beat + pin. "
      "A "
      "pin fault uses its pin, a word fault its beat.",
      within(0, 63), required());
  });
}

static_assert(member_count<GpuMemoryFault>() == 5);
void describe_gpu_cells(Fields& f, FaultConfig& c) {
  GpuMemoryFault& cells = c.gpu_cells;
  f.when("kind", c.kind, FaultKind::gpu_memory, [&] {
    f("shape", cells.shape, "What the fault covers. Larger ones exceed what the code corrects.",
      one_of<GpuMemoryShape>(), required());
    f("address", cells.address,
      "An address of the GPU's memory, as its kernels use it, that the fault covers: its sector of 32 bytes, "
      "its row, or its channel.",
      required());
    f("sector_bit", cells.bit,
      "A bit of the sector that the fault covers: data from 0 to 255, then metadata and check bits. A word "
      "fault covers the 16 bits around it, a pin fault the bits of the pin that transfers it, and faults of "
      "sectors and rows all bits.",
      within(0, 8 * sector_bytes(SectorCode::symbol) - 1));
    f.check(cells.shape != GpuMemoryShape::pin || c.persistence == Persistence::stuck, "persistence",
            "is \"stuck\" for a pin, which no write mends");
  });
}

static_assert(member_count<FlashFault>() == 4);
void describe_flash(Fields& f, FaultConfig& c) {
  FlashFault& flash = c.flash;
  f.when("kind", c.kind, FaultKind::flash_bits, [&] {
    f("holds", flash.holds, "What the page holds.", one_of<FlashHold>(), required());
    f("version", flash.version,
      "The version of the checkpoint whose data or metadata the page holds. 0 selects the newest durable "
      "checkpoint.");
    f("page", flash.page,
      "The number of the page among these pages, counted from 0. There are two roots; a version has as many "
      "pages of the other kinds as it needs.");
    f("bits", flash.bits,
      "The number of bits that flip permanently in one KiB of the page. The page can be read unless they "
      "exceed the part's correctable_bits.",
      within(1, 65535), required());
    f.check(flash.holds != FlashHold::root || flash.version == 0, "version", "is 0 if the page holds a root");
    f.check(flash.holds != FlashHold::root || flash.page < 2, "page", "is 0 or 1 if the page holds a root");
  });
}

static_assert(member_count<FlashFailure>() == 3);
void describe_offset(Fields& f, FaultConfig& c) {
  f.when("kind", c.kind, {FaultKind::poison, FaultKind::flash}, [&] {
    f("offset", c.offset,
      "The offset of a byte in the memory of the device, or in the blocks of a disk. The reads of its line "
      "return poison until that is written; or the fault is in the flash that holds this byte at its time.",
      required());
  });
  f.when("kind", c.kind, FaultKind::flash, [&] {
    f("covers", c.flash_failure.covers, "What fails.", one_of<FlashFailurePart>());
    f("page_bits", c.flash_failure.bits,
      "Of a page: the number of bits that flip permanently in one KiB of it. The page can be read unless "
      "they exceed the part's correctable_bits.",
      within(0, 65535));
    f.check((c.flash_failure.bits != 0) == (c.flash_failure.covers == FlashFailurePart::page), "page_bits",
            "is above 0 for a page, and only then");
  });
}

static_assert(member_count<FaultConfig>() == 13);
void describe(Fields& f, FaultConfig& c) {
  f("at", c.at, "The simulated time of the fault, from the start of the run.", required());
  f("kind", c.kind, "The kind of fault.", one_of<FaultKind>(), required());
  f.when("kind", c.kind, {FaultKind::power_loss, FaultKind::link_loss, FaultKind::gpu_slow}, [&] {
    f("restore_after", c.restore_after,
      "The time until power returns. The node then makes a cold start, and flash keeps its contents. For a "
      "link: the time until it is up again. For a slow GPU: the time until its clock is as before.",
      within(1_ns, 3600_s));
  });
  describe_place(f, c);
  describe_flash(f, c);
  f.when("kind", c.kind, {FaultKind::gpu_loss, FaultKind::gpu_memory, FaultKind::gpu_slow},
         [&] { f("gpu", c.gpu, "The number of the GPU in its node, counted from 0.", required()); });
  describe_gpu_cells(f, c);
  f.when("kind", c.kind, FaultKind::gpu_slow, [&] {
    f("clock_percent", c.clock_percent,
      "How much of the clock's speed the GPU has meanwhile. Its pipelines issue accesses that much later; "
      "memory and link are as fast as before.",
      within(1, 99));
  });
  describe_offset(f, c);
  f.when(
      "kind", c.kind,
      {FaultKind::bit, FaultKind::pin, FaultKind::column, FaultKind::word, FaultKind::chip, FaultKind::row,
       FaultKind::flash_bits, FaultKind::gpu_loss, FaultKind::gpu_memory, FaultKind::gpu_slow,
       FaultKind::poison, FaultKind::flash},
      [&] {
        f("device", c.device,
          "The device in which the fault occurs. It is required if several devices of the node take faults "
          "of this kind.");
      });
  f("node", c.node,
    "The number of the node in which the fault occurs. It is required in a cluster. Ranks come first, then "
    "spares with firmware, then the other spares.");
}

static_assert(member_count<FieldFaultsConfig>() == 6);
void describe(Fields& f, FieldFaultsConfig& c) {
  f("rates", c.rates,
    "The rates: a file in configs/faults with errors called corrected or uncorrectable. A corrected one is a "
    "transient bit, an uncorrectable one a row that stays broken.",
    names_file("faults"), required());
  f("acceleration", c.acceleration,
    "By how much errors are more frequent than in the field. A run of milliseconds sees none without it.",
    within(1.0, 1e18));
  f("gpus", c.gpus, "The number of GPUs that have errors, from GPU 0 on.", within(1, 32));
  f("memory", c.memory,
    "The first bytes of each GPU's memory, in which all of its errors are. What no program reads has no "
    "effect.",
    within(1_KiB, 1_TiB));
  f("from", c.from, "The time from which there are errors.");
  f("until", c.until, "The time until which there are errors.");
  f.check(c.from < c.until, "until", "is later than from");
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

std::optional<GpuLoss> FaultConfig::gpu_loss() const {
  return kind == FaultKind::gpu_loss ? std::optional(GpuLoss{gpu}) : std::nullopt;
}

std::optional<GpuMemoryFault> FaultConfig::gpu_memory_fault() const {
  if (kind != FaultKind::gpu_memory) return std::nullopt;
  GpuMemoryFault fault = gpu_cells;
  fault.gpu = gpu;
  fault.stuck = persistence == Persistence::stuck;
  return fault;
}

std::optional<GpuSlowdown> FaultConfig::gpu_slowdown() const {
  if (kind != FaultKind::gpu_slow) return std::nullopt;
  return GpuSlowdown{.gpu = gpu, .clock_percent = clock_percent, .lasts = restore_after};
}

std::optional<CxlFault> FaultConfig::cxl_fault() const {
  return kind == FaultKind::poison ? std::optional(CxlFault{Bytes(offset)}) : std::nullopt;
}

std::optional<FlashFailure> FaultConfig::broken_flash() const {
  if (kind != FaultKind::flash) return std::nullopt;
  FlashFailure fault = flash_failure;
  fault.offset = Bytes(offset);
  return fault;
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

static_assert(member_count<ExpectConfig>() == 8);
void describe(Fields& f, ExpectConfig& c) {
  f("exit", c.exit,
    "The exit status that the firmware must end with. If it is absent, every status is accepted.");
  f("recoveries", c.recoveries,
    "The number of power losses, lost GPUs and uncorrectable errors after which the firmware continued from "
    "a checkpoint. In a cluster: the number of losses after which its ranks continued.");
  f("checks", c.checks,
    "The number of mistakes that node.checks must find in the firmware, in a cluster on all nodes. With 0, a "
    "firmware that makes any is not accepted.");
  f("late_faults", c.late_faults,
    "The number of faults that would have occurred after the end of the run. With 0, a run that ends before "
    "its "
    "last fault is not accepted.");
  f("result", c.result, "The text that result.txt must hold, without the newline at its end.");
  f("not_recoverable", c.not_recoverable,
    "Whether a cluster must reach a state from which nothing can be restored, instead of its end.");
  f("result_equals", c.result_equals,
    "A text \"the same scenario with KEY=VALUE...\". That scenario runs, too, and both runs must leave "
    "identical files result.txt.");
  f("coverage", c.coverage,
    "What lockstep must cover, by block (arbiter, codec, matt, rtc, zone_monitor) and by what the run "
    "reports as reached: the number of points, or the share of all. In a fabric it holds for each router "
    "with RTL.");
  f.check([&] { return !c.result_equals || reference_overrides(*c.result_equals).has_value(); },
          "result_equals", "reads \"the same scenario with KEY=VALUE\"");
}

static_assert(member_count<ScenarioConfig>() == 15);
void describe(Fields& f, ScenarioConfig& c) {
  f("node", c.node,
    "The node. \"use\" names a file in configs/nodes; the keys next to it override those of the file.");
  f("cluster", c.cluster,
    "Several nodes that compute one program and hold each other's checkpoints. \"node\" then describes each "
    "node that runs firmware.");
  constexpr std::string_view firmware = "The name of an application in sw/apps, or the path of a file.";
  const bool runs_firmware = c.has_firmware();
  // If cluster.nodes was refused or is 0, prepare() reports missing firmware.
  if (runs_firmware && (!c.cluster || c.is_cluster()))
    f("firmware", c.firmware, firmware, required(), may_be_beside());
  else
    f("firmware", c.firmware, firmware, may_be_beside());
  f("firmware_format", c.firmware_format, "The format of the firmware's file.", one_of<FirmwareFormat>());
  f("firmware_package", c.firmware_package,
    "The Debian package that contains the firmware's file. If the file is missing, the message names this "
    "package.");
  f("initrd", c.initrd,
    "With firmware_format \"linux\": the initial file system, the path of a cpio archive, which may be "
    "compressed, or the name of one in the firmware of the build.",
    may_be_beside());
  f("bootargs", c.bootargs, "With firmware_format \"linux\": the kernel's command line.");
  f("symbols", c.symbols,
    "With firmware_format \"linux\": a file with the kernel's symbols (its System.map, what /proc/kallsyms "
    "printed, or its vmlinux), for a kernel that does not contain them.",
    may_be_beside());
  f("args", c.args,
    "The command line that the firmware reads by semihosting, without the name of the program.");
  f("files", c.files,
    "The folder whose files the firmware accesses by semihosting. They are copied to files/ in the run "
    "directory, and the firmware can read and write only there.");
  f("seed", c.seed, "The seed of all random choices of the run. The same seed gives the same stats.json.");
  f("until", c.until, "The simulated time at which a run that has not ended is stopped with exit status 69.",
    within(1_ns, 10000_s));
  f("faults", c.faults, "The faults to inject, with their times.");
  f("field_faults", c.field_faults,
    "Errors of the GPUs' memories at rates from the field, in addition to the faults. The expanded scenario "
    "has them among its faults instead.");
  f("expect", c.expect,
    "The conditions that must hold at the end of the run. If one does not, the exit status is 67.");
  const char* rule =
      c.is_cluster() ? "is set only with cluster.firmware_nodes" : "is set only if the node runs firmware";
  for (const auto& [key, is_empty] :
       {std::pair{"firmware", c.firmware.empty()}, std::pair{"firmware_package", c.firmware_package.empty()},
        std::pair{"args", c.args.empty()}, std::pair{"files", c.files.empty()}})
    f.check(runs_firmware || is_empty, key, rule);
  const bool is_linux = c.firmware_format == FirmwareFormat::linux_image;
  f.check(is_linux || c.initrd.empty(), "initrd", "is empty unless firmware_format is linux");
  f.check(is_linux || c.bootargs.empty(), "bootargs", "is empty unless firmware_format is linux");
  f.check(is_linux || c.symbols.empty(), "symbols", "is empty unless firmware_format is linux");
  static const std::string shorter =
      fmt::format("has fewer than {} characters, as Linux for AArch64 asks for",
                  LinuxImage::longest_command_line.count());
  f.check(c.bootargs.size() < LinuxImage::longest_command_line.count(), "bootargs", shorter);
  f.check(!is_linux || c.args.empty(), "args",
          "is empty with firmware_format=linux, whose command line is bootargs");
  f.check(runs_firmware || c.is_cluster() || c.faults.empty(), "faults", rule);
  f.check(!c.field_faults || (runs_firmware && !c.is_cluster()), "field_faults",
          "is set only for a single node that runs firmware");
  f.check(!c.is_cluster() || c.node.runs == NodeProgram::firmware, "node",
          "runs firmware in a cluster, because trace cores have no network");
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
