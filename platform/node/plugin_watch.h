// Ends the process, with one message, when the code of a plug-in would end it: by a crash (SIGSEGV and the
// like) or by exit(). All other crashes and ends are as they would be without this.
#pragma once

#include <array>
#include <csignal>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "platform/host/exit_status.h"

namespace asterism {

class PluginWatch {
 public:
  struct Message {
    // The plug-in whose code the watched thread executes: "node.acme (libacme_dma.so)"; nullptr: it executes
    // no code of a plug-in. It is called in handlers of signals.
    std::function<const char*()> at_fault;
    std::string start = {};                                  // before the name of the plug-in
    std::string where = {};                                  // " in shape()"
    std::string end = {};                                    // ". The run is left in "
    std::function<const char*()> place = [] { return ""; };  // follows `end`; a snapshot may change it
    ExitStatus status = ExitStatus::plugin;
    std::function<void()> before = [] {};
  };
  // To be constructed by the thread that is watched. A second one replaces the first one during its life.
  explicit PluginWatch(Message message);
  ~PluginWatch();
  PluginWatch(const PluginWatch&) = delete;
  PluginWatch& operator=(const PluginWatch&) = delete;

  // Prints the texts and the end of the message, and ends the process. Another thread may call it.
  [[noreturn]] void end_process(std::initializer_list<const char*> texts) const;

 private:
  static void on_signal(int number);
  static void on_exit_of_process(int status, void* unused);
  bool is_in_watched_thread() const;
  static constexpr std::array signals_{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

  const Message message_;
  PluginWatch* const outer_;
  const pthread_t thread_;
  std::vector<char> stack_;  // for the handler: that of the process may be used up
  stack_t stack_before_{};
  std::array<struct sigaction, signals_.size()> before_{};
};

// Calls a function that a type of a plug-in has beside its module. Returns what it has thrown, nullopt if
// nothing; a ConfigError is passed on, which code of ours has thrown. If the function crashes, calls exit()
// or does not return, the process ends with status 65. `label` is the beginning of the message, "command
// line: error: node.devices.acme: /lib/libacme_dma.so", and `function` is "shape()". Threads call one after
// the other.
std::optional<std::string> call_plugin(const std::string& label, const std::string& function,
                                       const std::function<void()>& call);
// Whether a thread is executing such a call.
bool is_calling_plugin();

}  // namespace asterism
