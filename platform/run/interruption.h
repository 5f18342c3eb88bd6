// SIGINT and SIGTERM while a simulation runs, and the terminal's mode.
//
// The first signal ends the run in an orderly way: the run's results so far are written. It also wakes a
// simulation that sleeps until a character is typed. The second signal (repeated_signal.h) ends the process
// at once with status 130. The destructor restores the previous signal handling.
#pragma once

#include <termios.h>

#include <atomic>
#include <csignal>
#include <optional>
#include <systemc>
#include <thread>

namespace asterism {

// While the object exists, stdin delivers characters as they are typed and does not echo them. Ctrl-C remains
// a signal. Does nothing if this is not wanted or stdin is not a terminal.
class RawTerminal {
 public:
  explicit RawTerminal(bool wanted);
  ~RawTerminal() { restore(); }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;
  void restore();
  bool is_raw() const { return before_.has_value(); }

 private:
  std::optional<termios> before_;
};

class Interruption : public sc_core::sc_prim_channel {
 public:
  // Must be constructed during elaboration, before any other thread. `terminal` is restored if the process is
  // ended at once.
  explicit Interruption(RawTerminal& terminal);
  ~Interruption() override;

  bool happened() const { return happened_; }
  // Stops the thread that waits for signals; signals stay pending until resume().
  void pause();
  // May also be called in a forked copy of the process, in which that thread does not exist.
  void resume();

 private:
  void wait_for_signals();
  void update() override;

  sigset_t before_{};  // signal mask
  RawTerminal& terminal_;
  std::atomic<bool> happened_ = false, over_ = false;
  std::thread waiter_;
};

}  // namespace asterism
