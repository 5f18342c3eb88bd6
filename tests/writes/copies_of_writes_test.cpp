// Copies of memory follow what a foreign master writes: the instructions that a core has decoded, and the
// tags of its caches.
#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "writes_rig.h"

namespace asterism {
namespace {

struct CopiesOfWritesTest : WritesRig {
  explicit CopiesOfWritesTest(const Parts& parts) : WritesRig(parts) {}
  static constexpr std::uint64_t code = dram + 0x8'0000, data = dram + 0x9'0000;

  void start(const std::vector<std::uint32_t>& program) {
    place(code, program);
    cores.start(Address(code), data);
    wait_for(20_us);
  }
  std::uint64_t read(CoreRegister which) { return cores[0].iss().read(which); }
  static constexpr std::uint32_t new_instruction = 0x91000442;  // add x2, x2, #1
  // Overwrites an instruction of a loop, and returns whether the core executes the new one.
  template <class Write>
  bool executes_what(Write writes) {
    start({
        0x91000421,  // loop: add x1, x1, #1
        0xd503205f,  // wfe
        0x17fffffe,  // b loop
    });
    EXPECT_GT(read(CoreRegister::x1), 10u);
    writes();
    wait_for(20_us);
    return read(CoreRegister::x2) > 10;
  }
  bool executes_what_is_written() {
    return executes_what([this] { foreign.write32(code, new_instruction); });
  }
  // Of a burst that begins in the page before the code, only the bytes of the instruction are enabled.
  void fill_burst(tlm::tlm_generic_payload& payload) {
    std::ranges::fill(burst, 0xff);
    std::memcpy(burst.data() + 62, &new_instruction, sizeof new_instruction);
    std::ranges::fill(std::span(enabled).subspan(62, 4), TLM_BYTE_ENABLED);
    TestInitiator::fill(payload, tlm::TLM_WRITE_COMMAND, code - 62, burst.data(), burst.size());
    payload.set_byte_enable_ptr(enabled.data());
    payload.set_byte_enable_length(enabled.size());
  }
  std::array<unsigned char, 130> burst{}, enabled{};
  // Writes to a line that a core reads again and again, and returns how often its caches fill lines then.
  std::uint64_t fills_after_a_write() {
    start({
        0xf9400003,  // loop: ldr x3, [x0]
        0xd503205f,  // wfe
        0x17fffffe,  // b loop
    });
    const std::uint64_t before = cores[0].cache_counts().memory_accesses;
    EXPECT_EQ(before, 1u);
    foreign.write32(data + 32, 7);
    wait_for(20_us);
    return cores[0].cache_counts().memory_accesses - before;
  }
};

template <bool is_mutant, CacheModel in_front>
struct Copies : CopiesOfWritesTest {
  Copies() : CopiesOfWritesTest({.caches = {.model = in_front}, .reports_to_nobody = is_mutant}) {}
};
using DecodedCode = Copies<false, CacheModel::none>;
using DecodedCodeOfAMutant = Copies<true, CacheModel::none>;
using CacheTags = Copies<false, CacheModel::tags>;
using CacheTagsOfAMutant = Copies<true, CacheModel::tags>;

SYSTEMC_TEST_F(DecodedCode, FollowsAForeignWrite) { EXPECT_TRUE(executes_what_is_written()); }
SYSTEMC_TEST_F(DecodedCode, FollowsABurstOverTwoPagesWithByteEnables) {
  EXPECT_TRUE(executes_what([this] {
    tlm::tlm_generic_payload payload;
    fill_burst(payload);
    sc_core::sc_time delay;
    foreign.socket->b_transport(payload, delay);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
  }));
}
SYSTEMC_TEST_F(DecodedCode, FollowsADebugWriteOfSuchABurst) {
  EXPECT_TRUE(executes_what([this] {
    tlm::tlm_generic_payload payload;
    fill_burst(payload);
    EXPECT_EQ(foreign.socket->transport_dbg(payload), burst.size());
  }));
}
SYSTEMC_TEST_F(DecodedCode, StaysWhereABurstIsRefused) {
  EXPECT_FALSE(executes_what([this] {
    tlm::tlm_generic_payload payload;
    fill_burst(payload);
    payload.set_streaming_width(2);  // all data to the first two bytes, which memory does not support
    sc_core::sc_time delay;
    foreign.socket->b_transport(payload, delay);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
  }));
}
SYSTEMC_TEST_F(CacheTags, FollowAForeignWrite) { EXPECT_EQ(fills_after_a_write(), 1u); }

// What the tests above detect: a memory that reports its writes to nobody.
SYSTEMC_TEST_F(DecodedCodeOfAMutant, IsStale) { EXPECT_FALSE(executes_what_is_written()); }
SYSTEMC_TEST_F(CacheTagsOfAMutant, AreStale) { EXPECT_EQ(fills_after_a_write(), 0u); }

}  // namespace
}  // namespace asterism
