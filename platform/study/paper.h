// Compares published tables and figures (published.h) with the results of the models.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/study/point_runner.h"
#include "platform/study/published.h"
#include "platform/study/study.h"

namespace asterism {

// A study that an entry names, with the results of its points.
struct PaperStudy {
  std::string command;  // "fabric topology=mesh rate=0.005"
  Study study;
  PointRun run = {};
};

// A study that an entry refers to, and where in the file.
struct PaperReference {
  std::string path, study;
  std::vector<std::string> columns;
};

struct PaperComparison {
  enum class Verdict { holds, off, known_mismatch };
  double measured = 0;
  Verdict verdict = Verdict::holds;
};

struct PaperEntry {
  std::string id;  // "abeyratne2017.fig3.11"
  PublishedEntry published;
  // Set by run(), in the order of the values and claims.
  std::vector<PaperComparison> values;
  std::vector<std::vector<double>> claimed;  // the values of the parts of each claim
  std::vector<PaperComparison> claims;

  bool off() const;
};

class Paper {
 public:
  // Every entry of configs/published whose id is one of these or begins with one; all entries if none is
  // given. Throws InputMissing for an id that does not exist, and ConfigError for a bad file.
  Paper(const ConfigLibrary& library, const std::vector<std::string>& ids);

  static std::vector<std::string> ids(
      const ConfigLibrary& library);  // of all papers: "abeyratne2017.fig3.11"
  static std::vector<std::string> list(const ConfigLibrary& library);  // all ids with their titles

  // Runs every point that an entry needs, each once. False if the run was interrupted. A value that needs a
  // point that has crashed is NaN.
  bool run(const PointRunSettings& settings);

  const std::vector<PaperEntry>& entries() const { return entries_; }
  std::size_t points() const { return points_; }
  double host_seconds() const { return host_seconds_; }
  // Crashes of points on ranks: "fabric: topology=mesh rate=0.01: killed by SIGSEGV".
  const std::vector<std::string>& crashes() const { return crashes_; }

  // One entry as text for a terminal, as CSV with one line for each value and claim, and as a figure ("" if
  // it has none).
  std::string to_text(const PaperEntry& entry) const;
  std::string to_csv(const PaperEntry& entry) const;
  std::string to_svg(const PaperEntry& entry) const;

 private:
  void use(const ConfigLibrary& library, const std::string& paper, const PublishedPaper& published,
           const ConfigDocument& document, const PaperReference& reference, Diagnostics& problems);
  void compare(PaperEntry& entry) const;
  double value_of(const std::string& paper, const std::string& expression) const;
  const PaperStudy& study(const PaperEntry& entry, const std::string& name) const;

  std::vector<PaperEntry> entries_;
  std::map<std::string, PaperStudy> studies_;  // "abeyratne2017/mesh"
  std::size_t points_ = 0;
  double host_seconds_ = 0;
  std::vector<std::string> crashes_;
};

}  // namespace asterism
