// A part of a check, in a process of its own: a device that crashes, ends the program or never returns ends
// only the trial, and the access that was under way is known.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "platform/host/forked_trial.h"
#include "platform/plugin_check/tlm_rule.h"

namespace asterism {

// How a device broke a rule.
struct RuleFinding {
  TlmRule rule;
  std::string place;   // "device.CONTROL", "device + 0x8", "interrupt line 0"
  std::string access;  // the transaction in full; "" if there was none
  std::string seen;
};

// An observation, to be compared with that of another trial.
struct TrialStep {
  std::string place;
  std::string access;  // what was done
  std::string answer;  // and what was seen
};

struct TrialOutcome {
  std::array<std::uint64_t, tlm_rule_count> covered{};  // transactions, or other observations
  std::array<std::uint64_t, tlm_rule_count> broken{};   // of these
  std::vector<RuleFinding> findings;                    // the first ones of each rule
  std::map<std::string, std::vector<TrialStep>> steps;  // lists by name
  bool has_ended = true;                                // the body has; otherwise the process
  bool was_stopped = false;                             // for lack of progress
  std::string refusal;  // why the device cannot be built with its keys; "" if it can
};

// What a trial reports, to be used in its process.
class TrialRecord {
 public:
  struct Shared;
  TrialRecord(Shared& shared, const TrialPipe& pipe) : shared_(shared), pipe_(pipe) {}

  // An access begins, or has ended. If it ends the process or throws, this is the place, and breaks the rule.
  void begin(std::string_view place, std::string_view access, TlmRule rule = TlmRule::status);
  void end();
  // Nothing is under way, but the trial has not stopped.
  void beat();
  std::uint64_t beats() const;
  void cover(TlmRule rule, std::uint64_t count = 1);
  void broken(TlmRule rule, std::string_view place, std::string_view access, std::string_view seen);
  // The same of the access that is under way, or was the last one.
  void broken_now(TlmRule rule, std::string_view seen);
  void threw(std::string_view seen);
  void step(const std::string& list, TrialStep step);
  void refuse(std::string_view why);

 private:
  void send(const std::string& line);

  Shared& shared_;
  const TrialPipe& pipe_;
};

// Executes `body` in a child process and waits for its end. A process that shows no progress for `patience`
// of the host's time is ended, and breaks the rule `progress`. What the process writes to its standard output
// and error is not shown.
TrialOutcome run_trial(const std::function<void(TrialRecord&)>& body, std::chrono::milliseconds patience);

}  // namespace asterism
