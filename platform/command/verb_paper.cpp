#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/wrapped_text.h"
#include "platform/command/converted_file.h"
#include "platform/command/exit_statuses.h"
#include "platform/command/option_checks.h"
#include "platform/command/result_output.h"
#include "platform/command/verbs.h"
#include "platform/config/diagnostics.h"
#include "platform/config/nearest_name.h"
#include "platform/host/exit_status.h"
#include "platform/host/installed_files.h"
#include "platform/host/output_failure.h"
#include "platform/host/run_directory.h"
#include "platform/report/study_page.h"
#include "platform/study/paper.h"

namespace asterism {
namespace {

struct PaperArguments {
  std::vector<std::string> ids;  // or their beginnings; empty for all
  std::optional<std::string> out, json, diff, report;
  bool writes_pdf = false;
  std::optional<PublishedClass> only;
  unsigned threads = 0;  // 0 uses all cores of the host, and one on each rank
};

// All files that any of the entries may write.
std::vector<std::string> files_of_papers(const ConfigLibrary& library) {
  std::vector<std::string> names{"summary.txt"};
  for (const std::string& id : Paper::ids(library))
    for (const char* kind : {".csv", ".svg", ".pdf"}) names.push_back(id + kind);
  return names;
}

nlohmann::json read_before(const std::string& file) {
  std::error_code none;
  if (std::filesystem::is_directory(file, none)) refuse_option("--diff", file + " is a folder");
  std::ifstream in(file);
  if (!in)
    throw InputMissing(
        Diagnostic{.origin = Origin::command_line(), .path = "--diff", .problem = file + " cannot be read"});
  auto json = nlohmann::json::parse(in, nullptr, false);
  if (!Paper::is_written_by_json(json))
    refuse_option("--diff", file + " is no file that `asterism paper --json` has written");
  return json;
}

std::string mistake_in_class(const std::string& text) {
  if (enum_from_text<PublishedClass>(text)) return "";
  std::vector<std::string> names;
  for (const auto& each : enum_names(PublishedClass{})) names.emplace_back(each.name);
  const std::string nearest = nearest_name(text, names);
  return fmt::format("there is no class \"{}\"; {}", text,
                     nearest.empty() ? "--help has all" : fmt::format("did you mean \"{}\"?", nearest));
}

std::string classes() {
  std::string text;
  for (const auto& each : enum_names(PublishedClass{}))
    text += fmt::format("{}{}", text.empty() ? "" : ", ", each.name);
  return text;
}

// A key of a study would be taken for an entry that does not exist.
void refuse_keys(const std::vector<std::string>& ids) {
  for (const std::string& id : ids)
    if (const std::string key = id.substr(0, id.find('=')); key != id)
      refuse_option(
          key.c_str(),
          "paper takes no keys: the studies of an entry have theirs in configs/published; `asterism "
          "study` runs one with others");
}

// What the verb writes beside its text.
struct PaperOutputs {
  explicit PaperOutputs(const PaperArguments& arguments)
      : json(std::in_place, arguments.json, "--json"), report(std::in_place, arguments.report, "--report") {}
  void remove() {
    directory.reset();
    json.reset();
    report.reset();
  }

