#include "cosim/lockstep.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/quantity_text.h"
#include "cosim/report_text.h"
#include "cosim/rtl_library.h"

namespace asterism {
namespace {

// A run of the simulator ends long before this; RTL that oscillates must not use up all memory.
constexpr std::size_t max_waiting = 65'536;

// Two comparisons instead of a call, since this is executed for each transaction.
bool same(const LockstepBits& a, const LockstepBits& b) { return ((a[0] ^ b[0]) | (a[1] ^ b[1])) == 0; }

Picoseconds apart(Picoseconds a, Picoseconds b) { return a < b ? b - a : a - b; }

std::string number_text(const LockstepBits& bits, unsigned digits) {
  return digits > 16 ? fmt::format("{:#0{}x}{:016x}", bits[1], digits - 16 + 2, bits[0])
                     : fmt::format("{:#0{}x}", bits[0], digits + 2);
}

std::string data_text(const Transaction& transaction, const LockstepBits& data) {
  return number_text(data, 2 * transaction.bytes);
}

// The bytes that take part: "" if all do.
std::string lanes_text(const Transaction& transaction) {
  return transaction.strobes == 0 ? "" : " bytes " + report_set({transaction.strobes, 0});
}

// The request: "requests {0, 2}", "read 0x018", "write 0x018 <- 0x00000001".
std::string asked_text(const Transaction& transaction, ReportNames names) {
  switch (transaction.kind) {
    case Transaction::Kind::read:
      return fmt::format("read {:#05x}{}", transaction.address, lanes_text(transaction));
    case Transaction::Kind::write:
      return fmt::format("write {:#05x}{} <- {}", transaction.address, lanes_text(transaction),
                         data_text(transaction, transaction.data));
    default:
      return "requests " + report_set(transaction.data, names) +
             (names.empty() ? "" : fmt::format(" ({})", number_text(transaction.data, 1)));
  }
}

std::string answer_text(const Transaction& transaction, const Answer& answer, ReportNames names) {
  std::string text;
  if (answer.status == AnswerStatus::error)
    text = "error";
  else if (transaction.kind == Transaction::Kind::arbitrate)
    text = "grants " + report_winner(answer.data, names);
  else
    text = transaction.kind == Transaction::Kind::read ? data_text(transaction, answer.data) : "ok";
  if (answer.latency != Picoseconds(0)) text += " after " + to_text(answer.latency);
  return text;
}

std::string_view edge_text(bool rises) { return rises ? "rises" : "falls"; }

}  // namespace

std::string to_text(const Transaction& transaction, const Answer& answer, ReportNames names) {
  std::string text = report_time(transaction.at) + "  ";
  const std::string said = answer_text(transaction, answer, names);
  switch (transaction.kind) {
    case Transaction::Kind::read:
      return text + fmt::format("read  {:#05x}{} -> {}", transaction.address, lanes_text(transaction), said);
    case Transaction::Kind::write:
      text += fmt::format("write {:#05x}{} <- {}", transaction.address, lanes_text(transaction),
                          data_text(transaction, transaction.data));
      return said == "ok" ? text : text + ", " + said;
    default:
      return text + report_set(transaction.data, names) + " -> " + report_winner(answer.data, names);
  }
}

Lockstep::Lockstep(std::string instance, LockstepPeer& peer, const LockstepLimits& limits, OnMismatch then)
    : instance_(std::move(instance)), peer_(peer), limits_(limits), mismatches_(then) {
  peer.on_interrupts = [this](Picoseconds at, std::uint32_t levels) { take(rtl_, at, levels); };
}

void Lockstep::trace_to(std::string file, Picoseconds window) {
  mismatches_.trace_to(std::move(file), window, [this](const Mismatch& mismatch, Picoseconds length) {
    peer_.write_window(length, notes(mismatch.at));
  });
}

// ---- notifications and requests ----

// Returns whether the peer has completed it.
template <class Step>
bool Lockstep::step(Picoseconds at, const Past* asked, const Step& step) {
  try {
    step();
    return true;
  } catch (const RtlError& error) {
    differ(
        at, "RTL failed", asked,
        [&] {
          return Answers{asked == nullptr ? "goes on" : answer_text(asked->transaction, asked->model, names_),
                         report_reason(error.what(), instance_)};
        },
        true);
    return false;
  }
}

void Lockstep::compare(const Transaction& transaction, const Answer& model) {
  if (is_over()) return;
  Past& past = past_.next();
  past.transaction = transaction;
  past.model = model;

  Answer rtl;
  if (!step(transaction.at, &past, [&] { rtl = peer_.answer(transaction); })) return;
  const auto differ_in = [&](std::string_view what, const std::string& more = {}) {
    differ(transaction.at, what, &past, [&] {
      return Answers{answer_text(transaction, model, names_), answer_text(transaction, rtl, names_) + more};
    });
  };
  if (model.status != rtl.status) return differ_in("status");
  if (!same(model.data, rtl.data)) return differ_in("data");
  if (apart(model.latency, rtl.latency) > limits_.latency)
    return differ_in("latency", fmt::format(", more than {} apart", to_text(limits_.latency)));
  if (!model_.waiting.empty() || !rtl_.waiting.empty()) match_edges(transaction.at);
}

void Lockstep::interrupts(Picoseconds at, std::uint32_t levels) {
  if (is_over() || !step(at, nullptr, [&] { peer_.catch_up(at); })) return;
  take(model_, at, levels);
  match_edges(at);
}

void Lockstep::catch_up(Picoseconds now) {
  if (is_over() || !step(now, nullptr, [&] { peer_.catch_up(now); })) return;
  match_edges(now);
}

void Lockstep::reset(Reset kind, Picoseconds at) {
  if (is_over() || !step(at, nullptr, [&] { peer_.catch_up(at); })) return;
  match_edges(at);
  if (is_over() || !step(at, nullptr, [&] { peer_.reset(kind, at); })) return;
  model_ = {};
  rtl_ = {};
}

// ---- interrupts ----

void Lockstep::take(Side& side, Picoseconds at, std::uint32_t levels) {
  for (std::uint32_t changed = side.levels ^ levels; changed != 0; changed &= changed - 1) {
    const auto line = static_cast<std::uint32_t>(std::countr_zero(changed));
    if (side.waiting.size() < max_waiting) side.waiting.push_back({at, line, (levels >> line & 1) != 0});
  }
  side.levels = levels;
}

// Both sides are known up to `now`. The first waiting edge of a line on one side is matched with the first
// one on the other.
void Lockstep::match_edges(Picoseconds now) {
  for (auto ours = model_.waiting.begin(); ours != model_.waiting.end();) {
    const auto theirs = std::ranges::find(rtl_.waiting, ours->line, &Edge::line);
    if (theirs == rtl_.waiting.end()) {
      ++ours;
      continue;
    }
    const Edge of_model = *ours, of_rtl = *theirs;
    rtl_.waiting.erase(theirs);
    ours = model_.waiting.erase(ours);
    if (apart(of_model.at, of_rtl.at) <= limits_.interrupt) continue;
    differ(std::min(of_model.at, of_rtl.at), fmt::format("interrupt {}", of_model.line), nullptr, [&] {
      const auto described = [](const Edge& edge) {
        return fmt::format("{} at {}", edge_text(edge.rises), report_time(edge.at));
      };
      return Answers{described(of_model),
                     fmt::format("{}, more than {} apart", described(of_rtl), to_text(limits_.interrupt))};
    });
    if (is_over()) return;
  }
  while (!is_over() && take_overdue(now)) {
  }
}

// Returns whether there was an edge without a counterpart.
bool Lockstep::take_overdue(Picoseconds now) {
  const auto overdue = [&](const Side& side) {
    return !side.waiting.empty() && side.waiting.front().at + limits_.interrupt < now;
  };
  const bool ours = overdue(model_), theirs = overdue(rtl_);
  if (!ours && !theirs) return false;
  const bool model_waits = ours && (!theirs || model_.waiting.front().at <= rtl_.waiting.front().at);
  Side& side = model_waits ? model_ : rtl_;
  const Edge edge = side.waiting.front();
  side.waiting.erase(side.waiting.begin());
  differ(edge.at, fmt::format("interrupt {}", edge.line), nullptr, [&] {
    std::string shows = fmt::format("{} at {}", edge_text(edge.rises), report_time(edge.at));
    std::string lacks = fmt::format("has not {} within {} of it, at {}", edge.rises ? "risen" : "fallen",
                                    to_text(limits_.interrupt), report_time(now));
    if (!model_waits) std::swap(shows, lacks);
    return Answers{std::move(shows), std::move(lacks)};
  });
  return true;
}

std::optional<Picoseconds> Lockstep::overdue_from() const {
  std::optional<Picoseconds> earliest;
  for (const Side* side : {&model_, &rtl_})
    if (!side->waiting.empty() && (!earliest || side->waiting.front().at < *earliest))
      earliest = side->waiting.front().at;
  if (is_over() || !earliest) return std::nullopt;
  return *earliest + limits_.interrupt + Picoseconds(1);
}

// ---- the difference ----

std::vector<std::string> Lockstep::history() const {
  std::vector<std::string> lines;
  past_.for_each([&](const Past& past) { lines.push_back(to_text(past.transaction, past.model, names_)); });
  return lines;
}

TraceNotes Lockstep::notes(Picoseconds at) const {
  TraceNotes notes{.mismatch = at};
  past_.for_each([&](const Past& past) {
    notes.answers.emplace_back(past.transaction.at, asked_text(past.transaction, names_) + ": " +
                                                        answer_text(past.transaction, past.model, names_));
  });
  return notes;
}

void Lockstep::differ(Picoseconds at, std::string_view what, const Past* asked,
                      const std::function<Answers()>& answers, bool rtl_failed) {
  const Mismatch* const kept = mismatches_.add(rtl_failed, [&] {
    Mismatch mismatch;
    mismatch.at = at;
    mismatch.instance = instance_;
    mismatch.what = what;
    if (asked != nullptr) mismatch.asked = asked_text(asked->transaction, names_);
    Answers both = answers();
    mismatch.model = std::move(both.model);
    mismatch.rtl = std::move(both.rtl);
    mismatch.history = history();
    return mismatch;
  });
  if (kept != nullptr && on_mismatch) on_mismatch(*kept);
}

void Lockstep::report(Statistics& statistics) const {
  statistics.add("transactions", transactions());
  statistics.add("mismatches", mismatches());
  if (!coverage_.groups().empty()) coverage_.report(statistics.group("coverage"));
}

}  // namespace asterism
