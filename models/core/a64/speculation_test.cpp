// Compares cores that execute speculatively with the same cores that do not. Whatever cores, devices and a
// debugger do, every result must be the same.
#include "core/a64/speculation.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/a64/exclusive_monitors.h"
#include "core/a64/instruction_timing.h"
#include "core/a64/native_iss.h"
#include "core/a64/speculative_cores.h"
#include "core/a64/stores_of_every_kind.h"
#include "core/iss_test_host.h"

namespace asterism::a64 {
namespace {

// Random numbers in X0 choose what comes next. X10 is the core's own data, to which X14 limits offsets; X11
// is a page that all cores use, X12 a device, X13 a counter that all cores use. X15, X16 and X17 set how
// seldom the page is loaded from, how seldom it is stored to, and how seldom the rest happens.
const std::vector<std::uint32_t> program = {
    0xca003400,  // loop: eor x0, x0, x0, lsl #13
    0xca401c00,  // eor x0, x0, x0, lsr #7
    0xca004400,  // eor x0, x0, x0, lsl #17
    0x8a0e0001,  // and x1, x0, x14
    0xf8616942,  // ldr x2, [x10, x1]
    0x8b000042,  // add x2, x2, x0
    0xf8216942,  // str x2, [x10, x1]
    0xea0f001f,  // tst x0, x15
    0x54000081,  // b.ne 1f
    0x927d2001,  // and x1, x0, #0xff8
    0xf8616963,  // ldr x3, [x11, x1]
    0xca030084,  // eor x4, x4, x3
    0xea10001f,  // 1: tst x0, x16
    0x54000081,  // b.ne 2f
    0x927d2001,  // and x1, x0, #0xff8
    0xf8216964,  // str x4, [x11, x1]
    0xf8200165,  // ldadd x0, x5, [x11]
    0xea11001f,  // 2: tst x0, x17
    0x54fffdc1,  // b.ne loop
    0xc85f7da6,  // 3: ldxr x6, [x13]
    0x910004c6,  // add x6, x6, #0x1
    0xc8077da6,  // stxr w7, x6, [x13]
    0x35ffffa7,  // cbnz w7, 3b
    0xb9400188,  // ldr w8, [x12]
    0x8b080084,  // add x4, x4, x8
    0xd4000001,  // svc #0
    0x17ffffe6,  // b loop
};
constexpr std::uint32_t exception_return = 0xd69f03e0;

// How cores contend for memory.
struct Sharing {
  const char* name;
  std::uint64_t own_data, stride, mask;  // core 0's own data, the distance between cores, X14
  std::uint64_t loads, stores, others;   // X15, X16, X17
};
void PrintTo(const Sharing& sharing, std::ostream* out) { *out << sharing.name; }

constexpr std::uint64_t page = 4096, shared = data_base, counter = shared + 2 * page,
                        own = shared + 16 * page;
constexpr std::uint64_t one_in_256 = 0xffull << 40, one_in_4096 = 0xfffull << 40, never = ~0ull;

constexpr Sharing sharings[] = {
    {"NoPage", own, 4 * page, 0x3ff8, never, never, never},
    {"PagesSeldom", own, 4 * page, 0x3ff8, one_in_256, one_in_4096, one_in_4096 << 8},
    {"LinesOfAPage", own, 128, 0x78, never, never, one_in_4096},
    {"LinesOfTheSharedPage", shared + 1024, 64, 0x38, one_in_256, one_in_4096, one_in_4096 << 8},
    {"Counter", own, 4 * page, 0x3ff8, never, never, 0xfull << 40},
    {"AllOfIt", shared, 0, 0xff8, one_in_256, one_in_256 << 4, one_in_256 << 8},
};

constexpr unsigned core_count = 4;

class TestedCores {
 public:
  TestedCores(const Sharing& sharing, std::shared_ptr<SpeculativeCores> with, const Options& options = {})
      : speculative_cores(std::move(with)) {
    for (unsigned i = 0; i < core_count; ++i) {
      hosts[i].memory.bytes = hosts[0].memory.bytes;
      iss[i] = make_native_iss(hosts[i], i, options, monitors, speculative_cores);
      hosts[i].core = iss[i].get();
      hosts[i].on_due = [this, i] { iss[i]->request_stop(); };
      hosts[i].on_load = [this](std::uint64_t) { return ++device_loads; };
      State state = iss[i]->state();
      state.pc = code_base;
      state.x[0] = 0x9e37'79b9'7f4a'7c15 * (i + 1);
      state.x[10] = sharing.own_data + i * sharing.stride;
      state.x[11] = shared, state.x[12] = device, state.x[13] = counter, state.x[14] = sharing.mask;
      state.x[15] = sharing.loads, state.x[16] = sharing.stores, state.x[17] = sharing.others;
      iss[i]->set_state(state);
      iss[i]->write(CoreRegister::vbar, vectors);
    }
    hosts[0].place(code_base, program);
    hosts[0].place(vectors + 0x200, {exception_return});
  }
  ~TestedCores() {
    for (auto& each : iss) each.reset();
  }

