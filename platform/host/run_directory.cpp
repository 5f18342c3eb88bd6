#include "platform/host/run_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "platform/host/open_files.h"
#include "platform/host/output_failure.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

Diagnostic about(const fs::path& directory, const std::string& problem) {
  const fs::path from_here = directory.lexically_proximate(fs::current_path());
  const bool below = !from_here.native().starts_with("..");
  return Diagnostic::of_file((below ? from_here : directory).string(), "run directory " + problem);
}
[[noreturn]] void refuse(const fs::path& directory, const std::string& problem) {
  throw ConfigError(about(directory, problem));
}

bool holds_only(const fs::path& folder, const DirectoryContents& contents) {
  return std::all_of(fs::directory_iterator(folder), fs::directory_iterator(), [&](const auto& entry) {
    const fs::path name = entry.path().filename();
    return std::ranges::count(contents.entries, name.native()) +
               std::ranges::count(contents.entries, name.extension().native()) !=
           0;
  });
}

// Whether something exists that is neither an empty folder nor a run directory. A run that was killed may be
// incomplete.
bool is_something_else(const fs::path& path, bool finished, const DirectoryContents& contents) {
  std::error_code none;
  if (!fs::exists(path, none)) return false;
  if (!fs::is_directory(path, none) || !holds_only(path, contents)) return true;
  return finished && !fs::is_empty(path) && !std::ranges::all_of(contents.always, [&](std::string_view name) {
           return fs::exists(path / name, none);
         });
}

nlohmann::ordered_json to_tree(const Statistics& statistics) {
  nlohmann::ordered_json tree = nlohmann::ordered_json::object();
  for (const auto& [name, value] : statistics.entries()) {
    if (const auto* group = std::get_if<std::unique_ptr<Statistics>>(&value))
      tree[name] = to_tree(**group);
    else if (const auto* text = std::get_if<std::string>(&value))
      tree[name] = *text;
    else
      tree[name] = std::get<std::uint64_t>(value);
  }
  return tree;
}

// Of a loss of power.
std::optional<Picoseconds> restore_after(std::initializer_list<EventLog::Detail> details) {
  for (const auto& [name, value] : details)
    if (const auto* const time = std::get_if<std::uint64_t>(&value); time && name == "restore_after_ps")
      return Picoseconds(*time);
  return std::nullopt;
}

}  // namespace

bool lies_within(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const fs::path inner = fs::weakly_canonical(path, error), outer = fs::weakly_canonical(folder, error);
  return !error && std::ranges::mismatch(outer, inner).in1 == outer.end();
}

// Files with "partial", the copies, and the state of devices of the other run exist only during the run.
const DirectoryContents contents_of_a_run{{"scenario.json",
                                           "stats.json",
                                           "host.json",
                                           ".log",
                                           "events.jsonl",
                                           "profile.txt",
                                           "profile_lines.txt",
                                           "profile.folded",
                                           "profile.svg",
                                           "kernel_symbols.elf",
                                           "timeline.svg",
                                           "report.html",
                                           "cores.txt",
                                           "last_instructions.txt",
                                           "files",
                                           "reference",
                                           "reference.partial",
                                           "reference_state",
                                           "traces",
                                           "copies"},
                                          {"scenario.json", "events.jsonl"}};

RunDirectory::RunDirectory(const fs::path& directory, const DirectoryContents& contents) {
  if (directory.empty()) throw ConfigError(Diagnostic::of_file("--out", "names no run directory"));
  final_ = fs::absolute(directory).lexically_normal();
  if (!final_.has_filename()) final_ = final_.parent_path();
  if (lies_within(fs::current_path(), final_))
    refuse(final_, "would replace the current folder; name another with --out");
  partial_ = final_;
  partial_ += ".partial";
  for (const auto& [existing, finished] : {std::pair(final_, true), {partial_, false}})
    if (is_something_else(existing, finished, contents))
      refuse(existing, "exists and holds something else; name another with --out");
  std::error_code error;
  fs::create_directories(partial_, error);
  if (error) refuse(partial_, fmt::format("cannot be created: {}", error.message()));
  lock_ = open(partial_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0 || flock(lock_, LOCK_EX | LOCK_NB) != 0)
    refuse(partial_, "is being written by another run; name another with --out");
  for (const auto& left_over : fs::directory_iterator(partial_)) fs::remove_all(left_over.path());
  if (std::ranges::count(contents.entries, "files") != 0) fs::create_directory(files());
}

