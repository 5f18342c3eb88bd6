#include "platform/plugin_check/plugin_check.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/replace.hpp>
#include <cstdlib>
#include <functional>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "base/wrapped_text.h"
#include "platform/plugin_check/check_bench.h"
#include "platform/plugin_check/device_trials.h"

namespace asterism {
namespace {

using Kind = RuleVerdict::Kind;

// What a device must not depend on: the contents of memory that was not initialised, the addresses of
// objects, the numbers of the C library.
void vary_process() {
  mallopt(M_PERTURB, 0x5a);
  std::srand(2);  // also of random()
  for (std::size_t i = 0; i < 1000; ++i)
    if (!std::malloc(16 + i % 500)) return;
}

// What a process has thrown, or a report of SystemC. A process of the device's own is named.
std::string words_of(const sc_core::sc_report& report) {
  const std::string_view process = report.get_process_name() ? report.get_process_name() : "";
  const bool is_of_device = !process.empty() && !process.starts_with(caller_process);
  const bool is_thrown =
      std::string_view(report.get_msg_type()) == sc_core::SC_ID_SIMULATION_UNCAUGHT_EXCEPTION_;
  return fmt::format("threw{}: {}{}", is_of_device ? fmt::format(" in its process {}", process) : "",
                     is_thrown ? "" : fmt::format("{}: ", report.get_msg_type()), report.get_msg());
}

struct TrialVariant {
  Picoseconds quantum = 1_us;
  bool is_varied = false;
  bool is_of_several_callers = false;
  std::function<void(CheckBench&)> before_run = [](CheckBench&) {};
};

class PluginCheck {
 public:
  PluginCheck(const CheckedNode& checked, const std::string& instance, const PluginCheckSettings& settings)
      : checked_(checked),
        instance_(instance),
        settings_(settings),
        placed_(*checked.node.devices.device(instance)) {}

  PluginCheckReport run() {
    const std::uint64_t seed = settings_.seed;
    const unsigned accesses = settings_.accesses;
    const auto stimulus = [=](Picoseconds quantum, bool has_debug_reads) {
      return [=](CheckBench& bench) { try_stimulus(bench, seed, accesses, quantum, has_debug_reads); };
    };
    const TrialOutcome base = trial(stimulus({}, false));
    const TrialOutcome again = trial(stimulus({}, false), {.is_varied = true});
    const TrialOutcome debugged = trial(stimulus({}, true), {.before_run = try_debugger_before_run});
    for (const char* list : {"answers", "lines", "transactions", "statistics"}) {
      compare(base, again, list, TlmRule::determinism, "in another process");
      compare(base, debugged, list, TlmRule::debug, "when a debugger had read registers");
    }
    for (const Picoseconds quantum : {1_us, 1_ms}) {
      const TrialOutcome ahead = trial(stimulus(quantum, false), {.quantum = quantum});
      const std::string words = fmt::format("with a quantum of {}", text_of(quantum));
      for (const char* list : {"answers", "transactions"})
        compare(base, ahead, list, TlmRule::quantum, words);
      compare(base, ahead, "lines", TlmRule::interrupts, words);
    }
    answers_ = count_of(base, "answers");
    transactions_ = count_of(base, "transactions");
    line_changes_ = count_of(base, "lines");
    answers_debugger_ = debugged.steps.contains("debug");
    trial([=](CheckBench& bench) { try_payloads(bench, seed, 3 * accesses); });
    trial([=](CheckBench& bench) { try_storage(bench, seed); });
    trial([=](CheckBench& bench) { try_direct_memory(bench, seed); });
    trial([=](CheckBench& bench) { try_concurrency(bench, seed); }, {.is_of_several_callers = true});
    for (const Reset kind : {Reset::cold, Reset::warm, Reset::power_loss})
      trial([=](CheckBench& bench) {
        try_reset(bench, seed, kind, kind == Reset::power_loss ? TlmRule::power_loss : TlmRule::reset);
      });
    covered_[index_of(TlmRule::progress)] = covered_[index_of(TlmRule::status)];
    return report();
  }

