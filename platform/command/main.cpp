#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <systemc>
#include <thread>

#include "platform/command/campaign.h"
#include "platform/command/command_line.h"
#include "platform/command/run_sweep.h"
#include "platform/host/exit_status.h"
#include "platform/host/installed_files.h"
#include "platform/host/output_failure.h"
#include "platform/host/parent_process.h"
#include "platform/rtl/child_processes.h"
#include "platform/study/point_ranks.h"
#include "platform/study/study_kind.h"
#include "platform/system/plugin_device.h"
#include "tlm/log.h"

namespace asterism {
namespace {

std::unique_ptr<StudyPoint> make_point(std::string_view kind) {
  if (kind == campaign_trial) return make_campaign_trial();
  if (kind == sweep_run) return make_sweep_run();
  const StudyKind* found = find_study_kind(kind);
  return found ? found->make() : nullptr;
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
int run_on_ranks(CommandLine& line, int argc, char** argv, Ranks& ranks) {
  if (ranks.rank() != 0) return serve(ranks);
  struct Dismissal {
    ~Dismissal() { dismiss_ranks(ranks); }
    Ranks& ranks;
  } const dismissal{ranks};
  return line.run(argc, argv, &ranks);
}

// A verb that does not distribute its work runs in every process that mpirun starts.
int started(int argc, char** argv) {
  CommandLine line;
  if (argc > 1 && line.distributes(argv[1]))
    if (const auto ranks = open_ranks(InstalledFiles::mpi_library()))
      return run_on_ranks(line, argc, argv, *ranks);
  return line.run(argc, argv, nullptr);
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
  } catch (const OutputFailure& error) {
    report(error.what());
    return static_cast<int>(ExitStatus::internal);
  } catch (const ConfigError& error) {
    report(error.what());
    return static_cast<int>(ExitStatus::bad_input);
  } catch (const PluginFailure& failure) {
    report(failure.what());
    return static_cast<int>(ExitStatus::plugin);
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
  asterism::end_with_parent();
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  asterism::route_sc_reports();
  return sc_core::sc_elab_and_sim(argc, argv);
}
