// A core with a window for misses in flight, behind caches, on memory whose time is known at once
// (TimedPath), or only in simulated time.
#include <gmock/gmock.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/core_caches.h"
#include "core/core_module.h"
#include "core/core_test_bus.h"
#include "core/iss_factory.h"
#include "tlm/log_of_node.h"
#include "tlm/systemc_test.h"
#include "tlm/test_writes.h"
#include "tlm/warning_cause.h"

namespace asterism {
namespace {

using State = CoreModule::State;
constexpr std::uint64_t base = CoreTestBus::memory_base, memory_size = CoreTestBus::memory_size;

// Memory whose latency depends on the line alone.
struct MissMemory : sc_core::sc_module, TimedPath {
  // How it answers: by a TimedPath; by payloads with a delay; when a part of the time has passed; at the end.
  enum class Answers { at_once, with_delay, halfway, at_end };
  struct Record {
    Picoseconds at;
    char kind;  // 'r', 'w'
    std::uint64_t offset;
    auto operator<=>(const Record&) const = default;
  };

  tlm_utils::simple_target_socket<MissMemory> socket{"socket"};
  sc_core::sc_signal<bool> irq, virtual_timer, physical_timer, performance_monitors;
  const Answers answers;
  std::vector<Record> records;
  std::set<std::uint64_t> errors, write_errors, poisoned;  // offsets of lines
  unsigned in_progress = 0, most_in_progress = 0;

  MissMemory(const sc_core::sc_module_name& name, Answers how)
      : sc_module(name), answers(how), storage_(memory_size + 4096) {
    memory = storage_.data() + (4096 - reinterpret_cast<std::uintptr_t>(storage_.data()) % 4096);
    socket.register_b_transport(this, &MissMemory::b_transport);
    socket.register_get_direct_mem_ptr(this, &MissMemory::get_direct_mem_ptr);
  }
  static Picoseconds latency(std::uint64_t offset) { return 40_ns + offset / 64 % 13 * 3_ns; }
  template <class T>
  void place(std::uint64_t offset, const std::vector<T>& values) {
    std::memcpy(memory + offset, values.data(), values.size() * sizeof(T));
  }
  std::vector<Record> in_order() const {
    std::vector<Record> all = records;
    std::ranges::sort(all);
    return all;
  }

