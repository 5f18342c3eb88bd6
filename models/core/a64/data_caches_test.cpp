// What the engine reports to the host about data caches (Options::data_caches): which accesses bypass them,
// and their maintenance.
#include <gtest/gtest.h>

#include <vector>

#include "core/a64/mmu_test.h"

namespace asterism::a64 {
namespace {

using Kind = CacheMaintenance::Kind;

struct DataCachesTest : MmuTest {
  static constexpr std::uint64_t sctlr_c = 4;
  // The attributes by index are Device-nGnRnE, Write-Back, Non-cacheable, inner Write-Back only, outer
  // Write-Back only.
  static constexpr std::uint64_t mair = 0xf4'4f'44'ff'00;

  DataCachesTest() {
    make({.data_caches = {{{256, 2}, {4096, 8}}}});
    for (std::uint64_t index = 0; index < 5; ++index) map(at(index), at(index), index << 2);
  }
  void make(const Options& options) {
    core = make_native_iss(host, 0, options);
    host.core = core.get();
    core->map_direct(host.memory_range(), host.memory.bytes, true);
    core->write(CoreRegister::vbar, vectors);
  }
  static std::uint64_t at(std::uint64_t index) { return data_base + page_size * index; }

  // Whether a load and a store of each of the five pages are cached.
  std::vector<bool> cached(std::uint64_t sctlr) {
    State before = with_mmu();
    before.system.mair = mair;
    before.system.sctlr = sctlr;
    for (std::uint64_t index = 0; index < 5; ++index) before.x[index] = at(index);
    host.monitored_accesses.clear();
    // ldr x5, [x0] to [x4]; str x5, [x0] to [x4]; nop
    run({0xf9400005, 0xf9400025, 0xf9400045, 0xf9400065, 0xf9400085, 0xf9000005, 0xf9000025, 0xf9000045,
         0xf9000065, 0xf9000085, 0xd503201f},
        before);
    std::vector<bool> result;
    for (const MonitoredAccess& each : host.monitored_accesses) result.push_back(each.is_cached);
    return result;
  }
  State maintain(const std::vector<std::uint32_t>& words, std::uint64_t x2) {
    host.maintained.clear();
    return run(words, with(0, 0, x2));
  }
};

TEST_F(DataCachesTest, MemoryTypesAndControlBitsDecideWhatIsCached) {
  const std::vector<bool> by_type{false, true, false, true, false};
  std::vector<bool> loads_and_stores = by_type;
  loads_and_stores.insert(loads_and_stores.end(), by_type.begin(), by_type.end());
  EXPECT_EQ(cached(sctlr_m | sctlr_c), loads_and_stores);
  EXPECT_EQ(cached(sctlr_m), std::vector<bool>(10, false));
  EXPECT_EQ(cached(sctlr_c), std::vector<bool>(10, false));
}

TEST_F(DataCachesTest, WithoutCachesNothingIsReported) {
  make({});
  EXPECT_EQ(cached(0), std::vector<bool>(10, true));
  maintain({0xd50b7e22, 0xd5087e42, 0xd5033f9f}, data_base);  // dc civac, x2; dc cisw, x2; dsb sy
  EXPECT_TRUE(host.maintained.empty());
}

TEST_F(DataCachesTest, OperationsByAddressAndTheBarrierBehindThem) {
  maintain(
      {
          0xd50b7b22,  // dc cvau, x2
          0xd50b7a22,  // dc cvac, x2
          0xd50b7e22,  // dc civac, x2
          0xd5087622,  // dc ivac, x2
          0xd5033f9f,  // dsb sy
          0xd5033bbf,  // dmb ish
          0xd5033d9f,  // dsb ld
          0xd5033e9f,  // dsb st
      },
      data_base + 8);
  const auto by_address = [](Kind kind) {
    return CacheMaintenance{.kind = kind, .address = Address(data_base + 8)};
  };
  EXPECT_EQ(host.maintained,
            (std::vector{by_address(Kind::clean_to_l2), by_address(Kind::clean),
                         by_address(Kind::clean_and_invalidate), by_address(Kind::clean_and_invalidate),
                         CacheMaintenance{.kind = Kind::wait}}));
}

TEST_F(DataCachesTest, OperationsBySetNameLevelSetAndWay) {
  const auto by_set = [](Kind kind, unsigned level, unsigned set, unsigned way) {
    return CacheMaintenance{.kind = kind, .by_set = true, .level = level, .set = set, .way = way};
  };
  maintain({0xd5087a42}, 1u << 31 | 255 << 6);  // dc csw, x2
  EXPECT_EQ(host.maintained, (std::vector{by_set(Kind::clean, 0, 255, 1)}));
  maintain({0xd5087e42, 0xd5087642}, 7u << 29 | 4095 << 6 | 1 << 1);  // dc cisw, x2; dc isw, x2
  EXPECT_EQ(host.maintained, (std::vector{by_set(Kind::clean_and_invalidate, 1, 4095, 7),
                                          by_set(Kind::clean_and_invalidate, 1, 4095, 7)}));
  maintain({0xd5087a42}, 2 << 1);  // this level does not exist
  EXPECT_TRUE(host.maintained.empty());
}

TEST_F(DataCachesTest, AreAnnouncedAsConfigured) {
  const std::vector<std::uint32_t> words = {
      0xd5390020,  // mrs x0, clidr_el1
      0xd51a0002,  // msr csselr_el1, x2
      0xd5390001,  // mrs x1, ccsidr_el1
  };
  EXPECT_EQ(maintain(words, 0).x[0], 0x8a20'0023u);
  EXPECT_EQ(maintain(words, 0).x[1], 0x7000'0000u | 255 << 13 | 1 << 3 | 2);
  EXPECT_EQ(maintain(words, 1).x[1], 0x201f'e012u);  // the instruction cache
  EXPECT_EQ(maintain(words, 2).x[1], 0x7000'0000u | 4095 << 13 | 7 << 3 | 2);
  make({});
  EXPECT_EQ(maintain(words, 2).x[0], 0x0a20'0023u);
  EXPECT_EQ(maintain(words, 2).x[1], 0x70ff'e07au);
}

// ---- a TLB that is modelled for its time ----

struct ModelledTlbTest : MmuTest {
  LineFilter filter{64};
  struct Asked {
    std::uint64_t address;
    bool walks;
    bool operator==(const Asked&) const = default;
  };
  std::vector<Asked> asked;
  ModelledTlbTest() {
    core->map_direct(host.memory_range(), host.memory.bytes, true);
    core->use_caches(filter, {.tlb = {.entries = 2, .ways = 2}});
    host.on_access_caches = [this](Address address, CacheAccess, bool walks) {
      asked.push_back({address.value(), walks});
      const auto set = static_cast<std::uint32_t>(address.value() / 64 % 64);
      return CachedAccess{{.set = set, .loads = true}, false};
    };
  }
};

TEST_F(ModelledTlbTest, WalksForTranslationsThatItDoesNotHold) {
  const std::uint64_t a = data_base, b = data_base + page_size + 64, c = data_base + 2 * page_size + 128;
  run({0xf9400024,  // ldr x4, [x1]
       0xf9400024, 0xf9400024,
       0xf9408024,  // ldr x4, [x1, #256]: another line of the page
       0xf9400044,  // ldr x4, [x2]
       0xf9400064,  // ldr x4, [x3], for which the first page leaves
       0xf9400044,  // ldr x4, [x2]
       0xf9400024,  // ldr x4, [x1]
       0xd508871f,  // tlbi vmalle1
       0xf9400064, 0xd503201f},
      with_mmu(0, a, b, c));
  std::erase_if(asked, [](const Asked& each) { return !each.walks; });  // as many as are not filtered
  EXPECT_EQ(asked, (std::vector<Asked>{{a, true}, {b, true}, {c, true}, {a, true}, {c, true}}));
}

}  // namespace
}  // namespace asterism::a64
