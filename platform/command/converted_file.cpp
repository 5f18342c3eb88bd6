#include "platform/command/converted_file.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/temporary_folder.h"
#include "platform/config/diagnostics.h"
#include "platform/rtl/child_processes.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

std::string bytes_in(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::string converted(const std::string& text, const Converter& converter, const std::string& extension,
                      std::string_view option) {
  const TemporaryFolder folder;
  const fs::path source = folder / "source", result = folder / ("result" + extension), log = folder / "log";
  std::ofstream(source, std::ios::binary) << text;
  const auto at_option = [&](const std::string& problem) {
    return Diagnostic{.origin = Origin::command_line(), .path = std::string(option), .problem = problem};
  };
  std::vector<std::string> words = converter.words;
  words.insert(words.end(), {"-o", result, source});
  try {
    const BuildSignals signals;
    if (run_all({{.words = words, .log = log}}, 1, signals) == 1) return bytes_in(result);
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::no_such_file_or_directory) throw;
    throw InputMissing(
        at_option(fmt::format("{} files need the program {}, which is not installed: apt-get install {}",
                              extension, words.front(), converter.package)));
  }
  const std::string said = bytes_in(log);
  throw ConfigError(at_option(fmt::format("{} failed: {}", words.front(), said.substr(0, said.find('\n')))));
}

std::string pdf_of(const std::string& svg) {
  setenv("SOURCE_DATE_EPOCH", "0", 0);
  return converted(svg, {.words = {"rsvg-convert", "-f", "pdf"}, .package = "librsvg2-bin"}, ".pdf", "--pdf");
}

void require_pdf() { (void)pdf_of("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"/>"); }

}  // namespace asterism
