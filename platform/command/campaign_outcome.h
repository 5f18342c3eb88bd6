// How a run of a campaign ended, by its files, and how that compares with the run without a fault.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"

namespace asterism {

// Outcomes with names of the user, each with the words that the console of such a run has.
using PrintedOutcomes = std::map<std::string, std::string>;

// An outcome (campaign.h); those with names of the user are numbered behind these.
enum class Outcome { masked, corrected, recovered, detected, silent, hang, crashed, late };
bool is_bad(Outcome outcome);
// Whether the run ended as the one without a fault.
bool is_same_end(Outcome outcome);

struct OutcomeText {
  std::string name, meaning;
};
// Of all outcomes, in their order.
std::vector<OutcomeText> outcome_texts(const PrintedOutcomes& printed);

// The end of a run, as its files report it.
struct ObservedRun {
  int status = -1;  // exit status of the process; 128 + signal if it was killed
  std::string ended;
  std::uint64_t firmware_status = 0, corrected = 0, silent = 0;  // numbers of errors
  std::array<std::uint64_t, 4>
      recovery_counts{};  // counts of losses and recoveries, see recovery_counts_of()
  Picoseconds at;
  std::set<std::pair<std::string, std::string>> files;  // name and contents
  std::string printed;                                  // on the consoles
  double host_seconds = 0;

  bool has_report() const { return !ended.empty(); }
  bool has_failed() const;
  bool is_unexpected() const;
};

// Reads the files of a run. A folder without statistics leaves `seen` as it is.
void read_report(const std::filesystem::path& folder, ObservedRun& seen);

Outcome classify(const ObservedRun& seen, const ObservedRun& good, const PrintedOutcomes& printed);

// The summary of a run, without the line that names its folder, because the folder is removed.
std::string summary_of(const std::filesystem::path& log);
std::string text_of_run_file(const std::filesystem::path& file);

}  // namespace asterism
