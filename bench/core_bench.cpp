// The speed of the core model, as ratios measured in one run:
//   - four cores against one; - an access to a device; - an idle node.
//
//   core_bench [--check]      with --check the exit status is 1 when a figure misses its limit
#include <fmt/format.h>
#include <sys/mman.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/core_cluster.h"
#include "core/iss_factory.h"
#include "core_programs.h"
#include "figures.h"
#include "tlm/time.h"

namespace asterism {
namespace {

constexpr std::uint64_t device = 0x0900'0000;

// ---- memory and a device with one register ----

struct BenchBus : sc_core::sc_module {
  tlm_utils::simple_target_socket<BenchBus> socket{"socket"};
  sc_core::sc_signal<bool> irq{"irq"}, virtual_timer{"virtual_timer"}, physical_timer{"physical_timer"},
      performance_monitors{"performance_monitors"};
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
      : sc_module(name), cores({.count = count}, quantum, *this, make_iss_of_cores(options())) {
    for (unsigned i = 0; i < count; ++i) {
      buses.push_back(std::make_unique<BenchBus>(("bus" + std::to_string(i)).c_str()));
      cores[i].bus.bind(buses[i]->socket);
      cores[i].irq.bind(buses[i]->irq);
      cores[i].virtual_timer.bind(buses[i]->virtual_timer);
      cores[i].physical_timer.bind(buses[i]->physical_timer);
      cores[i].performance_monitors.bind(buses[i]->performance_monitors);
    }
  }
  // As on the platform.
  static a64::Options options() {
    a64::Options result;
    result.translation = {.after = 200, .code_bytes = 16 << 20};
    return result;
  }
  std::uint64_t semihosting(CoreModule&, std::uint32_t, std::uint64_t) override { return 0; }
  void system_off() override {}
  void system_reset() override {}

  void start_all(const std::vector<std::uint32_t>& program) {
    cores.reset(Reset::warm);
    sc_core::sc_start(to_sc_time(2_us));
    std::vector<std::uint32_t> words = {
        0xd2a00602,  // mov x2, #0x300000
        0xd5181042,  // msr cpacr_el1, x2: floating point does not trap
        0xd5033fdf,  // isb
    };
    words.insert(words.end(), program.begin(), program.end());
    for (unsigned i = 0; i < cores.count(); ++i) {
      buses[i]->place(words);
      cores[i].start(Address(memory_base), device);
    }
    sc_core::sc_start(to_sc_time(100_us));  // decoded and warm
  }
  // Million instructions per second of host time, over some simulated time.
  double mips(Picoseconds time) {
    const std::uint64_t before = cores.instructions();
    const double elapsed = seconds_of([&] { sc_core::sc_start(to_sc_time(time)); });
    if (cores.instructions() == before) throw std::runtime_error("no core executes anything");
    return static_cast<double>(cores.instructions() - before) / elapsed / 1e6;
  }
};

// ---- the figures ----

void figure(const std::string& what, double value, const std::string& unit, bool met,
            const std::string& limit) {
  figures.add(what, fmt::format("{:.1f} {}", value, unit), met, limit);
}

// The aggregate speed of four cores over that of one, in one loop.
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
  for (const Program& program : loops) {
    const double ratio = four_against_one(one, four, program);
    figure("four cores against one, " + program.name, 100 * ratio, "%", ratio >= 0.95, ">= 95%");
  }
  const double ratio = four_against_one(one, four_slow, loops[0]);
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
  return bench_main(argc, argv, [] {
    BenchNode one("one", 1, 1_us), four("four", 4, 1_us), four_slow("four_slow", 4, 10_us);
    measure_four(one, four, four_slow);
    measure_device(one);
    measure_idle(four);
    sc_core::sc_stop();
  });
}

int main(int argc, char** argv) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}
