#include "platform/run/last_instructions.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/circular_buffer.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <optional>
#include <system_error>
#include <utility>

#include "platform/host/open_files.h"
#include "platform/instruments/instruction_trace.h"
#include "tlm/time.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
// The time that this process has used of the host's processors. On a busy machine a second of it may be a
// minute, in which many copies would cost more than the run itself.
std::chrono::nanoseconds processor_time() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

constexpr const char* result_file = "last_instructions.txt";
constexpr const char* copies_folder = "copies";

// Opens `file` under a descriptor that is in use.
void reopen(const char* file, int descriptor, int flags) {
  const int opened = open(file, flags | O_CLOEXEC);
  if (opened < 0) return;
  dup2(opened, descriptor);
  close(opened);
}

template <class T>
void write_all(int to, const T* values, std::size_t count) {
  // A pipe takes the orders at once, or the copy reads them meanwhile.
  const char* at = reinterpret_cast<const char*>(values);
  for (std::size_t left = count * sizeof(T); left > 0;) {
    const ssize_t written = write(to, at, left);
    if (written < 0 && errno != EINTR) return;
    if (written > 0) at += written, left -= static_cast<std::size_t>(written);
  }
}

template <class T>
bool read_all(int from, T* values, std::size_t count) {
  char* at = reinterpret_cast<char*>(values);
  for (std::size_t left = count * sizeof(T); left > 0;) {
    const ssize_t got = read(from, at, left);
    if (got == 0 || (got < 0 && errno != EINTR)) return false;
    if (got > 0) at += got, left -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

// Records a core from some instructions before its limit on.
class LastInstructions::Recorder final : public FlowObserver {
 public:
  Recorder(CoreModule& core, Limit limit, unsigned count) : core_(core), limit_(limit), ring_(count) {
    core_.on_quantum = [this] { begin_when_near(); };
    begin_when_near();
  }

  void goes(const FlowStep&) override {}
  void executes(std::uint64_t pc, std::uint32_t word, std::uint64_t instructions) override {
    if (after_) return;
    TracedInstruction next(core_, pc, word, instructions);
    const bool is_faulting =
        limit_.is_fault && instructions == limit_.instructions && pc == limit_.faulting_pc;
    if (instructions > limit_.instructions || (instructions == limit_.instructions && !is_faulting)) {
      after_ = std::make_unique<TracedInstruction>(next);
      return;
    }
    const bool is_repeated =
        !ring_.empty() && ring_.back().pc == pc && ring_.back().instructions == instructions;
    if (!is_repeated) ring_.push_back(next);
  }
  bool is_done() const { return after_ || (!limit_.is_fault && core_.instructions() >= limit_.instructions); }

  std::string text(const InstructionText& words) const {
    std::string text;
    const TracedInstruction now = after_ ? *after_ : TracedInstruction(core_, 0, 0, 0);
    for (std::size_t i = 0; i < ring_.size(); ++i)
      text += words.line(ring_[i], i + 1 < ring_.size() ? ring_[i + 1] : now) + "\n";
    return text;
  }
  std::size_t size() const { return ring_.size(); }

 private:
  void begin_when_near() {
    if (has_begun_ ||
        core_.instructions() + core_.max_instructions_ahead() + ring_.capacity() < limit_.instructions)
      return;
    has_begun_ = true;
    core_.iss().follow(this, {.boundaries = {}, .instructions = true});
  }

  CoreModule& core_;
  const Limit limit_;
  boost::circular_buffer<TracedInstruction> ring_;
  std::unique_ptr<TracedInstruction> after_;  // the first instruction behind the limit
  bool has_begun_ = false;
};

LastInstructions::LastInstructions(unsigned count, SimulatedSystem& system, const FunctionSymbols& symbols,
                                   const RunDirectory& directory, LiveSnapshots::Threads threads)
    : count_(count),
      system_(system),
      symbols_(symbols),
      directory_(directory),
      threads_(std::move(threads)),
      cores_(system.cores_to_debug()) {}

LastInstructions::~LastInstructions() {
  for (const Copy& copy : copies_) remove(copy);
  std::error_code none;
  if (!is_copy_) fs::remove_all(directory_.path() / copies_folder, none);
}

void LastInstructions::remove(const Copy& copy) {
  close(copy.orders);
  while (waitpid(copy.process, nullptr, 0) < 0 && errno == EINTR) continue;
}

std::vector<LastInstructions::Limit> LastInstructions::limits() {
  std::vector<Limit> limits;
  for (const DebuggedCore& each : cores_) {
    const auto fault = each.core->iss().fault();
    if (fault)
      limits.push_back({fault->instructions, fault->pc, true});
    else
      limits.push_back({each.core->instructions(), 0, false});
  }
  return limits;
}

// No copy is made then, because it would come too late for the instructions before the fault.
bool LastInstructions::is_in_fault() const {
  return std::ranges::any_of(cores_,
                             [](const DebuggedCore& each) { return each.core->iss().fault().has_value(); });
}

void LastInstructions::poll() {
  if (is_copy_ || processor_time() < next_ || is_in_fault()) return;
  make_copy();
}

void LastInstructions::make_copy() {
  constexpr auto period = std::chrono::seconds(2);
  constexpr int share = 40;  // at least so many times what a copy takes passes before the next one
  const auto began = processor_time();
  threads_.pause();
  std::fflush(nullptr);
  const OpenFiles open_files(directory_.path());
  const fs::path folder = directory_.path() / copies_folder / std::to_string(made_++);
  fs::create_directories(folder);
  for (const auto& entry : fs::directory_iterator(directory_.path()))
    if (entry.path().filename() != copies_folder &&
        !entry.path().filename().native().starts_with("reference"))
      fs::copy(entry.path(), folder / entry.path().filename(), fs::copy_options::recursive);
  int orders[2];
  if (pipe2(orders, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const pid_t process = fork();
  if (process < 0)
    throw std::system_error(errno, std::generic_category(), "there is no memory for --last-instructions");
  if (process == 0) {
    close(orders[1]);
    for (const Copy& other : copies_) close(other.orders);
    copies_.clear();
    sleep_until_woken(orders[0], folder);
    open_files.reopen_in(folder);
    system_.move_files(folder / "files");
    return;
  }
  close(orders[0]);
  threads_.resume();
  copies_.push_back({process, orders[1], folder});
  if (copies_.size() > 2) {
    remove(copies_.front());
    copies_.pop_front();
  }
  const auto ended = processor_time();
  next_ = ended + std::max<std::chrono::nanoseconds>(period, share * (ended - began));
}

// Ends the process if the run no longer needs it.
void LastInstructions::sleep_until_woken(int orders, const fs::path& folder) {
  // What is typed concerns the run, which then ends or wakes this process.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  std::uint64_t end = 0;
  std::vector<Limit> limits(cores_.size());
  if (!read_all(orders, &end, 1) || !read_all(orders, limits.data(), limits.size())) {
    std::error_code none;
    fs::remove_all(folder, none);
    _exit(0);
  }
  reopen("/dev/null", STDIN_FILENO, O_RDONLY);
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) reopen("/dev/null", output, O_WRONLY);
  is_copy_ = true;
  end_ = Picoseconds(end);
  for (std::size_t i = 0; i < cores_.size(); ++i)
    recorders_.push_back(std::make_unique<Recorder>(*cores_[i].core, limits[i], count_));
}

bool LastInstructions::is_done() const {
  return std::ranges::all_of(recorders_, [](const auto& each) { return each->is_done(); });
}

void LastInstructions::finish() {
  std::string text;
  for (std::size_t i = 0; i < recorders_.size(); ++i) {
    const Recorder& recorder = *recorders_[i];
    text +=
        fmt::format("{}==== {}: {} instructions", text.empty() ? "" : "\n", cores_[i].name, recorder.size());
    text +=
        recorder.size() < count_ ? fmt::format(", fewer than {} since the run was copied\n", count_) : "\n";
    text += recorder.text(InstructionText({symbols_, cores_[i].core->iss().debug_port()}));
  }
  try {
    directory_.write(result_file, text);
    _exit(0);
  } catch (const std::exception&) {
    _exit(1);
  }
}

bool LastInstructions::record() {
  if (is_copy_ || copies_.empty()) return false;
  const Copy copy = copies_.front();
  copies_.pop_front();
  const std::vector<Limit> limits = this->limits();
  // An interrupted run has executed what was due at this time, and a copy stops before that.
  const std::uint64_t end = (now() + Picoseconds(1)).count();
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  write_all(copy.orders, &end, 1);
  write_all(copy.orders, limits.data(), limits.size());
  std::signal(SIGPIPE, before);
  int status = 0;
  while (waitpid(copy.process, &status, 0) < 0 && errno == EINTR) continue;
  close(copy.orders);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace asterism
