#include "platform/plugin_check/trial.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

#include "tlm/log.h"

namespace asterism {

// Memory that outlives the process of the trial.
struct TrialRecord::Shared {
  std::atomic<std::uint64_t> beats = 0;
  std::atomic<bool> is_under_way = false, has_begun = false, is_complete = false, has_thrown = false;
  std::atomic<TlmRule> rule = TlmRule::status;  // that the end of the process breaks
  std::array<std::atomic<std::uint64_t>, tlm_rule_count> covered{}, broken{};
  std::array<char, 256> place{};
  std::array<char, 2048> access{};
};

namespace {

constexpr std::uint64_t shown_findings = 3;  // of a rule, in a trial

template <std::size_t size>
void copy_to(std::array<char, size>& to, std::string_view text) {
  const std::size_t length = std::min(text.size(), size - 1);
  std::memcpy(to.data(), text.data(), length);
  to[length] = 0;
}

std::string dumped(const nlohmann::json& line) {
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

int checked(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

void run_child(const std::function<void(TrialRecord&)>& body, TrialRecord::Shared& shared, int pipe,
               int output) {
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  mute_log(true);
  // A crash of the device is an answer, of which no image is needed.
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGINT, SIGPIPE})
    std::signal(signal, SIG_DFL);
  TrialRecord record(shared, pipe);
  try {
    body(record);
  } catch (const std::exception& error) {
    record.threw(fmt::format("threw: {}", error.what()));
  } catch (...) {
    record.threw("threw an object that is no std::exception");
  }
  shared.is_complete = true;
  // Destructors of modules are not part of the check, and those of the parent's objects are not the child's.
  _exit(0);
}

class Receiver {
 public:
  explicit Receiver(TrialOutcome& outcome) : outcome_(outcome) {}
  void add(std::string_view bytes) {
    text_ += bytes;
    std::size_t begin = 0;
    for (std::size_t end; (end = text_.find('\n', begin)) != std::string::npos; begin = end + 1)
      take(nlohmann::json::parse(text_.begin() + static_cast<std::ptrdiff_t>(begin),
                                 text_.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false));
    text_.erase(0, begin);
  }

 private:
  void take(const nlohmann::json& line) {
    if (line.is_discarded()) return;
    if (line.contains("refusal"))
      outcome_.refusal = line["refusal"];
    else if (line.contains("list"))
      outcome_.steps[line["list"]].push_back({line["place"], line["access"], line["answer"]});
    else
      outcome_.findings.push_back(
          {static_cast<TlmRule>(line["rule"].get<int>()), line["place"], line["access"], line["seen"]});
  }

