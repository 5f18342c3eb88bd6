#include "devices/pl011.h"

#include <fstream>

#include "base/fields.h"
#include "base/temporary_folder.h"
#include "devices/device_fuzz.h"
#include "tlm/log.h"
#include "tlm/reset_values.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

constexpr std::uint64_t dr = 0x00, fr = 0x18, ibrd = 0x24, fbrd = 0x28, lcr_h = 0x2C, ifls = 0x34,
                        imsc = 0x38, ris = 0x3C, mis = 0x40, icr = 0x44;
constexpr std::uint32_t rx = 0x10, tx = 0x20, rt = 0x40, rxfe = 0x10, rxff = 0x40, txfe = 0x80, fen = 0x10;

struct Pl011Test : SystemCTest {
  explicit Pl011Test(Pl011Config config = {.characters_per_second = 10'000}) : uart("uart0", config) {
    cpu.socket.bind(uart.target);
    uart.interrupt.bind(line);
    uart.on_transmit = [this](std::uint8_t c) { sent += static_cast<char>(c); };
  }
  Pl011 uart;
  TestInitiator cpu{"cpu"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> line{"line"};
  std::string sent;

  std::string read_all() {
    std::string text;
    while (!(cpu.read32(fr) & rxfe)) text += static_cast<char>(cpu.read32(dr));
    return text;
  }
};

SYSTEMC_TEST_F(Pl011Test, ReadsLikeQemuAfterReset) {
  const std::uint32_t ids[] = {0x11, 0x10, 0x14, 0x00, 0x0D, 0xF0, 0x05, 0xB1};
  for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(cpu.read32(0xFE0 + 4 * i), ids[i]) << i;
  EXPECT_EQ(cpu.read32(fr), 0x90u);
  EXPECT_EQ(cpu.read32(0x30), 0x300u);
  EXPECT_EQ(cpu.read32(ifls), 0x12u);
  EXPECT_EQ(cpu.read32(ris), 0u);
}

SYSTEMC_TEST_F(Pl011Test, ResetsToWhatTheListSays) { expect_reset_values(cpu, Pl011Registers()); }

SYSTEMC_TEST_F(Pl011Test, TransmitsAtOnceWithoutSetUp) {
  cpu.write32(dr, 'H');
  cpu.write<std::uint8_t>(dr, 'i');
  EXPECT_EQ(sent, "Hi");
  EXPECT_EQ(cpu.read32(fr), txfe | rxfe);
  EXPECT_EQ(now(), 0_ps);
}

SYSTEMC_TEST_F(Pl011Test, EachWriteRaisesTheTransmitInterrupt) {
  cpu.write32(imsc, tx);
  cpu.write32(dr, 'x');
  settle();
  EXPECT_TRUE(line.read());
  cpu.write32(icr, tx);
  settle();
  EXPECT_FALSE(line.read());
}

SYSTEMC_TEST_F(Pl011Test, CharactersArriveOneCharacterTimeApart) {
  uart.receive("ab");
  expect_earliest(100_us, [&] { return !(cpu.read32(fr) & rxfe); });
  EXPECT_EQ(cpu.read32(dr), 'a');
  expect_earliest(200_us, [&] { return !(cpu.read32(fr) & rxfe); });
  EXPECT_EQ(cpu.read32(dr), 'b');
  EXPECT_EQ(cpu.read32(fr) & rxfe, rxfe);
}

SYSTEMC_TEST_F(Pl011Test, WithoutFifoOneCharacterInterruptsAndTheNextWaits) {
  cpu.write32(imsc, rx);
  uart.receive("ab");
  expect_earliest(100_us, [&] { return line.read(); });
  wait_for(1_ms);
  EXPECT_EQ(cpu.read32(fr) & rxff, rxff);
  EXPECT_EQ(cpu.read32(dr), 'a');
  settle();
  EXPECT_EQ(cpu.read32(dr), 'b');
  settle();
  EXPECT_FALSE(line.read());
}

SYSTEMC_TEST_F(Pl011Test, TheFifoInterruptsAtItsLevel) {
  cpu.write32(lcr_h, fen);
  cpu.write32(ifls, 1 << 3);  // 4 characters
  cpu.write32(imsc, rx);
  uart.receive("abcdefgh");
  expect_earliest(400_us, [&] { return line.read(); });
  cpu.read32(dr);
  settle();
  EXPECT_FALSE(line.read());
  EXPECT_EQ(cpu.read32(ris) & rx, 0u);
}

SYSTEMC_TEST_F(Pl011Test, ASilentLineWithCharactersLeftTimesOut) {
  cpu.write32(lcr_h, fen);
  cpu.write32(imsc, rx | rt);
  uart.receive("abc");
  expect_earliest(300_us + 320_us, [&] { return line.read(); });  // 32 bits of 10 us after the last
  EXPECT_EQ(cpu.read32(mis), rt);
  EXPECT_EQ(read_all(), "abc");
  settle();
  EXPECT_FALSE(line.read());
}

SYSTEMC_TEST_F(Pl011Test, ATimeoutThatWasClearedComesBackWhileCharactersAreLeft) {
  cpu.write32(lcr_h, fen);
  cpu.write32(imsc, rt);
  uart.receive("a");
  wait_until(1_ms);
  cpu.write32(icr, rt);
  expect_earliest(1_ms + 320_us, [&] { return line.read(); });
}

SYSTEMC_TEST_F(Pl011Test, AFullFifoHoldsTheLineAndLosesNothing) {
  const std::string text = "the quick brown fox jumps";
  cpu.write32(lcr_h, fen);
  uart.receive(text);
  wait_for(10_ms);
  EXPECT_EQ(cpu.read32(fr) & rxff, rxff);
  std::string received = read_all();
  EXPECT_EQ(received, text.substr(0, 16));
  wait_for(10_ms);
  received += read_all();
  EXPECT_EQ(received, text);
}

SYSTEMC_TEST_F(Pl011Test, ReceivedCharactersOutliveAChangeOfTheFifo) {
  uart.receive("a");
  wait_for(1_ms);
  cpu.write32(lcr_h, fen);
  EXPECT_EQ(read_all(), "a");
}

SYSTEMC_TEST_F(Pl011Test, ResetEmptiesTheFifoAndKeepsTheLine) {
  cpu.write32(imsc, rx);
  uart.receive("ab");
  wait_for(150_us);
  uart.reset(Reset::power_loss);
  settle();
  EXPECT_FALSE(line.read());
  EXPECT_EQ(cpu.read32(imsc), 0u);
  EXPECT_EQ(cpu.read32(fr) & rxfe, rxfe);
  expect_earliest(200_us, [&] { return !(cpu.read32(fr) & rxfe); });
  EXPECT_EQ(cpu.read32(dr), 'b');
}

SYSTEMC_TEST_F(Pl011Test, AnyPayloadGetsAnAnswer) {
  set_log_levels({{"uart0", LogLevel::off}});
  uart.receive(std::string(1000, 'x'));
  expect_an_answer_to_any_payload(cpu, 4_KiB, 1);
  expect_an_answer_to_any_payload(cpu, 0x50_B, 2);
}

SYSTEMC_TEST_F(Pl011Test, DescribesItselfAsOnVirt) {
  const auto node = Pl011::device_tree({}, {"uart0", {{Address(0x0900'0000), 4_KiB}}, {1}}).at(0);
  EXPECT_EQ(node.name, "pl011@9000000");
  EXPECT_EQ(std::get<DeviceTreeNode::Cells>(*node.find("interrupts")), (DeviceTreeNode::Cells{0, 1, 4}));
}

struct BaudTest : Pl011Test {
  BaudTest() : Pl011Test(Pl011Config{}) {}
};

SYSTEMC_TEST_F(BaudTest, TheGuestsBaudRateSetsTheCharacterTime) {
  EXPECT_EQ(uart.character_time(), Picoseconds(10 * 1'000'000'000'000 / 115'200));
  cpu.write32(ibrd, 13);  // 24 MHz / (16 * (13 + 1/64)) = 115,246 baud
  cpu.write32(fbrd, 1);
  cpu.write32(lcr_h, 3 << 5);
  EXPECT_EQ(uart.character_time(), Picoseconds(10 * 833ull * 1'000'000'000'000 / 96'000'000));
  cpu.write32(lcr_h, 3 << 5 | 1 << 3 | 1 << 1);  // parity and a second stop bit
  EXPECT_EQ(uart.character_time(), Picoseconds(12 * 833ull * 1'000'000'000'000 / 96'000'000));
}

struct InputFile {
  TemporaryFolder folder;
  std::string path = folder / "input";
  InputFile() { std::ofstream(path) << "boot\n"; }
};
struct FileInputTest : InputFile, Pl011Test {  // the file is created first
  FileInputTest() : Pl011Test(Pl011Config{{LineInput::file, path}, 1'000}) {}
};

SYSTEMC_TEST_F(FileInputTest, AFileArrivesFromTimeZero) {
  cpu.write32(lcr_h, fen);
  expect_earliest(1_ms, [&] { return !(cpu.read32(fr) & rxfe); });
  wait_for(10_ms);
  EXPECT_EQ(read_all(), "boot\n");
}

TEST(Pl011Config, IsDescribed) { EXPECT_EQ(description_problem<Pl011Config>(), ""); }

TEST(Pl011, RefusesAnInputFileThatIsMissing) {
  EXPECT_THROW(Pl011("uart0", Pl011Config{{LineInput::file, "/nonexistent/file"}}), std::invalid_argument);
}

}  // namespace
}  // namespace asterism
