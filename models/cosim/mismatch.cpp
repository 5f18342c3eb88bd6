#include "cosim/mismatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/quantity_text.h"
#include "cosim/report_text.h"

namespace asterism {
namespace {

constexpr std::size_t columns = 80;

// A label and its text, broken at blanks to `columns`.
void add_wrapped(std::string& lines, std::string_view label, std::string_view text) {
  std::string line = fmt::format("  {:<10}", label);
  const std::string indent(line.size(), ' ');
  bool empty = true;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find_first_of(" \n"));
    if (!empty && line.size() + 1 + word.size() > columns) {
      lines += line + '\n';
      line = indent;
      empty = true;
    }
    if (!word.empty()) {
      line += (empty ? "" : " ") + std::string(word);
      empty = false;
    }
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  lines += line + '\n';
}

}  // namespace

std::string LockstepMismatch::text() const {
  constexpr std::size_t most_history = 8;
  std::string lines =
      model.empty() ? fmt::format("RTL failure in {} at {}\n", instance, report_time(at))
                    : fmt::format("lockstep mismatch in {} at {}: {}\n", instance, report_time(at), what);
  if (const auto blank = asked.find(' '); blank != std::string::npos)
    add_wrapped(lines, asked.substr(0, blank), asked.substr(blank + 1));
  if (!model.empty()) add_wrapped(lines, "model", model);
  add_wrapped(lines, "RTL", rtl);

  const std::size_t before = history.size() - (asked.empty() || history.empty() ? 0 : 1);
  if (before != 0) lines += "  before it, newest last:\n";
  for (std::size_t i = before - std::min(before, most_history); i < before; ++i)
    lines += "    " + history[i] + '\n';
  if (!trace.empty()) add_wrapped(lines, "trace", fmt::format("{} ({} before it)", trace, to_text(window)));
  if (!trace_error.empty()) add_wrapped(lines, "no trace", trace_error);
  return lines;
}

void FirstMismatch::trace_to(std::string file, Picoseconds window, WriteWindow write) {
  file_ = std::move(file);
  window_ = window;
  write_ = std::move(write);
}

const LockstepMismatch& FirstMismatch::keep(LockstepMismatch mismatch) {
  LockstepMismatch& kept = mismatch_.emplace(std::move(mismatch));
  if (!write_) return kept;
  try {
    write_(file_, window_);
    kept.trace = file_;
    kept.window = window_;
  } catch (const std::exception& error) {
    kept.trace_error = error.what();
  }
  return kept;
}

}  // namespace asterism
