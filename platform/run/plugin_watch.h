// Ends the process, with one message, when the code of a plug-in crashes: SIGSEGV and the like while that
// code is executed (PluginDevice::at_fault). All other crashes end it as they would without this.
#pragma once

#include <array>
#include <csignal>
#include <string>
#include <vector>

#include "platform/host/run_directory.h"

namespace asterism {

class RawTerminal;

class PluginWatch {
 public:
  // To be constructed by the thread that simulates. There is one at a time.
  PluginWatch(const RunDirectory& directory, RawTerminal& terminal);
  ~PluginWatch();
  PluginWatch(const PluginWatch&) = delete;
  PluginWatch& operator=(const PluginWatch&) = delete;

 private:
  static void on_signal(int number);
  static constexpr std::array signals_{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

  RawTerminal& terminal_;
  const std::string place_;
  const pthread_t thread_;
  std::vector<char> stack_;  // for the handler: that of the process may be used up
  std::array<struct sigaction, signals_.size()> before_{};
};

}  // namespace asterism
