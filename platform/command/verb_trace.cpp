#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>

#include "base/temporary_folder.h"
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
  std::optional<std::string> text, fst, perfetto;
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

int convert_record(const TraceArguments& arguments) {
  for (const auto& [file, option] : {std::pair(&arguments.text, "--text"), {&arguments.fst, "--fst"}})
    if (*file) refuse_option(option, "needs a trace of transactions, but this is a record of a run");
  refuse_a_file_twice({{"FILE", &arguments.file}, {"--perfetto", &arguments.perfetto}});
  const RunRecord record = read_record(*arguments.file);
  ResultOutput perfetto(arguments.perfetto, "--perfetto");
  if (perfetto.is_wanted())
    perfetto.write(to_perfetto(record));
  else
    fmt::print("{} intervals and events, {} values of counters on {} tracks, until {}\n",
               record.entries.size(), record.values.size(), record.tracks.size(), human_time(record.end()));
  return 0;
}

int verb_trace(const TraceArguments& arguments) {
  if (is_record(*arguments.file)) return convert_record(arguments);
  if (arguments.perfetto) refuse_option("--perfetto", "needs a record of a run, traces/record.bin");
  const TransactionTrace trace = load(*arguments.file);
  refuse_a_file_twice({{"FILE", &arguments.file}, {"--fst", &arguments.fst}, {"--text", &arguments.text}});
  ResultOutput fst(arguments.fst, "--fst"), text(arguments.text, "--text");
  if (fst.is_wanted()) fst.write(fst_of(trace));
  if (text.is_wanted()) text.write(trace.to_text());
  if (!fst.is_wanted() && !text.is_wanted())
    fmt::print("{} transactions of {}\n", trace.transactions.size(), fmt::join(trace.masters, ", "));
  return 0;
}

}  // namespace

Verb add_trace(CLI::App& app) {
  const auto arguments = std::make_shared<TraceArguments>();
  CLI::App* verb =
      app.add_subcommand("trace", "Convert what a run has recorded to text, to waves or for Perfetto");
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
  return {verb, [arguments](Ranks*) { return verb_trace(*arguments); }};
}

}  // namespace asterism
