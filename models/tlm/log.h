// One log for the whole program, by spdlog: one logger for each instance, the simulated time in every line,
// and SystemC's sc_report routed into it.
//
//   log("node.uart0").warn("guest wrote the read-only register FR")
//   [      12.400 us] warning node.uart0: guest wrote the read-only register FR
//
// The log goes to stderr, with the first 200 warnings of each instance. Levels are set per instance. An
// instance without a level of its own has the level of the nearest enclosing instance ("node" for
// "node.uart0"), or else `warning`.
#pragma once

#include <fmt/core.h>

#include <map>
#include <string>
#include <utility>

namespace spdlog {
class logger;
}

namespace asterism {

enum class LogLevel { trace, debug, info, warning, error, off };

// The log of one instance. Copies write to the same one.
class Log {
 public:
  explicit Log(spdlog::logger& logger) : logger_(&logger) {}

  bool is_enabled(LogLevel level) const;

  template <class... Args>
  void trace(fmt::format_string<Args...> text, Args&&... args) const {
    write(LogLevel::trace, text, fmt::make_format_args(args...));
  }
  template <class... Args>
  void info(fmt::format_string<Args...> text, Args&&... args) const {
    write(LogLevel::info, text, fmt::make_format_args(args...));
  }
  template <class... Args>
  void warn(fmt::format_string<Args...> text, Args&&... args) const {
    write(LogLevel::warning, text, fmt::make_format_args(args...));
  }
  template <class... Args>
  void error(fmt::format_string<Args...> text, Args&&... args) const {
    write(LogLevel::error, text, fmt::make_format_args(args...));
  }
  void warn(const std::string& text) const { warn("{}", text); }

 private:
  void write(LogLevel level, fmt::string_view text, fmt::format_args args) const;

  spdlog::logger* logger_;  // it lives until the program ends
};

// It is created at the first call.
Log log(const std::string& instance);

// Sets the levels by instance name, also of logs that exist already.
void set_log_levels(std::map<std::string, LogLevel> levels);

// Discards all messages, without forgetting how many there were. For a simulation that is executed again.
void mute_log(bool is_muted);

// Sends the reports of the SystemC kernel to log("systemc"); an sc_report of severity error or fatal still
// throws.
void route_sc_reports();

}  // namespace asterism
