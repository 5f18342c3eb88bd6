#include "platform/config/diagnostics.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace asterism {
namespace {

Diagnostics only(Diagnostic problem) {
  Diagnostics all;
  all.add(std::move(problem));
  return all;
}

std::string without_last_newline(std::string text) {
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace

std::string Origin::text() const {
  if (is_command_line()) return "command line";
  if (line == 0) return file;
  return file + ":" + std::to_string(line) + ":" + std::to_string(column);
}

std::string Origin::as_written(const std::string& path) const {
  if (left_out.empty() || !path.starts_with(left_out + ".")) return path;
  const std::size_t dot = left_out.rfind('.');
  return (dot == std::string::npos ? "" : left_out.substr(0, dot + 1)) + path.substr(left_out.size() + 1);
}

Diagnostic Diagnostic::of_file(std::string file, std::string problem) {
  Diagnostic diagnostic;
  diagnostic.origin.file = std::move(file);
  diagnostic.problem = std::move(problem);
  return diagnostic;
}

std::string Diagnostic::text() const {
  std::string text = origin.text() + ": error: ";
  if (!path.empty()) text += origin.as_written(path) + ": ";
  text += problem.empty() ? "expected " + expected + ", got " + got : problem;
  if (!detail.empty()) text += "; " + detail;
  if (!nearest.empty()) text += "; did you mean \"" + nearest + "\"?";
  return text;
}

std::vector<Diagnostic> Diagnostics::ordered() const {
  const auto place = [](const Diagnostic& d) {
    return std::tie(d.origin.file, d.origin.line, d.origin.column);
  };
  std::vector<Diagnostic> ordered = all_;
  std::stable_sort(ordered.begin(), ordered.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return place(a) < place(b); });
  return ordered;
}

std::string Diagnostics::text() const {
  std::string text;
  for (const Diagnostic& problem : ordered()) text += problem.text() + "\n";
  return text;
}

void Diagnostics::throw_if_any() const {
  if (!empty()) throw ConfigError(*this);
}

ConfigError::ConfigError(Diagnostics diagnostics)
    : std::runtime_error(without_last_newline(diagnostics.text())), diagnostics_(std::move(diagnostics)) {}

ConfigError::ConfigError(Diagnostic problem) : ConfigError(only(std::move(problem))) {}

void refuse_option(const char* option, std::string problem) {
  throw ConfigError(
      Diagnostic{.origin = Origin::command_line(), .path = option, .problem = std::move(problem)});
}

}  // namespace asterism
