#include "platform/run/run.h"

#include <filesystem>
#include <system_error>

#include "platform/config/diagnostics.h"
#include "platform/run/run_debugger.h"
#include "platform/run/session.h"
#include "platform/system/cluster_system.h"
#include "tlm/log.h"

namespace asterism {
namespace {

void copy_input_files(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (lies_within(to, from))
    throw ConfigError(Diagnostic::of_file(
        from.string(), "cannot be copied to the run directory, which is inside it; name another with --out"));
  std::error_code error;
  std::filesystem::copy(from, to, std::filesystem::copy_options::recursive, error);
  if (error)
    throw InputMissing(
        Diagnostic::of_file(from.string(), "cannot be copied to the run directory: " + error.message()));
}

// The root folders of the guests' files. They are created if they do not exist.
std::vector<std::filesystem::path> guests_folders(const Scenario& scenario, const RunDirectory& directory) {
  if (!scenario.is_cluster()) return {directory.files()};
  std::vector<std::filesystem::path> folders;
  for (const NodeNumber node : whole_nodes(*scenario.config.cluster)) {
    folders.push_back(directory.files() / node_name(node));
    std::filesystem::create_directory(folders.back());
  }
  return folders;
}

}  // namespace

RunOutcome run(const Scenario& scenario, const RunDirectory& directory, const RunSettings& settings) {
  set_log_levels(log_levels(scenario));
  for (const std::filesystem::path& folder : guests_folders(scenario, directory))
    if (!scenario.config.files.empty()) copy_input_files(scenario.config.files, folder);
  return Session(scenario, directory, settings).run();
}

}  // namespace asterism