  // Each core executes a quantum of `length` instructions, after which it may speculate on the next one; then
  // an access from outside follows.
  void round(std::uint64_t length, std::uint64_t next, Random& random) {
    for (unsigned i = 0; i < core_count; ++i) {
      iss[i]->commit_speculation();
      at[i] += length;
      iss[i]->call_at(at[i]);
      EXPECT_EQ(iss[i]->run(), Iss::Stop::requested);
      EXPECT_EQ(iss[i]->instructions(), at[i]);
      iss[i]->allow_speculation(at[i] + next);
      EXPECT_EQ(iss[i]->instructions(), at[i]) << "must not count speculative instructions";
    }
    const unsigned core = static_cast<unsigned>(random.below(core_count));
    const std::uint64_t address = shared + random.below(40 * page) / 8 * 8, value = random.below(1 << 20);
    switch (random.below(12)) {
      case 0:  // a device stores
        if (speculative_cores) speculative_cores->before_external_access({Address(address), Bytes(8)}, true);
        std::memcpy(hosts[0].memory.bytes + (address - code_base), &value, sizeof value);
        return;
      case 1:  // a device loads
        if (speculative_cores) speculative_cores->before_external_access({Address(address), Bytes(8)}, false);
        return seen.push_back(hosts[0].peek(address));
      case 2:
        seen.push_back(core);
        for (const PageLines& each : iss[core]->collect_writes(hosts[0].memory_range())) {
          seen.push_back(each.page.value());
          seen.push_back(each.lines);
        }
        return;
      case 3:
        return seen.push_back(iss[core]->read(CoreRegister::x4));
      case 4:
        return iss[core]->write(CoreRegister::x4, value);
      case 5:
        return iss[core]->unmap_direct({Address(address), Bytes(page)});
      case 6:
        return iss[core]->invalidate_translations();
      default:
        return;
    }
  }

