#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <systemc>
#include <thread>

#include "base/wrapped_text.h"
#include "platform/command/campaign.h"
#include "platform/command/run_sweep.h"
#include "platform/command/verbs.h"
#include "platform/config/diagnostics.h"
#include "platform/config/nearest_name.h"
#include "platform/host/installed_files.h"
#include "platform/rtl/child_processes.h"
#include "platform/study/point_ranks.h"
#include "platform/study/study_kind.h"
#include "tlm/log.h"

namespace asterism {
namespace {

// Returns whether an unknown word stands in the place of a subcommand, and if so reports it with the nearest
// verb.
bool report_unknown(const CLI::App& app, const char* command) {
  const auto words = app.remaining();
  if (words.empty()) return false;
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands({})) names.push_back(verb->get_name());
  const std::string nearest = nearest_name(words.front(), names);
  std::fprintf(stderr, "%s: there is no verb \"%s\"%s\nRun with --help for more information.\n", command,
               words.front().c_str(), nearest.empty() ? "" : ("; did you mean \"" + nearest + "\"?").c_str());
  return true;
}

// Returns whether an unknown option was given to this verb, and if so reports it. This comes before other
// checks, because the word after the option would be taken for an argument and refused as one.
bool report_unknown_option(const CLI::App& verb, const std::string& command) {
  const auto words = verb.remaining();
  const auto is_option = [](const std::string& word) { return word.size() > 1 && word[0] == '-'; };
  const auto found = std::ranges::find_if(words, is_option);
  if (found == words.end()) return false;
  const std::string given = found->substr(0, found->find('='));
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  const std::string nearest = nearest_name(given, names);
  const bool takes_keys = verb.get_option_no_throw("KEY=VALUE") != nullptr;
  std::fprintf(
      stderr, "%s: there is no option \"%s\"%s%s\nRun with --help for more information.\n", command.c_str(),
      given.c_str(), nearest.empty() ? "" : ("; did you mean \"" + nearest + "\"?").c_str(),
      nearest.empty() && takes_keys ? "; set a key of the configuration by KEY=VALUE, without dashes" : "");
  return true;
}

// Returns whether there is a word that is neither a verb nor an option, and if so reports it.
bool report_unknown_word(const CLI::App& app) {
  std::string command = "asterism";
  const CLI::App* verb = &app;
  for (auto below = app.get_subcommands(); !below.empty(); below = verb->get_subcommands()) {
    verb = below.front();
    command += " " + verb->get_name();
  }
  if (report_unknown_option(*verb, command)) return true;
  return verb->get_require_subcommand_min() > 0 && report_unknown(*verb, command.c_str());
}

// Prints options and their descriptions in 80 columns.
class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(20); }
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    const std::string name = "  " + make_option_name(option, is_positional) + make_option_opts(option);
    return wrapped(name, make_option_desc(option), get_column_width());
  }
};

