// Write protection: the engine asks the host before the first store to a page since it was collected.
#include <functional>
#include <utility>

#include "core/a64/cpu.h"
#include "core/a64/mmu_test.h"
#include "core/a64/stores_of_every_kind.h"

namespace asterism::a64 {
namespace {

constexpr AddressRange everything{Address(0), Bytes(~std::uint64_t{0})};

struct WriteProtectionTest : MmuTest {
  using Asked = std::vector<std::pair<std::uint64_t, unsigned>>;
  static constexpr std::uint64_t p = data_base, q = data_base + page_size;
  Asked asked;
  std::function<void(std::uint64_t page)> on_asked;

  WriteProtectionTest() {
    host.on_about_to_store = [this](Address page, unsigned line) {
      asked.emplace_back(page.value(), line);
      if (on_asked) on_asked(page.value());
    };
    core->ask_before_stores(host.memory_range());
  }
  Lines collect(AddressRange range = everything) { return by_page(core->collect_writes(range)); }
  std::vector<std::uint8_t> contents() const {
    const std::uint8_t* data = host.memory.bytes + (p - code_base);
    return {data, data + 2 * page_size};
  }
};

TEST_F(WriteProtectionTest, EveryKindOfStoreAsksForItsPagesBeforeItStores) {
  map(p, p, at_el0);  // for STTR
  for (const auto& [word, address, expected] : stores_of_every_kind(p)) {
    std::memset(&this->word(p), 0x55, 2 * page_size);
    State before = with_mmu(address, 0, 2, 32);
    before.x[5] = 0x5555'5555'5555'5555;  // what CAS compares with
    for (unsigned at = 2; at <= 5; ++at) before.v[at].d = {1, 2};
    const std::vector<std::uint8_t> old = contents();
    on_asked = [&, store = word](std::uint64_t) { EXPECT_EQ(contents(), old) << std::hex << store; };
    collect();
    asked.clear();
    run({word}, before);
    Lines pages;
    for (const auto& [page, line] : asked) EXPECT_TRUE(pages.emplace(page, 0).second);
    EXPECT_EQ(contents() == old, expected.empty()) << std::hex << word;
    EXPECT_EQ(pages.size(), expected.size()) << std::hex << word;
    for (const auto& [page, lines] : expected) EXPECT_TRUE(pages.contains(page)) << std::hex << word;
    EXPECT_EQ(collect(), expected) << std::hex << word;
  }
}

TEST_F(WriteProtectionTest, AsksOncePerPageUntilItIsCollected) {
  const std::vector<std::uint32_t> words = {
      0x3901001f,  // strb wzr, [x0, #64]
      0x3900001f,  // strb wzr, [x0]
      0x3900003f,  // strb wzr, [x1]
      0xb900001f,  // str wzr, [x0]
  };
  const State before = with_mmu(p, q);
  run(words, before);
  EXPECT_EQ(asked, (Asked{{p, 1}, {q, 0}}));
  run(words, before);
  EXPECT_EQ(asked.size(), 2u);
  collect({Address(q), Bytes(page_size)});
  run(words, before);
  EXPECT_EQ(asked, (Asked{{p, 1}, {q, 0}, {q, 0}}));
}

TEST_F(WriteProtectionTest, DoesNotAskOutsideTheProtectedRangeOrAfterProtectionEnds) {
  core->ask_before_stores({Address(q), Bytes(page_size)});
  run({0x3900001f}, with_mmu(p));  // strb wzr, [x0]
  EXPECT_EQ(asked, Asked{});
  core->ask_before_stores({Address(0), Bytes(0)});
  run({0x3900001f}, with_mmu(q));  // strb wzr, [x0]
  EXPECT_EQ(asked, Asked{});
}

TEST_F(WriteProtectionTest, AsksWithoutTheMmuAtEl0AndForMonitoredMemory) {
  const State plain = with(p);
  run({0x3900001f}, plain);  // strb wzr, [x0]
  EXPECT_EQ(asked, (Asked{{p, 0}}));
  map(code_base, code_base, at_el0);
  map(q, q, at_el0);
  run({0x3900001f}, at_el0_of(with_mmu(q)));
  EXPECT_EQ(asked, (Asked{{p, 0}, {q, 0}}));
  core->map_direct(host.memory_range(), host.memory.bytes, true);
  collect();
  run({0x3900001f, 0x3900001f}, plain);
  EXPECT_EQ(asked, (Asked{{p, 0}, {q, 0}, {p, 0}}));
}

TEST_F(WriteProtectionTest, AStoreThatCrossesPagesAsksAgainForAPageCollectedMeanwhile) {
  on_asked = [&](std::uint64_t page) {
    if (page == q && asked.size() == 2) collect();
  };
  run({0xf9000002}, with_mmu(p + 0xff9, 0, ~0ull));  // str x2, [x0]
  EXPECT_EQ(asked, (Asked{{p, 63}, {q, 0}, {p, 63}}));
  EXPECT_EQ(collect(), (Lines{{p, line(63)}, {q, line(0)}}));
}

TEST_F(WriteProtectionTest, AnAtomicSeesWhatWasStoredWhileItWaited) {
  on_asked = [&](std::uint64_t) { word(p) = 40; };
  EXPECT_EQ(run({0xf8220004}, with_mmu(p, 0, 2)).x[4], 40u);  // ldadd x2, x4, [x0]
  EXPECT_EQ(word(p), 42u);
}

TEST_F(WriteProtectionTest, AStoreExclusiveFailsWhenAnotherStoredWhileItWaited) {
  on_asked = [&](std::uint64_t) { word(p) = 7; };
  const State after = run({0xc85f7c01, 0xc8037c02}, with_mmu(p));  // ldxr x1, [x0]; stxr w3, x2, [x0]
  EXPECT_EQ(after.x[3], 1u);
  EXPECT_EQ(word(p), 7u);
}

TEST_F(WriteProtectionTest, MemoryUnmappedDuringTheWaitIsNotWritten) {
  host.direct = false;
  on_asked = [&](std::uint64_t) { core->unmap_direct(everything), host.lost = true; };
  word(p) = 5;
  run({0xf9000002}, with(p, 0, 9), 0);  // str x2, [x0]
  core->call_at(core->instructions() + 1);
  EXPECT_EQ(core->run(), Iss::Stop::requested);
  EXPECT_EQ(asked, (Asked{{p, 0}}));
  EXPECT_EQ(word(p), 5u);
}

TEST_F(WriteProtectionTest, TheCountIsThatOfTheStoreWhileItWaits) {
  std::uint64_t count = 0;
  on_asked = [&](std::uint64_t) { count = core->instructions(); };
  const std::uint64_t first = core->instructions();
  run({0xd503201f, 0xd503201f, 0x3900001f}, with_mmu(p));  // nop; nop; strb wzr, [x0]
  EXPECT_EQ(count, first + 2);
}

TEST_F(WriteProtectionTest, AHostExceptionLeavesTheCoreAtTheStore) {
  word(p) = 5;
  on_asked = [](std::uint64_t) { throw 1; };
  EXPECT_THROW(run({0xf9000002}, with_mmu(p, 0, 9)), int);  // str x2, [x0]
  EXPECT_EQ(word(p), 5u);
  on_asked = {};
  core->call_at(core->instructions() + 1);
  core->run();
  EXPECT_EQ(word(p), 9u);
  EXPECT_EQ(asked.size(), 2u);
}

TEST_F(WriteProtectionTest, StoresToCodePagesAsk) {
  core->ask_before_stores({Address(code_base), Bytes(page_size)});
  run({0xb9000401}, with_mmu(code_base, 0x1400'0000));  // str w1, [x0, #4]
  EXPECT_EQ(asked, (Asked{{code_base, 0}}));
}

}  // namespace
}  // namespace asterism::a64
