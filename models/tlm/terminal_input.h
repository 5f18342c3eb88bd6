// Passes characters from a file descriptor of the host, usually a terminal, into the simulation as they
// arrive.
//
// A thread sleeps in poll(); what it reads enters the simulation by SystemC's asynchronous update, so that an
// idle simulation costs nothing and, having nothing else to do, waits for the next character instead of
// ending. The arrival time of a character depends on the host: a run that receives one is not reproducible.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <systemc>
#include <thread>

namespace asterism {

class TerminalInput : public sc_core::sc_prim_channel {
 public:
  // Construct it during elaboration. `deliver` runs as a method process. The caller owns the descriptor; its
  // end (end of file, error) ends the input.
  TerminalInput(const char* name, int descriptor, std::function<void(std::string_view)> deliver);
  ~TerminalInput() override;

 private:
  void start_of_simulation() override;
  void update() override;
  void read_until_stopped();
  void post(std::string_view characters, bool ended);

  int descriptor_;
  int stop_;  // an eventfd that wakes the thread
  std::function<void(std::string_view)> deliver_;
  std::mutex mutex_;
  std::string posted_;  // guarded by mutex_
  bool ended_ = false;  // guarded by mutex_
  bool attached_ = false;
  std::string arrived_;
  sc_core::sc_event arrival_;
  std::thread reader_;
};

}  // namespace asterism