RunDirectory::~RunDirectory() {
  std::error_code none;
  if (!finished_) fs::remove_all(partial_, none);
  close(lock_);
}

void RunDirectory::write(const std::string& name, std::string_view text) const {
  errno = 0;
  std::ofstream out(partial_ / name, std::ios::binary);
  out << text;
  out.close();
  if (!out)
    throw OutputFailure(about(partial_ / name, fmt::format("cannot be written: {}", std::strerror(errno))));
}

void RunDirectory::take_over(const fs::path& other) {
  final_ = other;
  partial_ = other;
  partial_ += ".partial";
}

void RunDirectory::branch(const fs::path& other) {
  RunDirectory made(other);
  const OpenFiles open(partial_);
  fs::copy(partial_, made.partial_, fs::copy_options::recursive);
  open.reopen_in(made.partial_);
  dup3(made.lock_, lock_, O_CLOEXEC);
  final_ = made.final_;
  partial_ = made.partial_;
  made.leave_partial();
}

// If the file system supports it, the two folders are exchanged in one step, so that the name exists at any
// time, and the older folder is then removed.
void RunDirectory::finish() {
  finished_ = true;  // the folder is kept under either name
  std::error_code error;
  if (renameat2(AT_FDCWD, partial_.c_str(), AT_FDCWD, final_.c_str(), RENAME_EXCHANGE) == 0) {
    fs::remove_all(partial_, error);
    if (error)
      throw OutputFailure(
          about(partial_, fmt::format("is the older run and cannot be removed: {}", error.message())));
    return;
  }
  fs::remove_all(final_, error);
  if (!error) fs::rename(partial_, final_, error);
  if (error)
    throw OutputFailure(about(final_, fmt::format("cannot be replaced ({}); the new run stays in {}",
                                                  error.message(), partial_.string())));
}

void EventFile::record(Picoseconds at, std::string_view source, std::string_view kind,
                       std::initializer_list<Detail> details) {
  nlohmann::ordered_json line = {{"time_ps", at.count()}, {"source", source}, {"kind", kind}};
  for (const auto& [name, value] : details)
    std::visit([&entry = line[std::string(name)]](const auto& v) { entry = v; }, value);
  out_.write(line.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + '\n');
  for (EventLog* other : others_) other->record(at, source, kind, details);
  std::vector<Count>& counts = counts_[std::string(kind)];
  auto of_source = std::ranges::find(counts, source, &Count::source);
  if (of_source == counts.end()) of_source = counts.insert(of_source, {std::string(source)});
  ++of_source->events;
  if (kind == "power_lost")
    if (const auto off = restore_after(details)) power_returns_ = at + *off;
  if (kind == "power_restored") power_returns_.reset();
  if (kind == "power_lost" || kind == "uncorrectable_error" || kind == "gpu_lost" ||
      kind == "gpu_zone_contained")
    lost_ = true;
  if ((kind == "restore" || kind == "recovery") && std::exchange(lost_, false)) ++recoveries_;
  if (kind == "checkpoint_commit") resets_.clear();
  if (kind != "warm_reset") return;
  if (resets_.size() == 3) resets_.erase(resets_.begin());
  resets_.push_back(at);
}

ActivityLog* EventFile::activity_log() {
  for (EventLog* other : others_)
    if (ActivityLog* const activity = other->activity_log()) return activity;
  return nullptr;
}

std::optional<Picoseconds> EventFile::reset_period(Picoseconds now) const {
  if (resets_.size() < 3) return std::nullopt;
  const Picoseconds before = resets_[1] - resets_[0], last = resets_[2] - resets_[1];
  const bool are_alike = before <= last * 2 && last <= before * 2;
  return are_alike && now - resets_[2] <= last * 2 ? std::optional(last) : std::nullopt;
}

std::uint64_t EventFile::count() const {
  std::uint64_t all = 0;
  for (const auto& [kind, of_kind] : counts_) all += count(kind);
  return all;
}

std::uint64_t EventFile::count(const std::string& kind) const {
  std::uint64_t sum = 0;
  if (const auto found = counts_.find(kind); found != counts_.end())
    for (const Count& each : found->second) sum += each.events;
  return sum;
}

std::uint64_t EventFile::count(const std::string& kind, const std::string& source) const {
  if (const auto found = counts_.find(kind); found != counts_.end())
    for (const Count& each : found->second)
      if (each.source == source) return each.events;
  return 0;
}

std::string to_json(const Statistics& statistics) { return to_tree(statistics).dump(2) + "\n"; }

}  // namespace asterism
