#include "platform/run/plugin_watch.h"

#include <pthread.h>
#include <unistd.h>

#include <cstring>

#include "platform/host/exit_status.h"
#include "platform/run/interruption.h"
#include "platform/system/plugin_device.h"

namespace asterism {
namespace {

PluginWatch* current_watch = nullptr;

void say(const char* text) {
  [[maybe_unused]] const ssize_t unused = write(STDERR_FILENO, text, std::strlen(text));
}

}  // namespace

PluginWatch::PluginWatch(const RunDirectory& directory, RawTerminal& terminal)
    : terminal_(terminal), place_(directory.path().string()), thread_(pthread_self()), stack_(1 << 16) {
  current_watch = this;
  const stack_t stack{.ss_sp = stack_.data(), .ss_flags = 0, .ss_size = stack_.size()};
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK;
  for (std::size_t i = 0; i < signals_.size(); ++i) sigaction(signals_[i], &action, &before_[i]);
}

PluginWatch::~PluginWatch() {
  for (std::size_t i = 0; i < signals_.size(); ++i) sigaction(signals_[i], &before_[i], nullptr);
  const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
  sigaltstack(&none, nullptr);
  current_watch = nullptr;
}

void PluginWatch::on_signal(int number) {
  PluginWatch& watch = *current_watch;
  const bool is_simulating = pthread_equal(pthread_self(), watch.thread_) != 0;
  if (const char* const label = is_simulating ? PluginDevice::at_fault() : nullptr) {
    watch.terminal_.restore();
    for (const char* text : {"\n", label, " has crashed: SIG", sigabbrev_np(number), ". The run is left in ",
                             watch.place_.c_str(), "\n"})
      say(text);
    _exit(static_cast<int>(ExitStatus::plugin));
  }
  for (std::size_t i = 0; i < signals_.size(); ++i)
    if (signals_[i] == number) sigaction(number, &watch.before_[i], nullptr);
  raise(number);  // takes effect when this handler returns
}

}  // namespace asterism