 private:
  TrialOutcome trial(const std::function<void(CheckBench&)>& body, const TrialVariant& variant = {}) {
    if (is_hanging_) return {};
    checked_.renew_copies();
    TrialOutcome outcome = run_trial(
        [&](TrialRecord& record) {
          if (variant.is_varied) vary_process();
          try {
            // It is not destroyed, since the process ends with it.
            record.begin(placed_.instance(), "none yet: the device is being built");
            auto& bench = *std::make_unique<CheckBench>("node", checked_, instance_, variant.quantum,
                                                        settings_.seed, record)
                               .release();
            record.begin(placed_.instance(), "none yet: simulation begins");
            bench.before_run = [&] { variant.before_run(bench); };
            bench.run([&] { body(bench); });
          } catch (const ConfigError& error) {
            record.refuse(error.diagnostics().all().front().problem);
          } catch (const sc_core::sc_report& report) {
            record.threw(words_of(report));
          }
        },
        settings_.patience);
    if (!outcome.refusal.empty())
      throw ConfigError(
          Diagnostic{.origin = {}, .path = placed_.key, .problem = of_originals(outcome.refusal)});
    if (variant.is_of_several_callers) blame_concurrency(outcome);
    for (std::size_t i = 0; i < tlm_rule_count; ++i) {
      covered_[i] += outcome.covered[i];
      broken_[i] += outcome.broken[i];
    }
    for (const RuleFinding& finding : outcome.findings) add(finding);
    is_hanging_ = outcome.was_stopped;
    has_ended_ = has_ended_ && outcome.has_ended;
    return outcome;
  }

  // A message that names the files which the user has given.
  std::string of_originals(std::string words) const {
    for (const CheckedNode::Copied& file : checked_.files)
      boost::replace_all(words, file.copy.string(), file.original.string());
    return words;
  }

  static std::uint64_t count_of(const TrialOutcome& outcome, const std::string& list) {
    const auto found = outcome.steps.find(list);
    return found == outcome.steps.end() ? 0 : found->second.size();
  }

  // A rule that is broken only when there are several callers is not what is wrong.
  void blame_concurrency(TrialOutcome& outcome) const {
    const auto blamed = [this](TlmRule rule) {
      return broken_[index_of(rule)] == 0 && rule != TlmRule::progress ? TlmRule::concurrency : rule;
    };
    for (RuleFinding& finding : outcome.findings) finding.rule = blamed(finding.rule);
    for (std::size_t i = 0; i < tlm_rule_count; ++i)
      outcome.broken[index_of(blamed(static_cast<TlmRule>(i)))] += std::exchange(outcome.broken[i], 0);
  }

  // What was found at the same place in the same words before is not repeated.
  void add(const RuleFinding& finding) {
    const bool is_known = std::ranges::any_of(findings_, [&](const RuleFinding& known) {
      return known.rule == finding.rule && known.place == finding.place && known.seen == finding.seen;
    });
    if (!is_known) findings_.push_back(finding);
  }

  static bool is_whole(const TrialOutcome& outcome) {
    return outcome.has_ended && outcome.broken[index_of(TlmRule::status)] == 0 &&
           outcome.broken[index_of(TlmRule::progress)] == 0;
  }

