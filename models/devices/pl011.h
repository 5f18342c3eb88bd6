// PL011 UART (Arm DDI 0183G) as in QEMU's virt machine.
//
// A character that the guest writes is at the sink at once: transmission takes no simulated time, so TXFE is
// always set, BUSY and TXFF never are, and the transmit interrupt follows each write. Received characters
// arrive one character time apart (Pl011Config) in a FIFO of 16, or of one with LCR_H.FEN clear; if it is
// full, the line waits, so that nothing is lost. RXRIS rises when the FIFO reaches the level of IFLS (one
// character without FEN), RTRIS when characters have been in it for 32 bit times without a new one; both fall
// as DDI 0183 specifies. Characters pass even if the UART is not enabled or has no baud rate, as in QEMU;
// unlike in QEMU, a change of FEN drops no received character, so that those that arrived before the
// firmware's set-up are kept.
//
//   Pl011 uart("uart0", config);
//   uart.interrupt.bind(gic.spi[1]);
//   uart.on_transmit = [&](std::uint8_t character) { ... };
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

#include "base/engine.h"
#include "base/enum_names.h"
#include "base/reset.h"
#include "base/statistics.h"
#include "tlm/alarm.h"
#include "tlm/device.h"
#include "tlm/host_line.h"
#include "tlm/register_socket.h"

namespace asterism {

class Fields;

struct Pl011Registers : RegisterBank {
  // clang-format off
  Register data{*this, 0x000, "DR", Access::read_write, 0,
      "A write transmits a character, a read takes one from the receive FIFO",
      {{"data", 0, 8, "The character; zero from an empty FIFO"}}};
  Register status{*this, 0x004, "RSR", Access::read_write, 0,
      "Receive errors; a write clears them (none ever comes)"};
  struct Flags : Register {
    using Register::Register;
    FieldOf<bool> busy{*this, {"busy", 3, 1, "The UART transmits: never, since transmission takes no time"}};
    FieldOf<bool> receive_empty{*this, {"rxfe", 4, 1, "The receive FIFO is empty"}};
    FieldOf<bool> transmit_full{*this, {"txff", 5, 1, "The transmit FIFO is full: never"}};
    FieldOf<bool> receive_full{*this, {"rxff", 6, 1, "The receive FIFO is full"}};
    FieldOf<bool> transmit_empty{*this, {"txfe", 7, 1, "The transmit FIFO is empty: always"}};
  } flags{*this, 0x018, "FR", Access::read_only, 0x90, "State of the FIFOs"};
  Register low_power{*this, 0x020, "ILPR", Access::read_write, 0,
      "IrDA low-power divisor: kept, without effect"};
  struct BaudInteger : Register {
    using Register::Register;
    FieldOf<std::uint32_t> divisor{*this, {"divisor", 0, 16, "24 MHz / (16 * baud)"}};
  } baud_integer{*this, 0x024, "IBRD", Access::read_write, 0, "Integer part of the divisor of the 24 MHz clock that gives the baud rate"};
  struct BaudFraction : Register {
    using Register::Register;
    FieldOf<std::uint32_t> divisor{*this, {"divisor", 0, 6, "In units of 1/64"}};
  } baud_fraction{*this, 0x028, "FBRD", Access::read_write, 0, "Fraction of the baud rate divisor"};
  struct Line : Register {
    using Register::Register;
    FieldOf<bool> send_break{*this, {"brk", 0, 1, "Send break", {}, Field::Kind::not_modelled}};
    FieldOf<bool> parity{*this, {"pen", 1, 1, "A parity bit is sent"}};
    FieldOf<bool> even_parity{*this, {"eps", 2, 1, "The parity is even"}};
    FieldOf<bool> two_stop_bits{*this, {"stp2", 3, 1, "Two stop bits are sent"}};
    FieldOf<bool> fifo_enable{*this, {"fen", 4, 1, "The FIFOs are enabled"}};
    FieldOf<std::uint32_t> word_length{*this, {"wlen", 5, 2, "5 + n data bits"}};
    FieldOf<bool> stick_parity{*this, {"sps", 7, 1, "Stick parity"}};
  } line{*this, 0x02C, "LCR_H", Access::read_write, 0, "Frame and FIFO set-up"};
  Register control{*this, 0x030, "CR", Access::read_write, 0x300, "Enables; characters pass whatever its value",
      {{"uarten", 0, 1, "UART on"}, {"siren", 1, 1, "IrDA", {}, Field::Kind::not_modelled},
       {"sirlp", 2, 1, "IrDA", {}, Field::Kind::not_modelled},
       {"lbe", 7, 1, "Loopback", {}, Field::Kind::not_modelled}, {"txe", 8, 1, "Transmitter on"},
       {"rxe", 9, 1, "Receiver on"},
       {"outputs", 10, 4, "Modem outputs: nothing is connected"},
       {"rtsen", 14, 1, "Hardware flow control", {}, Field::Kind::not_modelled},
       {"ctsen", 15, 1, "Hardware flow control", {}, Field::Kind::not_modelled}}};
  struct FifoLevels : Register {
    using Register::Register;
    FieldOf<std::uint32_t> transmit{*this, {"txiflsel", 0, 3, "Level of the transmit FIFO: without effect, since that FIFO is always empty"}};
    FieldOf<std::uint32_t> receive{*this, {"rxiflsel", 3, 3, "Level of the receive FIFO, in characters",
        {{"two", 0}, {"four", 1}, {"eight", 2}, {"twelve", 3}, {"fourteen", 4}}}};
  } fifo_levels{*this, 0x034, "IFLS", Access::read_write, 0x12, "Fill levels at which the FIFOs raise interrupts"};
  struct Interrupts : Register {
    using Register::Register;
    FieldOf<std::uint32_t> modem{*this, {"modem", 0, 4, "Modem inputs: never"}};
    FieldOf<bool> receive{*this, {"rx", 4, 1, "The receive FIFO has reached its level"}};
    FieldOf<bool> transmit{*this, {"tx", 5, 1, "The transmit FIFO has reached its level"}};
    FieldOf<bool> timeout{*this, {"rt", 6, 1, "Receive timeout"}};
    FieldOf<std::uint32_t> errors{*this, {"errors", 7, 4, "Framing, parity, break, overrun: never"}};
  };
  Interrupts mask{*this, 0x038, "IMSC", Access::read_write, 0, "Interrupts that reach the line"};
  Interrupts raw{*this, 0x03C, "RIS", Access::read_only, 0, "Interrupts before the mask"};
  Interrupts masked{*this, 0x040, "MIS", Access::read_only, 0, "Interrupts after the mask"};
  Interrupts clear{*this, 0x044, "ICR", Access::write_only, 0, "Clears the interrupts whose bits are written as one"};
  Register dma{*this, 0x048, "DMACR", Access::read_write, 0, "DMA requests",
      {{"enable", 0, 3, "DMA of reception, of transmission, off after an error", {}, Field::Kind::not_modelled}}};
  Register identity{*this, 0xFE0, "ID", Access::read_only, 0, "Peripheral id 0 to 3, then PrimeCell id 0 to 3: one byte each", {}, 8};
  // clang-format on
  Pl011Registers();
};

// Where the characters come from that it receives, and how fast.
struct Pl011Config {
  HostLineConfig line = {};
  std::uint64_t characters_per_second = 0;  // 0: the guest's baud rate, 115,200 baud until it has set one
};
void describe(Fields& f, Pl011Config& c);

class Pl011 final : public sc_core::sc_module, public Device, public HostLine {
 public:
  using Config = Pl011Config;
  static DeviceShape shape(const Config& config, const NodeFacts&);
  static std::vector<DeviceTreeNode> device_tree(const Config&, const DevicePlace& place);