  TrialOutcome& outcome_;
  std::string text_;
};

// The last line of the output, such as the message of an assertion.
std::string last_words(int output) {
  std::array<char, 4096> bytes;
  const off_t size = lseek(output, 0, SEEK_END);
  const off_t from = std::max<off_t>(0, size - static_cast<off_t>(bytes.size()));
  const ssize_t count = pread(output, bytes.data(), bytes.size(), from);
  std::string_view text(bytes.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  while (text.ends_with('\n')) text.remove_suffix(1);
  const std::size_t line = text.rfind('\n');
  return std::string(line == std::string_view::npos ? text : text.substr(line + 1));
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return fmt::format("ended the process by {}", strsignal(WTERMSIG(status)));
  return fmt::format("ended the process with status {}", WEXITSTATUS(status));
}

// Reads what the child sends until it ends. Returns false if it had to be killed.
bool receive(pid_t child, int pipe, TrialRecord::Shared& shared, Receiver& receiver,
             std::chrono::milliseconds patience, int& status) {
  using Clock = std::chrono::steady_clock;
  std::uint64_t beats = shared.beats;
  auto last = Clock::now();
  bool was_killed = false;
  std::array<char, 65536> bytes;
  for (;;) {
    const bool has_ended = waitpid(child, &status, WNOHANG) == child;
    pollfd waiting{pipe, POLLIN, 0};
    do {
      poll(&waiting, 1, has_ended ? 0 : 50);
      const ssize_t count = waiting.revents & POLLIN ? read(pipe, bytes.data(), bytes.size()) : 0;
      if (count <= 0) break;
      receiver.add({bytes.data(), static_cast<std::size_t>(count)});
    } while (has_ended);
    if (has_ended) return !was_killed;
    if (beats != shared.beats)
      beats = shared.beats, last = Clock::now();
    else if (!was_killed && Clock::now() - last > patience)
      was_killed = true, kill(child, SIGKILL);
  }
}

}  // namespace

void TrialRecord::begin(std::string_view place, std::string_view access, TlmRule rule) {
  shared_.rule = rule;
  copy_to(shared_.place, place);
  copy_to(shared_.access, access);
  shared_.is_under_way = true;
  shared_.has_begun = true;
  beat();
}

void TrialRecord::end() {
  shared_.is_under_way = false;
  shared_.rule = TlmRule::status;
  beat();
}

void TrialRecord::beat() { ++shared_.beats; }
std::uint64_t TrialRecord::beats() const { return shared_.beats; }
void TrialRecord::cover(TlmRule rule, std::uint64_t count) { shared_.covered[index_of(rule)] += count; }

void TrialRecord::broken(TlmRule rule, std::string_view place, std::string_view access,
                         std::string_view seen) {
  if (++shared_.broken[index_of(rule)] > shown_findings) return;
  send(dumped({{"rule", static_cast<int>(rule)}, {"place", place}, {"access", access}, {"seen", seen}}));
}

void TrialRecord::broken_now(TlmRule rule, std::string_view seen) {
  broken(rule, shared_.place.data(), shared_.access.data(), seen);
}

void TrialRecord::threw(std::string_view seen) {
  shared_.has_thrown = true;
  broken_now(shared_.rule, seen);
}

void TrialRecord::step(const std::string& list, TrialStep step) {
  send(dumped({{"list", list}, {"place", step.place}, {"access", step.access}, {"answer", step.answer}}));
}

void TrialRecord::refuse(std::string_view why) { send(dumped({{"refusal", why}})); }

void TrialRecord::send(const std::string& line) {
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t count = write(pipe_, line.data() + sent, line.size() - sent);
    if (count < 0 && errno != EINTR) return;
    if (count > 0) sent += static_cast<std::size_t>(count);
  }
}

TrialOutcome run_trial(const std::function<void(TrialRecord&)>& body, std::chrono::milliseconds patience) {
  void* const page =
      mmap(nullptr, sizeof(TrialRecord::Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  auto& shared = *new (page) TrialRecord::Shared;
  const int output = checked(memfd_create("output", MFD_CLOEXEC), "memfd_create");
  int ends[2];
  checked(pipe2(ends, O_CLOEXEC), "pipe2");
  std::fflush(nullptr);
  const pid_t child = checked(fork(), "fork");
  if (child == 0) {
    close(ends[0]);
    run_child(body, shared, ends[1], output);
  }
  close(ends[1]);
  TrialOutcome outcome;
  Receiver receiver(outcome);
  int status = 0;
  const bool ended = receive(child, ends[0], shared, receiver, patience, status);
  for (std::size_t i = 0; i < tlm_rule_count; ++i) {
    outcome.covered[i] = shared.covered[i];
    outcome.broken[i] = shared.broken[i];
  }
  outcome.has_ended = !shared.has_thrown;
  if (!ended || !shared.is_complete) {
    const TlmRule broken = ended ? shared.rule.load() : TlmRule::progress;
    const std::string words = last_words(output);
    outcome.findings.push_back(
        {broken, shared.place.data(), shared.access.data(),
         fmt::format("{}{}{}",
                     ended ? how_it_ended(status)
                           : fmt::format("showed no progress for {} s of the host's time",
                                         std::chrono::duration<double>(patience).count()),
                     shared.is_under_way || !shared.has_begun ? "" : " after this access had returned",
                     words.empty() ? "" : "; its last words: " + words)});
    ++outcome.broken[index_of(broken)];
    outcome.has_ended = false;
    outcome.was_stopped = !ended;
  }
  close(ends[0]);
  close(output);
  munmap(page, sizeof(TrialRecord::Shared));
  return outcome;
}

}  // namespace asterism
