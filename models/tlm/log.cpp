#include "tlm/log.h"

#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

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
    if (counts && told_ > most) return;
    spdlog::sinks::stderr_sink_st::log(message);
    if (!counts || ++told_ <= most) return;
    spdlog::details::log_msg last = message;
    last.payload = "further warnings of this instance are not shown";
    spdlog::sinks::stderr_sink_st::log(last);
  }

 private:
  static constexpr int most = 200;
  int told_ = 0;
};

std::map<std::string, spdlog::level::level_enum>& levels() {
  static std::map<std::string, spdlog::level::level_enum> by_instance;
  return by_instance;
}

spdlog::level::level_enum level_of(std::string instance) {
  for (;;) {
    if (auto found = levels().find(instance); found != levels().end()) return found->second;
    const auto dot = instance.rfind('.');
    if (dot == std::string::npos) return spdlog::level::warn;
    instance.resize(dot);
  }
}

void report_to_log(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  static constexpr spdlog::level::level_enum severities[] = {spdlog::level::info, spdlog::level::warn,
                                                             spdlog::level::err, spdlog::level::critical};
  // The SC_STOP of a program that ends by itself is not worth a message.
  if (report.get_severity() == sc_core::SC_INFO) return;
  if (!(actions & sc_core::SC_THROW))
    log("systemc")->log(severities[report.get_severity()], "{}: {}", report.get_msg_type(), report.get_msg());
  if (actions & sc_core::SC_THROW) throw report;
  if (actions & sc_core::SC_STOP) sc_core::sc_stop();
  if (actions & sc_core::SC_ABORT) std::abort();
}

}  // namespace

std::shared_ptr<spdlog::logger> log(const std::string& instance) {
  if (auto existing = spdlog::get(instance)) return existing;
  auto logger = std::make_shared<spdlog::logger>(instance, std::make_shared<FirstMessagesSink>());
  spdlog::register_logger(logger);
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<SimulatedTimeFlag>('*').set_pattern("[%*] %l %n: %v");
  logger->set_formatter(std::move(formatter));
  logger->set_level(level_of(instance));
  return logger;
}

void set_log_levels(std::map<std::string, spdlog::level::level_enum> by_instance) {
  levels() = std::move(by_instance);
  spdlog::apply_all(
      [](const std::shared_ptr<spdlog::logger>& logger) { logger->set_level(level_of(logger->name())); });
}

void route_sc_reports() { sc_core::sc_report_handler::set_handler(report_to_log); }

}  // namespace asterism
