// A bank of NOR flash as in QEMU's virt machine: two chips of 16 bits side by side, 32 bits wide.
//
// The chips implement Intel's command set as in the Numonyx P30 (datasheet 306666) and the Common Flash
// Interface (JEDEC JESD68.01): read array, status, identifier and query; word and buffered program; block
// erase; lock and unlock. Programming only clears bits, erasing sets those of a block. Both take no time. No
// block is ever locked.
//
// The bank has one state, as in QEMU: a command is the lowest byte of what is stored, whatever its width and
// offset, and both chips take it. A driver that probes for other widths (U-Boot begins with 8 and 16 bits)
// therefore always finds both chips in the state in which it leaves the bank. Only data apply to the single
// chip, or byte, that was written; a load returns the bytes that it addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace asterism {

class NorFlash {
 public:
  static constexpr std::size_t block_size = 256 << 10;  // of both chips

  explicit NorFlash(std::size_t size) : bytes_(size, 0xff) {}

  // An aligned access of 1, 2, 4 or 8 bytes inside the bank.
  std::uint64_t load(std::size_t offset, unsigned size) const;
  void store(std::size_t offset, unsigned size, std::uint64_t value);
  // Whether loads return the contents, everywhere.
  bool reads_array() const;

  std::span<const std::uint8_t> contents() const { return bytes_; }
  // Access as by an external programmer.
  std::span<std::uint8_t> cells() { return bytes_; }

  // Drops commands in progress; keeps the contents.
  void reset() { state_ = {}; }

  struct Counts {
    std::uint64_t programmed = 0;  // words of a chip, one by one or in a buffer
    std::uint64_t erased = 0;      // blocks of a chip
  };
  const Counts& counts() const { return counts_; }

 private:
  enum class Reads { array, status, identifier, query };
  enum class Awaits { command, program, erase, lock, count, data, confirmation };
  // A store of up to the width of the bank.
  struct Store {
    std::size_t offset;
    unsigned size;
    std::uint32_t value;
  };
  struct State {
    Reads reads = Reads::array;
    Awaits awaits = Awaits::command;
    std::uint8_t status = ready;
    unsigned missing = 0;  // remaining stores of a buffered program
    std::vector<Store> buffer;
  };
  static constexpr std::uint8_t ready = 0x80, sequence_error = 0x30;

  std::uint16_t read(std::size_t word) const;
  void write(const Store& store);
  void command(std::uint8_t command);
  std::uint8_t query(std::size_t word) const;
  void program(const Store& store);
  void erase(std::size_t offset);

  std::vector<std::uint8_t> bytes_;
  State state_;
  Counts counts_;
};

}  // namespace asterism
