// Distinguishes a second termination signal, by which a user asks to end the program at once, from a
// repetition of the first one.
//
// `timeout` and other programs send a signal to a process and at the same time to its process group, so one
// signal arrives twice. A live snapshot (snapshot/live_snapshots.h) passes on to its child what it receives.
// The same signal of the same sender, or of the parent process, within a second is therefore a repetition.
// Ctrl-C has no sender, so each Ctrl-C counts.
#pragma once

#include <unistd.h>

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
    const auto from = sender(signal);
    const bool same =
        signal.si_signo == first_->signal && from && (from == first_->sender || from == getppid());
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
