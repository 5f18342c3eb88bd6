#include "platform/command/config_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "core/workload.h"
#include "dimm_ssd/workload/write_profile.h"
#include "fabric/topology/graph_config.h"
#include "flash/flash_config.h"
#include "gpu/workload/kernel_profile.h"
#include "memory/dram_part.h"
#include "pcram/pcram_config.h"
#include "platform/command/campaign.h"
#include "platform/config/config.h"
#include "platform/config/diagnostics.h"
#include "platform/node/node_graph.h"
#include "platform/rtl/block_config.h"
#include "platform/scenario/scenario.h"
#include "platform/study/built_fabric.h"
#include "platform/study/published.h"
#include "platform/study/study.h"
#include "resilience/gpu_system.h"
#include "swizzle_switch/switch_technology.h"

namespace asterism {
namespace {

using namespace std::chrono_literals;

constexpr auto time_for_keys = 200ms;

template <class Config>
std::string expand(ConfigDocument document, const std::string&, const InstalledFiles& installed) {
  return expanded(read_config<Config>(document, installed.configs));
}

std::string expand_node(ConfigDocument document, const std::string&, const InstalledFiles& installed) {
  return expanded(check_node(document, installed).config);
}

std::string expand_scenario(ConfigDocument document, const std::string&, const InstalledFiles& installed) {
  return expanded(check_scenario(document, installed).config);
}

std::string draw_node(ConfigDocument document, const std::string& file, const InstalledFiles& installed) {
  const CheckedNode node = check_node(document, installed);
  return node_graph({std::filesystem::path(file).stem(), node.config, node.devices, node.fabric});
}

// A node of a cluster stands for all of them.
std::string draw_scenario(ConfigDocument document, const std::string& file, const InstalledFiles& installed) {
  const CheckedScenario scenario = check_scenario(document, installed);
  const CheckedNode& node = scenario.node;
  DrawnNode drawn{std::filesystem::path(file).stem(), node.config, node.devices, node.fabric};
  if (!scenario.config.is_cluster()) return node_graph(drawn);
  const ClusterConfig& cluster = *scenario.config.cluster;
  const std::size_t alike = whole_nodes(cluster).size();
  if (alike == 0)
    refuse_option("--graph", fmt::format("{} has only traffic nodes, which have no devices", file));
  drawn.name += fmt::format(": {} of this kind", alike == 1 ? "one node" : fmt::format("{} nodes", alike));
  drawn.outer_network = fmt::format("the network of the cluster's {} nodes", cluster.node_count());
  drawn.nic = cluster.nic;
  return node_graph(drawn);
}

// Checks that packets have routes to all nodes, and that they cannot deadlock on them.
std::string expand_graph(ConfigDocument document, const std::string&, const InstalledFiles& installed) {
  const GraphConfig graph = read_config<GraphConfig>(document, installed.configs);
  try {
    check_graph(graph, installed.configs);
  } catch (const StudyMistake& mistake) {
    throw ConfigError(Diagnostic{.origin = document.root().origin, .path = "", .problem = mistake.what()});
  }
  return expanded(graph);
}

// `asterism paper` makes the remaining checks: those of the studies and columns that the entries refer to.
std::string expand_paper(ConfigDocument document, const std::string&, const InstalledFiles& installed) {
  expand_published(document);
  return expanded(read_config<PublishedPaper>(document, installed.configs));
}

std::string expand_study(ConfigDocument document, const std::string& file, const InstalledFiles& installed) {
  return read_study(std::move(document), file, installed.configs).expanded;
}

std::string expand_study_in_time(ConfigDocument document, const std::string& file,
                                 const InstalledFiles& installed) {
  const auto deadline = std::chrono::steady_clock::now() + time_for_keys;
  return read_study(std::move(document), file, installed.configs, study_kinds(),
                    {.prepares = false, .deadline = deadline})
      .expanded;
}

// A kind of which every check is one of its keys.
template <class Config>
ConfigKind part(std::string_view name, std::string_view folder, std::string_view title,
                const std::vector<std::string_view>& keys) {
  return {.name = name,
          .folder = folder,
          .title = title,
          .schema = schema<Config>,
          .documentation = documentation<Config>,
          .keys = keys,
          .check = expand<Config>,
          .check_keys = expand<Config>};
}

std::vector<ConfigKind> all_kinds() {
  ConfigKind node = part<NodeConfig>("node", "nodes", "Asterism node", {});
  node.check = expand_node;
  node.draw = draw_node;
  ConfigKind scenario = part<ScenarioConfig>("scenario", "scenarios", "Asterism scenario",
                                             {scenario_keys.begin(), scenario_keys.end()});
  scenario.check = expand_scenario;
  scenario.draw = draw_scenario;
  ConfigKind graph = part<GraphConfig>("graph", "graphs", "Asterism graph", {"links"});
  graph.check = expand_graph;
  ConfigKind published =
      part<PublishedPaper>("published", "published", "Asterism published values", {"entries"});
  published.check = published.check_keys = expand_paper;
  return {
      node,
      scenario,
      part<DramPart>("dram", "dram", "Asterism DRAM part", {"currents", "timing"}),
      part<FlashPart>("flash", "flash", "Asterism flash part", {"pages_per_block"}),
      part<PcramPart>("pcram", "pcram", "Asterism PCRAM part", {"reset_energy"}),
      part<SwitchTechnology>("technology", "technologies", "Asterism technology",
                             {"points", "wire_fs_per_um"}),
      part<Workload>("workload", "workloads", "Asterism workload", {"l1_mpki", "l2_mpki"}),
      part<WriteProfile>("write_profile", "write_profiles", "Asterism write profile", {"regions"}),
      part<KernelProfile>("kernel_profile", "kernel_profiles", "Asterism kernel profile", {"dirty_zones"}),
      graph,
      part<GpuSystemConfig>("system", "systems", "Asterism system", {"gpu_teraflops"}),
      {.name = "study",
       .folder = "studies",
       .title = "Asterism study",
       .schema = [](std::string_view) { return study_schema(); },
       .documentation = [] { return study_documentation(); },
       .keys = {"kind"},
       .check = expand_study,
       .check_keys = expand_study_in_time},
      published,
      {.name = campaign,
       .folder = "",
       .title = "Asterism campaign",
       .schema = [](std::string_view) { return campaign_keys(false); },
       .documentation = [] { return campaign_keys(true); }},
      part<BlockConfig>("block", "", "Asterism RTL block", {"contract"})};
}

const ConfigKind* kind_of_folder(std::string_view folder) {
  if (folder.empty()) return nullptr;
  const auto found = std::ranges::find(config_kinds(), folder, &ConfigKind::folder);
  return found == config_kinds().end() ? nullptr : &*found;
}

// Some keys of a kind are also keys of others before it in the list.
const ConfigKind& kind_of_keys(const ConfigDocument& document) {
  const ConfigKind* found = &config_kinds().front();
  for (const ConfigKind& kind : config_kinds())
    if (std::ranges::any_of(kind.keys, [&](std::string_view key) { return document.has(key); }))
      found = &kind;
  return *found;
}

}  // namespace

std::span<const ConfigKind> config_kinds() {
  static const std::vector<ConfigKind> kinds = all_kinds();
  return kinds;
}

ConfigFile load_config_file(const std::string& file, const std::vector<std::string>& overrides,
                            const ConfigLibrary& library) {
  // A study may have the name of the scenario that belongs to it; then the study is meant.
  std::string_view folder = "scenarios";
  for (const ConfigKind& kind : config_kinds())
    if (!kind.folder.empty() && library.find(kind.folder, file)) folder = kind.folder;
  const std::filesystem::path path = library.locate(folder, file);
  ConfigDocument document = ConfigDocument::load(path);
  for (const std::string& override : overrides) document.apply_override(override);
  const ConfigKind* kind = kind_of_folder(library.kind_of(path));
  return {kind ? kind : &kind_of_keys(document), std::move(document)};
}

}  // namespace asterism
