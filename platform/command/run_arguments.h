// What a user asks of `asterism run`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "platform/debug/socket_endpoint.h"
#include "platform/scenario/scenario_request.h"

namespace asterism {

struct RunArguments {
  ScenarioRequest scenario;
  std::optional<std::string> out;
  bool quiet = false;
  std::vector<std::string> trace;  // instance paths of RTL
  std::optional<std::string> trace_from, trace_to;
  bool no_skip = false, check_idle = false;
  std::optional<std::string> gdb;  // [HOST]:PORT
  std::optional<std::string> gdb_snapshots;
  std::optional<std::string> uart0;  // tcp:[HOST:]PORT, unix:PATH or pty
  std::optional<std::string> live;   // tcp:[HOST:]PORT or unix:PATH
  unsigned threads = 1;
  bool profile = false, profile_lines = false, timeline = false, transactions = false;
  std::optional<std::string> sample, perfetto, json;
  bool report = false;
  std::optional<std::string> serve;  // [PORT][,control][,wait]
  unsigned last_instructions = 0;
  std::optional<std::string> snapshot_at, snapshot, restore;
  std::vector<std::string> faults;  // as JSON, for a restored run
  bool alone = false;
  bool serve_runs = false;  // platform/run/run_server.h
};

// The time that is the value of an option. Throws ConfigError.
Picoseconds time_option(const char* option, const std::optional<std::string>& text, Picoseconds otherwise);

// The place of --live; nullopt if it was not given. Throws ConfigError.
std::optional<SocketEndpoint> live_endpoint(const RunArguments& arguments);

// Continues from the snapshot of --restore, in a process that takes the place of this one. Throws ConfigError
// or InputMissing.
[[noreturn]] void restore_run(const RunArguments& arguments);

}  // namespace asterism
