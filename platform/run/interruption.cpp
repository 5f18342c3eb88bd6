#include "platform/run/interruption.h"

#include <unistd.h>

#include <csignal>
#include <new>

#include "platform/host/exit_status.h"
#include "platform/host/repeated_signal.h"

namespace asterism {
namespace {

sigset_t watched() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) sigaddset(&signals, signal);
  return signals;
}

}  // namespace

RawTerminal::RawTerminal(bool wanted) {
  termios mode{};
  if (!wanted || !isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &mode) != 0) return;
  before_ = mode;
  mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  tcsetattr(STDIN_FILENO, TCSANOW, &mode);
}

void RawTerminal::restore() {
  if (before_) tcsetattr(STDIN_FILENO, TCSANOW, &*before_);
  before_.reset();
}

// The signals are blocked here, and therefore in every thread that starts later; one thread waits for them.
Interruption::Interruption(RawTerminal& terminal)
    : sc_prim_channel(sc_core::sc_gen_unique_name("interruption")), terminal_(terminal) {
  const sigset_t signals = watched();
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
  waiter_ = std::thread([this] { wait_for_signals(); });
}

void Interruption::resume() {
  new (&waiter_)
      // After a fork waiter_ refers to a thread of the other process.
      std::thread([this] { wait_for_signals(); });
}

void Interruption::pause() {
  over_ = true;
  pthread_kill(waiter_.native_handle(), SIGUSR1);
  waiter_.join();
  over_ = false;
}

Interruption::~Interruption() {
  pause();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Interruption::wait_for_signals() {
  const sigset_t signals = watched();
  RepeatedSignal repeated;
  while (!over_) {
    siginfo_t signal{};
    if (sigwaitinfo(&signals, &signal) < 0 || signal.si_signo == SIGUSR1) continue;
    switch (repeated.take(signal, RepeatedSignal::Clock::now())) {
      case RepeatedSignal::Meaning::first:
        happened_ = true;
        async_request_update();
        break;
      case RepeatedSignal::Meaning::echo:
        break;
      case RepeatedSignal::Meaning::second:
        terminal_.restore();
        _exit(static_cast<int>(ExitStatus::interrupted));
    }
  }
}

void Interruption::update() {
  if (happened_) sc_core::sc_stop();
}

}  // namespace asterism
