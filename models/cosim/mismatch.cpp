#include "cosim/mismatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/quantity_text.h"
#include "base/wrapped_text.h"
#include "cosim/report_text.h"

namespace asterism {
namespace {

std::string line_of(std::string_view label, std::string_view text) {
  return wrapped(fmt::format("  {:<9}", label), text, 12);
}

}  // namespace

std::string LockstepMismatch::text() const {
  constexpr std::size_t max_history = 8;
  std::string lines =
      model.empty() ? fmt::format("RTL failure in {} at {}\n", instance, report_time(at))
                    : fmt::format("lockstep mismatch in {} at {}: {}\n", instance, report_time(at), what);
  if (const auto blank = asked.find(' '); blank != std::string::npos)
    lines += line_of(asked.substr(0, blank), asked.substr(blank + 1));
  if (!model.empty()) lines += line_of(model_name, model);
  lines += line_of(rtl_name, rtl);

  const std::size_t before = history.size() - (asked.empty() || history.empty() ? 0 : 1);
  if (before != 0) lines += "  before it, newest last:\n";
  for (std::size_t i = before - std::min(before, max_history); i < before; ++i)
    lines += "    " + history[i] + '\n';
  if (!code.empty()) lines += "  code:\n";
  for (const std::string& each : code) lines += "    " + each + '\n';
  if (!trace.empty()) lines += line_of("trace", fmt::format("{} ({} before it)", trace, to_text(window)));
  if (!trace_error.empty()) lines += line_of("no trace", trace_error);
  return lines;
}

void Mismatches::trace_to(std::string file, Picoseconds window, WriteWindow write) {
  file_ = std::move(file);
  window_ = window;
  write_ = std::move(write);
}

const LockstepMismatch* Mismatches::add(bool rtl_failed, const std::function<LockstepMismatch()>& describe) {
  over_ = rtl_failed || then_ == OnMismatch::stop;
  if (count_++ >= max_kept) return nullptr;
  LockstepMismatch& kept = (first_ ? latest_ : first_).emplace(describe());
  kept.stops = then_ == OnMismatch::stop;
  if (!write_ || count_ > 1) return &kept;
  try {
    write_(kept, window_);
    kept.trace = file_;
    kept.window = window_;
  } catch (const std::exception& error) {
    kept.trace_error = error.what();
  }
  return &kept;
}

std::string mismatch_count(std::uint64_t count) {
  return fmt::format("{} mismatch{}", count, count == 1 ? "" : "es");
}

}  // namespace asterism
