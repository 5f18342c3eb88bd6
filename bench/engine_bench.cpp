// The speed of the A64 engine, with Unicorn and qemu-aarch64 interleaved in the same run:
//   - three loops against Unicorn with the hooks that are necessary to count instructions and to track
// writes;
//   - a loop for each class of instructions against Unicorn that only counts, so that a slow class is
// visible.
//
//   engine_bench [--check] [--native LOOP]
//
// --check: the exit status is 1 when a figure misses its limit. --native: one loop on the engine alone, for a
// profiler.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unicorn/unicorn.h>

#include <CLI/CLI.hpp>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/a64/native_iss.h"
#include "core/idle_iss_host.h"
#include "core_programs.h"
#include "figures.h"

namespace asterism {
namespace {

// The A64 engine with the memory that the loops use. It always tracks writes.
class Native final : private IdleIssHost {
 public:
  explicit Native(const Program& program) : core_(make_native_iss(*this, 0)) {
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

void measure_loops() {
  constexpr int rounds = 7;
  constexpr double limits[] = {0.7, 8, 5};
  fmt::print("{:<26} {:>8} {:>10} {:>12} {:>8}   MIPS\n", "loop", "native", "Unicorn", "with hooks", "qemu");
  std::vector<double> ratios;
  for (const Program& program : loops) {
    Native native(program);
    RawUnicorn raw(program), hooked(program, true);
    std::vector<double> native_mips, raw_mips, hooked_mips, against;
    for (int i = 0; i < rounds; ++i) {
      native_mips.push_back(native.mips(instructions_of_a_round(600)));
      raw_mips.push_back(raw.mips(instructions_of_a_round(100)));
      hooked_mips.push_back(hooked.mips(instructions_of_a_round(60)));
      against.push_back(native_mips.back() / hooked_mips.back());
    }
    const double qemu = qemu_mips(program, 1'000'000'000);
    fmt::print("{:<26} {:>8.0f} {:>10.0f} {:>12.0f} {:>8}\n", program.name, median(native_mips),
               median(raw_mips), median(hooked_mips), qemu > 0 ? fmt::format("{:.0f}", qemu) : "-");
    ratios.push_back(median(against));
  }
  for (std::size_t i = 0; i < loops.size(); ++i)
    figures.add(loops[i].name + " against Unicorn with both hooks", fmt::format("{:.2f} x", ratios[i]),
                ratios[i] >= limits[i], fmt::format(">= {:.1f} x", limits[i]));
}

void measure_class(const Program& program) {
  constexpr int rounds = 5;
  Native native(program);
  RawUnicorn raw(program);
  std::vector<double> native_mips, raw_mips, ratios;
  for (int i = 0; i < rounds; ++i) {
    native_mips.push_back(native.mips(instructions_of_a_round(300)));
    raw_mips.push_back(raw.mips(instructions_of_a_round(100)));
    ratios.push_back(native_mips.back() / raw_mips.back());
  }
  fmt::print("{:<26} {:>8.0f} {:>10.0f} {:>12.2f}\n", program.name, median(native_mips), median(raw_mips),
             median(ratios));
  std::fflush(stdout);
}

void measure_classes() {
  fmt::print("\n{:<26} {:>8} {:>10} {:>12}\n", "class", "native", "Unicorn", "ratio");
  for (const Program& program : classes) measure_class(program);
  for (const Program& program : paged) measure_class(program);
}

std::vector<Program> all_programs() {
  std::vector<Program> all = loops;
  all.insert(all.end(), classes.begin(), classes.end());
  all.insert(all.end(), paged.begin(), paged.end());
  return all;
}

void run_native(const std::string& name) {
  for (const Program& program : all_programs())
    if (program.name == name) fmt::print("{:.0f} MIPS\n", Native(program).mips(1'000'000'000));
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) {
  using namespace asterism;
  CLI::App app;
  std::vector<std::string> names;
  for (const Program& program : all_programs()) names.push_back(program.name);
  std::string native;
  app.add_option("--native", native, "This loop only, on the engine alone")->check(CLI::IsMember(names));
  return bench_main(argc, argv, app, [&] {
    if (!native.empty()) return run_native(native);
    measure_loops();
    measure_classes();
  });
}
