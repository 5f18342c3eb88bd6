// Compares the PL011 with QEMU's: both receive the same random writes but no characters, and every read must
// be equal.
#include "base/random.h"
#include "devices/pl011.h"
#include "devices/qemu_test_machine.h"
#include "tlm/log.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

constexpr std::uint64_t uart_base = 0x0900'0000;

struct Pl011BesideQemu : SystemCTest {
  Pl011 uart{"uart0", Pl011Config{}};
  TestInitiator cpu{"cpu"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> line{"line"};
  QemuTestMachine qemu;
  Pl011BesideQemu() {
    cpu.socket.bind(uart.target);
    uart.interrupt.bind(line);
  }
};

SYSTEMC_TEST_F(Pl011BesideQemu, RandomWritesReadTheSame) {
  ASSERT_TRUE(qemu.is_there()) << "qemu-system-aarch64 is not installed: scripts/setup test";
  set_log_levels({{"uart0", LogLevel::off}});
  const std::uint64_t written[] = {0x00, 0x04, 0x20, 0x24, 0x28, 0x2C, 0x30, 0x34, 0x38, 0x44};
  Random random(3);
  for (int i = 0; i < 5'000 && !HasFailure(); ++i) {
    const std::uint64_t offset = written[random.below(std::size(written))];
    const auto value = static_cast<std::uint32_t>(random.next() & 0xFFFF);
    cpu.write32(offset, value);
    qemu.write(uart_base + offset, value);
    for (std::uint64_t reg = 0; reg <= 0x48; reg += 4)
      EXPECT_EQ(cpu.read32(reg), qemu.read(uart_base + reg))
          << std::hex << reg << " after writing " << offset;
  }
}

}  // namespace
}  // namespace asterism
