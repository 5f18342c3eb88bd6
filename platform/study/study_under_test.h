// Helpers for the tests of studies: a study made of overrides, a row whose cells are found by their columns,
// a user who interrupts a run, and a temporary file.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/temporary_folder.h"
#include "base/thrown.h"
#include "platform/config/config.h"
#include "platform/study/point_runner.h"
#include "platform/study/study.h"

namespace asterism {

inline const ConfigLibrary shipped_configs(ASTERISM_SOURCE_CONFIGS);

struct Row {
  const Cell& at(std::string_view column) const {
    for (std::size_t i = 0; i < kind->columns.size(); ++i)
      if (kind->columns[i].name == column) return cells.at(i);
    throw std::out_of_range(std::string(column));
  }
  std::uint64_t count(std::string_view column) const { return std::get<std::uint64_t>(at(column)); }
  double number(std::string_view column) const { return std::get<double>(at(column)); }
  std::string text(std::string_view column) const { return std::get<std::string>(at(column)); }
  bool is_empty(std::string_view column) const { return std::holds_alternative<std::monostate>(at(column)); }

  const StudyKind* kind;
  std::vector<Cell> cells;
};

// The result of the study's first point.
inline Row run_first(const Study& study) { return {study.kind, study.points.at(0).point->run({})}; }

inline PointRun run_all(const Study& study, unsigned threads) {
  return run_study(study, {.threads = threads, .show_progress = false});
}

// Like run_all(), but a user sends SIGINT as soon as `due` holds.
inline PointRun run_interrupted(const Study& study, unsigned threads, const std::function<bool()>& due) {
  std::thread user([&] {
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    // The thread that runs the points must receive the signal.
    pthread_sigmask(SIG_BLOCK, &interrupt, nullptr);
    while (!due()) std::this_thread::yield();
    kill(getpid(), SIGINT);
  });
  PointRun run = run_all(study, threads);
  user.join();
  return run;
}

// Studies from a file s.json with the contents `text` and overrides.
class StudyUnderTest {
 public:
  explicit StudyUnderTest(std::string text) : text_(std::move(text)) {}
  // Of a kind that is not registered.
  StudyUnderTest(const StudyKind& kind, std::string text) : kind_(&kind), text_(std::move(text)) {}

  Study read(const std::vector<std::string>& overrides, const std::string& text) const {
    ConfigDocument document = ConfigDocument::parse(text, "s.json");
    for (const std::string& override : overrides) document.apply_override(override);
    const std::span kinds = kind_ ? std::span(kind_, 1) : study_kinds();
    return read_study(std::move(document), "s", shipped_configs, kinds);
  }
  Study read(const std::vector<std::string>& overrides = {}) const { return read(overrides, text_); }
  // The result of the first point.
  Row run(const std::vector<std::string>& overrides) const { return run_first(read(overrides)); }
  // The error message, "none" if there is none.
  std::string mistake(const std::vector<std::string>& overrides, const std::string& text) const {
    return thrown<ConfigError>([&] { read(overrides, text); });
  }
  std::string mistake(const std::vector<std::string>& overrides) const { return mistake(overrides, text_); }

 private:
  const StudyKind* kind_ = nullptr;
  std::string text_;
};

// A study of configs/studies, as a user has it who types its name.
inline Study shipped_study(const std::string& name, const std::vector<std::string>& overrides = {}) {
  ConfigDocument document = ConfigDocument::load(shipped_configs.locate("studies", name));
  for (const std::string& override : overrides) document.apply_override(override);
  return read_study(std::move(document), name, shipped_configs);
}

class TraceFile {
 public:
  explicit TraceFile(const std::string& text) { write(text); }
  void write(const std::string& text) const { std::ofstream(path_) << text; }
  void remove() const { std::filesystem::remove(path_); }
  std::string key() const { return "trace=" + path_.string(); }

 private:
  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "trace";
};

inline int occurrences(std::string_view text, std::string_view part) {
  int found = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace asterism
