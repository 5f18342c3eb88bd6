// The verbs of the `asterism` command, one file for each. Each returns the exit status; ConfigError and
// InputMissing are printed by main.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/command/study_output.h"
#include "platform/host/exit_status.h"
#include "platform/scenario/scenario_request.h"

namespace asterism {

class Ranks;
struct InstalledFiles;
struct Study;

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
  unsigned threads = 1;
  bool profile = false, profile_lines = false, timeline = false, transactions = false;
  unsigned last_instructions = 0;
  std::optional<std::string> snapshot_at, snapshot, restore;
  std::vector<std::string> faults;  // as JSON, for a restored run
  bool alone = false;
  bool serve = false;  // run_server.h
};
int verb_run(const RunArguments& arguments);

struct StudyArguments {
  std::string file;  // a path, or a name in configs/studies
  std::vector<std::string> overrides;
  ResultFiles files;
  std::optional<std::string> out;
  unsigned threads = 0;  // 0 uses all cores of the host, and one on each rank
  Ranks* ranks = nullptr;
};
int verb_study(const StudyArguments& arguments);

struct SweepArguments {
  ScenarioRequest scenario;
  std::string show = "simulated_time_ps,instructions,recoveries";
  ResultFiles files;
  std::optional<std::string> out;
  unsigned jobs = 0;  // as StudyArguments::threads
  Ranks* ranks = nullptr;
};
int verb_sweep(const SweepArguments& arguments);

struct PaperArguments {
  std::vector<std::string> ids;  // or their beginnings; empty for all
  std::optional<std::string> out;
  unsigned threads = 0;
  Ranks* ranks = nullptr;
};
int verb_paper(const PaperArguments& arguments);

// Loads a study with its overrides. Throws ConfigError or InputMissing.
Study load_study(const std::string& file, const std::vector<std::string>& overrides,
                 const InstalledFiles& installed);

struct TraceArguments {
  std::string file;  // the file traces/transactions.bin of a run
  std::optional<std::string> text, fst;
};
int verb_trace(const TraceArguments& arguments);

int verb_check(const std::string& file, const std::vector<std::string>& overrides);
int verb_schema(const std::string& of, bool as_text);

struct ListArguments {
  std::string what;
  // For devices: a node instead of the standard map, and files to write.
  std::optional<std::string> node;
  std::vector<std::string> overrides;
  std::optional<std::string> svd, markdown;
};
int verb_list(const ListArguments& arguments);

// Writes a firmware project to an empty or new folder; "" as the name takes that of the folder.
int verb_new(const std::string& folder, const std::string& name);

int verb_rtl_build(const std::string& file, const std::vector<std::string>& overrides);
int verb_rtl_list();

}  // namespace asterism