  std::optional<ResultOutput> json, report;
  std::optional<RunDirectory> directory;
};

// Writes what was compared, in part if the run was interrupted.
void write_outputs(const Paper& paper, const PaperArguments& arguments, PaperOutputs& outputs,
                   bool is_partial) {
  const bool prints = !outputs.json->is_standard_output() && !outputs.report->is_standard_output();
  std::vector<std::string> written;
  std::string text;
  for (const PaperEntry& entry : paper.entries()) {
    text += paper.to_text(entry) + "\n";
    if (!outputs.directory) continue;
    outputs.directory->write(entry.id + ".csv", paper.to_csv(entry));
    const std::string svg = paper.to_svg(entry);
    if (!svg.empty()) outputs.directory->write(entry.id + ".svg", svg);
    if (!svg.empty() && arguments.writes_pdf) outputs.directory->write(entry.id + ".pdf", pdf_of(svg));
  }
  text += paper.summary();
  if (is_partial)
    text += fmt::format("interrupted: {} of {} entries were compared\n", paper.entries().size(),
                        paper.selected());
  if (prints) fmt::print("{}{:<10} {} in {:.1f} s\n", text, "points", paper.points(), paper.host_seconds());
  if (outputs.directory) {
    outputs.directory->write("summary.txt", text);
    if (is_partial)
      outputs.directory->leave_partial();
    else
      outputs.directory->finish();
    written.push_back((is_partial ? outputs.directory->path() : outputs.directory->final_path()).string());
  }
  const auto write = [&](ResultOutput& output, const std::optional<std::string>& file,
                         const std::string& made) {
    if (is_partial) {
      written.push_back(output.leave_partial(made));
    } else {
      output.write(made);
      written.push_back(*file);
    }
  };
  OutputAttempts attempts;
  if (outputs.json->is_wanted())
    attempts.attempt([&] { write(*outputs.json, arguments.json, paper.to_json().dump(2) + "\n"); });
  if (outputs.report->is_wanted())
    attempts.attempt([&] { write(*outputs.report, arguments.report, paper_page(paper)); });
  if (prints)
    for (const std::string& path : written) fmt::print("{:<10} {}\n", "written", path);
  attempts.throw_if_any();
}

void write_changes(const Paper& paper, const PaperArguments& arguments, const nlohmann::json& before) {
  std::FILE* const to = arguments.json == "-" || arguments.report == "-" ? stderr : stdout;
  const std::vector<std::string> changes = paper.changes_since(before);
  fmt::print(to, "{:<10} {} since {}\n", "changes", changes.size(), *arguments.diff);
  for (const std::string& change : changes) fmt::print(to, "{}", wrapped(change, 2));
}

int verb_paper(const PaperArguments& arguments, Ranks* ranks) {
  refuse_keys(arguments.ids);
  const InstalledFiles installed = InstalledFiles::find();
  refuse_a_file_twice({{"--json", &arguments.json}, {"--report", &arguments.report}});
  PaperOutputs outputs(arguments);
  const nlohmann::json before = arguments.diff ? read_before(*arguments.diff) : nlohmann::json();
  if (arguments.writes_pdf) require_pdf();
  Paper paper(installed.configs, arguments.ids, arguments.only);
  if (arguments.out) {
    const std::vector<std::string> files = files_of_papers(installed.configs);
    outputs.directory.emplace(*arguments.out,
                              DirectoryContents{{files.begin(), files.end()}, {"summary.txt"}});
  }
  const auto end_interrupted = [&](const PointRun&) {
    if (paper.entries().empty()) {
      outputs.remove();
      fmt::print(stderr, "asterism: interrupted: nothing was compared\n");
      return;
    }
    write_outputs(paper, arguments, outputs, true);
    if (arguments.diff) write_changes(paper, arguments, before);
    fmt::print(stderr, "asterism: interrupted: {} of {} entries were compared\n", paper.entries().size(),
               paper.selected());
  };
  if (!paper.run({.threads = arguments.threads,
                  .show_progress = true,
                  .elsewhere = ProgressLine::Elsewhere::lines,
                  .ranks = ranks,
                  .give_up = end_interrupted})) {
    end_interrupted({});
    return static_cast<int>(ExitStatus::interrupted);
  }
  write_outputs(paper, arguments, outputs, false);
  if (arguments.diff) write_changes(paper, arguments, before);
  for (const std::string& crash : paper.crashes()) fmt::print(stderr, "asterism: {}\n", crash);
  if (!paper.crashes().empty()) return static_cast<int>(ExitStatus::internal);
  const bool off = std::ranges::any_of(paper.entries(), [](const PaperEntry& entry) { return entry.off(); });
  return static_cast<int>(off ? ExitStatus::differs : ExitStatus::success);
}

}  // namespace

Verb add_paper(CLI::App& app) {
  const auto arguments = std::make_shared<PaperArguments>();
  CLI::App* verb = app.add_subcommand("paper", "Compare published tables and figures with the models");
  verb->footer(exit_statuses({{ExitStatus::success, "all holds"},
                              {ExitStatus::differs, "a value or ordering is off"},
                              {ExitStatus::interrupted, "interrupted"}}));
  verb->add_option(
          "ID", arguments->ids,
          "The entries, e.g. abeyratne2017.fig3.11; the beginning of an ID selects all that begin so "
          "(default: all)")
      ->check(mistake_in_value);
  verb->add_option_function<std::string>(
          "--class",
          [arguments](const std::string& name) { arguments->only = enum_from_text<PublishedClass>(name); },
          "Compare only what is of this class: " + classes())
      ->type_name("CLASS")
      ->check(mistake_in_class);
  verb->add_option("--json", arguments->json,
                   "Write all comparisons to this file as JSON; - prints it instead")
      ->type_name("FILE")
      ->check(mistake_in_file);
  verb->add_option("--report", arguments->report,
                   "Make a page for a browser: published values beside measured ones, and figures")
      ->type_name("FILE")
      ->check(mistake_in_file);
  verb->add_option("--diff", arguments->diff, "Print what has changed since this file was written by --json")
      ->type_name("FILE")
      ->check(mistake_in_value);
  CLI::Option* out =
      verb->add_option("--out", arguments->out, "Write a CSV file and a figure for each entry to this folder")
          ->type_name("DIR")
          ->check(mistake_in_value);
  verb->add_flag("--pdf", arguments->writes_pdf, "Write the figures as PDF, too (needs rsvg-convert)")
      ->needs(out);
  verb->add_option(
          "--threads", arguments->threads,
          "The number of points at a time (default: the host's cores; under mpirun one on each rank)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  return {.command = verb,
          .run = [arguments](Ranks* ranks) { return verb_paper(*arguments, ranks); },
          .distributes = true};
}

}  // namespace asterism
