// Speed of the core model, as ratios measured in one run:
//   - the module at a quantum of 1 us against raw Unicorn with the same block hook, beside qemu-aarch64 where installed;
//   - four cores against one; - an access to a device; - an idle node.
//
//   core_bench [--check]      with --check the exit status is 1 when a figure misses its limit
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <tlm_utils/simple_target_socket.h>
#include <unicorn/unicorn.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/core_cluster.h"
#include "core/unicorn_iss.h"
#include "figures.h"
#include "tlm/time.h"

namespace asterism {
namespace {

constexpr std::uint64_t memory_base = 0x4000'0000, memory_size = 16 << 20;
constexpr std::uint64_t device = 0x0900'0000;

// Time of the CPU, of this process and of children that have ended: other work on the machine does not count.
double seconds() {
  const auto used = [](int who) {
    rusage usage{};
    getrusage(who, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  };
  timespec own{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
  return static_cast<double>(own.tv_sec) + 1e-9 * static_cast<double>(own.tv_nsec) + used(RUSAGE_CHILDREN);
}
double seconds_of(const std::function<void()>& work) {
  const double start = seconds();
  work();
  return seconds() - start;
}

// ---- the programs: endless loops, x9 counts turns down from a value that is never reached ----

struct Program {
  std::string name;
  std::vector<std::uint32_t> words;
  double instructions_a_turn;
};

const std::vector<Program> programs = {
    {"integer",
     {
         0xd28da561,  // mov x1, #0x6d2b
         0xd28b0a25,  // mov x5, #0x5851
         0xca013421,  // loop: eor x1, x1, x1, lsl #13
         0xca411c21,  // eor x1, x1, x1, lsr #7
         0xca014421,  // eor x1, x1, x1, lsl #17
         0x9b050822,  // madd x2, x1, x5, x2
         0x8b428063,  // add x3, x3, x2, lsr #32
         0xf240003f,  // tst x1, #1
         0x9a840484,  // csinc x4, x4, x4, eq
         0x36000049,  // tbz x9, #0, even
         0x8b0100c6,  // add x6, x6, x1
         0xf1000529,  // even: subs x9, x9, #1
         0x54fffec1,  // b.ne loop
     },
     10.5},
    {"copy",
     {
         0xd282000c,  // outer: mov x12, #4096
         0xaa0a03ed,  // mov x13, x10
         0xaa0b03ee,  // mov x14, x11
         0xa8c109a1,  // loop: ldp x1, x2, [x13], #16
         0xa8c111a3,  // ldp x3, x4, [x13], #16
         0xa88109c1,  // stp x1, x2, [x14], #16
         0xa88111c3,  // stp x3, x4, [x14], #16
         0xf100818c,  // subs x12, x12, #32
         0x54ffff61,  // b.ne loop
         0xf1000529,  // subs x9, x9, #1
         0x54fffec1,  // b.ne outer
     },
     3 + 128 * 6 + 2},
    {"daxpy",
     {
         0x1e6f1000,  // fmov d0, #1.5
         0xd280400c,  // outer: mov x12, #512
         0xaa0a03ed,  // mov x13, x10
         0xaa0b03ee,  // mov x14, x11
         0xfc4085a1,  // loop: ldr d1, [x13], #8
         0xfd4001c2,  // ldr d2, [x14]
         0x1f400822,  // fmadd d2, d1, d0, d2
         0xfc0085c2,  // str d2, [x14], #8
         0xf100058c,  // subs x12, x12, #1
         0x54ffff61,  // b.ne loop
         0xf1000529,  // subs x9, x9, #1
         0x54fffec1,  // b.ne outer
     },
     3 + 512 * 6 + 2},
};

// Sets the registers that the loops use.
std::vector<std::uint32_t> prologue(std::uint64_t source, std::uint64_t target, std::uint64_t turns) {
  std::vector<std::uint32_t> words;
  const auto set = [&](std::uint32_t reg, std::uint64_t value) {
    for (std::uint32_t part = 0; part < 4; ++part) {  // movz, movk, movk, movk
      const auto half = static_cast<std::uint32_t>(value >> (16 * part) & 0xffff);
      words.push_back((part == 0 ? 0xd280'0000 : 0xf280'0000) | part << 21 | half << 5 | reg);
    }
  };
  set(9, turns);
  set(10, source);
  set(11, target);
  return words;
}

// ---- memory and a device with one register ----

struct BenchBus : sc_core::sc_module {
  tlm_utils::simple_target_socket<BenchBus> socket{"socket"};
  sc_core::sc_signal<bool> irq{"irq"}, virtual_timer{"virtual_timer"}, physical_timer{"physical_timer"};
  std::uint8_t* memory = static_cast<std::uint8_t*>(
      mmap(nullptr, memory_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::uint64_t accesses = 0;

  explicit BenchBus(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &BenchBus::b_transport);
    socket.register_get_direct_mem_ptr(this, &BenchBus::get_direct_mem_ptr);
  }
  void place(const std::vector<std::uint32_t>& words, std::uint64_t offset = 0) {
    std::memcpy(memory + offset, words.data(), words.size() * 4);
  }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    ++accesses;
    std::memcpy(payload.get_data_ptr(), &accesses, payload.get_data_length());
    delay += latency_;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    if (payload.get_address() - memory_base >= memory_size) return false;
    dmi.set_start_address(memory_base);
    dmi.set_end_address(memory_base + memory_size - 1);
    dmi.set_dmi_ptr(memory);
    dmi.allow_read_write();
    return true;
  }
  const sc_core::sc_time latency_{10, sc_core::SC_NS};
};

struct BenchNode : sc_core::sc_module, CoreCluster::Surroundings {
  std::vector<std::unique_ptr<BenchBus>> buses;
  CoreCluster cores;
  BenchNode(const sc_core::sc_module_name& name, unsigned count, Picoseconds quantum)
      : sc_module(name), cores({.count = count}, quantum, *this, make_unicorn_iss) {
    for (unsigned i = 0; i < count; ++i) {
      buses.push_back(std::make_unique<BenchBus>(("bus" + std::to_string(i)).c_str()));
      cores[i].bus.bind(buses[i]->socket);
      cores[i].irq.bind(buses[i]->irq);
      cores[i].virtual_timer.bind(buses[i]->virtual_timer);
      cores[i].physical_timer.bind(buses[i]->physical_timer);
    }
  }
  std::uint64_t semihosting(CoreModule&, std::uint32_t, std::uint64_t) override { return 0; }
  void system_off() override {}
  void system_reset() override {}

  void start_all(const std::vector<std::uint32_t>& program) {
    cores.reset(Reset::warm);
    sc_core::sc_start(to_sc_time(2_us));
    for (unsigned i = 0; i < cores.count(); ++i) {
      buses[i]->place(program);
      cores[i].start(Address(memory_base), device);
    }
    sc_core::sc_start(to_sc_time(100_us));  // translated and warm
  }
  // Million instructions a second of host time over some simulated time.
  double mips(Picoseconds time) {
    const std::uint64_t before = cores.instructions();
    const double elapsed = seconds_of([&] { sc_core::sc_start(to_sc_time(time)); });
    return static_cast<double>(cores.instructions() - before) / elapsed / 1e6;
  }
};

std::vector<std::uint32_t> with_prologue(const Program& program) {
  std::vector<std::uint32_t> words =
      prologue(memory_base + (1 << 20), memory_base + (2 << 20) + 0x5000, ~0ull);
  words.insert(words.end(), program.words.begin(), program.words.end());
  return words;
}

// ---- raw Unicorn with the block hook that counting instructions takes at least ----

class RawUnicorn {
 public:
  explicit RawUnicorn(const Program& program) {
    uc_open(UC_ARCH_ARM64, UC_MODE_ARM, &uc_);
    uc_ctl_set_cpu_model(uc_, UC_CPU_ARM64_MAX);
    uc_ctl_exits_enable(uc_);
    uc_mem_map(uc_, memory_base, memory_size, UC_PROT_ALL);
    const std::vector<std::uint32_t> words = with_prologue(program);
    uc_mem_write(uc_, memory_base, words.data(), words.size() * 4);
    uc_hook hook;
    uc_hook_add(uc_, &hook, UC_HOOK_BLOCK, reinterpret_cast<void*>(on_block), this, 1, 0);
    run(100'000);
  }
  ~RawUnicorn() { uc_close(uc_); }
  RawUnicorn(const RawUnicorn&) = delete;

  double mips(std::uint64_t instructions) {
    const std::uint64_t before = count_;
    const double elapsed = seconds_of([&] { run(instructions); });
    return static_cast<double>(count_ - before) / elapsed / 1e6;
  }

 private:
  static void on_block(uc_engine* uc, std::uint64_t, std::uint32_t size, void* self) {
    auto& raw = *static_cast<RawUnicorn*>(self);
    if (raw.count_ >= raw.stop_at_) {
      uc_emu_stop(uc);
      return;
    }
    raw.count_ += size / 4;
  }
  void run(std::uint64_t instructions) {
    stop_at_ = count_ + instructions;
    uc_emu_start(uc_, pc_, 0, 0, 0);
    uc_reg_read(uc_, UC_ARM64_REG_PC, &pc_);
  }

  uc_engine* uc_ = nullptr;
  std::uint64_t pc_ = memory_base, count_ = 0, stop_at_ = 0;
};

// ---- qemu-aarch64 in user mode, on an ELF file made here ----

// Runs a program for some turns; seconds, or 0 where qemu-aarch64 is not installed.
double qemu_seconds(const Program& program, std::uint64_t turns) {
  constexpr std::uint64_t base = 0x40'0000, headers = 64 + 56;
  std::vector<std::uint32_t> words = prologue(base + (1 << 20), base + (2 << 20) + 0x5000, turns);
  words.insert(words.end(), program.words.begin(), program.words.end());
  words.insert(words.end(), {0xd280'0000, 0xd280'0ba8, 0xd400'0001});  // mov x0, #0; mov x8, #93; svc #0
  std::vector<std::uint64_t> header = {0x0001'0102'464c'457f,
                                       0,
                                       0x0000'0001'00b7'0002,
                                       base + headers,
                                       64,
                                       0,
                                       0x0038'0040'0000'0000,
                                       0x40'0001,
                                       0x7'0000'0001,
                                       0,
                                       base,
                                       base,
                                       headers + words.size() * 4,
                                       4 << 20,
                                       4096};
  const auto path = std::filesystem::temp_directory_path() / fmt::format("core_bench_{}.elf", getpid());
  {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(header.data()), static_cast<std::streamsize>(headers));
    file.write(reinterpret_cast<const char*>(words.data()), static_cast<std::streamsize>(words.size() * 4));
  }
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  int status = -1;
  const double elapsed = seconds_of([&] {
    const pid_t child = fork();
    if (child == 0) {
      execlp("qemu-aarch64", "qemu-aarch64", path.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    waitpid(child, &status, 0);
  });
  std::filesystem::remove(path);
  return status == 0 ? elapsed : 0;
}

double qemu_mips(const Program& program, std::uint64_t instructions) {
  const auto turns =
      static_cast<std::uint64_t>(static_cast<double>(instructions) / program.instructions_a_turn);
  const double startup = qemu_seconds(program, 1), whole = qemu_seconds(program, turns);
  if (whole <= startup) return 0;
  return static_cast<double>(turns) * program.instructions_a_turn / (whole - startup) / 1e6;
}

// ---- the figures ----

Figures figures;

void figure(const std::string& what, double value, const std::string& unit, bool met,
            const std::string& limit) {
  figures.add(what, fmt::format("{:.1f} {}", value, unit), met, limit);
}

void measure_loops(BenchNode& one) {
  constexpr int rounds = 7;
  fmt::print("{:<10} {:>12} {:>12} {:>12} {:>10}\n", "loop", "raw MIPS", "module MIPS", "qemu MIPS",
             "module/raw");
  for (const Program& program : programs) {
    RawUnicorn raw(program);
    one.start_all(with_prologue(program));
    const std::uint64_t instructions = program.name == "integer" ? 100'000'000 : 10'000'000;
    std::vector<double> raw_mips, module_mips, ratios;
    for (int i = 0; i < rounds; ++i) {
      raw_mips.push_back(raw.mips(instructions));
      module_mips.push_back(one.mips(instructions * 1_ns));
      ratios.push_back(module_mips.back() / raw_mips.back());
    }
    const double qemu = qemu_mips(program, 1'000'000'000);
    fmt::print("{:<10} {:>12.0f} {:>12.0f} {:>12} {:>9.1f}%\n", program.name, median(raw_mips),
               median(module_mips), qemu > 0 ? fmt::format("{:.0f}", qemu) : "-", 100 * median(ratios));
    if (program.name == "integer")
      figure("integer loop, module against raw Unicorn", 100 * median(ratios), "%", median(ratios) >= 0.9,
             ">= 90%");
  }
}

// Aggregate speed of four cores over that of one, on one loop.
double four_against_one(BenchNode& one, BenchNode& four, const Program& program) {
  const Picoseconds time = program.name == "integer" ? 20_ms : 1_ms;
  std::vector<double> ratios;
  for (int i = 0; i < 7; ++i) {
    four.start_all(with_prologue(program));
    const double aggregate = four.mips(time);
    four.cores.reset(Reset::warm);
    one.start_all(with_prologue(program));
    ratios.push_back(aggregate / one.mips(4 * time));
    one.cores.reset(Reset::warm);
  }
  sc_core::sc_start(to_sc_time(2_us));
  return median(ratios);
}

void measure_four(BenchNode& one, BenchNode& four, BenchNode& four_slow) {
  for (const Program& program : programs) {
    const double ratio = four_against_one(one, four, program);
    figure("four cores against one, " + program.name, 100 * ratio, "%", ratio >= 0.95, ">= 95%");
  }
  const double ratio = four_against_one(one, four_slow, programs[0]);
  figure("the same, integer at a quantum of 10 us", 100 * ratio, "%", ratio >= 0.95, ">= 95%");
}

void measure_device(BenchNode& one) {
  one.start_all({
      0xb9400001,  // loop: ldr w1, [x0]
      0xb9400001,  // ldr w1, [x0]
      0xb9400001,  // ldr w1, [x0]
      0xb9000001,  // str w1, [x0]
      0x17fffffc,  // b loop
  });
  std::vector<double> nanoseconds;
  for (int i = 0; i < 7; ++i) {
    const std::uint64_t before = one.buses[0]->accesses;
    const double elapsed = seconds_of([] { sc_core::sc_start(to_sc_time(2_ms)); });
    nanoseconds.push_back(1e9 * elapsed / static_cast<double>(one.buses[0]->accesses - before));
  }
  one.cores.reset(Reset::warm);
  figure("access to a device and back", median(nanoseconds), "ns", median(nanoseconds) < 100, "< 100 ns");
}

void measure_idle(BenchNode& four) {
  four.start_all({0xd503207f});  // wfi
  std::vector<double> milliseconds;
  milliseconds.reserve(7);
  for (int i = 0; i < 7; ++i)
    milliseconds.push_back(1e3 * seconds_of([] { sc_core::sc_start(to_sc_time(1_s)); }));
  figure("a simulated second of four cores in WFI", median(milliseconds), "ms", median(milliseconds) < 10,
         "< 10 ms");
}

}  // namespace
}  // namespace asterism

int sc_main(int argc, char** argv) {
  using namespace asterism;
  const bool check = argc > 1 && std::strcmp(argv[1], "--check") == 0;
  BenchNode one("one", 1, 1_us), four("four", 4, 1_us), four_slow("four_slow", 4, 10_us);
  fmt::print("Unicorn {}\n", unicorn_version());
  measure_loops(one);
  measure_four(one, four, four_slow);
  measure_device(one);
  measure_idle(four);
  sc_core::sc_stop();
  return check && !figures.all_met() ? 1 : 0;
}

int main(int argc, char** argv) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}
