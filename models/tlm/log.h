// One log for the whole program: spdlog, one logger an instance, simulated time in every line, sc_report
// routed into it.
//
//   log("node.uart0")->warn("guest wrote the read-only register FR")
//   [      12.400 us] warning node.uart0: guest wrote the read-only register FR
//
// The log goes to stderr, of each instance the first 200 warnings. Levels are set per instance; a name without a level
// of its own takes that of the nearest enclosing instance ("node" for "node.uart0"), else `warning`.
#pragma once

#include <spdlog/spdlog.h>

#include <map>
#include <memory>
#include <string>

namespace asterism {

// The logger of an instance; made at the first call, kept for the life of the program.
std::shared_ptr<spdlog::logger> log(const std::string& instance);

// Levels by instance name; also applies to loggers that exist.
void set_log_levels(std::map<std::string, spdlog::level::level_enum> levels);

// Sends the reports of the SystemC kernel to log("systemc"); an sc_report of severity error or fatal still
// throws.
void route_sc_reports();

}  // namespace asterism
