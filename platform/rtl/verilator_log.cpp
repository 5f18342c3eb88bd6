#include "platform/rtl/verilator_log.h"

#include <cctype>
#include <fstream>

namespace asterism {
namespace {

// The rest of the line after a text; "" if the text does not occur.
std::string_view behind(std::string_view log, std::string_view text) {
  const std::size_t at = log.find(text);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = log.substr(at + text.size());
  return rest.substr(0, rest.find('\n'));
}

bool is_part_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

}  // namespace

std::vector<std::string> parameters_not_found(std::string_view log) {
  std::vector<std::string> names;
  for (const char c : behind(log, "%Error: Parameters from the command line were not found in the design:")) {
    if (!is_part_of_name(c))
      names.emplace_back();
    else if (!names.empty())
      names.back() += c;
  }
  std::erase(names, "");
  return names;
}

bool is_top_not_found(std::string_view log) {
  return !behind(log, "%Error: Specified --top-module ").empty();
}

bool has_misfit_connection(std::string_view log) {
  for (std::size_t at = 0; (at = log.find("%Warning-WIDTH: ", at)) != std::string_view::npos; ++at) {
    const std::string_view line = log.substr(at, log.find('\n', at) - at);
    if (line.find(" port connection ") != std::string_view::npos) return true;
  }
  return false;
}

std::vector<std::string> modules_in(std::string_view source) {
  constexpr std::string_view keyword = "module";
  std::vector<std::string> names;
  for (std::size_t at = 0; (at = source.find(keyword, at)) != std::string_view::npos;) {
    const bool whole = at == 0 || !is_part_of_name(source[at - 1]);
    at += keyword.size();
    std::size_t begin = at;
    while (begin < source.size() && std::isspace(static_cast<unsigned char>(source[begin])) != 0) ++begin;
    std::size_t end = begin;
    while (end < source.size() && is_part_of_name(source[end])) ++end;
    if (whole && begin > at && end > begin) names.emplace_back(source.substr(begin, end - begin));
  }
  return names;
}

// S     3358  5316803  1795282059   735214525  1795282059   735214525 "rtl/lrg_arbiter/lrg_arbiter.sv"
std::vector<std::filesystem::path> files_read(const std::filesystem::path& model) {
  std::vector<std::filesystem::path> files;
  std::ifstream in(model / "Vblock__verFiles.dat");
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find('"'), last = line.rfind('"');
    if (line.starts_with("S ") && first < last) files.emplace_back(line.substr(first + 1, last - first - 1));
  }
  return files;
}

}  // namespace asterism