  std::shared_ptr<SpeculativeCores> speculative_cores;
  std::shared_ptr<ExclusiveMonitors> monitors = std::make_shared<ExclusiveMonitors>();
  std::array<IssTestHost, core_count> hosts;
  std::array<std::unique_ptr<NativeIss>, core_count> iss;
  std::array<std::uint64_t, core_count> at{};
  std::uint64_t device_loads = 0;
  std::vector<std::uint64_t> seen;
};

struct SpeculativeCoresTest : testing::TestWithParam<Sharing> {
  HostThreads threads{3};
  std::shared_ptr<SpeculativeCores> cores = std::make_shared<SpeculativeCores>(threads);
};

TEST_P(SpeculativeCoresTest, SpeculationChangesNoResult) {
  TestedCores alone(GetParam(), nullptr), speculative(GetParam(), cores);
  Random lengths(3), one(7), other(7);
  std::uint64_t next = 1000;
  for (unsigned i = 0; i < 3000; ++i) {
    const std::uint64_t length = std::exchange(next, 200 + lengths.below(1500));
    alone.round(length, next, one);
    speculative.round(length, next, other);
  }
  EXPECT_EQ(alone.seen, speculative.seen);
  EXPECT_EQ(alone.device_loads, speculative.device_loads);
  for (unsigned i = 0; i < core_count; ++i) {
    EXPECT_EQ(alone.iss[i]->state(), speculative.iss[i]->state()) << i;
    EXPECT_EQ(alone.hosts[i].accesses, speculative.hosts[i].accesses) << i;
  }
  EXPECT_EQ(std::memcmp(alone.hosts[0].memory.bytes, speculative.hosts[0].memory.bytes,
                        speculative.hosts[0].memory.size()),
            0);
  EXPECT_GT(cores->counts.speculations, 0u);
}
INSTANTIATE_TEST_SUITE_P(, SpeculativeCoresTest, testing::ValuesIn(sharings),
                         [](const auto& each) { return std::string(each.param.name); });

struct SpeculationTest : testing::Test {
  HostThreads threads{2};
  std::shared_ptr<SpeculativeCores> cores = std::make_shared<SpeculativeCores>(threads);
  TestedCores tested{sharings[0], cores};
  Iss& last = *tested.iss[core_count - 1];  // of the worker thread's group