  // Of a trial that has not come to its end, only the steps until then are compared.
  void compare(const TrialOutcome& base, const TrialOutcome& other, const std::string& list, TlmRule rule,
               const std::string& words) {
    static const std::vector<TrialStep> none;
    const auto steps_of = [&](const TrialOutcome& outcome) -> const std::vector<TrialStep>& {
      const auto found = outcome.steps.find(list);
      return found == outcome.steps.end() ? none : found->second;
    };
    const std::vector<TrialStep>&first = steps_of(base), &second = steps_of(other);
    const std::size_t common = std::min(first.size(), second.size());
    covered_[index_of(rule)] += common;
    const auto said = [](const TrialStep& step) { return step.answer; };
    for (std::size_t i = 0; i < common; ++i) {
      const TrialStep &a = first[i], &b = second[i];
      if (a.place == b.place && a.access == b.access && a.answer == b.answer) continue;
      ++broken_[index_of(rule)];
      const bool is_same_access = a.place == b.place && a.access == b.access;
      return add({rule, a.place, a.access,
                  is_same_access ? fmt::format("{}: {}; otherwise: {}", words, said(b), said(a))
                                 : fmt::format("{}: {}, {} {}; otherwise: {}", words, b.place, b.access,
                                               said(b), said(a))});
    }
    if (first.size() == second.size() || !is_whole(base) || !is_whole(other)) return;
    const TrialStep& extra = (first.size() > second.size() ? first : second)[common];
    ++broken_[index_of(rule)];
    add({rule, extra.place, extra.access,
         fmt::format("{}: {}", first.size() > second.size() ? "not seen " + words : "seen only " + words,
                     said(extra))});
  }

  // A rule with which nothing was compared: whether it applies, and the reason.
  std::pair<Kind, std::string> without_observations(TlmRule rule) const {
    const DeviceShape& shape = placed_.shape;
    const bool has_targets = !shape.targets.empty();
    const auto missing = [](const char* why) { return std::pair(Kind::not_applicable, std::string(why)); };
    if (!has_targets && shape.initiators.empty())
      return missing("the device has neither a target nor an initiator");
    if (rule == TlmRule::interrupts && shape.interrupts.empty() && !shape.interrupt_controller)
      return missing("the device has no interrupt line");
    if (!has_ended_) return {Kind::not_checked, "the accesses of the check did not come to their end"};
    switch (rule) {
      case TlmRule::interrupts:
        return {Kind::not_checked, "no access of the check changed an interrupt line"};
      case TlmRule::byte_enables:
      case TlmRule::streaming_width:
        if (has_targets)
          return {Kind::not_checked, "no such access was accepted, and no word is stored as it is written"};
        break;
      case TlmRule::dmi:
        return missing("the device grants no direct memory");
      case TlmRule::concurrency:
        return missing("no access waited in the target while another one was under way");
      case TlmRule::debug:
        return missing("the device answers no debug access");
      case TlmRule::reset:
      case TlmRule::power_loss:
        return {
            Kind::not_checked,
            "no register has a reset value that a debugger can read, and whenever it was reset no line was "
            "high and nothing was under way"};
      case TlmRule::statistics:
        return missing("the device reports none");
      default:
        break;
    }
    return missing("the device has nothing that it applies to");
  }

  PluginCheckReport report() const {
    PluginCheckReport report{.type = placed_.type,
                             .seed = settings_.seed,
                             .answers = answers_,
                             .transactions = transactions_,
                             .line_changes = line_changes_,
                             .verdicts = {}};
    for (std::size_t i = 0; i < tlm_rule_count; ++i) {
      const auto rule = static_cast<TlmRule>(i);
      RuleVerdict verdict{.rule = rule, .kind = Kind::holds, .covered = covered_[i], .broken = broken_[i]};
      std::ranges::copy_if(findings_, std::back_inserter(verdict.findings),
                           [&](const RuleFinding& finding) { return finding.rule == rule; });
      const bool is_covered = verdict.covered != 0 && (rule != TlmRule::debug || answers_debugger_);
      if (verdict.broken != 0)
        verdict.kind = Kind::broken;
      else if (!is_covered)
        std::tie(verdict.kind, verdict.why) = without_observations(rule);
      report.verdicts.push_back(std::move(verdict));
    }
    return report;
  }

