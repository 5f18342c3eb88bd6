#include "tlm/log.h"

#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <cctype>
#include <systemc>
#include <tuple>

#include "tlm/log_of_node.h"
#include "tlm/time.h"
#include "tlm/warning_cause.h"

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

bool is_muted = false;

// The value of the instance "node.uart0", or else of the nearest enclosing one, "node"; nullptr if neither
// has one.
template <class Value>
const Value* nearest(const std::map<std::string, Value>& by_instance, std::string instance) {
  for (;;) {
    if (const auto found = by_instance.find(instance); found != by_instance.end()) return &found->second;
    const auto dot = instance.rfind('.');
    if (dot == std::string::npos) return nullptr;
    instance.resize(dot);
  }
}

std::map<std::string, LogReceiver>& receivers() {
  static std::map<std::string, LogReceiver> by_instance;
  return by_instance;
}

LogLevel level_of(spdlog::level::level_enum level) {
  constexpr std::array levels{LogLevel::trace,   LogLevel::debug, LogLevel::info,
                              LogLevel::warning, LogLevel::error, LogLevel::error};
  return levels.at(static_cast<std::size_t>(level));
}

// A guest in a loop must not fill the terminal: only the first warnings of an instance are logged, followed
// by one line that says that further ones are not. Errors and traces are always logged.
class FirstMessagesSink final : public spdlog::sinks::stderr_sink_st {
 public:
  void log(const spdlog::details::log_msg& message) override {
    const bool counts = message.level > spdlog::level::trace && message.level <= spdlog::level::warn;
    if (counts && logged_ > max_logged) return;
    show(message);
    if (!counts || ++logged_ <= max_logged) return;
    spdlog::details::log_msg last = message;
    last.payload = "further warnings of this instance are not shown";
    show(last);
  }

 private:
  void show(const spdlog::details::log_msg& message) {
    if (is_muted) return;
    const std::string instance(message.logger_name.data(), message.logger_name.size());
    const LogReceiver* const receiver = nearest(receivers(), instance);
    if (!receiver || !(*receiver)(level_of(message.level), instance,
                                  std::string_view(message.payload.data(), message.payload.size())))
      spdlog::sinks::stderr_sink_st::log(message);
  }

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

// Not in the registry of spdlog, which belongs to the program: it may have an sc_main and loggers of its own.
std::map<std::string, std::shared_ptr<spdlog::logger>>& loggers() {
  static auto& by_instance = *new std::map<std::string, std::shared_ptr<spdlog::logger>>;
  return by_instance;
}

LogLevel level_of(const std::string& instance) {
  const LogLevel* const level = nearest(levels(), instance);
  return level ? *level : LogLevel::warning;
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

const WarningCause* stated_cause = nullptr;  // by a WarningCausedBy

std::optional<WarningCause::Cause> cause_of_warning() {
  if (stated_cause) return stated_cause->cause();
  if (!sc_core::sc_is_running()) return std::nullopt;
  const sc_core::sc_process_handle process = sc_core::sc_get_current_process_handle();
  const auto* module =
      process.valid() ? dynamic_cast<const WarningCause*>(process.get_parent_object()) : nullptr;
  return module ? module->cause() : std::nullopt;
}

// The text without its numbers.
std::string kind_of(const std::string& text) {
  std::string kind;
  bool in_word = false, in_number = false;
  for (const char c : text) {
    const bool is_of_word = std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    in_number = is_of_word && (in_word ? in_number : std::isdigit(static_cast<unsigned char>(c)));
    in_word = is_of_word;
    if (!in_number) kind += c;
  }
  return kind;
}

struct Repeated {
  std::string text, first;  // without and with its cause
  std::uint64_t count = 0;
  bool differs = false;  // in a number
};
// By name of the log, core, address of the instruction, and kind of warning.
using Warnings = std::map<std::tuple<std::string, std::string, std::uint64_t, std::string>, Repeated>;
Warnings& warnings() {
  static Warnings all;
  return all;
}

// Counts the warning, and adds the cause to the text of the first one.
bool is_first(spdlog::logger& logger, const WarningCause::Cause& cause, std::string& text) {
  Repeated* counted = nullptr;
  if (cause.address) {
    const auto [found, is_new] =
        warnings().try_emplace({logger.name(), cause.instance, *cause.address, kind_of(text)});
    counted = &found->second;
    if (!is_new) {
      counted->differs |= text != counted->text;
      return ++counted->count, false;
    }
    counted->text = text;
  }
  const bool is_own = logger.name() == cause.instance;
  const std::string place = cause.place ? cause.place() : "";
  if (!is_own || !place.empty())
    text += fmt::format(" [{}{}{}]", is_own ? "" : cause.name, is_own || place.empty() ? "" : ", ", place);
  if (counted) counted->first = text;
  return true;
}

}  // namespace

bool Log::is_enabled(LogLevel level) const { return logger_->should_log(to_spdlog(level)); }

void Log::write(LogLevel level, fmt::string_view text, fmt::format_args args) const {
  if (!is_enabled(level)) return;
  std::string words = fmt::vformat(text, args);
  if (const auto cause = level == LogLevel::warning ? cause_of_warning() : std::nullopt)
    if (!is_first(*logger_, *cause, words)) return;
  logger_->log(to_spdlog(level), words);
}

WarningCausedBy::WarningCausedBy(const WarningCause& cause) : before_(std::exchange(stated_cause, &cause)) {}
WarningCausedBy::~WarningCausedBy() { stated_cause = before_; }

void log_repetitions() {
  for (const auto& [what, repeated] : std::exchange(warnings(), {}))
    if (repeated.count > 0)
      loggers()
          .at(std::get<0>(what))
          ->warn("repeated {} {}{}: {}", repeated.count, repeated.count == 1 ? "time" : "times",
                 repeated.differs ? ", also with other numbers" : "", repeated.first);
}

Log log(const std::string& instance) {
  auto& logger = loggers()[instance];
  if (logger) return Log(*logger);
  logger = std::make_shared<spdlog::logger>(instance, std::make_shared<FirstMessagesSink>());
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<SimulatedTimeFlag>('*').set_pattern("[%*] %l %n: %v");
  logger->set_formatter(std::move(formatter));
  logger->set_level(to_spdlog(level_of(instance)));
  return Log(*logger);
}

void set_log_levels(std::map<std::string, LogLevel> by_instance) {
  levels() = std::move(by_instance);
  for (const auto& [instance, logger] : loggers()) logger->set_level(to_spdlog(level_of(instance)));
}

void add_log_levels(const std::map<std::string, LogLevel>& by_instance) {
  std::map<std::string, LogLevel> all = levels();
  for (const auto& [instance, level] : by_instance) all[instance] = level;
  set_log_levels(std::move(all));
}

void receive_log(const std::string& instance, LogReceiver receiver) {
  if (receiver)
    receivers()[instance] = std::move(receiver);
  else
    receivers().erase(instance);
}

void mute_log(bool muted) { is_muted = muted; }

void route_sc_reports() { sc_core::sc_report_handler::set_handler(report_to_log); }

}  // namespace asterism
