// Compares published tables and figures (published.h) with the results of the models.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "platform/study/figure.h"
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

// Parameters that were fitted to values of a paper.
struct PaperFit {
  std::string parameters;
  unsigned fitted = 0, held_out = 0;  // values and claims
};

// The 95% confidence interval of a value that depends on random numbers, and the seeds of these. The
// deviations of the columns of the value count as independent and small: their effects on it, one by one, are
// added as squares.
struct PaperInterval {
  double low = 0, high = 0;
  std::set<std::uint64_t> seeds;
};

struct PaperComparison {
  enum class Verdict { holds, off, as_known };  // as_known: it differs within its band
  double measured = 0;                          // of a claim: its largest excess (DifferenceBand)
  Verdict verdict = Verdict::holds;
  std::optional<PaperInterval> interval = {};  // of a value whose studies have one
};

struct PaperEntry {
  std::string id;  // "abeyratne2017.fig3.11"
  PublishedEntry published;
  std::set<std::string> studies;  // those that it refers to
  // Set by run(), in the order of the values and claims.
  std::vector<PaperComparison> values;
  std::vector<std::vector<double>> claimed;  // the values of the parts of each claim
  std::vector<PaperComparison> claims;

  bool off() const;
};

std::string name_of(PublishedClass of_class);  // "known mismatch"

// What is expected of a value or a claim that has a band, and of a known mismatch whose it is: "paper;
// expected -85.0% to -80.0%".
std::string expected_text(const PublishedValue& value);
std::string expected_text(const PublishedClaim& claim);

// The difference of a measured value, as a share of the published one; the value itself if that is 0.
double distance_of(double measured, double published);

class Paper {
 public:
  // Every entry of configs/published whose id is one of these or begins with one; all entries if none is
  // given; with `only`, what is of this class. Throws InputMissing for an id that does not exist, and
  // ConfigError for a bad file.
  Paper(const ConfigLibrary& library, const std::vector<std::string>& ids,
        std::optional<PublishedClass> only = {});

  static std::vector<std::string> ids(
      const ConfigLibrary& library);  // of all papers: "abeyratne2017.fig3.11"
  static std::vector<std::pair<std::string, std::string>> list(
      const ConfigLibrary& library);  // all ids with their titles

  // Runs every point that an entry needs, each once. False if the run was interrupted: entries() are then
  // those whose points are all done, also while `give_up` of the settings is called. A value that needs a
  // point that has crashed is NaN.
  bool run(const PointRunSettings& settings);

  const std::vector<PaperEntry>& entries() const { return entries_; }
  std::size_t selected() const { return selected_; }  // entries, whether they were compared or not
  std::size_t points() const { return points_; }
  double host_seconds() const { return host_seconds_; }
  // Crashes of points on ranks: "fabric: topology=mesh rate=0.01: killed by SIGSEGV".
  const std::vector<std::string>& crashes() const { return crashes_; }

  // One entry as text for a terminal, as CSV with one line for each value and claim, as JSON, and as a figure
  // ("" if it has none).
  std::string to_text(const PaperEntry& entry) const;
  std::string to_csv(const PaperEntry& entry) const;
  nlohmann::ordered_json to_json(const PaperEntry& entry) const;
  // The fits that the entry's values and claims name: "fitted: the clock by radix (to 1 value, 1 held out)".
  std::vector<std::string> fits_of(const PaperEntry& entry) const;
  // Of an entry that describes no panels, those of its values: none if no two have the same unit.
  std::vector<Panel> panels_of(const PaperEntry& entry) const;
  std::string to_svg(const PaperEntry& entry) const;
  // How many values and claims of each class hold, by paper. They are not added up, because an agreement
  // proves something else in each class.
  std::string summary() const;
  // What to_json() of all entries says, and what has changed since such a file was written: a line for each
  // value or claim. With `only`, other classes of the file are left out.
  nlohmann::ordered_json to_json() const;
  static bool is_written_by_json(const nlohmann::json& json);  // has what changes_since() reads
  std::vector<std::string> changes_since(const nlohmann::json& before) const;

 private:
  void count_fits(const std::string& paper, const PublishedPaper& published, const ConfigDocument& document,
                  Diagnostics& problems);
  void use(const ConfigLibrary& library, const std::string& paper, const PublishedPaper& published,
           const ConfigDocument& document, const PaperReference& reference, Diagnostics& problems);
  void take(const PointRun& all);
  bool is_done(const PaperEntry& entry) const;
  void compare(PaperEntry& entry) const;
  double value_of(const std::string& paper, const std::string& expression) const;
  std::optional<PaperInterval> interval_of(const std::string& paper, const std::string& expression) const;
  const PaperStudy& study(const PaperEntry& entry, const std::string& name) const;
  std::optional<double> place_of_value(const PaperEntry& entry, const PublishedValue& value,
                                       const PublishedPanel& panel, const PublishedSeries& series) const;

  std::optional<PublishedClass> only_;
  std::vector<PaperEntry> entries_;
  std::size_t selected_ = 0;
  std::map<std::string, PaperStudy> studies_;  // "abeyratne2017/mesh"
  std::map<std::string, PaperFit> fits_;       // the same way
  std::map<std::string, std::size_t> index_;   // of a point's kind and config
  std::size_t points_ = 0;
  double host_seconds_ = 0;
  std::vector<std::string> crashes_;
};

}  // namespace asterism