  // Has `length` instructions executed speculatively, without a commit. Before that, the core comes to own
  // all memory that it needs.
  std::uint64_t speculate(std::uint64_t length) {
    Random none(1);
    for (unsigned i = 0; i < core_count; ++i) tested.at[i] = tested.iss[i]->instructions();
    for (unsigned i = 0; i < 50; ++i) tested.round(1000, 1000, none);
    cores->roll_back_all();
    const std::uint64_t count = last.instructions();
    last.allow_speculation(count + length);
    while (!cores->has_executed(core_count - 1)) std::this_thread::yield();
    return count;
  }
};

TEST_F(SpeculationTest, IsInvisibleUntilItCommits) {
  const std::uint64_t count = speculate(5000);
  EXPECT_EQ(last.instructions(), count);
  last.commit_speculation();
  EXPECT_EQ(last.instructions(), count + 5000);
}

TEST_F(SpeculationTest, IsRolledBackWhenTheCoreIsInspected) {
  const std::uint64_t count = speculate(5000);
  last.read(CoreRegister::pc);
  last.commit_speculation();
  EXPECT_EQ(last.instructions(), count);
}

TEST_F(SpeculationTest, IsRolledBackByADeviceThatStoresWhereItHasAccessedOnly) {
  std::uint64_t count = speculate(5000);
  cores->before_external_access({Address(shared), Bytes(8)}, true);
  last.commit_speculation();
  EXPECT_EQ(last.instructions(), count + 5000);
  count = speculate(5000);
  cores->before_external_access({Address(own + (core_count - 1) * 4 * page), Bytes(4 * page)}, true);
  last.commit_speculation();
  EXPECT_EQ(last.instructions(), count);
}

TEST_F(SpeculationTest, RollsBackWhatItHasDecodedFromItsOwnStores) {
  const std::uint64_t code = code_base + 0x4000;
  tested.hosts[0].place(code, {0xd503201f,    // nop
                               0xb9000041,    // str w1, [x2]
                               0xd63f0040,    // blr x2
                               0x14000000});  // b .
  const std::uint32_t set_x3_to_1 = 0xd2800023, set_x3_to_2 = 0xd2800043, ret = 0xd65f03c0;
  NativeIss& iss = *tested.iss[core_count - 1];
  const auto start = [&](std::uint64_t pc, std::uint64_t x2) {
    State state = iss.state();
    state.pc = pc, state.x[1] = set_x3_to_2, state.x[2] = x2, state.x[3] = 0;
    iss.set_state(state);
  };
  const auto run = [&](std::uint64_t length) {
    iss.call_at(iss.instructions() + length);
    iss.run();
    return iss.state().x[3];
  };
  // Has the program store an instruction and execute it speculatively.
  const auto speculate_with = [&](std::uint64_t function) {
    tested.hosts[0].place(function, {set_x3_to_1, ret});
    start(code, function + 64);  // the first store to a page is not speculative
    run(2);
    start(code, function);
    run(1);
    iss.allow_speculation(iss.instructions() + 200);
    while (!cores->has_executed(core_count - 1)) std::this_thread::yield();
  };
  const std::uint64_t function = own + (core_count - 1) * 4 * page;
  speculate_with(function);
  iss.commit_speculation();
  EXPECT_EQ(run(1), 2u);

  speculate_with(function + page);  // of which no instruction has been decoded
  cores->roll_back_all();
  start(code + 8, function + page);
  EXPECT_EQ(run(3), 1u);
}

// The times of instructions depend on the code of the lines beside theirs (instruction_timing.h). Another
// core stores there after the code has been decoded speculatively, and before it is executed.
TEST_F(SpeculationTest, TimesDependOnStoresOfOthersToTheLinesBesideTheirCode) {
  constexpr std::uint64_t stores = code_base + 0x4000, contended = shared + 8 * page, line = contended + 1024;
  constexpr std::uint64_t length = 2000;
  constexpr std::uint32_t nop = 0xd503201f, add_x2 = 0x91000442, divide_x2 = 0x9ac30842;
  const auto options = Options{.timing = std::make_shared<const CoreTiming>(CoreTiming{
                                   .width = 2, .integer = {1, 2}, .divide = {20, 0.05}, .store = {1, 1}})};
  const auto time = [&](std::uint32_t stored, const std::shared_ptr<SpeculativeCores>& with) {
    TestedCores of(sharings[0], with, options);
    of.hosts[0].place(stores, {0xb9000041});  // str w1, [x2]
    of.hosts[0].place(line, std::vector<std::uint32_t>(instructions_of_line, add_x2));
    of.hosts[0].place(line + 64, {0x14000000});  // b .
    of.hosts[0].place(line - 4, {nop});
    const auto start = [&](unsigned core, std::uint64_t pc, std::uint32_t word, std::uint64_t to) {
      State state = of.iss[core]->state();
      state.pc = pc, state.x[1] = word, state.x[2] = to;
      of.iss[core]->set_state(state);
    };
    const auto run = [&](unsigned core, std::uint64_t instructions) {
      of.iss[core]->call_at(of.iss[core]->instructions() + instructions);
      of.iss[core]->run();
    };
    const auto store = [&](unsigned core, std::uint32_t word, std::uint64_t to) {
      start(core, stores, word, to);
      run(core, 1);
    };
    for (unsigned i = 0; i < 8; ++i) store(i % 2, 0, contended + 64 * (i % 2));  // its lines get owners
    const unsigned last = core_count - 1;
    store(last, 0, contended + 192);  // a page's first access is not speculative
    start(last, line, 0, 0);
    const std::uint64_t end = of.iss[last]->instructions() + length;
    of.iss[last]->allow_speculation(end);
    while (with && !with->has_executed(last)) std::this_thread::yield();
    store(0, stored, line - 4);
    of.iss[last]->commit_speculation();
    if (const std::uint64_t count = of.iss[last]->instructions(); count < end) run(last, end - count);
    return of.iss[last]->executed_time();
  };
  const std::uint64_t short_time = time(nop, nullptr), long_time = time(divide_x2, nullptr);
  EXPECT_NE(short_time, long_time);
  EXPECT_EQ(time(nop, std::make_shared<SpeculativeCores>(threads)), short_time);
  EXPECT_EQ(time(divide_x2, std::make_shared<SpeculativeCores>(threads)), long_time);
}

TEST_F(SpeculationTest, WorksAfterThreadsHaveStopped) {
  speculate(5000);
  cores->roll_back_all();
  threads.stop();
  const std::uint64_t count = speculate(700);
  last.commit_speculation();
  EXPECT_EQ(last.instructions(), count + 700);
}

}  // namespace
}  // namespace asterism::a64