  const CheckedNode& checked_;
  const std::string instance_;
  const PluginCheckSettings settings_;
  const PlacedDevice& placed_;
  std::array<std::uint64_t, tlm_rule_count> covered_{}, broken_{};
  std::vector<RuleFinding> findings_;
  std::uint64_t answers_ = 0, transactions_ = 0, line_changes_ = 0;
  bool answers_debugger_ = false;
  bool is_hanging_ = false;  // further trials would only take time
  bool has_ended_ = true;    // all trials have
};

constexpr std::array verdict_words{"holds", "broken", "not checked", "not applicable"};
const char* word_of(Kind kind) { return verdict_words[static_cast<std::size_t>(kind)]; }

std::string indented(const std::string& label, const std::string& text) {
  return wrapped("      " + label, text, 16);
}

// A line with the verdict, and more of it if the rule is broken.
std::string text_of(const RuleVerdict& verdict) {
  constexpr std::size_t shown = 3;  // findings
  const TlmRuleText& rule = tlm_rules[index_of(verdict.rule)];
  const bool is_broken = verdict.kind == Kind::broken;
  const std::string count =
      is_broken
          ? fmt::format("{} in ", verdict.broken == 1 ? "once" : fmt::format("{} times", verdict.broken))
          : "";
  std::string text = wrapped(
      fmt::format("  {:<16}{}", rule.name, word_of(verdict.kind)),
      verdict.why.empty() ? fmt::format("{}{} observations", count, std::max(verdict.covered, verdict.broken))
                          : verdict.why,
      34);
  for (std::size_t i = 0; i < std::min(shown, verdict.findings.size()); ++i) {
    const RuleFinding& finding = verdict.findings[i];
    if (!finding.place.empty()) text += indented("at", finding.place);
    if (!finding.access.empty()) text += indented("access", finding.access);
    text += indented("seen", finding.seen);
  }
  return is_broken ? text + indented("rule", std::string(rule.demand)) : text;
}

}  // namespace

bool PluginCheckReport::is_ok() const {
  const auto are = [this](Kind kind) { return std::ranges::count(verdicts, kind, &RuleVerdict::kind); };
  return are(Kind::broken) == 0 && are(Kind::holds) != 0;
}

std::string PluginCheckReport::text() const {
  std::string text =
      wrapped(fmt::format("{}, seed {}: in {} accesses, the device began {} by itself and changed interrupt "
                          "lines {} times",
                          type, seed, answers, transactions, line_changes),
              0);
  std::array<std::size_t, verdict_words.size()> counts{};
  for (const RuleVerdict& verdict : verdicts) {
    ++counts[static_cast<std::size_t>(verdict.kind)];
    text += text_of(verdict);
  }
  const auto [holding, broken, not_checked, not_applicable] = counts;
  if (holding + broken == 0) return text + "No rule could be checked.\n";
  return text +
         (broken == 0 ? fmt::format("All {} rules that were checked hold", holding)
                      : fmt::format("{} of {} rules that were checked {} broken", broken, holding + broken,
                                    broken == 1 ? "is" : "are")) +
         (not_checked == 0 ? ".\n"
                           : fmt::format("; {} that appl{} could not be checked.\n", not_checked,
                                         not_checked == 1 ? "ies" : "y"));
}

nlohmann::ordered_json PluginCheckReport::json() const {
  nlohmann::ordered_json rules = nlohmann::ordered_json::array();
  for (const RuleVerdict& verdict : verdicts) {
    const TlmRuleText& rule = tlm_rules[index_of(verdict.rule)];
    nlohmann::ordered_json entry{{"rule", rule.name},
                                 {"demand", rule.demand},
                                 {"verdict", word_of(verdict.kind)},
                                 {"observations", verdict.covered},
                                 {"broken", verdict.broken}};
    if (!verdict.why.empty()) entry["why"] = verdict.why;
    for (const RuleFinding& finding : verdict.findings)
      entry["findings"].push_back(
          {{"at", finding.place}, {"access", finding.access}, {"seen", finding.seen}});
    rules.push_back(std::move(entry));
  }
  return {{"type", type},
          {"seed", seed},
          {"accesses", answers},
          {"transactions", transactions},
          {"line_changes", line_changes},
          {"is_ok", is_ok()},
          {"rules", std::move(rules)}};
}

PluginCheckReport check_device(const CheckedNode& node, const std::string& instance,
                               const PluginCheckSettings& settings) {
  return PluginCheck(node, instance, settings).run();
}

}  // namespace asterism