  // Throws std::invalid_argument if the input file cannot be read.
  Pl011(const sc_core::sc_module_name& name, const Pl011Config& config);
  Pl011(const sc_core::sc_module_name& name, const Pl011Config& config, const DeviceContext&)
      : Pl011(name, config) {}

  Pl011Registers registers;
  RegisterSocket target;
  sc_core::sc_out<bool> interrupt{"interrupt"};

  void receive(std::string_view characters) override;
  // The time of one character on the line with the present settings.
  Picoseconds character_time() const;

  // Resets all registers and the FIFO on every kind of reset.
  void reset(Reset) override;
  void report(Statistics&) const override;

  std::vector<tlm::tlm_target_socket<>*> targets() override { return {&target}; }
  std::vector<sc_core::sc_out<bool>*> interrupts() override { return {&interrupt}; }

 private:
  static constexpr unsigned fifo_size = 16;

  bool fifo_enabled() const { return registers.line.fifo_enable.get(registers.line.value()); }
  unsigned capacity() const { return fifo_enabled() ? fifo_size : 1; }
  unsigned trigger_level() const;
  Picoseconds frame_time(unsigned bits) const;
  std::uint32_t flags() const;
  std::uint32_t head() const { return count_ ? fifo_[first_] : 0; }
  void connect_registers();
  void pop();
  void ring(Picoseconds now);
  void rearm();
  void update();  // call it after any change of interrupts, FIFO or line

  Pl011Config config_;
  Alarm alarm_;
  std::deque<char> line_;
  std::array<std::uint8_t, fifo_size> fifo_ = {};
  unsigned first_ = 0, count_ = 0;
  std::uint32_t raw_ = 0;
  // The time of the next character; it stays at that time while the FIFO is full.
  std::optional<Picoseconds> arrival_;
  std::optional<Picoseconds> timeout_;
  std::uint64_t received_ = 0, transmitted_ = 0;
};

}  // namespace asterism
