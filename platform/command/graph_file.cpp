#include "platform/command/graph_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/temporary_folder.h"
#include "platform/command/option_checks.h"
#include "platform/config/diagnostics.h"
#include "platform/host/output_file.h"
#include "platform/rtl/child_processes.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> extensions{".dot", ".svg", ".pdf", ".png"};

std::string bytes_in(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The contents of a file in the format of the extension.
std::string drawn(const std::string& text, const std::string& extension, std::string_view option) {
  const TemporaryFolder folder;
  const fs::path source = folder / "node.dot", result = folder / ("node" + extension), log = folder / "log";
  std::ofstream(source, std::ios::binary) << text;
  const auto at_option = [&](const std::string& problem) {
    return Diagnostic{.origin = Origin::command_line(), .path = std::string(option), .problem = problem};
  };
  try {
    const BuildSignals signals;
    const std::vector<std::string> words{"dot", "-T" + extension.substr(1), "-o", result, source};
    if (run_all({{.words = words, .log = log}}, 1, signals) == 1) return bytes_in(result);
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::no_such_file_or_directory) throw;
    throw InputMissing(at_option(fmt::format(
        "{} files need the program dot, which is not installed: apt-get install graphviz", extension)));
  }
  const std::string words = bytes_in(log);
  throw ConfigError(at_option("graphviz failed: " + words.substr(0, words.find('\n'))));
}

}  // namespace

std::string graph_formats() {
  return fmt::format("{} or {}", fmt::join(extensions.begin(), extensions.end() - 1, ", "),
                     extensions.back());
}

std::string mistake_in_graph_file(const std::string& file) {
  if (std::string mistake = mistake_in_value(file); !mistake.empty()) return mistake;
  if (std::ranges::count(extensions, fs::path(file).extension().string()) != 0) return "";
  return fmt::format("expected a file that ends in {}, got \"{}\"", graph_formats(), file);
}

void write_graph(const std::string& text, const fs::path& file, std::string_view option) {
  OutputFile output(file, option);
  const std::string extension = file.extension();
  output.finish(extension == ".dot" ? text : drawn(text, extension, option));
}

}  // namespace asterism