 private:
  Picoseconds access(const Access& access, Picoseconds at) override {
    const std::uint64_t offset = access.address.value() - base;
    records.push_back({at, access.is_write ? 'w' : 'r', offset});
    return at + latency(offset);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const std::uint64_t offset = payload.get_address() - base;
    most_in_progress = std::max(most_in_progress, ++in_progress);
    records.push_back({now() + to_picoseconds(delay), payload.is_write() ? 'w' : 'r', offset});
    const Picoseconds total = to_picoseconds(delay) + latency(offset);
    const Picoseconds waits = answers == Answers::with_delay ? 0_ps
                              : answers == Answers::halfway  ? total / 2
                                                             : total;
    if (waits > 0_ps) sc_core::wait(to_sc_time(waits));
    delay = to_sc_time(total - waits);
    payload.get_extension<InitiatorExtension>()->poison = poisoned.contains(offset);
    const bool is_refused = errors.contains(offset) || (payload.is_write() && write_errors.contains(offset));
    payload.set_response_status(is_refused ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
    --in_progress;
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    if (payload.get_address() < base || payload.get_address() >= base + memory_size) return false;
    dmi.set_start_address(base);
    dmi.set_end_address(base + memory_size - 1);
    dmi.set_dmi_ptr(memory);
    dmi.allow_read_write();
    auto* const who = payload.get_extension<InitiatorExtension>();
    who->monitored = true;
    who->timed = answers == Answers::at_once ? this : nullptr;
    return true;
  }

  std::vector<std::uint8_t> storage_;

 public:
  std::uint8_t* memory;
};

// x2 is an array of 8 addresses a line, x4 one to store to, and x5 a count.
constexpr std::uint64_t array = 0x10'0000, stored = 0x20'0000, targets = 0x30'0000;
constexpr std::uint32_t wfi = 0xd503207f;
const std::vector<std::uint32_t> prologue{
    0xd2a80202,  // mov x2, #0x40100000
    0xd2a80404,  // mov x4, #0x40200000
    0xd2802005,  // mov x5, #256
};
const std::vector<std::uint32_t> loads{0xf8440443 /* ldr x3, [x2], #64 */};
const std::vector<std::uint32_t> stores{0xf8040483 /* str x3, [x4], #64 */};
const std::vector<std::uint32_t> copies{0xf8440443, 0xf8040483};
const std::vector<std::uint32_t> chase{0xf9400042 /* ldr x2, [x2] */};
// Loads through an array of addresses, and stores of what they load.
const std::vector<std::uint32_t> gather{
    0xf8408443,  // ldr x3, [x2], #8
    0xf9400066,  // ldr x6, [x3]
    0xf8040486,  // str x6, [x4], #64
    0xf9400467,  // ldr x7, [x3, #8]
};

// Executes a body 256 times.
std::vector<std::uint32_t> loop_of(const std::vector<std::uint32_t>& body) {
  std::vector<std::uint32_t> program = prologue;
  program.insert(program.end(), body.begin(), body.end());
  program.push_back(0xf10004a5);  // subs x5, x5, #1
  const auto back = static_cast<std::uint32_t>(-static_cast<int>(body.size()) - 1);
  program.push_back(0x54000001 | (back & 0x7ffff) << 5);  // b.ne to the first of the body
  program.push_back(wfi);
  return program;
}

struct MissBench {
  static CachesConfig caches_of(std::optional<PrefetchConfig> prefetch, std::optional<L1Config> l1i) {
    return {.model = CacheModel::checked,
            .l1d = {.size = 1_KiB, .ways = 2, .latency = 1_ns},
            .l1i = l1i,
            .l2 = SharedCacheConfig{.size = 8_KiB, .ways = 4, .latency = 6_ns},
            .prefetch = prefetch};
  }
  static a64::Options options(const MissTiming& misses) {
    return {.timing = std::make_shared<const CoreTiming>(
                CoreTiming{.width = 4, .integer = {1, 4}, .load = {4, 2}, .misses = misses})};
  }
  static constexpr MissTiming usual{.window = 64, .buffers = 6, .stores = 3};

  NoCalls calls;
  MissMemory memory;
  CoreModule core;
  CoreCaches caches;
  Picoseconds began, ended;

  MissBench(const std::string& name, MissMemory::Answers answers, const MissTiming& misses = usual,
            std::optional<PrefetchConfig> prefetch = {}, std::optional<L1Config> l1i = {},
            Picoseconds quantum = 1_us)
      : memory((name + "_memory").c_str(), answers),
        core((name + "_core").c_str(), 0, CoreConfig{}, quantum, calls, make_iss_of_cores(options(misses))),
        caches((name + "_caches").c_str(), caches_of(prefetch, l1i), 1) {
    core.bus.bind(caches.port(0).core);
    caches.port(0).memory.bind(memory.socket);
    core.irq.bind(memory.irq);
    core.virtual_timer.bind(memory.virtual_timer);
    core.physical_timer.bind(memory.physical_timer);
    core.performance_monitors.bind(memory.performance_monitors);
    caches.serve(core);
    core.on_activity = [this](CoreModule::Activity what) {
      if (what == CoreModule::Activity::waiting) ended = now();
    };
    // Addresses in an order that strides do not predict.
    std::vector<std::uint64_t> addresses;
    for (std::uint64_t i = 0; i < 4096; ++i) addresses.push_back(base + targets + i * 7919 % 4096 * 64);
    memory.place(array, addresses);
  }
  void start(const std::vector<std::uint32_t>& program) {
    reset(Reset::cold);
    memory.records.clear();
    memory.most_in_progress = 0;
    memory.place(0, program);
    core.start(Address(base), 0);
    began = now();
  }
  // Time until the program ends in WFI.
  Picoseconds time_of(const std::vector<std::uint32_t>& program) {
    start(program);
    for (int i = 0; i < 1000 && core.state() != State::waiting; ++i) sc_core::wait(to_sc_time(1_us));
    EXPECT_EQ(core.state(), State::waiting);
    const Picoseconds time = ended - began;
    wait_for_rest();
    return time;
  }
  void wait_for_rest() const {
    sc_core::wait(to_sc_time(5_us));
    EXPECT_EQ(memory.in_progress, 0u);
  }
  void reset(Reset kind) {
    core.reset(kind);
    caches.reset(kind);
  }
};

// The same on memory of each kind.
struct MissesTest : SystemCTest {
  using enum MissMemory::Answers;
  std::vector<std::unique_ptr<MissBench>> benches;

