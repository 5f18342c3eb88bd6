#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <future>
#include <optional>
#include <thread>

#include "base/sanitizers.h"
#include "core/workload.h"
#include "dimm_ssd/workload/write_profile.h"
#include "fabric/topology/graph_config.h"
#include "gpu/workload/kernel_profile.h"
#include "memory/dram_part.h"
#include "pcram/pcram_config.h"
#include "platform/command/verbs.h"
#include "platform/scenario/scenario.h"
#include "platform/study/built_fabric.h"
#include "platform/study/study.h"
#include "platform/study/study_kind.h"
#include "resilience/gpu_system.h"
#include "swizzle_switch/switch_technology.h"

namespace asterism {
namespace {

using namespace std::chrono_literals;

// A check may take one second. A build with sanitizers is several times slower.
constexpr auto time_of_host = is_sanitized ? 6s : 600ms, max_time = is_sanitized ? 30s : 3000ms;
constexpr auto time_for_keys = 200ms;

// Checks that packets have routes to all nodes, and that they cannot deadlock on them.
GraphConfig read_graph(ConfigDocument& document, const ConfigLibrary& library) {
  GraphConfig graph = read_config<GraphConfig>(document, library);
  try {
    check_graph(graph, library);
  } catch (const StudyMistake& mistake) {
    throw ConfigError(Diagnostic{.origin = document.root().origin, .path = "", .problem = mistake.what()});
  }
  return graph;
}

// The expanded text of a part or a workload, recognised by a key that no other kind of file has; nullopt for
// other files.
std::optional<std::string> expanded_part(ConfigDocument& document, const ConfigLibrary& library) {
  if (document.has("currents") || document.has("timing"))
    return expanded(read_config<DramPart>(document, library));
  if (document.has("pages_per_block")) return expanded(read_config<FlashPart>(document, library));
  if (document.has("reset_energy")) return expanded(read_config<PcramPart>(document, library));
  if (document.has("points") || document.has("wire_fs_per_um"))
    return expanded(read_config<SwitchTechnology>(document, library));
  if (document.has("dirty_zones")) return expanded(read_config<KernelProfile>(document, library));
  if (document.has("regions")) return expanded(read_config<WriteProfile>(document, library));
  if (document.has("l1_mpki") || document.has("l2_mpki"))
    return expanded(read_config<Workload>(document, library));
  if (document.has("gpu_teraflops")) return expanded(read_config<GpuSystemConfig>(document, library));
  if (document.has("links")) return expanded(read_graph(document, library));
  return std::nullopt;
}

// Also makes the checks that need the engines to be built. Nothing is run.
std::string whole(ConfigDocument document, const std::string& file, const InstalledFiles& installed) {
  if (is_study(document)) return read_study(std::move(document), file, installed.configs).expanded;
  if (auto part = expanded_part(document, installed.configs)) return *part;
  return is_scenario(document) ? expanded(check_scenario(document, installed))
                               : expanded(check_node(document, installed));
}

// Checks only the keys of a file; in a long sweep, only those of the first points.
std::string keys(ConfigDocument document, const std::string& file, const InstalledFiles& installed) {
  if (is_study(document)) {
    const auto deadline = std::chrono::steady_clock::now() + time_for_keys;
    return read_study(std::move(document), file, installed.configs, study_kinds(),
                      {.prepares = false, .deadline = deadline})
        .expanded;
  }
  if (document.has("links")) return expanded(read_config<GraphConfig>(document, installed.configs));
  return is_scenario(document) ? expanded(read_config<ScenarioConfig>(document, installed.configs))
                               : expanded(read_config<NodeConfig>(document, installed.configs));
}

// The processor time that a thread has used. The limit of a check therefore does not depend on the load of
// the host.
std::chrono::nanoseconds used_by(std::thread& thread) {
  clockid_t clock{};
  timespec used{};
  if (pthread_getcpuclockid(thread.native_handle(), &clock) != 0 || clock_gettime(clock, &used) != 0)
    return {};
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

// Returns the text of `all` if it takes no longer than a check may, or throws its exception.
std::optional<std::string> in_time(const std::function<std::string()>& all) {
  std::packaged_task<std::string()> task(all);
  std::future<std::string> text = task.get_future();
  std::thread thread(std::move(task));
  const auto begun = std::chrono::steady_clock::now();
  while (text.wait_for(5ms) != std::future_status::ready)
    if (used_by(thread) > time_of_host || std::chrono::steady_clock::now() - begun > max_time) {
      thread.detach();
      return std::nullopt;
    }
  thread.join();
  return text.get();
}

}  // namespace

int verb_check(const std::string& file, const std::vector<std::string>& overrides) {
  const InstalledFiles installed = InstalledFiles::find();
  const char* kind = "scenarios";
  for (const char* other : {"nodes", "studies", "dram", "flash", "pcram", "technologies", "workloads",
                            "write_profiles", "kernel_profiles", "graphs", "systems"})
    if (installed.configs.find(other, file)) kind = other;
  ConfigDocument document = ConfigDocument::load(installed.configs.locate(kind, file));
  for (const std::string& override : overrides) document.apply_override(override);
  if (const auto text = in_time([=] { return whole(document, file, installed); })) {
    std::fputs(text->c_str(), stdout);
    return 0;
  }
  // The thread continues; the process ends without waiting for it.
  int status = 0;
  try {
    std::fputs(keys(document, file, installed).c_str(), stdout);
    std::fputs(
        "asterism: only the single keys were checked, because building what they describe takes longer than "
        "a "
        "check may take; `run` and `study` make the remaining checks before they start\n",
        stderr);
  } catch (const ConfigError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    status = static_cast<int>(ExitStatus::bad_input);
  }
  std::fflush(nullptr);
  std::_Exit(status);
}

}  // namespace asterism