int dispatch(int argc, char** argv, Ranks* ranks) {
  CLI::App app{"Asterism: a virtual platform of an exascale compute node", "asterism"};
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("asterism ") + ASTERISM_VERSION);
  app.formatter(std::make_shared<HelpFormatter>());
  app.footer(
      "Exit status: 0 to 63 from the firmware (a larger one is reported as 63), 64 usage,\n"
      "65 error in a configuration or input file, 66 input missing, 67 expectation not met,\n"
      "68 RTL and model differ, 69 time limit, 70 internal error, 130 interrupted.");

  RunArguments run;
  // `--out --quiet` is a forgotten value, not a folder of that name.
  const auto a_value = [](const std::string& text) {
    return text.empty() || text[0] == '-' ? "expected a value, got \"" + text + "\"" : std::string();
  };
  // A file, or standard output.
  const auto a_file = [&](const std::string& text) { return text == "-" ? std::string() : a_value(text); };
  // A word that is not an assignment is a usage error; the value of an assignment is checked with the
  // configuration.
  const auto an_override = [](const std::string& text) {
    const std::size_t equals = text.find('=');
    return equals == 0 || equals == std::string::npos ? "expected KEY=VALUE, got \"" + text + "\""
                                                      : std::string();
  };
  // An override in the place of a file would otherwise be searched as a file.
  const auto no_override = [](const std::string& text) {
    std::error_code none;
    return text.find('=') == std::string::npos || std::filesystem::exists(text, none)
               ? std::string()
               : "expected a file or a name before KEY=VALUE, got \"" + text + "\"";
  };
  CLI::App* run_verb = app.add_subcommand("run", "Run a scenario and print a summary");
  const CLI::Option* scenario =
      run_verb
          ->add_option("SCENARIO", run.scenario.file,
                       "The scenario: a file, or a name in configs/scenarios; or an ELF file, which runs on "
                       "the node of `hello`")
          ->check(no_override);
  run_verb
      ->add_option("KEY=VALUE", run.scenario.overrides,
                   "Overrides keys of the scenario, e.g. node.cores.count=2 or faults=[]")
      ->check(an_override);
  run_verb
      ->add_option("--firmware", run.scenario.firmware,
                   "Run this ELF file or application instead of the scenario's")
      ->check(a_value);
  run_verb->add_option("--until", run.scenario.until, "Stop the run at this simulated time, e.g. 5ms")
      ->check(a_value);
  run_verb->add_option("--out", run.out, "Write the results to this folder (default: runs/NAME)")
      ->check(a_value);
  run_verb->add_flag("--quiet", run.quiet,
                     "Write the guest's output only to the run directory, not to the terminal");
  run_verb
      ->add_option("--trace", run.trace,
                   "Record the signals of this RTL instance as FST in traces/, e.g. node.fabric.arbiter.XB "
                   "(all its outputs)")
      ->check(a_value)
      ->allow_extra_args(false);
  run_verb
      ->add_option("--trace-from", run.trace_from,
                   "Simulated time at which traces of RTL and of instructions begin, e.g. 10us (default: the "
                   "start)")
      ->check(a_value);
  run_verb->add_option("--trace-to", run.trace_to, "Simulated time at which traces end (default: the end)")
      ->check(a_value);
  run_verb
      ->add_option(
          "--gdb", run.gdb,
          "Wait for GDB at [HOST]:PORT before the first instruction, e.g. :1234 (default HOST: loopback)")
      ->check(a_value);
  run_verb
      ->add_option(
          "--uart0", run.uart0,
          "Connect uart0 to a client at tcp:[HOST:]PORT, unix:PATH or pty; with \",wait\" behind it, the "
          "run begins when a client is there")
      ->check(a_value);
  CLI::Option* gdb = run_verb->get_option("--gdb");
  run_verb
      ->add_option(
          "--gdb-snapshots", run.gdb_snapshots,
          "With --gdb: keep a snapshot at this distance of simulated time at least, so that GDB can go "
          "back (default: 1ms; 0s: none)")
      ->check(a_value)
      ->needs(gdb);
  run_verb
      ->add_option("--log", run.scenario.log,
                   "Set a log level by INSTANCE=LEVEL, e.g. gic=debug; core0=trace logs every instruction")
      ->check(a_value)
      ->allow_extra_args(false);
  run_verb->add_flag("--profile", run.profile,
                     "Count the instructions, time and cache misses of each core by function: profile.txt, "
                     "profile.folded and a flame graph, profile.svg");
  run_verb
      ->add_flag("--profile-lines", run.profile_lines,
                 "With --profile: also count them by line of source: profile_lines.txt")
      ->needs("--profile");
  run_verb->add_flag("--timeline", run.timeline, "Draw the activity of each core over time: timeline.svg");
  run_verb->add_flag("--transactions", run.transactions,
                     "Record the TLM transactions of cores and devices: traces/transactions.bin");
  CLI::Option* last_instructions =
      run_verb
          ->add_option(
              "--last-instructions", run.last_instructions,
              "If the run fails, write the last N instructions of each core, with their operands and "
              "results: last_instructions.txt")
          ->check(CLI::Range(1, 65536))
          ->excludes("--gdb");
  CLI::Option* threads = run_verb
                             ->add_option("--threads", run.threads,
                                          "Simulate cores in parallel on this many host threads; the results "
                                          "do not depend on it (default: 1)")
                             ->check(CLI::Range(1, 64));
  CLI::Option* at =
      run_verb
          ->add_option("--snapshot-at", run.snapshot_at, "Make a snapshot at this simulated time, e.g. 5ms")
          ->check(a_value);
  run_verb
      ->add_option("--snapshot", run.snapshot, "Write the snapshot, the whole state of the run, to this file")
      ->check(a_value)
      ->needs(at);
  at->needs("--snapshot")->excludes("--gdb")->excludes("--uart0")->excludes(last_instructions);
  CLI::Option* restore =
      run_verb
          ->add_option(
              "--restore", run.restore,
              "Continue from a snapshot file; SCENARIO, if given, is compared with that of the snapshot")
          ->check(a_value)
          ->excludes(at)
          ->excludes(threads)
          ->excludes(last_instructions)
          ->excludes("--gdb")
          ->excludes("--uart0");
  run_verb
      ->add_flag("--alone", run.alone,
                 "With --restore: omit the other run that the scenario compares this one with")
      ->needs(restore);
  run_verb->add_flag("--serve", run.serve)->needs(restore)->group("");
  run_verb
      ->add_option(
          "--fault", run.faults,
          "With --restore: inject one more fault, written as in a scenario, as JSON; may be repeated")
      ->check(a_value)
      ->allow_extra_args(false)
      ->needs(restore);
  run_verb->add_flag("--check-idle", run.check_idle,
                     "Simulate RTL also in cycles that it reports as idle, and check that they are");
  run_verb->add_flag("--no-skip", run.no_skip,
                     "Simulate RTL in idle cycles, too; this is slower and has the same results");

  StudyArguments study;
  CLI::App* study_verb = app.add_subcommand("study", "Simulate one model alone: sweeps, curves, saturation");
  study_verb
      ->add_option("STUDY", study.file,
                   "The study: a file, or a name in configs/studies. `campaign` injects many faults from one "
                   "snapshot; "
                   "`asterism schema campaign --text` prints its keys")
      ->required()
      ->check(no_override);
  study_verb
      ->add_option(
          "KEY=VALUE", study.overrides,
          "Overrides keys; lists and ranges make a sweep, e.g. topology=mesh,superstar rate=0.01:0.20:0.01")
      ->check(an_override);
  study_verb
      ->add_option("--csv", study.files.csv,
                   "Write all points and columns as CSV to this file; - is standard output")
      ->check(a_file);
  study_verb
      ->add_option("--json", study.files.json,
                   "Write the same and the whole configuration as JSON to this file")
      ->check(a_file);
  study_verb->add_option("--svg", study.files.svg, "Write a figure to this file")->check(a_file);
  study_verb->add_option("--out", study.out, "Write all of these to this folder")->check(a_value);
  study_verb
      ->add_option(
          "--threads", study.threads,
          "The number of points at a time (default: the host's cores; under mpirun one on each rank)")
      ->check(CLI::Range(1, 1024));

  SweepArguments sweep;
  CLI::App* sweep_verb =
      app.add_subcommand("sweep", "Run a scenario for each combination of values of swept keys");
  sweep_verb
      ->add_option("SCENARIO", sweep.scenario.file, "The scenario: a file, or a name in configs/scenarios")
      ->required()
      ->check(no_override);
  sweep_verb
      ->add_option(
          "KEY=VALUE", sweep.scenario.overrides,
          "Overrides keys of the scenario; lists and ranges make a sweep, e.g. node.cores.count=1,2,4 "
          "faults.0.at=1ms:9ms:1ms")
      ->check(an_override);
  sweep_verb
      ->add_option(
          "--show", sweep.show,
          "The statistics of stats.json that the table shows, with commas between them; one with ? may be "
          "missing in the first run, too (default: " +
              sweep.show + ")")
      ->check(a_value);
  sweep_verb
      ->add_option("--firmware", sweep.scenario.firmware,
                   "Run this ELF file or application instead of the scenario's")
      ->check(a_value);
  sweep_verb->add_option("--until", sweep.scenario.until, "Stop each run at this simulated time, e.g. 5ms")
      ->check(a_value);
  sweep_verb->add_option("--csv", sweep.files.csv, "Write all runs as CSV to this file; - is standard output")
      ->check(a_file);
  sweep_verb
      ->add_option("--json", sweep.files.json,
                   "Write the same and the whole configuration as JSON to this file")
      ->check(a_file);
  sweep_verb->add_option("--svg", sweep.files.svg, "Write a figure to this file")->check(a_file);
  sweep_verb
      ->add_option("--out", sweep.out,
                   "Write the results and the run directories to this folder (default: runs/NAME_sweep)")
      ->check(a_value);
  sweep_verb
      ->add_option("--jobs", sweep.jobs,
                   "The number of runs at a time (default: the host's cores; under mpirun one on each rank)")
      ->check(CLI::Range(1, 1024));

  PaperArguments paper;
  CLI::App* paper_verb = app.add_subcommand("paper", "Compare published tables and figures with the models");
  paper_verb->add_option("ID", paper.ids,
                         "The entries, e.g. abeyratne2017.fig3.11; the beginning of an ID selects all that "
                         "begin so (default: all)");
  paper_verb->add_option("--out", paper.out, "Write a CSV file and a figure for each entry to this folder")
      ->check(a_value);
  paper_verb
      ->add_option(
          "--threads", paper.threads,
          "The number of points at a time (default: the host's cores; under mpirun one on each rank)")
      ->check(CLI::Range(1, 1024));

  std::string file, of;
  std::vector<std::string> overrides;
  bool as_text = false;
  CLI::App* check_verb =
      app.add_subcommand("check", "Check a configuration file and print it with all defaults");
  check_verb->add_option("FILE", file, "A node, a scenario, a study or another file of configs/")
      ->required()
      ->check(no_override);
  check_verb->add_option("KEY=VALUE", overrides, "Overrides keys of the file")->check(an_override);
  CLI::App* schema_verb =
      app.add_subcommand("schema", "Print the JSON Schema of a kind of configuration file");
  schema_verb->add_option("KIND", of)
      ->required()
      ->check(CLI::IsMember({"node", "scenario", "study", "dram", "flash", "pcram", "technology", "workload",
                             "write_profile", "kernel_profile", "graph", "system", "block", "campaign"}));
  schema_verb->add_flag("--text", as_text, "Print every key with its default and its meaning as text");
  ListArguments list;
  CLI::App* list_verb =
      app.add_subcommand("list", "List configuration files, firmware, papers, devices or blocks");
  list_verb->add_option("WHAT", list.what)
      ->required()
      ->check(CLI::IsMember({"nodes", "scenarios", "studies", "papers", "firmware", "topologies", "devices",
                             "dram", "flash", "pcram", "technologies", "workloads", "write_profiles",
                             "kernel_profiles", "graphs", "systems", "blocks"}));
  list_verb->add_option("KEY=VALUE", list.overrides, "Overrides keys of --node")->check(an_override);
  list_verb
      ->add_option("--node", list.node,
                   "For devices: use the address map of this node or scenario instead of the standard one")
      ->check(a_value);
  list_verb
      ->add_option(
          "--svd", list.svd,
          "For devices: write the registers as CMSIS-SVD, for debuggers and IDEs; - is standard output")
      ->check(a_file);
  list_verb->add_option("--markdown", list.markdown, "For devices: write the registers as a page of Markdown")
      ->check(a_file);

  std::string new_folder, new_name;
  CLI::App* new_verb = app.add_subcommand("new", "Write a firmware project to start from");
  new_verb->add_option("DIR", new_folder, "The folder: a new or an empty one")->required()->check(a_value);
  new_verb->add_option("NAME", new_name, "The name of the program (default: that of the folder)")
      ->check(a_value);

  TraceArguments trace;
  CLI::App* trace_verb = app.add_subcommand("trace", "Convert a trace of transactions to text or to waves");
  trace_verb->add_option("FILE", trace.file, "The file traces/transactions.bin of a run")->required();
  trace_verb
      ->add_option("--text", trace.text,
                   "Write one line for each transaction to this file; - is standard output")
      ->check(a_file);
  trace_verb->add_option("--fst", trace.fst, "Write FST for wave viewers to this file")->check(a_value);

  CLI::App* rtl_verb = app.add_subcommand("rtl", "Build and list blocks in SystemVerilog");
  rtl_verb->require_subcommand(1);
  CLI::App* rtl_build_verb = rtl_verb->add_subcommand(
      "build",
      "Check a block, compile it with Verilator, and keep the library; does nothing if it is up to date");
  rtl_build_verb->add_option("BLOCK.json", file, "The description of the block")->required();
  rtl_build_verb
      ->add_option("KEY=VALUE", overrides, "Overrides keys, e.g. parameters.Radix=16 or assertions=true")
      ->check(an_override);
  CLI::App* rtl_list_verb =
      rtl_verb->add_subcommand("list", "List the blocks, and whether they are built, stale or not built");

  try {
    app.parse(argc, argv);
    if (run_verb->parsed() && scenario->empty() && !run.restore) throw CLI::RequiredError("SCENARIO");
  } catch (const CLI::ParseError& error) {
    const bool is_mistake = error.get_exit_code() != 0;
    if (is_mistake && report_unknown_word(app)) return static_cast<int>(ExitStatus::usage);
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitStatus::usage);
  }
  if (run_verb->parsed()) return verb_run(run);
  study.ranks = sweep.ranks = paper.ranks = ranks;
  if (study_verb->parsed()) return verb_study(study);
  if (sweep_verb->parsed()) return verb_sweep(sweep);
  if (paper_verb->parsed()) return verb_paper(paper);
  if (trace_verb->parsed()) return verb_trace(trace);
  if (new_verb->parsed()) return verb_new(new_folder, new_name);
  if (check_verb->parsed()) return verb_check(file, overrides);
  if (schema_verb->parsed()) return verb_schema(of, as_text);
  if (rtl_build_verb->parsed()) return verb_rtl_build(file, overrides);
  if (rtl_list_verb->parsed()) return verb_rtl_list();
  return verb_list(list);
}

