// The cost of node.checks with every check on, against none, and that of --last-instructions.
//
//   checks_bench ASTERISM
//
// ASTERISM is the command. Loops run on the engine with and without rules (core/guest_rules.h) alternately;
// jobs run with and without the checks, or the option.
#include <sys/mman.h>

#include <cstring>
#include <memory>

#include "core/a64/native_iss.h"
#include "core/idle_iss_host.h"
#include "core_programs.h"
#include "whole_runs.h"

namespace asterism {
namespace {

// The code is read-only, all other memory is not executable, and the loop's stack is the second half of the
// area that it stores to.
GuestRules all_rules() {
  constexpr std::uint64_t code = 4096;
  return {.read_only = {{Address(memory_base), Bytes(code)}},
          .not_executable = {{Address(memory_base + code), Bytes(memory_size - code)}},
          .stacks = {{Address(memory_base + code), Bytes(memory_size - code)}},
          .alignment = GuestRules::Alignment::reported};
}

class Loop final : private IdleIssHost {
 public:
  Loop(const Program& program, const GuestRules& rules) : core_(make_native_iss(*this, 0, {.rules = rules})) {
    const std::vector<std::uint32_t> words = with_prologue(program);
    std::memcpy(memory_, words.data(), words.size() * 4);
    const std::vector<std::uint64_t> tables = identity_tables();
    std::memcpy(memory_ + (tables_base - memory_base), tables.data(), tables.size() * 8);
    core_->map_direct({Address(memory_base), Bytes(memory_size)}, memory_);
    a64::State state = core_->state();
    state.pc = memory_base;
    state.system.cpacr = 3 << 20;
    core_->set_state(state);
    run(100'000);
  }
  ~Loop() override { munmap(memory_, memory_size); }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  double seconds() {
    return seconds_of([this] { run(20'000'000); });
  }

 private:
  void run(std::uint64_t instructions) {
    core_->call_at(core_->instructions() + instructions);
    if (core_->run() != Iss::Stop::requested) throw std::runtime_error("the engine has stopped");
  }
  void due() override { core_->request_stop(); }

  std::uint8_t* memory_ = static_cast<std::uint8_t*>(
      mmap(nullptr, memory_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::unique_ptr<NativeIss> core_;
};

constexpr int pairs = 15;
constexpr double limit = 1.05;

void add(const std::string& name, double ratio) {
  figures.add(name, fmt::format("{:+.1f}%", 100 * (ratio - 1)), ratio <= limit, "<= +5%");
}

void measure_loop(const Program& program) {
  Loop without(program, {}), with(program, all_rules());
  std::vector<double> ratios;
  for (int i = 0; i < pairs; ++i) {
    const double before = without.seconds();
    ratios.push_back(with.seconds() / before);
  }
  add(program.name + ": time with rules over that without", median(ratios));
}

void measure(const WholeRuns& runs, const std::filesystem::path&) {
  for (const std::vector<Program>& programs : {loops, classes, paged})
    for (const Program& program : programs)
      for (const char* name : {"stores", "copy", "pushes", "calls"})
        if (program.name.starts_with(name)) measure_loop(program);
  const std::string job = "--firmware cg expect={} 'args=nx=16 interval=5'";
  std::string off = job;
  for (const char* check : {"read_only", "no_execute", "stack", "alignment", "register_width"})
    off += fmt::format(" node.checks.{}=off", check);
  add("cg: user time with the checks over that without", runs.ratio(off, job, pairs));
  const std::string longer = "--firmware cg expect={} 'args=nx=40 interval=20'";  // some copies of the run
  add("cg: user time with --last-instructions over that without",
      runs.ratio(longer, longer + " --last-instructions 1000", 5));
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) { return asterism::run_bench(argc, argv, asterism::measure); }
