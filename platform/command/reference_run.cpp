#include "platform/command/reference_run.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "platform/config/diagnostics.h"
#include "platform/host/human_time.h"
#include "platform/host/sparse_copy.h"
#include "platform/run/run.h"

namespace asterism {

namespace fs = std::filesystem;

namespace {

// The command line has been accepted already, so that mistakes there are in the overrides of result_equals,
// and are reported where that was written.
Scenario prepare_reference(const ScenarioRequest& request, const ScenarioRequest& own,
                           const InstalledFiles& installed) {
  const auto moved = [&](const ConfigError& error) {
    const Origin written = load_scenario(own, installed).document.origin_of("expect.result_equals");
    Diagnostics all;
    for (Diagnostic problem : error.diagnostics().all()) {
      if (problem.origin.is_command_line()) problem.origin = written;
      all.add(std::move(problem));
    }
    return all;
  };
  try {
    return prepare(request, installed);
  } catch (const InputMissing& error) {
    throw InputMissing(moved(error));
  } catch (const ConfigError& error) {
    throw ConfigError(moved(error));
  }
}

}  // namespace

std::optional<std::string> result_in(const fs::path& files) {
  std::ifstream in(files / result_file, std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

ReferenceRun::ReferenceRun(ScenarioRequest request, const Scenario& scenario, const InstalledFiles& installed,
                           const RunDirectory& directory)
    : directory_(directory.path() / "reference"), log_(directory.path() / "reference.log") {
  const ScenarioRequest own = request;
  request.log.clear();  // a trace of its instructions would fill its log
  const auto overrides = *reference_overrides(*scenario.config.expect.result_equals);
  request.overrides.insert(request.overrides.end(), overrides.begin(), overrides.end());
  for (const DeviceList::KeptFile& kept : scenario.node.devices.kept_files()) {
    copies_ = directory.path() / "reference_state";
    fs::create_directory(copies_);
    const fs::path copy = copies_ / kept.key;
    // The run itself refuses any other kind of file.
    if (fs::is_regular_file(kept.file)) copy_sparse(kept.file, copy);
    request.overrides.push_back(kept.key + "=" + copy.string());
  }
  const Scenario reference = prepare_reference(request, own, installed);
  std::fflush(nullptr);
  child_ = fork();
  if (child_ < 0) throw std::runtime_error("cannot start a second process");
  // This is not _Exit, because AddressSanitizer reports errors on the stacks that SystemC has switched when a
  // function that never returns is called, and these would go to the child's log.
  if (child_ == 0) syscall(SYS_exit_group, run_in_child(reference));
}

ReferenceRun::~ReferenceRun() {
  if (child_ > 0) {  // its result is no longer needed
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  std::error_code none;
  fs::remove_all(fs::path(directory_) += ".partial", none);
  if (!copies_.empty()) fs::remove_all(copies_, none);
  if (fs::is_empty(log_, none)) fs::remove(log_, none);
}

void ReferenceRun::take_over(pid_t child, const RunDirectory& directory) {
  child_ = child;
  directory_ = directory.path() / "reference";
  log_ = directory.path() / "reference.log";
  copies_.clear();
}

ReferenceRun::End ReferenceRun::wait() {
  sigset_t awaited, before;
  sigemptyset(&awaited);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM}) sigaddset(&awaited, signal);
  pthread_sigmask(SIG_BLOCK, &awaited, &before);
  int status = 0;
  bool interrupted = false;
  while (child_ > 0 && !interrupted) {
    if (waitpid(child_, &status, WNOHANG) != 0) child_ = -1;
    // Ctrl-C ends the child, too, so its end means nothing until the pending signals have been checked.
    const timespec at_once{};
    const int signal =
        child_ < 0 ? sigtimedwait(&awaited, nullptr, &at_once) : sigwaitinfo(&awaited, nullptr);
    interrupted = signal == SIGINT || signal == SIGTERM;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (interrupted) return End::interrupted;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? End::by_its_firmware : End::otherwise;
}

std::string ReferenceRun::compare(End end, const RunDirectory& directory,
                                  std::vector<std::string>& failures) const {
  const auto theirs = result_in(directory_ / "files"), ours = result_in(directory.files());
  const auto fail = [&](std::string why) {
    failures.push_back("result_equals: " + why);
    return why;
  };
  if (end == End::interrupted) return fail("interrupted before the other run had ended");
  if (end != End::by_its_firmware)
    return fail("the firmware of the other run did not end it: " + last_words());
  if (!theirs || !ours)
    return fail(fmt::format("{} run left no {}", ours ? "the other" : "this", result_file));
  if (*theirs != *ours)
    return fail(fmt::format("files/{} and reference/files/{} differ", result_file, result_file));
  return fmt::format("{} is equal, bit for bit ({} bytes)", result_file, ours->size());
}

// No exception may reach the copy of the parent's stack, because its destructors would act on the parent's
// resources.
int ReferenceRun::run_in_child(const Scenario& reference) const noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a killed run leaves no process behind that holds its lock
  if (!std::freopen(log_.c_str(), "w", stderr)) return 1;
  if (!std::freopen("/dev/null", "r", stdin)) return 1;  // what is typed is for the run itself
  try {
    RunDirectory directory(directory_);
    directory.write("scenario.json", reference.expanded());
    const RunOutcome outcome = asterism::run(
        reference, directory, {.rtl = {}, .show_console = false, .show_progress = false, .on_start = {}});
    directory.finish();
    if (outcome.ended_by_itself()) return 0;
    fmt::print(stderr, "stopped at {} of simulated time\n", human_time(outcome.time));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
  }
  std::fflush(stderr);
  return 1;
}

// The last line that it wrote to stderr.
std::string ReferenceRun::last_words() const {
  std::ifstream log(log_);
  std::string last;
  for (std::string line; std::getline(log, line);) last = line;
  return last;
}

}  // namespace asterism
