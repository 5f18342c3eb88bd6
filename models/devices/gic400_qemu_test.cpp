// Compares the GIC-400 with QEMU's: both receive the same random accesses, and every read must be equal.
// There is one core, because QEMU's test interface accesses as core 0. The test avoids known differences: in
// QEMU, enabling an interrupt whose line is high latches it, an SPI that ISACTIVER made active stays active
// after its end, and a disabled group hides others.
#include "base/random.h"
#include "devices/gic400.h"
#include "devices/qemu_test_machine.h"
#include "tlm/log.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

constexpr std::uint64_t distributor = 0x0800'0000, cpu_interface = 0x0801'0000;

struct GicBesideQemu : SystemCTest {
  Gic400 gic{"gic", 1};
  QemuTestMachine qemu;
  Random random{11};
  std::uint32_t high[2] = {};  // lines
  unsigned acknowledged = 0;

  TestInitiator distributor_access{"distributor_access"}, cpu_access{"cpu_access"};
  GicBesideQemu() {
    distributor_access.socket.bind(gic.distributor);
    cpu_access.socket.bind(gic.cpu_interface);
  }
  TestInitiator& at(std::uint64_t address) {
    return address < cpu_interface ? distributor_access : cpu_access;
  }

  void write(std::uint64_t address, std::uint32_t value) {
    at(address).write32(address & 0xFFFF, value);
    qemu.write(address, value);
  }
  std::uint32_t expect_same(std::uint64_t address) {
    const std::uint32_t ours = at(address).read32(address & 0xFFFF), reference = qemu.read(address);
    EXPECT_EQ(ours, reference) << std::hex << address;
    return ours;
  }
  void toggle_line() {
    const auto id = static_cast<unsigned>(16 + random.below(48));
    high[id / 32] ^= 1u << id % 32;
    const bool level = high[id / 32] >> id % 32 & 1;
    (id < 32 ? gic.ppi(0, id) : gic.spi[id - 32]).write(level);
    id < 32 ? qemu.set_ppi(id, level) : qemu.set_spi(id - 32, level);
    settle();
  }
  void use();
  void compare();
};

void GicBesideQemu::use() {
  const auto value = static_cast<std::uint32_t>(random.next());
  const auto word = static_cast<unsigned>(random.below(2));
  switch (random.below(20)) {
    case 0:
      return write(distributor + 0x080 + 4 * word, value & value >> 7);  // IGROUPR
    case 1:
      return write(distributor + 0x100 + 4 * word, value & ~high[word]);  // ISENABLER
    case 2:
      return write(distributor + 0x180 + 4 * word, value & value >> 5 & ~high[word]);  // ICENABLER
    case 3:
      return write(distributor + 0x200 + 4 * word, value & value >> 3 & value >> 9);  // ISPENDR
    case 4:
      return write(distributor + 0x280 + 4 * word, value & value >> 3);  // ICPENDR
    case 5:
      return write(distributor + 0x300, 1u << value % 32);  // ISACTIVER
    case 6:
      return write(distributor + 0x380 + 4 * word, value);  // ICACTIVER
    case 7:
      return write(distributor + 0x400 + 4 * random.below(16), value);  // IPRIORITYR
    case 8:
      return write(distributor + 0xC00 + 4 * random.below(4), value);  // ICFGR
    case 9:
      return write(distributor + 0xF00, 2u << 24 | (value & 0xF));  // SGIR
    case 10:
      return write(cpu_interface + 0x00, (value & 0x21C) | 3);  // CTLR
    case 11:
      return write(cpu_interface + 0x04, value | 0x80);  // PMR
    case 12:
      return write(cpu_interface + (value & 1 ? 0x08 : 0x1C), value >> 8);  // BPR, ABPR
    case 13:
      return write(cpu_interface + 0x10, static_cast<std::uint32_t>(random.below(64)));  // EOIR
    case 14:
      write(cpu_interface + 0x1000, static_cast<std::uint32_t>(random.below(64)));  // DIR
      return write(cpu_interface + 0x04, 0xF8);
    case 15:
    case 16:
      return toggle_line();
    default: {
      const std::uint32_t id = expect_same(cpu_interface + 0x0C);  // IAR
      acknowledged += id < 64;
      if (id < 64 && random.below(3)) write(cpu_interface + 0x10, id);
    }
  }
}

void GicBesideQemu::compare() {
  for (std::uint64_t reg : {0x14u, 0x18u, 0x00u, 0x04u, 0x08u, 0x1Cu}) expect_same(cpu_interface + reg);
  for (std::uint64_t reg : {0x080u, 0x100u, 0x180u, 0x200u, 0x280u, 0x300u, 0x380u})
    for (unsigned word : {0u, 1u}) expect_same(distributor + reg + 4 * word);
  for (unsigned word = 0; word < 4; ++word) {
    expect_same(cpu_interface + 0xD0 + 4 * word);
    expect_same(cpu_interface + 0xE0 + 4 * word);
    expect_same(distributor + 0xC00 + 4 * word);
  }
}

SYSTEMC_TEST_F(GicBesideQemu, RandomUseReadsTheSame) {
  ASSERT_TRUE(qemu.is_there()) << "qemu-system-aarch64 is not installed: scripts/setup test";
  set_log_levels({{"gic", LogLevel::off}});
  write(distributor, 3);
  write(cpu_interface, 3);
  write(cpu_interface + 0x04, 0xF8);
  for (int i = 0; i < 10'000 && !HasFailure(); ++i) {
    use();
    if (i % 16 == 0) compare();
    if (HasFailure()) ADD_FAILURE() << "after " << i << " steps";
  }
  EXPECT_GT(acknowledged, 300u);
}

SYSTEMC_TEST_F(GicBesideQemu, IdentifiesItselfTheSame) {
  ASSERT_TRUE(qemu.is_there()) << "qemu-system-aarch64 is not installed: scripts/setup test";
  for (std::uint64_t offset = 0xFD0; offset <= 0xFFC; offset += 4) expect_same(distributor + offset);
  for (std::uint64_t reg : {distributor + 0x008, cpu_interface + 0x0FC, cpu_interface + 0x00C})
    expect_same(reg);
}

}  // namespace
}  // namespace asterism
