// SIGINT and SIGTERM while a simulation runs, and the terminal's mode.
//
// The first signal ends the run in good order: what it did until then is written. It also wakes a simulation that sleeps
// until a character comes. The second (repeated_signal.h) ends the process at once with status 130. The destructor gives the
// signals back to who had them before.
#pragma once

#include <termios.h>

#include <atomic>
#include <csignal>
#include <optional>
#include <systemc>
#include <thread>

namespace asterism {

// Stdin gives characters as they are typed and does not echo them, until the object ends. Ctrl-C stays a signal.
// Does nothing when stdin is no terminal.
class RawTerminal {
 public:
  RawTerminal();
  ~RawTerminal() { restore(); }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;
  void restore();

 private:
  std::optional<termios> before_;
};

class Interruption : public sc_core::sc_prim_channel {
 public:
  // Construct during elaboration, before any other thread. `terminal` is restored when the process is ended at once.
  explicit Interruption(RawTerminal* terminal);
  ~Interruption() override;

  bool happened() const { return happened_; }
  // Signals wait until start_again().
  void pause();
  // Also in a process that is a copy of the one that made this: its thread is not there.
  void start_again();

 private:
  void wait_for_signals();
  void update() override;

  sigset_t before_{};  // signal mask
  RawTerminal* terminal_;
  std::atomic<bool> happened_ = false, over_ = false;
  std::thread waiter_;
};

}  // namespace asterism
