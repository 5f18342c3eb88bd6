#include "platform/plugin_check/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "platform/host/forked_trial.h"
#include "tlm/log.h"

namespace asterism {

// Memory that outlives the process of the trial.
struct TrialRecord::Shared {
  std::atomic<std::uint64_t> beats = 0;
  std::atomic<bool> is_under_way = false, has_begun = false, has_thrown = false;
  std::atomic<TlmRule> rule = TlmRule::status;  // that the end of the process breaks
  std::array<std::atomic<std::uint64_t>, tlm_rule_count> covered{}, broken{};
  std::array<char, 256> place{};
  std::array<char, 2048> access{};
};

namespace {

constexpr std::uint64_t shown_findings = 3;  // of a rule, in a trial

template <std::size_t size>
void copy_to(std::array<char, size>& to, std::string_view text) {
  const std::size_t length = std::min(text.size(), size - 1);
  std::memcpy(to.data(), text.data(), length);
  to[length] = 0;
}

std::string dumped(const nlohmann::json& line) {
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void run_body(const std::function<void(TrialRecord&)>& body, TrialRecord& record) {
  mute_log(true);
  try {
    body(record);
  } catch (const std::exception& error) {
    record.threw(fmt::format("threw: {}", error.what()));
  } catch (...) {
    record.threw("threw an object that is no std::exception");
  }
}

class Receiver {
 public:
  explicit Receiver(TrialOutcome& outcome) : outcome_(outcome) {}
  void add(std::string_view bytes) {
    text_ += bytes;
    std::size_t begin = 0;
    for (std::size_t end; (end = text_.find('\n', begin)) != std::string::npos; begin = end + 1)
      take(nlohmann::json::parse(text_.begin() + static_cast<std::ptrdiff_t>(begin),
                                 text_.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false));
    text_.erase(0, begin);
  }

 private:
  void take(const nlohmann::json& line) {
    if (line.is_discarded()) return;
    if (line.contains("refusal"))
      outcome_.refusal = line["refusal"];
    else if (line.contains("list"))
      outcome_.steps[line["list"]].push_back({line["place"], line["access"], line["answer"]});
    else
      outcome_.findings.push_back(
          {static_cast<TlmRule>(line["rule"].get<int>()), line["place"], line["access"], line["seen"]});
  }

  TrialOutcome& outcome_;
  std::string text_;
};

std::string how_it_ended(const TrialEnd& end, std::chrono::milliseconds patience) {
  switch (end.how) {
    case TrialEnd::How::stopped:
      return fmt::format("showed no progress for {} s of the host's time",
                         std::chrono::duration<double>(patience).count());
    case TrialEnd::How::crashed:
      return fmt::format("ended the process by {}", strsignal(end.number));
    default:
      return fmt::format("ended the process with status {}", end.number);
  }
}

}  // namespace

void TrialRecord::begin(std::string_view place, std::string_view access, TlmRule rule) {
  shared_.rule = rule;
  copy_to(shared_.place, place);
  copy_to(shared_.access, access);
  shared_.is_under_way = true;
  shared_.has_begun = true;
  beat();
}

void TrialRecord::end() {
  shared_.is_under_way = false;
  shared_.rule = TlmRule::status;
  beat();
}

void TrialRecord::beat() { ++shared_.beats; }
std::uint64_t TrialRecord::beats() const { return shared_.beats; }
void TrialRecord::cover(TlmRule rule, std::uint64_t count) { shared_.covered[index_of(rule)] += count; }

void TrialRecord::broken(TlmRule rule, std::string_view place, std::string_view access,
                         std::string_view seen) {
  if (++shared_.broken[index_of(rule)] > shown_findings) return;
  send(dumped({{"rule", static_cast<int>(rule)}, {"place", place}, {"access", access}, {"seen", seen}}));
}

void TrialRecord::broken_now(TlmRule rule, std::string_view seen) {
  broken(rule, shared_.place.data(), shared_.access.data(), seen);
}

void TrialRecord::threw(std::string_view seen) {
  shared_.has_thrown = true;
  broken_now(shared_.rule, seen);
}

void TrialRecord::step(const std::string& list, TrialStep step) {
  send(dumped({{"list", list}, {"place", step.place}, {"access", step.access}, {"answer", step.answer}}));
}

void TrialRecord::refuse(std::string_view why) { send(dumped({{"refusal", why}})); }

void TrialRecord::send(const std::string& line) { pipe_.send(line); }

TrialOutcome run_trial(const std::function<void(TrialRecord&)>& body, std::chrono::milliseconds patience) {
  const SharedObject<TrialRecord::Shared> shared;
  TrialOutcome outcome;
  Receiver receiver(outcome);
  const TrialEnd end = run_forked(
      [&](const TrialPipe& pipe) {
        TrialRecord record(*shared, pipe);
        run_body(body, record);
      },
      [&](std::string_view bytes) { receiver.add(bytes); }, shared->beats, patience);
  for (std::size_t i = 0; i < tlm_rule_count; ++i) {
    outcome.covered[i] = shared->covered[i];
    outcome.broken[i] = shared->broken[i];
  }
  outcome.has_ended = !shared->has_thrown;
  if (end.how == TrialEnd::How::returned) return outcome;
  outcome.was_stopped = end.how == TrialEnd::How::stopped;
  outcome.has_ended = false;
  const TlmRule broken = outcome.was_stopped ? TlmRule::progress : shared->rule.load();
  outcome.findings.push_back(
      {broken, shared->place.data(), shared->access.data(),
       fmt::format("{}{}{}", how_it_ended(end, patience),
                   shared->is_under_way || !shared->has_begun ? "" : " after this access had returned",
                   end.last_words.empty() ? "" : "; its last words: " + end.last_words)});
  ++outcome.broken[index_of(broken)];
  return outcome;
}

}  // namespace asterism
