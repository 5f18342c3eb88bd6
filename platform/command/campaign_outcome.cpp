#include "platform/command/campaign_outcome.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "platform/host/exit_status.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 8> outcome_names{"masked", "corrected", "recovered", "detected",
                                                   "silent", "hang",      "crashed",   "late"};
constexpr std::array<const char*, 8> outcome_meanings{"the same end, and no error noticed",
                                                      "the same end, and more errors corrected",
                                                      "the same end, after losses and restores",
                                                      "another end, which was reported",
                                                      "the end of a correct run, but not its results",
                                                      "the run did not end",
                                                      "the simulator failed",
                                                      "after the end of the run, which is not affected"};

// The sum of all counts in a tree of statistics whose names begin with a prefix.
std::uint64_t count_in(const nlohmann::json& tree, std::string_view name) {
  std::uint64_t sum = 0;
  for (const auto& [key, value] : tree.items()) {
    if (value.is_object()) sum += count_in(value, name);
    if (value.is_number_unsigned() && key.starts_with(name)) sum += value.get<std::uint64_t>();
  }
  return sum;
}

// The counts of losses and of recoveries: a restart or a restore of a node, a new epoch or a rollback of a
// cluster's ranks.
std::array<std::uint64_t, 4> recovery_counts_of(const nlohmann::json& stats) {
  const nlohmann::json cluster = stats.value("cluster", nlohmann::json::object());
  const std::uint64_t none = 0;
  return {stats.value("power_losses", none), stats.value("recoveries", none), cluster.value("epochs", none),
          cluster.value("rollbacks", none)};
}

// The files below files/. In a cluster the name of the node is ignored, because a spare writes those of the
// rank that it takes.
std::set<std::pair<std::string, std::string>> files_below(const fs::path& folder, bool is_cluster) {
  std::set<std::pair<std::string, std::string>> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const fs::path name = entry.path().lexically_relative(folder);
    const bool of_node = is_cluster && name.has_parent_path();
    files.emplace((of_node ? "node" / name.lexically_relative(*name.begin()) : name).string(),
                  text_of_run_file(entry.path()));
  }
  return files;
}

// What was printed on the consoles.
std::string logs_in(const fs::path& folder) {
  std::set<fs::path> logs;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".log" && entry.path().filename() != "reference.log")
      logs.insert(entry.path());
  std::string text;
  for (const fs::path& log : logs) text += text_of_run_file(log);
  return text;
}

}  // namespace

bool is_bad(Outcome outcome) { return outcome >= Outcome::silent && outcome <= Outcome::crashed; }
bool is_same_end(Outcome outcome) { return outcome <= Outcome::recovered; }

std::vector<OutcomeText> outcome_texts(const PrintedOutcomes& printed) {
  std::vector<OutcomeText> texts;
  for (std::size_t i = 0; i < outcome_names.size(); ++i)
    texts.push_back({outcome_names[i], outcome_meanings[i]});
  for (const auto& [name, words] : printed)
    texts.push_back({name, fmt::format("\"{}\" on the console", words)});
  return texts;
}

bool ObservedRun::has_failed() const {
  return !has_report() || status > static_cast<int>(ExitStatus::largest_of_firmware);
}
bool ObservedRun::is_unexpected() const { return status == static_cast<int>(ExitStatus::expectation); }

std::string text_of_run_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

std::string summary_of(const fs::path& log) {
  std::string text = text_of_run_file(log);
  if (const auto folder = text.rfind("\nrun files "); folder != std::string::npos)
    text.erase(folder, text.find('\n', folder + 1) - folder);
  return text;
}

void read_report(const fs::path& folder, ObservedRun& seen) {
  const nlohmann::json stats = nlohmann::json::parse(text_of_run_file(folder / "stats.json"), nullptr, false);
  if (!stats.is_object()) return;
  seen.ended = stats.value("ended", "");
  seen.firmware_status = stats.value("firmware_status", std::uint64_t{0});
  seen.recovery_counts = recovery_counts_of(stats);
  seen.at = Picoseconds(stats.value("simulated_time_ps", std::uint64_t{0}));
  seen.corrected = count_in(stats, "corrected");
  seen.silent = count_in(stats, "silent");
  seen.files = files_below(folder / "files", stats.contains("cluster"));
  seen.printed = logs_in(folder);
}

Outcome classify(const ObservedRun& seen, const ObservedRun& good, const PrintedOutcomes& printed) {
  if (!seen.has_report()) return Outcome::crashed;
  std::size_t number = outcome_names.size();
  for (const auto& [name, words] : printed) {
    if (seen.printed.find(words) != std::string::npos && good.printed.find(words) == std::string::npos)
      return static_cast<Outcome>(number);
    ++number;
  }
  if (seen.ended == "time_limit" || seen.ended == "stalled") return Outcome::hang;
  const bool same_end = seen.ended == good.ended && seen.firmware_status == good.firmware_status;
  if (!same_end) return Outcome::detected;
  if (seen.files != good.files || seen.is_unexpected()) return Outcome::silent;
  for (std::size_t i = 0; i < seen.recovery_counts.size(); ++i)
    if (seen.recovery_counts[i] > good.recovery_counts[i]) return Outcome::recovered;
  // Corrections take time, and a program may print times.
  const bool is_corrected = seen.corrected > good.corrected;
  const bool printed_otherwise = seen.files.empty() && seen.printed != good.printed;
  if (printed_otherwise && (!is_corrected || seen.silent > good.silent)) return Outcome::silent;
  return is_corrected ? Outcome::corrected : Outcome::masked;
}

}  // namespace asterism
