#include "platform/node/plugin_watch.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <utility>

#include "cosim/hang_watch.h"
#include "platform/config/diagnostics.h"
#include "platform/host/hang_limit.h"

namespace asterism {
namespace {

PluginWatch* current_watch = nullptr;

std::recursive_mutex& calls_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}
std::atomic<bool> is_called = false;

void say(const char* text) {
  [[maybe_unused]] const ssize_t unused = write(STDERR_FILENO, text, std::strlen(text));
}

}  // namespace

PluginWatch::PluginWatch(Message message)
    : message_(std::move(message)),
      outer_(std::exchange(current_watch, this)),
      thread_(pthread_self()),
      stack_(1 << 16) {
  const stack_t stack{.ss_sp = stack_.data(), .ss_flags = 0, .ss_size = stack_.size()};
  sigaltstack(&stack, &stack_before_);
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK;
  for (std::size_t i = 0; i < signals_.size(); ++i) sigaction(signals_[i], &action, &before_[i]);
  // It cannot be unregistered, and has no effect without a watch.
  [[maybe_unused]] static const int registered = on_exit(on_exit_of_process, nullptr);
}

PluginWatch::~PluginWatch() {
  for (std::size_t i = 0; i < signals_.size(); ++i) sigaction(signals_[i], &before_[i], nullptr);
  sigaltstack(&stack_before_, nullptr);
  current_watch = outer_;
}

bool PluginWatch::is_in_watched_thread() const { return pthread_equal(pthread_self(), thread_) != 0; }

void PluginWatch::end_process(std::initializer_list<const char*> texts) const {
  message_.before();
  say(message_.start.c_str());
  for (const char* text : texts) say(text);
  for (const char* text : {message_.end.c_str(), message_.place(), "\n"}) say(text);
  _exit(static_cast<int>(message_.status));
}

void PluginWatch::on_signal(int number) {
  const PluginWatch& watch = *current_watch;
  if (const char* const label = watch.is_in_watched_thread() ? watch.message_.at_fault() : nullptr)
    watch.end_process({label, " has crashed", watch.message_.where.c_str(), ": SIG", sigabbrev_np(number)});
  for (std::size_t i = 0; i < signals_.size(); ++i)
    if (signals_[i] == number) sigaction(number, &watch.before_[i], nullptr);
  raise(number);  // takes effect when this handler returns
}

void PluginWatch::on_exit_of_process(int status, void*) {
  const PluginWatch* const watch = current_watch;
  if (!watch) return;
  // No thread of the program calls exit() meanwhile.
  const char* const label =
      watch->is_in_watched_thread() ? watch->message_.at_fault() : "a thread of a plug-in";
  if (!label) return;
  std::fflush(stdout);
  const std::string number = std::to_string(status);
  watch->end_process(
      {label, " has ended the process", watch->message_.where.c_str(), ", with status ", number.c_str()});
}

std::optional<std::string> call_plugin(const std::string& label, const std::string& function,
                                       const std::function<void()>& call) {
  const std::chrono::seconds limit = hang_limit();
  const std::lock_guard lock(calls_mutex());
  struct Called {
    Called() { is_called = true; }
    ~Called() { is_called = false; }
  } const called;
  const PluginWatch watch({.at_fault = [&label] { return label.c_str(); },
                           .where = " in " + function,
                           .status = ExitStatus::bad_input});
  const HangWatch hangs(limit, [&](const std::string&) {
    watch.end_process({label.c_str(), " has not returned from ", function.c_str(), " for ",
                       std::to_string(limit.count()).c_str(), " s"});
  });
  const HangWatch::Scope scope(label);
  try {
    call();
  } catch (const ConfigError&) {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "something that is no std::exception";
  }
  return std::nullopt;
}

bool is_calling_plugin() { return is_called; }

}  // namespace asterism
