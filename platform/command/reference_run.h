// The run that expect.result_equals names.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/host/installed_files.h"
#include "platform/host/run_directory.h"
#include "platform/scenario/scenario.h"

namespace asterism {

// The file in which firmware leaves its result, and its contents in this folder.
inline constexpr const char* result_file = "result.txt";
std::optional<std::string> result_in(const std::filesystem::path& files);

// It is a process of its own, because SystemC can elaborate only once in a process. It starts from a copy of
// the flash image as this run found it and reads nothing from stdin. Its run directory is "reference" in that
// of this run; its stderr is written to "reference.log" next to it.
class ReferenceRun {
 public:
  ReferenceRun(ScenarioRequest request, const Scenario& scenario, const InstalledFiles& installed,
               const RunDirectory& directory);
  ~ReferenceRun();
  ReferenceRun(const ReferenceRun&) = delete;
  ReferenceRun& operator=(const ReferenceRun&) = delete;

  // In a process that was restored from a snapshot, the restoring process has already started the reference
  // run.
  void take_over(pid_t child, const RunDirectory& directory);
  pid_t process() const { return child_; }

  enum class End { by_its_firmware, otherwise, interrupted };
  // Waits until it ends, or until this process receives SIGINT or SIGTERM.
  End wait();
  // Returns what was compared, and adds to `failures` if the results differ. `directory` is that of the run
  // itself.
  std::string compare(End end, const RunDirectory& directory, std::vector<std::string>& failures) const;

 private:
  int run_in_child(const Scenario& reference) const noexcept;
  std::string last_words() const;

  std::filesystem::path directory_, log_, copies_;
  pid_t child_ = -1;
};

}  // namespace asterism