  void add(const std::string& name, MissTiming misses = MissBench::usual,
           std::optional<PrefetchConfig> prefetch = {}, std::optional<L1Config> l1i = {}) {
    for (const auto& [kind, answers] : {std::pair{"at_once", at_once},
                                        {"with_delay", with_delay},
                                        {"halfway", halfway},
                                        {"at_end", at_end}})
      benches.push_back(std::make_unique<MissBench>(name + kind, answers, misses, prefetch, l1i));
  }
  // Every access to memory, and the end, have the same time.
  void expect_the_same(const std::vector<std::uint32_t>& body) {
    for (std::size_t i = 0; i < benches.size(); ++i) {
      const Picoseconds time = benches[i]->time_of(loop_of(body));
      if (i % 4 == 0) continue;
      MissBench& first = *benches[i - i % 4];
      EXPECT_EQ(time, first.ended - first.began) << i;
      auto wanted = first.memory.in_order(), found = benches[i]->memory.in_order();
      for (auto& each : wanted) each.at -= first.began;
      for (auto& each : found) each.at -= benches[i]->began;
      EXPECT_EQ(wanted.size(), found.size()) << i;
      EXPECT_TRUE(wanted == found) << i;
    }
  }
};

struct UsualMissesTest : MissesTest {
  UsualMissesTest() {
    add("usual");
    add("few", {.window = 200, .buffers = 2, .stores = 1});
  }
};
SYSTEMC_TEST_F(UsualMissesTest, LoadsTakeTheTimeThatIsKnownAtOnce) { expect_the_same(loads); }
SYSTEMC_TEST_F(UsualMissesTest, StoresTakeTheTimeThatIsKnownAtOnce) { expect_the_same(stores); }
SYSTEMC_TEST_F(UsualMissesTest, CopiesTakeTheTimeThatIsKnownAtOnce) { expect_the_same(copies); }
SYSTEMC_TEST_F(UsualMissesTest, AChaseTakesTheTimeThatIsKnownAtOnce) {
  for (const auto& bench : benches) {
    std::vector<std::uint64_t> chain;
    for (std::uint64_t i = 0; i < 4096 * 8; ++i)
      chain.push_back(base + array + (i / 8 * 1031 + 1) % 4096 * 64);
    bench->memory.place(array, chain);
  }
  expect_the_same(chase);
}
SYSTEMC_TEST_F(UsualMissesTest, LoadsOfLoadedAddressesTakeTheTimeThatIsKnownAtOnce) {
  expect_the_same(gather);
}

struct FetchMissesTest : MissesTest {
  FetchMissesTest() { add("fetches", MissBench::usual, {}, L1Config{.size = 128_B, .ways = 1}); }
};
SYSTEMC_TEST_F(FetchMissesTest, FetchesTakeTheTimeThatIsKnownAtOnce) {
  std::vector<std::uint32_t> body(70, 0xd503201f);  // nop
  body[10] = body[40] = 0xf8440443;
  expect_the_same(body);
}

// What the caches know of prefetches is up to 10 ns old, and a load of a prefetched line waits for what is
// left of its time.
struct PrefetchMissesTest : MissesTest {
  PrefetchMissesTest() { add("prefetches", MissBench::usual, PrefetchConfig{.distance = 8, .buffers = 8}); }
};
SYSTEMC_TEST_F(PrefetchMissesTest, PrefetchesTakeAboutTheTimeThatIsKnownAtOnce) {
  std::vector<double> times;
  for (const auto& bench : benches)
    times.push_back(static_cast<double>(bench->time_of(loop_of(loads)).count()));
  for (const double time : times) EXPECT_NEAR(time, times[0], 0.03 * times[0]);
}

struct OverlapTest : SystemCTest {
  MissBench bench{"bench", MissMemory::Answers::at_end};
};
SYSTEMC_TEST_F(OverlapTest, IndependentLoadsOverlapAndAChaseDoesNot) {
  const auto sum = [&] {
    Picoseconds sum;
    for (const auto& each : bench.memory.records) sum += MissMemory::latency(each.offset);
    return sum;
  };
  const Picoseconds time = bench.time_of(loop_of(loads));
  EXPECT_LT(time, sum() / 5);
  EXPECT_EQ(bench.memory.most_in_progress, 6u);
  std::vector<std::uint64_t> chain;
  for (std::uint64_t i = 0; i < 4096 * 8; ++i) chain.push_back(base + array + (i / 8 * 1031 + 1) % 4096 * 64);
  bench.memory.place(array, chain);
  // The last ones are in flight at the end.
  EXPECT_GT(bench.time_of(loop_of(chase)), sum() - 22 * 76_ns);
  EXPECT_EQ(bench.memory.most_in_progress, 1u);
}

struct QuantumTest : SystemCTest {
  MissBench tiny{"tiny", MissMemory::Answers::at_end, MissBench::usual, {}, {}, 1_ns},
      large{"large", MissMemory::Answers::at_end, MissBench::usual, {}, {}, 10_us};
};
SYSTEMC_TEST_F(QuantumTest, AQuantumChangesNoTime) {
  EXPECT_EQ(tiny.time_of(loop_of(gather)), large.time_of(loop_of(gather)));
}

struct ResetTest : SystemCTest {
  MissBench bench{"bench", MissMemory::Answers::at_end}, other{"other", MissMemory::Answers::at_end};
};
SYSTEMC_TEST_F(ResetTest, APowerLossForgetsWhatIsInFlight) {
  const Picoseconds usual = other.time_of(loop_of(gather));
  for (const Picoseconds after : {100_ns, 331_ns, 2'347_ns}) {
    bench.start(loop_of(gather));
    wait_for(after);
    EXPECT_GT(bench.memory.in_progress, 0u);
    bench.reset(Reset::power_loss);
    const std::size_t records = bench.memory.records.size();
    bench.wait_for_rest();
    EXPECT_EQ(bench.memory.records.size(), records);  // none begins
    EXPECT_EQ(bench.time_of(loop_of(gather)), usual);
  }
}
SYSTEMC_TEST_F(ResetTest, AResetOfTheCoreAloneLeavesTheCachesWhatTheyWereAboutToDo) {
  bench.start(loop_of(gather));
  wait_for(331_ns);
  EXPECT_GT(bench.memory.in_progress, 0u);
  const std::size_t records = bench.memory.records.size();
  bench.core.reset(Reset::warm);
  bench.wait_for_rest();
  EXPECT_GT(bench.memory.records.size(), records);
  bench.caches.reset(Reset::warm);
  EXPECT_EQ(bench.time_of(loop_of(gather)), other.time_of(loop_of(gather)));
}

// With write-backs that are not allowed at first.
struct ProtectedTest : SystemCTest {
  MissBench bench{"bench", MissMemory::Answers::at_end}, at_once{"at_once", MissMemory::Answers::at_once};
  MemoryWrites writes[2];
  TestTracker trackers[2]{TestTracker{writes[0]}, TestTracker{writes[1]}};
  ProtectedTest() {
    bench.caches.connect(writes[0]);
    at_once.caches.connect(writes[1]);
  }
};
SYSTEMC_TEST_F(ProtectedTest, TheCoreWaitsWhileMemoryHoldsNoMoreWriteBacks) {
  for (MissBench* each : {&bench, &at_once}) {
    TestTracker& tracker = trackers[each == &at_once];
    tracker.closed = true;
    each->start(loop_of(stores));
    wait_for(20_us);
    EXPECT_EQ(each->core.state(), State::running);
    EXPECT_TRUE(tracker.reported.empty());
    // The L2 has 128 lines; those that memory holds, and that for which the core waits, are dirty, too.
    EXPECT_EQ(each->caches.dirty().size(), 128u + 64 + 1);
    tracker.open();
    wait_for(100_us);
    EXPECT_EQ(each->core.state(), State::waiting);
    EXPECT_EQ(each->caches.dirty().size(), 128u);
    EXPECT_EQ(tracker.reported.size(), 128u);
    EXPECT_EQ(std::ranges::count(each->memory.records, 'w', &MissMemory::Record::kind), 128);
  }
  EXPECT_EQ(bench.ended - bench.began, at_once.ended - at_once.began);
}
SYSTEMC_TEST_F(ProtectedTest, AResetEndsTheWait) {
  trackers[0].closed = true;
  bench.start(loop_of(stores));
  wait_for(20_us);
  bench.core.reset(Reset::power_loss);
  writes[0].reset();
  bench.caches.reset(Reset::power_loss);
  wait_for(1_us);
  trackers[0].open();
  EXPECT_TRUE(trackers[0].reported.empty());
  EXPECT_EQ(bench.time_of(loop_of(stores)), at_once.time_of(loop_of(stores)));
}

struct ErrorTest : SystemCTest {
  MissBench bench{"bench", MissMemory::Answers::at_end};
  // Unmasks SError, loads a line, and counts in x5; the vector of SErrors ends in WFI.
  void load_a_line() {
    bench.memory.place<std::uint32_t>(0x20'0000 + 0x380, {0xd538520a /* mrs x10, esr_el1 */, wfi});
    bench.time_of({
        0xd2a80202,  // mov x2, #0x40100000
        0xd2a80408,  // mov x8, #0x40200000
        0xd518c008,  // msr vbar_el1, x8
        0xd50344ff,  // msr daifclr, #4
        0xf9400043,  // ldr x3, [x2]
        0xd2800005,  // mov x5, #0
        0x910004a5,  // add x5, x5, #1
        0x17ffffff,  // b to it
    });
  }
  void expect_serror() {
    EXPECT_EQ(bench.core.iss().read(CoreRegister::x10), esr::make(esr::ec_serror, esr::serror_bus_error));
    EXPECT_GT(bench.core.iss().read(CoreRegister::x5), 5u);  // it comes with the answer
  }
};
SYSTEMC_TEST_F(ErrorTest, AFillThatIsAnsweredWithAnErrorIsAnSErrorWhenTheAnswerComes) {
  bench.memory.errors.insert(array);
  load_a_line();
  expect_serror();
}
SYSTEMC_TEST_F(ErrorTest, APoisonedFillIsAnSError) {
  bench.memory.poisoned.insert(array);
  load_a_line();
  expect_serror();
  const auto fault = bench.core.iss().fault();
  const auto cause = fault ? bench.core.cause_of(*fault) : std::nullopt;
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->address.value(), base + array);
  EXPECT_TRUE(cause->is_poisoned);
}
// One message for all lines that an instruction has asked for, with the address of this instruction.
SYSTEMC_TEST_F(ErrorTest, PoisonedFillsAreLoggedOnceForTheInstructionThatAskedForThem) {
  std::string out;
  collect_log(bench.core.name(), out);
  bench.memory.place<std::uint32_t>(0x20'0000 + 0x380, {wfi});
  for (std::uint64_t line = 0; line < 4; ++line) bench.memory.poisoned.insert(array + line * 64);
  bench.time_of({
      0xd2a80408,  // mov x8, #0x40200000
      0xd518c008,  // msr vbar_el1, x8
      0xd2a80202,  // mov x2, #0x40100000
      0xd2800104,  // mov x4, #8
      0xf9400043,  // loop: ldr x3, [x2]
      0x91010042,  // add x2, x2, #64
      0xf1000484,  // subs x4, x4, #1
      0x54ffffa1,  // b.ne loop
      0xd2820004,  // mov x4, #0x1000
      0xf1000484,  // wait: subs x4, x4, #1
      0x54ffffe1,  // b.ne wait
      0xd50344ff,  // msr daifclr, #4
      0x14000000,  // b to it
  });
  EXPECT_EQ(out, "line at 0x40100000 of the caches: poisoned data, an SError [0x40000010]\n");
  log_repetitions();
  EXPECT_THAT(out, testing::EndsWith("repeated 3 times, also with other numbers: line at 0x40100000 of the "
                                     "caches: poisoned data, an SError [0x40000010]\n"));
}

// A core that waits for each miss, so that the accesses of a miss follow each other.
struct WaitingErrorTest : SystemCTest {
  MissBench bench{"bench", MissMemory::Answers::with_delay, {}, PrefetchConfig{.distance = 8, .buffers = 8}};
  std::string out;
  // Executes a loop with SErrors masked, and then waits for the first.
  CoreModule::RefusedAccess cause_of_serror_in(const std::vector<std::uint32_t>& body) {
    collect_log(bench.core.name(), out);
    bench.memory.place<std::uint32_t>(0x28'0000 + 0x380, {wfi});
    std::vector<std::uint32_t> program = loop_of(body);
    program.back() = 0xd2a80508;    // mov x8, #0x40280000
    program.push_back(0xd518c008);  // msr vbar_el1, x8
    program.push_back(0xd50344ff);  // msr daifclr, #4
    program.push_back(0x14000000);  // b to it
    bench.time_of(program);
    log_repetitions();
    const auto fault = bench.core.iss().fault();
    return (fault ? bench.core.cause_of(*fault) : std::nullopt).value_or(CoreModule::RefusedAccess{});
  }
};
SYSTEMC_TEST_F(WaitingErrorTest, APoisonedFillIsReportedAsPoisonWhenAPrefetchFollowsIt) {
  for (std::uint64_t line = 0; line < 3; ++line) bench.memory.poisoned.insert(array + line * 64);
  const CoreModule::RefusedAccess cause = cause_of_serror_in(loads);
  EXPECT_EQ(cause.address.value(), base + array);
  EXPECT_TRUE(cause.is_poisoned);
  EXPECT_THAT(out, testing::HasSubstr("poisoned data"));
  EXPECT_THAT(out, testing::Not(testing::HasSubstr("answered with an error")));
}
SYSTEMC_TEST_F(WaitingErrorTest, APoisonedFillIsReportedAsPoisonWhenADirtyLineMakesRoomForIt) {
  const std::uint64_t filled = stored + 192 * 64;  // the L2 has 128 lines
  bench.memory.poisoned.insert(filled);
  const CoreModule::RefusedAccess cause = cause_of_serror_in(stores);
  EXPECT_EQ(cause.address.value(), base + filled);
  EXPECT_TRUE(cause.is_poisoned);
  EXPECT_EQ(std::ranges::count(bench.memory.records, 'w', &MissMemory::Record::kind), 128);
  EXPECT_EQ(out, "line at 0x40203000 of the caches: poisoned data, an SError [0x4000000c]\n");
}
SYSTEMC_TEST_F(WaitingErrorTest, AWriteBackThatIsRefusedIsReportedWithItsOwnLine) {
  bench.memory.write_errors.insert(stored + 64);
  const CoreModule::RefusedAccess cause = cause_of_serror_in(stores);
  EXPECT_EQ(cause.address.value(), base + stored + 64);
  EXPECT_FALSE(cause.is_poisoned);
  EXPECT_EQ(out,
            "line at 0x40200040 of the caches: the bus has answered with an error, an SError [0x4000000c]\n");
}

}  // namespace
}  // namespace asterism
