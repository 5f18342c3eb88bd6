#include "platform/command/study_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/wrapped_text.h"
#include "platform/command/converted_file.h"
#include "platform/command/result_output.h"
#include "platform/config/diagnostics.h"
#include "platform/host/output_failure.h"
#include "platform/report/study_page.h"
#include "platform/study/study_report.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

// The files of an interrupted or crashed study keep the name of a partial one.
bool is_partial(const PointRun& run) { return run.interrupted || run.has_crashed(); }

std::string host_json(const PointRun& run) {
  nlohmann::ordered_json json{{"wall_microseconds", static_cast<std::uint64_t>(run.host_seconds * 1e6)},
                              {"threads", run.threads}};
  if (run.ranks != 0) json["ranks"] = run.ranks;
  return json.dump(2) + "\n";
}

std::string to_pdf(const Study& study, const PointRun& run) { return pdf_of(to_svg(study, run)); }

// "12 points in 3.1 s on 2 threads; 10 ok, 2 saturated"
std::string what_was_done(const Study& study, const PointRun& run, std::string_view counted) {
  std::string text = is_partial(run)
                         ? fmt::format("{}: {} of {} {}s", run.interrupted ? "interrupted" : "crashed",
                                       run.done(), study.points.size(), counted)
                         : fmt::format("{} {}{}", run.done(), counted, run.done() == 1 ? "" : "s");
  if (run.partly() != 0) text += fmt::format(" and a part of {}", run.partly());
  text += fmt::format(" in {:.1f} s on {}", run.host_seconds, run.places());
  std::vector<std::pair<std::string, int>> states;
  for (std::size_t c = 0; c < study.kind->columns.size(); ++c) {
    if (study.kind->columns[c].name != study.kind->state) continue;
    for (const auto& row : run.rows) {
      if (!row) continue;
      const std::string state = to_text((*row)[c]);
      auto at = std::ranges::find(states, state, &std::pair<std::string, int>::first);
      if (at == states.end()) at = states.insert(at, {state, 0});
      ++at->second;
    }
  }
  for (const auto& [state, count] : states)
    text += fmt::format("{} {} {}", state == states[0].first ? ";" : ",", count, state);
  return text;
}

}  // namespace

// The result of one of the options.
class StudyOutputs::Output {
 public:
  Output(const std::optional<std::string>& file, const char* option,
         std::string (*make)(const Study&, const PointRun&))
      : make_(make), is_standard_output_(file == "-") {
    if (file && !is_standard_output_) file_ = std::make_unique<OutputFile>(*file, option);
  }
  bool is_standard_output() const { return is_standard_output_; }
  void write(const Study& study, const PointRun& run, bool is_verbose) const {
    if (is_standard_output_) fmt::print("{}", make_(study, run));
    if (!file_) return;
    const std::string text = make_(study, run);
    const fs::path path = is_partial(run) ? file_->leave_partial(text) : file_->finish(text);
    if (is_verbose) fmt::print("{:<10} {}\n", "written", path.string());
  }

 private:
  std::unique_ptr<OutputFile> file_;
  std::string (*make_)(const Study&, const PointRun&);
  bool is_standard_output_;
};

StudyOutputs::StudyOutputs(const ResultFiles& files) {
  refuse_a_file_twice({{"--csv", &files.csv},
                       {"--json", &files.json},
                       {"--svg", &files.svg},
                       {"--pdf", &files.pdf},
                       {"--report", &files.report}});
  if (files.pdf) {
    const std::string extension = fs::path(*files.pdf).extension();
    if (!extension.empty() && extension != ".pdf")
      refuse_option("--pdf", fmt::format("expected a name that ends in .pdf, got \"{}\"", *files.pdf));
    require_pdf();
  }
  const auto output = [](const std::optional<std::string>& file, const char* option,
                         std::string (*make)(const Study&, const PointRun&)) {
    return std::make_shared<const Output>(file, option, make);
  };
  outputs_ = {output(files.csv, "--csv", to_csv), output(files.json, "--json", to_json),
              output(files.svg, "--svg", to_svg), output(files.pdf, "--pdf", to_pdf),
              output(files.report, "--report", study_page)};
}

bool StudyOutputs::is_verbose() const {
  return std::ranges::none_of(outputs_, [](const auto& output) { return output->is_standard_output(); });
}

void StudyOutputs::write(const Study& study, const PointRun& run, std::string_view counted) const {
  if (is_verbose()) {
    fmt::print("{}\n", to_table(study, run));
    fmt::print("{}", wrapped(study.kind->name == "sweep" ? "sweep" : "study",
                             fmt::format("{}: {}", study.name, what_was_done(study, run, counted)), 11));
  }
  OutputAttempts attempts;
  for (const auto& output : outputs_) attempts.attempt([&] { output->write(study, run, is_verbose()); });
  attempts.throw_if_any();
}

void write_directory(RunDirectory& directory, const Study& study, const PointRun& run, bool is_verbose) {
  OutputAttempts attempts;
  const auto write = [&](const char* name, const std::string& text) {
    attempts.attempt([&] { directory.write(name, text); });
  };
  write("results.csv", to_csv(study, run));
  write("results.json", to_json(study, run));
  write("figure.svg", to_svg(study, run));
  write("host.json", host_json(run));
  const bool stays_partial = is_partial(run) || attempts.has_failed();
  if (stays_partial)
    directory.leave_partial();
  else
    directory.finish();
  if (is_verbose)
    fmt::print("{:<10} {}\n", "written",
               (stays_partial ? directory.path() : directory.final_path()).string());
  attempts.throw_if_any();
}

}  // namespace asterism
