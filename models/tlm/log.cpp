#include "tlm/log.h"

#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <systemc>

#include "tlm/time.h"

namespace asterism {
namespace {

class SimulatedTimeFlag final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg&, const std::tm&, spdlog::memory_buf_t& out) override {
    const std::uint64_t t = now().count();
    fmt::format_to(std::back_inserter(out), "{:>12}.{:03} us", t / 1'000'000, t / 1'000 % 1'000);
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<SimulatedTimeFlag>();
  }
};

// A guest in a loop must not fill the terminal: only the first warnings of an instance are logged, followed
// by one line that says that further ones are not. Errors and traces are always logged.
class FirstMessagesSink final : public spdlog::sinks::stderr_sink_st {
 public:
  void log(const spdlog::details::log_msg& message) override {
    const bool counts = message.level > spdlog::level::trace && message.level <= spdlog::level::warn;
    if (counts && logged_ > max_logged) return;
    spdlog::sinks::stderr_sink_st::log(message);
    if (!counts || ++logged_ <= max_logged) return;
    spdlog::details::log_msg last = message;
    last.payload = "further warnings of this instance are not shown";
    spdlog::sinks::stderr_sink_st::log(last);
  }

 private:
  static constexpr int max_logged = 200;
  int logged_ = 0;
};

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::trace:
      return spdlog::level::trace;
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
    case LogLevel::off:
      return spdlog::level::off;
  }
  return spdlog::level::warn;
}

std::map<std::string, LogLevel>& levels() {
  static std::map<std::string, LogLevel> by_instance;
  return by_instance;
}

LogLevel level_of(std::string instance) {
  for (;;) {
    if (auto found = levels().find(instance); found != levels().end()) return found->second;
    const auto dot = instance.rfind('.');
    if (dot == std::string::npos) return LogLevel::warning;
    instance.resize(dot);
  }
}

void report_to_log(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  // The SC_STOP of a program that ends by itself is not worth a message.
  if (report.get_severity() == sc_core::SC_INFO) return;
  if (!(actions & sc_core::SC_THROW)) {
    const Log systemc = log("systemc");
    if (report.get_severity() == sc_core::SC_WARNING)
      systemc.warn("{}: {}", report.get_msg_type(), report.get_msg());
    else
      systemc.error("{}: {}", report.get_msg_type(), report.get_msg());
  }
  if (actions & sc_core::SC_THROW) throw report;
  if (actions & sc_core::SC_STOP) sc_core::sc_stop();
  if (actions & sc_core::SC_ABORT) std::abort();
}

}  // namespace

bool Log::is_enabled(LogLevel level) const { return logger_->should_log(to_spdlog(level)); }

void Log::write(LogLevel level, fmt::string_view text, fmt::format_args args) const {
  if (is_enabled(level)) logger_->log(to_spdlog(level), fmt::vformat(text, args));
}

Log log(const std::string& instance) {
  if (auto existing = spdlog::get(instance)) return Log(*existing);
  auto logger = std::make_shared<spdlog::logger>(instance, std::make_shared<FirstMessagesSink>());
  spdlog::register_logger(logger);
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<SimulatedTimeFlag>('*').set_pattern("[%*] %l %n: %v");
  logger->set_formatter(std::move(formatter));
  logger->set_level(to_spdlog(level_of(instance)));
  return Log(*logger);
}

void set_log_levels(std::map<std::string, LogLevel> by_instance) {
  levels() = std::move(by_instance);
  spdlog::apply_all([](const std::shared_ptr<spdlog::logger>& logger) {
    logger->set_level(to_spdlog(level_of(logger->name())));
  });
}

void route_sc_reports() { sc_core::sc_report_handler::set_handler(report_to_log); }

}  // namespace asterism
