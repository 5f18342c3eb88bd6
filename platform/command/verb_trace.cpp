#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/temporary_folder.h"
#include "platform/command/verbs.h"
#include "platform/config/diagnostics.h"
#include "platform/host/output_file.h"
#include "platform/instruments/transaction_fst.h"
#include "platform/instruments/transaction_trace.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

int verb_trace(const TraceArguments& arguments) {
  const TransactionTrace trace = load(arguments.file);
  if (arguments.fst) OutputFile(*arguments.fst, "--fst").finish(fst_of(trace));
  if (arguments.text) {
    if (*arguments.text == "-")
      fmt::print("{}", trace.to_text());
    else
      OutputFile(*arguments.text, "--text").finish(trace.to_text());
  }
  if (!arguments.fst && !arguments.text)
    fmt::print("{} transactions of {}\n", trace.transactions.size(), fmt::join(trace.masters, ", "));
  return 0;
}

}  // namespace asterism
