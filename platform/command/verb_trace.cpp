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
#include "platform/command/result_output.h"
#include "platform/command/verbs.h"
#include "platform/config/diagnostics.h"
#include "platform/instruments/transaction_fst.h"
#include "platform/instruments/transaction_trace.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

struct TraceArguments {
  std::string file;  // the file traces/transactions.bin of a run
  std::optional<std::string> text, fst;
};

TransactionTrace load(const std::string& file) {
  std::error_code none;
  std::ifstream in(file, std::ios::binary);
  if (!in || fs::is_directory(file, none))
    throw InputMissing(Diagnostic::of_file(
        file, fmt::format("trace cannot be read: {}", std::strerror(in ? EISDIR : errno))));
  try {
    return TransactionTrace::read(in);
  } catch (const TransactionTraceError& error) {
    throw ConfigError(Diagnostic::of_file(file, fmt::format("trace {}", error.what())));
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

int verb_trace(const TraceArguments& arguments) {
  const TransactionTrace trace = load(arguments.file);
  refuse_a_file_twice({{"--fst", &arguments.fst}, {"--text", &arguments.text}});
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
  CLI::App* verb = app.add_subcommand("trace", "Convert a trace of transactions to text or to waves");
  verb->add_option("FILE", arguments->file, "The file traces/transactions.bin of a run")->required();
  verb->add_option("--text", arguments->text,
                   "Write one line for each transaction to this file; - is standard output")
      ->type_name("FILE")
      ->check(mistake_in_file);
  verb->add_option("--fst", arguments->fst, "Write FST for wave viewers to this file")
      ->type_name("FILE")
      ->check(mistake_in_value);
  return {verb, [arguments](Ranks*) { return verb_trace(*arguments); }};
}

}  // namespace asterism
