// The order of time between cores that are ahead of each other. The first core starts a nanosecond before the
// other and runs a quantum ahead of it at once, so that the second core may see what the first does up to a
// quantum later.
#include <cstring>
#include <vector>

#include "core/core_cluster.h"
#include "core/core_test_bus.h"
#include "core/iss_factory.h"
#include "tlm/systemc_test.h"

namespace asterism {
namespace {

using State = CoreModule::State;
constexpr std::uint64_t code = CoreTestBus::memory_base, data = code + 0x10'0000;
constexpr std::uint64_t first_program = code, second_program = code + 0x1000;

struct CausalityTest : SystemCTest, CoreCluster::Surroundings {
  CoreTestBus bus0{"bus0"}, bus1{"bus1"};
  CoreCluster cores{CoreConfig{.count = 2}, 1_us, *this, make_iss_of_cores()};

  CausalityTest() {
    bus0.bind(cores[0]);
    bus1.bind(cores[1]);
    bus1.memory = bus0.memory;
  }
  std::uint64_t semihosting(CoreModule&, std::uint32_t, std::uint64_t) override { return 0; }
  void system_off() override {}
  void system_reset() override {}

  // X0 is the address of data, which begins as zero.
  void execute(const std::vector<std::uint32_t>& first, const std::vector<std::uint32_t>& second) {
    bus0.place(first_program, first);
    bus0.place(second_program, second);
    cores[0].start(Address(first_program), data);
    wait_for(1_ns);
    cores[1].start(Address(second_program), data);
    wait_for(2_ms);
    EXPECT_EQ(cores[0].state(), State::waiting);
    EXPECT_EQ(cores[1].state(), State::waiting);
  }
};

// Both cores send and receive by plain stores and loads, for which no core waits as for a message.
SYSTEMC_TEST_F(CausalityTest, NoCoreReadsAnEarlierCounterThanOneItHasSeen) {
  execute(
      {
          0xd2800021,  // mov x1, #1
          0x8b010825,  // again: add x5, x1, x1, lsl #2
          0xf10004a5,  // pause: subs x5, x5, #1
          0x54ffffe1,  // b.ne pause
          0xd53be042,  // mrs x2, cntvct_el0
          0xf9002002,  // str x2, [x0, #64]
          0xf9000001,  // str x1, [x0]
          0xf9404003,  // wait: ldr x3, [x0, #128]
          0xeb01007f,  // cmp x3, x1
          0x54ffffc1,  // b.ne wait
          0x91000421,  // add x1, x1, #1
          0xf104b03f,  // cmp x1, #300
          0x54fffea1,  // b.ne again
          0xd503207f,  // wfi
      },
      {
          0xd2800021,  // mov x1, #1
          0xf9400003,  // wait: ldr x3, [x0]
          0xeb01007f,  // cmp x3, x1
          0x54ffffc1,  // b.ne wait
          0xd53be042,  // mrs x2, cntvct_el0
          0xf9402004,  // ldr x4, [x0, #64]
          0xeb04005f,  // cmp x2, x4
          0x9a892529,  // cinc x9, x9, lo
          0xf9004001,  // str x1, [x0, #128]
          0x91000421,  // add x1, x1, #1
          0xf104b03f,  // cmp x1, #300
          0x54fffec1,  // b.ne wait
          0xd503207f,  // wfi
      });
  EXPECT_EQ(bus0.peek(data + 128), 299u);
  EXPECT_EQ(cores[1].iss().read(CoreRegister::x9), 0u);
}

// While nothing else acts, a read of the counter takes only its own time.
SYSTEMC_TEST_F(CausalityTest, TheCounterShowsTheCoresOwnTime) {
  bus0.place(first_program, {
                                0xd2807d01,  // mov x1, #1000
                                0xf1000421,  // again: subs x1, x1, #1
                                0x54ffffe1,  // b.ne again
                                0xd53be042,  // mrs x2, cntvct_el0
                                0xd503207f,  // wfi
                            });
  cores[0].start(Address(first_program), data);
  wait_for(10_us);
  EXPECT_EQ(cores[0].iss().read(CoreRegister::x2), 2001u / 16);
}

struct Way {
  const char* name;
  std::vector<std::uint32_t> words;  // x2 goes to [x0]
  unsigned before;                   // instructions before the one that waits
};
const Way ways[] = {
    {"stlr", {0xc89ffc02}, 0},
    {"dmb ish; str", {0xd5033bbf, 0xf9000002}, 0},
    {"dmb ishst; str", {0xd5033abf, 0xf9000002}, 0},
    {"ldxr; stxr", {0xc85f7c03, 0xc8037c02}, 1},
    {"ldxp; stlxp", {0xc87f1003, 0xc8239002}, 1},
    {"ldadd", {0xf8220003}, 0},
    {"swp", {0xf8228003}, 0},
    {"cas", {0xc8a37c02}, 0},
};

SYSTEMC_TEST_F(CausalityTest, NoMessageIsSeenBeforeItWasSent) {
  Picoseconds begins;
  for (const Way& way : ways) {
    std::memset(bus0.memory + (data - code), 0, 16);
    std::vector<std::uint32_t> sender = {
        0xd2802581,  // mov x1, #300
        0xf1000421,  // work: subs x1, x1, #1
        0x54ffffe1,  // b.ne work
        0xd2800022,  // mov x2, #1
    };
    const unsigned done = 2 + 600 + way.before;
    sender.insert(sender.end(), way.words.begin(), way.words.end());
    sender.push_back(0xd503207f);  // wfi
    begins = now();
    bus1.accesses.clear();
    execute(sender, {
                        0xf9400003,  // wait: ldr x3, [x0]
                        0xb4ffffe3,  // cbz x3, wait
                        0xd2a12001,  // mov x1, #0x9000000
                        0xb9000023,  // str w3, [x1]
                        0xd503207f,  // wfi
                    });
    ASSERT_EQ(bus1.accesses.size(), 1u) << way.name;
    EXPECT_GE(bus1.accesses[0].at, begins + Picoseconds(done * 1000)) << way.name;
    cores.reset(Reset::cold);
  }
}

}  // namespace
}  // namespace asterism
