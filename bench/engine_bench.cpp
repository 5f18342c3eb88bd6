// The speed of the A64 engine, with and without its translator, and of others in turn in the same run: QEMU
// as a machine that counts instructions, dynarmic where it is installed, and Unicorn.
//   - three loops, and a loop for each class of instructions, so that a slow class is visible;
//   - how long a translation takes, and how much code it makes.
//
//   engine_bench [--check] [--native LOOP] [--translated LOOP]
//
// --check: the exit status is 1 when a figure misses its limit. --native and --translated: one loop on the
// engine alone, for a profiler.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unicorn/unicorn.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/a64/native_iss.h"
#include "core/idle_iss_host.h"
#include "core_programs.h"
#include "dynarmic_peer.h"
#include "figures.h"

namespace asterism {
namespace {

// The A64 engine with the memory that the loops use. It always tracks writes.
class Native final : private IdleIssHost {
 public:
  explicit Native(const Program& program, bool translates = false)
      : core_(make_native_iss(*this, 0, {.translation = {.after = translates ? 50u : 0u}})) {
    const std::vector<std::uint32_t> words = with_prologue(program);
    std::memcpy(memory_, words.data(), words.size() * 4);
    const std::vector<std::uint64_t> tables = identity_tables();
    std::memcpy(memory_ + (tables_base - memory_base), tables.data(), tables.size() * 8);
    core_->map_direct({Address(memory_base), Bytes(memory_size)}, memory_);
    a64::State state = core_->state();
    state.pc = memory_base;
    state.system.cpacr = 3 << 20;  // floating point at every level
    core_->set_state(state);
    run(100'000);
  }
  ~Native() override { munmap(memory_, memory_size); }
  Native(const Native&) = delete;
  Native& operator=(const Native&) = delete;

  // Of the program, as far as it has been executed.
  double instructions_per_iteration() const {
    return static_cast<double>(core_->instructions()) / static_cast<double>(~core_->state().x[9]);
  }
  TranslationCounts translation() const { return core_->translation(); }

  double mips(std::uint64_t instructions) {
    const std::uint64_t before = core_->instructions();
    const double elapsed = seconds_of([&] { run(instructions); });
    return static_cast<double>(core_->instructions() - before) / elapsed / 1e6;
  }

 private:
  void run(std::uint64_t instructions) {
    core_->call_at(core_->instructions() + instructions);
    if (core_->run() != Iss::Stop::requested || core_->read(CoreRegister::elr) != 0)
      throw std::runtime_error("the engine has stopped: " + core_->why());
  }

  void due() override { core_->request_stop(); }

  std::uint8_t* memory_ = static_cast<std::uint8_t*>(
      mmap(nullptr, memory_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::unique_ptr<NativeIss> core_;
};

// Raw Unicorn with the block hook that is at least necessary to count instructions; with tracks_writes also
// with a hook that sets a bit for each line of memory that is written.
class RawUnicorn {
 public:
  explicit RawUnicorn(const Program& program, bool tracks_writes = false);
  ~RawUnicorn() { uc_close(uc_); }
  RawUnicorn(const RawUnicorn&) = delete;
  RawUnicorn& operator=(const RawUnicorn&) = delete;

  double mips(std::uint64_t instructions);

 private:
  static void on_block(uc_engine* uc, std::uint64_t address, std::uint32_t size, void* self);
  static void on_write(uc_engine* uc, uc_mem_type type, std::uint64_t address, int size, std::int64_t value,
                       void* self);
  void run(std::uint64_t instructions);

  uc_engine* uc_ = nullptr;
  std::uint64_t pc_ = memory_base, count_ = 0, stop_at_ = 0;
  std::vector<std::uint64_t> dirty_ = std::vector<std::uint64_t>(memory_size / 4096);
};

RawUnicorn::RawUnicorn(const Program& program, bool tracks_writes) {
  uc_open(UC_ARCH_ARM64, UC_MODE_ARM, &uc_);
  uc_ctl_set_cpu_model(uc_, UC_CPU_ARM64_MAX);
  uc_ctl_exits_enable(uc_);
  // The MMU needs these registers, which give the width of the exception levels above.
  uc_arm64_cp_reg scr{.crn = 1, .crm = 1, .op0 = 3, .op1 = 6, .op2 = 0, .val = 0x5b1};
  uc_arm64_cp_reg hcr{.crn = 1, .crm = 1, .op0 = 3, .op1 = 4, .op2 = 0, .val = std::uint64_t{1} << 31};
  uc_reg_write(uc_, UC_ARM64_REG_CP_REG, &scr);
  uc_reg_write(uc_, UC_ARM64_REG_CP_REG, &hcr);
  uc_mem_map(uc_, memory_base, memory_size, UC_PROT_ALL);
  const std::vector<std::uint32_t> words = with_prologue(program);
  uc_mem_write(uc_, memory_base, words.data(), words.size() * 4);
  const std::vector<std::uint64_t> tables = identity_tables();
  uc_mem_write(uc_, tables_base, tables.data(), tables.size() * 8);
  uc_hook hook;
  uc_hook_add(uc_, &hook, UC_HOOK_BLOCK, reinterpret_cast<void*>(on_block), this, 1, 0);
  if (tracks_writes)
    uc_hook_add(uc_, &hook, UC_HOOK_MEM_WRITE, reinterpret_cast<void*>(on_write), this, 1, 0);
  run(100'000);
}

double RawUnicorn::mips(std::uint64_t instructions) {
  const std::uint64_t before = count_;
  const double elapsed = seconds_of([&] { run(instructions); });
  return static_cast<double>(count_ - before) / elapsed / 1e6;
}

void RawUnicorn::on_block(uc_engine* uc, std::uint64_t, std::uint32_t size, void* self) {
  auto& raw = *static_cast<RawUnicorn*>(self);
  if (raw.count_ >= raw.stop_at_) {
    uc_emu_stop(uc);
    return;
  }
  raw.count_ += size / 4;
}

void RawUnicorn::on_write(uc_engine*, uc_mem_type, std::uint64_t address, int, std::int64_t, void* self) {
  const std::uint64_t offset = address - memory_base;
  if (offset < memory_size)
    static_cast<RawUnicorn*>(self)->dirty_[offset / 4096] |= std::uint64_t{1} << (offset / 64 % 64);
}

void RawUnicorn::run(std::uint64_t instructions) {
  stop_at_ = count_ + instructions;
  uc_emu_start(uc_, pc_, 0, 0, 0);
  uc_reg_read(uc_, UC_ARM64_REG_PC, &pc_);
}

// Each engine runs for about 20 ms a round.
std::uint64_t instructions_of_a_round(double mips) { return static_cast<std::uint64_t>(mips * 1e6 * 0.02); }

std::vector<Program> all_programs() {
  std::vector<Program> all = loops;
  all.insert(all.end(), classes.begin(), classes.end());
  all.insert(all.end(), paged.begin(), paged.end());
  return all;
}

std::string text_of(double mips) { return mips > 0 ? fmt::format("{:.0f}", mips) : "-"; }

// Speeds in MIPS, each the median of rounds in which all take their turn; 0: not measured.
struct Speeds {
  double interpreter = 0, translator = 0, qemu_system = 0, dynarmic = 0, unicorn = 0, hooked = 0;
};

Speeds measure(const Program& program, bool with_hooks, std::uint64_t qemu_instructions) {
  constexpr int rounds = 5;
  Native interpreter(program), translator(program, true);
  RawUnicorn unicorn(program);
  std::unique_ptr<RawUnicorn> hooked;
  if (with_hooks) hooked = std::make_unique<RawUnicorn>(program, true);
  // It has no MMU, and QEMU is given none.
  const std::unique_ptr<DynarmicPeer> dynarmic = qemu_instructions > 0 ? make_dynarmic(program) : nullptr;
  Program counted = program;
  counted.instructions_per_iteration = interpreter.instructions_per_iteration();
  std::array<std::vector<double>, 6> mips;
  for (int i = 0; i < rounds; ++i) {
    mips[0].push_back(interpreter.mips(instructions_of_a_round(500)));
    mips[1].push_back(translator.mips(instructions_of_a_round(1500)));
    if (i % 2 == 0)
      mips[2].push_back(qemu_instructions > 0 ? qemu_system_mips(counted, qemu_instructions) : 0);
    mips[3].push_back(dynarmic ? dynarmic->mips(instructions_of_a_round(1000)) : 0);
    mips[4].push_back(unicorn.mips(instructions_of_a_round(100)));
    mips[5].push_back(hooked ? hooked->mips(instructions_of_a_round(60)) : 0);
  }
  return {median(mips[0]), median(mips[1]), median(mips[2]),
          median(mips[3]), median(mips[4]), median(mips[5])};
}

void print(const std::string& name, const Speeds& s) {
  fmt::print("{:<22} {:>11} {:>10} {:>11} {:>8} {:>7} {:>7}\n", name, text_of(s.interpreter),
             text_of(s.translator), text_of(s.qemu_system), text_of(s.dynarmic), text_of(s.unicorn),
             text_of(s.hooked));
  std::fflush(stdout);
}

void measure_loops() {
  constexpr double of_dynarmic[] = {1, 1.5, 1};
  fmt::print("{:<22} {:>11} {:>10} {:>11} {:>8} {:>7} {:>7}\n", "MIPS", "interpreter", "translator",
             "QEMU icount", "dynarmic", "Unicorn", "hooked");
  std::vector<Speeds> all;
  for (const Program& program : loops) {
    all.push_back(measure(program, true, 1'000'000'000));
    print(program.name, all.back());
  }
  const auto add = [](const std::string& name, double ours, double theirs, double limit) {
    if (theirs == 0) return;
    figures.add(name, fmt::format("{:.2f} x", ours / theirs), ours / theirs >= limit,
                fmt::format(">= {:.1f} x", limit));
  };
  for (std::size_t i = 0; i < loops.size(); ++i) {
    add(loops[i].name + " against QEMU icount", all[i].translator, all[i].qemu_system, 2);
    add(loops[i].name + " against dynarmic", all[i].translator, all[i].dynarmic, of_dynarmic[i]);
    add(loops[i].name + " against Unicorn with both hooks", all[i].translator, all[i].hooked, 0.7);
  }
}

void measure_classes() {
  for (const Program& program : classes) print(program.name, measure(program, false, 300'000'000));
  for (const Program& program : paged) print(program.name, measure(program, false, 0));
}

void measure_translation() {
  TranslationCounts sum;
  for (const Program& program : all_programs()) sum += Native(program, true).translation();
  figures.add("a translated block", fmt::format("{:.1f} us", static_cast<double>(sum.nanoseconds) / 1e3 /
                                                                 static_cast<double>(sum.blocks)));
  figures.add("code of the host for an instruction",
              fmt::format("{:.0f} bytes",
                          static_cast<double>(sum.code_bytes) / static_cast<double>(sum.instructions)));
}

void run_alone(const std::string& name, bool translates) {
  for (const Program& program : all_programs())
    if (program.name == name) fmt::print("{:.0f} MIPS\n", Native(program, translates).mips(1'000'000'000));
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) {
  using namespace asterism;
  CLI::App app;
  std::vector<std::string> names;
  for (const Program& program : all_programs()) names.push_back(program.name);
  std::string native, translated;
  app.add_option("--native", native, "This loop only, interpreted")->check(CLI::IsMember(names));
  app.add_option("--translated", translated, "This loop only, translated")->check(CLI::IsMember(names));
  return bench_main(argc, argv, app, [&] {
    if (!native.empty()) return run_alone(native, false);
    if (!translated.empty()) return run_alone(translated, true);
    measure_loops();
    measure_classes();
    measure_translation();
  });
}
