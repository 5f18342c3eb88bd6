// Blocks SIGINT, SIGTERM and the threads' own SIGUSR1 in every thread. The thread that waits receives them.
#pragma once

#include <pthread.h>

#include <chrono>
#include <csignal>
#include <optional>

namespace asterism {

class BlockedSignals {
 public:
  BlockedSignals() {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) sigaddset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  ~BlockedSignals() {
    const timespec at_once{};
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, SIGUSR1);
    while (sigtimedwait(&own, nullptr, &at_once) == SIGUSR1) continue;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  // The SIGINT or SIGTERM that arrives within this time, or none. A SIGUSR1 of another thread ends the wait.
  std::optional<siginfo_t> wait(std::chrono::nanoseconds time) const {
    constexpr long second = 1'000'000'000;
    const timespec timeout{.tv_sec = time.count() / second, .tv_nsec = time.count() % second};
    siginfo_t signal{};
    const int number = sigtimedwait(&signals_, &signal, &timeout);
    if (number != SIGINT && number != SIGTERM) return std::nullopt;
    return signal;
  }

 private:
  sigset_t signals_{}, before_{};
};

}  // namespace asterism
