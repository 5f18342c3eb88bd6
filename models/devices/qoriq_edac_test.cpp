#include "devices/qoriq_edac.h"

#include "base/event_log.h"
#include "tlm/log.h"
#include "tlm/memory_writes.h"
#include "tlm/register_fuzz.h"
#include "tlm/reset_values.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

constexpr std::uint32_t single = 4, multiple = 8, more = 1u << 31;

// Has the errors that the test reports.
struct ReportingMemory final : Device, NodeMemory {
  MemoryWrites list;
  bool is_coded = true;

  tlm::tlm_target_socket<>& port(unsigned) override { throw std::logic_error("has no port"); }
  void load(Bytes, std::span<const std::byte>) override {}
  MemoryWrites& writes() override { return list; }
  void report_writes_to(MemoryWrites&) override {}
  bool has_decoder() const override { return is_coded; }
  FaultOutcome inject(const FaultRequest&, Bytes) override { return FaultOutcome::none; }
  unsigned part_at(Bytes) const override { return 0; }
  std::string summary() const override { return ""; }
  std::vector<tlm::tlm_target_socket<>*> targets() override { return {}; }
  void reset(Reset) override {}
};

struct EdacNode final : NodeView {
  DevicePlace place{.instance = "memory", .ranges = {{Address(0x4000'0000), 256_MiB}}};
  std::string type = "memory";
  DeviceShape shape{.targets = {{.size = 256_MiB}}, .is_memory = true};

  unsigned cores() const override { return 1; }
  std::optional<Peer> find(const std::string& name) const override {
    if (name == "memory") return Peer{place, type, shape};
    return std::nullopt;
  }
};

struct EdacPeers final : DevicePeers {
  ReportingMemory& memory;
  explicit EdacPeers(ReportingMemory& one) : memory(one) {}
  Device* find(const std::string&) const override { return &memory; }
};

struct QoriqEdacTest : SystemCTest {
  NoEventLog events;
  EdacNode node;
  ReportingMemory memory;
  QoriqEdac edac{"edac", QoriqEdacConfig{}, DeviceContext{.place = {}, .node = node, .events = events}};
  TestInitiator cpu{"cpu"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> line{"line"};
  QoriqEdacRegisters map;

  QoriqEdacTest() {
    cpu.socket.bind(edac.target);
    edac.interrupt.bind(line);
    static_cast<Device&>(edac).connect(EdacPeers(memory));
  }
  std::uint32_t get(const Register& of) { return cpu.read32(of.offset()); }
  void set(const Register& of, std::uint32_t value) { cpu.write32(of.offset(), value); }
  // What Linux sets.
  void enable() {
    set(map.disable, 0);
    set(map.detect, ~0u);
    set(map.interrupt_enable, single | multiple);
    set(map.single, 0x1'0000);
  }
  void report(bool is_corrected, std::uint64_t offset, std::uint64_t received = 0, std::uint64_t wrong = 0,
              std::uint8_t in_code = 0) {
    for (const auto& observe : memory.on_error)
      observe({Bytes(offset), is_corrected, received, wrong, in_code});
    settle();
  }
  // The wrong bit as software finds it: that whose check bits are those in which the captured ones differ.
  int wrong_bit() {
    const std::uint64_t data = std::uint64_t{get(map.data_high)} << 32 | get(map.data_low);
    const std::uint32_t syndrome = QoriqEdac::check_bits(data) ^ get(map.ecc);
    for (int bit = 0; bit < 64; ++bit)
      if (QoriqEdac::check_bits(std::uint64_t{1} << bit) == syndrome) return bit;
    return -1;
  }
};

SYSTEMC_TEST_F(QoriqEdacTest, ResetsToWhatTheListSays) { expect_reset_values(cpu, map); }

SYSTEMC_TEST_F(QoriqEdacTest, SaysWhatTheMemoryIs) {
  EXPECT_EQ(get(map.config), 0xa000'0000u);
  EXPECT_EQ(get(map.bounds), 0x0040'004fu);
  EXPECT_EQ(get(map.bounds1), 0u);
}

SYSTEMC_TEST_F(QoriqEdacTest, ACorrectedErrorInterruptsWithItsPlace) {
  enable();
  report(true, 0x123'4568, 0x8000'0000'0000'0011, 0x10);
  EXPECT_TRUE(line.read());
  EXPECT_EQ(get(map.detect), single);
  EXPECT_EQ(get(map.address), 0x4123'4568u);
  EXPECT_EQ(get(map.address_high), 0u);
  EXPECT_EQ(get(map.data_high), 0x8000'0000u);
  EXPECT_EQ(get(map.data_low), 0x11u);
  EXPECT_EQ(get(map.attributes), 1u);
  EXPECT_EQ(wrong_bit(), 4);
  set(map.detect, single);
  settle();
  EXPECT_FALSE(line.read());
}

SYSTEMC_TEST_F(QoriqEdacTest, AnyWrongBitIsFoundFromTheCapture) {
  enable();
  for (int bit = 0; bit < 64; ++bit) {
    report(true, 0, 0x0123'4567'89ab'cdef, std::uint64_t{1} << bit);
    EXPECT_EQ(wrong_bit(), bit);
    set(map.detect, ~0u);
  }
}

SYSTEMC_TEST_F(QoriqEdacTest, AnErrorInTheCheckBitsLeavesTheDataAlone) {
  enable();
  report(true, 8, 0x1234, 0, 0x20);
  EXPECT_EQ(get(map.ecc), std::uint32_t{QoriqEdac::check_bits(0x1234)} ^ 0x20u);
}

SYSTEMC_TEST_F(QoriqEdacTest, TheFirstErrorIsKeptUntilItIsCleared) {
  enable();
  report(true, 0x40);
  report(true, 0x80);
  EXPECT_EQ(get(map.detect), single | more);
  EXPECT_EQ(get(map.address), 0x4000'0040u);
  set(map.detect, ~0u);
  report(true, 0xc0);
  EXPECT_EQ(get(map.detect), single);
  EXPECT_EQ(get(map.address), 0x4000'00c0u);
}

SYSTEMC_TEST_F(QoriqEdacTest, AnUncorrectableErrorTakesThePlaceOfACorrectedOne) {
  enable();
  report(true, 0x40);
  report(false, 0x80);
  report(true, 0xc0);
  EXPECT_EQ(get(map.detect), single | multiple | more);
  EXPECT_EQ(get(map.address), 0x4000'0080u);
}

SYSTEMC_TEST_F(QoriqEdacTest, CorrectedErrorsAreCountedUpToTheThreshold) {
  enable();
  set(map.single, 0x3'0000);
  report(true, 0x40);
  report(true, 0x80);
  EXPECT_EQ(get(map.single), 0x3'0002u);
  EXPECT_FALSE(line.read());
  report(true, 0xc0);
  EXPECT_TRUE(line.read());
  EXPECT_EQ(get(map.single), 0x3'0000u);
  EXPECT_EQ(get(map.address), 0x4000'00c0u);
}

SYSTEMC_TEST_F(QoriqEdacTest, DisabledKindsAreIgnored) {
  enable();
  set(map.disable, single);
  report(true, 0x40);
  EXPECT_EQ(get(map.detect), 0u);
  report(false, 0x80);
  EXPECT_EQ(get(map.detect), multiple);
  set(map.interrupt_enable, single);
  settle();
  EXPECT_FALSE(line.read());
}

SYSTEMC_TEST_F(QoriqEdacTest, AResetForgetsTheError) {
  enable();
  report(false, 0x80);
  edac.reset(Reset::warm);
  settle();
  EXPECT_FALSE(line.read());
  EXPECT_EQ(get(map.detect), 0u);
  EXPECT_EQ(get(map.interrupt_enable), 0u);
}

SYSTEMC_TEST_F(QoriqEdacTest, AMemoryWithoutACodeSaysSo) {
  memory.is_coded = false;
  static_cast<Device&>(edac).connect(EdacPeers(memory));
  EXPECT_EQ(get(map.config), 0x8000'0000u);
}

SYSTEMC_TEST_F(QoriqEdacTest, NoValueOfARegisterIsTooMuch) {
  set_log_levels({{"edac", LogLevel::off}});
  RegisterFuzz fuzz(cpu, map, {0, 1, 4, 8, 0x1'0000, ~0u}, 7);
  for (int i = 0; i < 20'000; ++i) {
    fuzz.touch();
    if (fuzz.random.below(3) == 0)
      report(fuzz.random.below(2) != 0, fuzz.random.below(1 << 28), fuzz.random.next(), fuzz.random.next());
  }
}

}  // namespace
}  // namespace asterism
