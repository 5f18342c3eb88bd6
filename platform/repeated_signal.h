// Which of the signals that end a program is the second one of somebody who does not want to wait.
//
// `timeout` and others send a signal to a process and at once to its group, so that it comes twice and is meant once. The
// same signal of the same sender within a second is that. Ctrl-C has no sender: each counts.
#pragma once

#include <chrono>
#include <csignal>
#include <optional>

namespace asterism {

class RepeatedSignal {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds grace{1};

  enum class Meaning { first, echo, second };
  Meaning take(const siginfo_t& signal, Clock::time_point now) {
    if (!first_) {
      first_ = {signal.si_signo, sender(signal), now};
      return Meaning::first;
    }
    const bool same = signal.si_signo == first_->signal && sender(signal) && sender(signal) == first_->sender;
    return same && now - first_->at < grace ? Meaning::echo : Meaning::second;
  }

 private:
  static std::optional<pid_t> sender(const siginfo_t& signal) {
    if (signal.si_code != SI_USER) return std::nullopt;
    return signal.si_pid;
  }
  struct Seen {
    int signal;
    std::optional<pid_t> sender;
    Clock::time_point at;
  };
  std::optional<Seen> first_;
};

}  // namespace asterism
