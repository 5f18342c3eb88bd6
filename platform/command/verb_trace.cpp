#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/temporary_folder.h"
#include "platform/command/exit_statuses.h"
#include "platform/command/option_checks.h"
#include "platform/command/record_file.h"
#include "platform/command/result_output.h"
#include "platform/command/verbs.h"
#include "platform/config/diagnostics.h"
#include "platform/host/human_time.h"
#include "platform/instruments/perfetto_trace.h"
#include "platform/instruments/transaction_fst.h"
#include "platform/instruments/transaction_trace.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

struct TraceArguments {
  std::optional<std::string> file;  // traces/transactions.bin or traces/record.bin of a run
  std::optional<std::string> text, fst, perfetto, json;
};

TransactionTrace load(const std::string& file) {
  std::ifstream in = open_recorded(file);
  try {
    return TransactionTrace::read(in);
  } catch (const TransactionTraceError& error) {
    throw ConfigError(Diagnostic::of_file(file, fmt::format("file {}", error.what())));
  }
}

// The FST writer creates temporary files next to its own, so everything is written to a temporary folder.
std::string fst_of(const TransactionTrace& trace) {
  const TemporaryFolder folder;
  const fs::path file = folder / "transactions.fst";
  write_fst(trace, file);
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool is_record(const std::string& file) {
  std::string magic(RunRecord::magic.size(), '\0');
  open_recorded(file).read(magic.data(), static_cast<std::streamsize>(magic.size()));
  return magic == RunRecord::magic;
}

using Json = nlohmann::ordered_json;

Json json_of(const TransactionTrace& trace) {
  Json transactions = Json::array();
  for (const TracedTransaction& t : trace.transactions) {
    Json one{{"start_ps", t.start.count()},       {"end_ps", t.end.count()},
             {"master", trace.masters[t.master]}, {"command", name_of(t.command)},
             {"address", t.address.value()},      {"length", t.length},
             {"response", name_of(t.response)}};
    if (t.is_monitored) one["monitored"] = true;
    if (t.is_poisoned) one["poisoned"] = true;
    transactions.push_back(std::move(one));
  }
  return {{"masters", trace.masters}, {"transactions", std::move(transactions)}};
}

Json json_of(const RunRecord& record, const RunRecord::Entry& entry) {
  Json one{{"track", entry.track}, {"name", record.texts[entry.name]}, {"begin_ps", entry.begin.count()}};
  if (entry.kind == RunRecord::Entry::Kind::interval) one["end_ps"] = entry.end.count();
  for (std::uint32_t i = 0; i < entry.details; ++i) {
    const RunRecord::Detail& detail = record.details[entry.first_detail + i];
    Json& value = one["details"][record.texts[detail.name]];
    value = detail.is_text ? Json(record.texts[detail.value]) : Json(detail.value);
  }
  for (std::uint32_t i = 0; i < entry.flows; ++i) one["flows"].push_back(record.flows[entry.first_flow + i]);
  return one;
}

Json json_of(const RunRecord& record) {
  Json tracks = Json::array(), entries = Json::array(), values = Json::array();
  for (RunRecord::Index i = 0; i < record.tracks.size(); ++i) {
    const RunRecord::Track& track = record.tracks[i];
    const bool counts = track.kind == TrackKind::counter;
    tracks.push_back({{"name", record.path_of(i)}, {"kind", counts ? "counter" : "activity"}});
    if (counts) tracks.back()["unit"] = record.texts[track.unit];
  }
  for (const RunRecord::Entry& entry : record.entries) entries.push_back(json_of(record, entry));
  for (const RunRecord::Value& v : record.values)
    values.push_back({{"track", v.track}, {"at_ps", v.at.count()}, {"value", v.value}});
  return {{"run", record.texts.front()},
          {"end_ps", record.end().count()},
          {"tracks", std::move(tracks)},
          {"entries", std::move(entries)},
          {"values", std::move(values)}};
}

// Nothing is said if standard output has a result.
void say_what_is_written(std::initializer_list<const std::optional<std::string>*> files) {
  if (std::ranges::any_of(files, [](const auto* file) { return *file == "-"; })) return;
  for (const auto* file : files)
    if (*file) fmt::print("{:<10} {}\n", "written", **file);
}

int convert_record(const TraceArguments& arguments) {
  for (const auto& [file, option] : {std::pair(&arguments.text, "--text"), {&arguments.fst, "--fst"}})
    if (*file) refuse_option(option, "needs a trace of transactions, but this is a record of a run");
  refuse_a_file_twice(
      {{"FILE", &arguments.file}, {"--perfetto", &arguments.perfetto}, {"--json", &arguments.json}});
  const RunRecord record = read_record(*arguments.file);
  ResultOutput perfetto(arguments.perfetto, "--perfetto"), json(arguments.json, "--json");
  if (perfetto.is_wanted()) perfetto.write(to_perfetto(record));
  if (json.is_wanted()) json.write(json_of(record).dump() + "\n");
  say_what_is_written({&arguments.perfetto, &arguments.json});
  if (!perfetto.is_wanted() && !json.is_wanted())
    fmt::print("{} intervals and events, {} values of counters on {} tracks, until {}\n",
               record.entries.size(), record.values.size(), record.tracks.size(), human_time(record.end()));
  return 0;
}

int verb_trace(const TraceArguments& arguments) {
  if (is_record(*arguments.file)) return convert_record(arguments);
  if (arguments.perfetto) refuse_option("--perfetto", "needs a record of a run, traces/record.bin");
  const TransactionTrace trace = load(*arguments.file);
  refuse_a_file_twice({{"FILE", &arguments.file},
                       {"--fst", &arguments.fst},
                       {"--text", &arguments.text},
                       {"--json", &arguments.json}});
  ResultOutput fst(arguments.fst, "--fst"), text(arguments.text, "--text"), json(arguments.json, "--json");
  if (fst.is_wanted()) fst.write(fst_of(trace));
  if (text.is_wanted()) text.write(trace.to_text());
  if (json.is_wanted()) json.write(json_of(trace).dump() + "\n");
  say_what_is_written({&arguments.fst, &arguments.text, &arguments.json});
  if (!fst.is_wanted() && !text.is_wanted() && !json.is_wanted())
    fmt::print("{} transactions of {}\n", trace.transactions.size(), fmt::join(trace.masters, ", "));
  return 0;
}

}  // namespace

Verb add_trace(CLI::App& app) {
  const auto arguments = std::make_shared<TraceArguments>();
  CLI::App* verb =
      app.add_subcommand("trace", "Convert what a run has recorded to text, to waves or for Perfetto");
  verb->footer(exit_statuses());
  verb->add_option("FILE", arguments->file, "The file traces/transactions.bin or traces/record.bin of a run")
      ->required();
  verb->add_option("--text", arguments->text,
                   "Write one line for each transaction to this file; - is standard output")
      ->type_name("FILE")
      ->check(mistake_in_file);
  verb->add_option("--fst", arguments->fst, "Write FST for wave viewers to this file")
      ->type_name("FILE")
      ->check(mistake_in_value);
  verb->add_option("--perfetto", arguments->perfetto, "Write a record for ui.perfetto.dev to this file")
      ->type_name("FILE")
      ->check(mistake_in_value);
  verb->add_option("--json", arguments->json, "Write all of it to this file as JSON; - prints it instead")
      ->type_name("FILE")
      ->check(mistake_in_file);
  return {verb, [arguments](Ranks*) { return verb_trace(*arguments); }};
}

}  // namespace asterism
