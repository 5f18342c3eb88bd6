// One log for the whole program, by spdlog: one logger for each instance, the simulated time in every line,
// and SystemC's sc_report routed into it.
//
//   log("node.uart0")->warn("guest wrote the read-only register FR")
//   [      12.400 us] warning node.uart0: guest wrote the read-only register FR
//
// The log goes to stderr, with the first 200 warnings of each instance. Levels are set per instance. An
// instance without a level of its own has the level of the nearest enclosing instance ("node" for
// "node.uart0"), or else `warning`.
#pragma once

#include <spdlog/spdlog.h>

#include <map>
#include <memory>
#include <string>

namespace asterism {

// The logger of an instance. It is created at the first call and kept until the program ends.
std::shared_ptr<spdlog::logger> log(const std::string& instance);

// Sets the levels by instance name, also of loggers that exist already.
void set_log_levels(std::map<std::string, spdlog::level::level_enum> levels);

// Sends the reports of the SystemC kernel to log("systemc"); an sc_report of severity error or fatal still
// throws.
void route_sc_reports();

}  // namespace asterism