std::unique_ptr<StudyPoint> make_point(std::string_view kind) {
  if (kind == campaign_trial) return make_campaign_trial();
  if (kind == sweep_run) return make_sweep_run();
  const auto found = std::ranges::find(study_kinds(), kind, &StudyKind::name);
  return found == study_kinds().end() ? nullptr : found->make();
}

// Runs points until rank 0 dismisses this rank. A rank that fails ends at once and ends the job with it,
// because rank 0 would wait for it.
int serve(Ranks& ranks) {
  try {
    serve_points(
        ranks, [] { return InstalledFiles::find().configs; }, make_point);
    return static_cast<int>(ExitStatus::success);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "asterism: internal error on rank %d: %s\n", ranks.rank(), error.what());
    std::_Exit(static_cast<int>(ExitStatus::internal));
  }
}

// From the start all other ranks wait for rank 0, so it must dismiss them however it ends.
int dispatch_on_ranks(int argc, char** argv, Ranks& ranks) {
  if (ranks.rank() != 0) return serve(ranks);
  struct Dismissal {
    ~Dismissal() { dismiss_ranks(ranks); }
    Ranks& ranks;
  } const dismissal{ranks};
  return dispatch(argc, argv, &ranks);
}

// Whether the points of the verb are distributed over ranks. Any other verb runs in every process that mpirun
// starts.
bool is_for_ranks(int argc, char** argv) {
  return argc > 1 && (std::strcmp(argv[1], "study") == 0 || std::strcmp(argv[1], "paper") == 0 ||
                      std::strcmp(argv[1], "sweep") == 0);
}

int started(int argc, char** argv) {
  if (is_for_ranks(argc, argv))
    if (const auto ranks = open_ranks(InstalledFiles::mpi_library()))
      return dispatch_on_ranks(argc, argv, *ranks);
  return dispatch(argc, argv, nullptr);
}

// All ranks fail in the same way, so only rank 0 prints the message. The others wait, because the end of one
// rank would end all of them before the message is printed.
void report(const std::string& words) {
  const auto launch = RankLaunch::from_environment();
  if (launch && launch->rank != 0) return std::this_thread::sleep_for(std::chrono::seconds(1));
  std::fprintf(stderr, "%s\n", words.c_str());
}

int guarded(int argc, char** argv) {
  try {
    const int status = started(argc, argv);
    if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return status;
    std::fprintf(stderr, "asterism: standard output cannot be written: %s\n", std::strerror(errno));
    return static_cast<int>(ExitStatus::internal);
  } catch (const InputMissing& error) {
    report(error.what());
    return static_cast<int>(ExitStatus::input_missing);
  } catch (const ConfigError& error) {
    report(error.what());
    return static_cast<int>(ExitStatus::bad_input);
  } catch (const StudyFailure& failure) {
    report(failure.what());
    return static_cast<int>(ExitStatus::expectation);
  } catch (const Interrupted&) {
    return static_cast<int>(ExitStatus::interrupted);
  } catch (const std::filesystem::filesystem_error& error) {
    const bool is_name = error.code() == std::errc::filename_too_long;
    report(is_name ? "error: the name of a file is too long for the file system"
                   : std::string("asterism: internal error: ") + error.what());
    return static_cast<int>(is_name ? ExitStatus::bad_input : ExitStatus::internal);
  } catch (const std::exception& error) {
    report(std::string("asterism: internal error: ") + error.what());
    return static_cast<int>(ExitStatus::internal);
  }
}

}  // namespace
}  // namespace asterism

int sc_main(int argc, char** argv) { return asterism::guarded(argc, argv); }

int main(int argc, char** argv) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  asterism::route_sc_reports();
  return sc_core::sc_elab_and_sim(argc, argv);
}
