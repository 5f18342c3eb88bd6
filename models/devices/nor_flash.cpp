#include "devices/nor_flash.h"

#include <algorithm>
#include <bit>

namespace asterism {
namespace {

constexpr std::size_t bus_width = 4, chip_width = 2;

enum Command : std::uint8_t {
  lock = 0x01,
  program_alternate = 0x10,
  erase_block = 0x20,
  lock_down = 0x2f,
  program_word = 0x40,
  clear_status = 0x50,
  change_lock = 0x60,
  read_status = 0x70,
  read_identifier = 0x90,
  read_query = 0x98,
  confirm = 0xd0,
  program_buffer = 0xe8,
  read_array = 0xff,
};

constexpr unsigned buffer_words = 32;
constexpr std::uint16_t manufacturer = 0x89, device = 0x8919;

constexpr std::uint8_t low(std::size_t value) { return static_cast<std::uint8_t>(value); }
constexpr std::uint8_t high(std::size_t value) { return static_cast<std::uint8_t>(value >> 8); }

}  // namespace

std::uint64_t NorFlash::load(std::size_t offset, unsigned size) const {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i) {
    const std::size_t at = offset + i;
    const std::uint16_t lane = read(at % bus_width / chip_width, at / bus_width);
    value |= std::uint64_t{low(at % chip_width ? lane >> 8 : lane)} << 8 * i;
  }
  return value;
}

// The lines of a byte that is not written are high.
void NorFlash::store(std::size_t offset, unsigned size, std::uint64_t value) {
  if (size == 1) {
    const auto byte = static_cast<std::uint16_t>(value & 0xff);
    const auto lane = static_cast<std::uint16_t>(offset % chip_width ? byte << 8 | 0xff : 0xff00 | byte);
    write(offset % bus_width / chip_width, offset / bus_width, lane);
    return;
  }
  for (unsigned i = 0; i < size; i += chip_width) {
    const std::size_t at = offset + i;
    write(at % bus_width / chip_width, at / bus_width, static_cast<std::uint16_t>(value >> 8 * i));
  }
}

bool NorFlash::reads_array() const {
  return std::ranges::all_of(chips_, [](const Chip& chip) { return chip.reads == Reads::array; });
}

std::uint16_t NorFlash::read(unsigned chip, std::size_t word) const {
  switch (chips_[chip].reads) {
    case Reads::status:
      return chips_[chip].status;
    case Reads::identifier:
      return word == 0 ? manufacturer : word == 1 ? device : 0;
    case Reads::query:
      return query(word);
    default:
      return cell(chip, word);
  }
}

void NorFlash::write(unsigned number, std::size_t word, std::uint16_t value) {
  Chip& chip = chips_[number];
  const std::uint8_t byte = low(value);
  switch (chip.awaits) {
    case Awaits::command:
      return command(chip, byte);
    case Awaits::program:
      program(number, word, value);
      break;
    case Awaits::erase:
      if (byte == confirm) {
        erase(number, word);
      } else {
        chip.status |= sequence_error;
      }
      break;
    case Awaits::lock:
      if (byte != confirm && byte != lock && byte != lock_down) chip.status |= sequence_error;
      break;
    case Awaits::count:
      chip.missing = value + 1u;
      chip.buffer.clear();
      if (chip.missing <= buffer_words) {
        chip.awaits = Awaits::data;
        return;
      }
      chip.status |= sequence_error;
      break;
    case Awaits::data:
      chip.buffer.emplace_back(word, value);
      if (--chip.missing == 0) chip.awaits = Awaits::confirmation;
      return;
    case Awaits::confirmation:
      if (byte == confirm) {
        for (const auto& [at, data] : chip.buffer) program(number, at, data);
      } else {
        chip.status |= sequence_error;
      }
      break;
  }
  chip.awaits = Awaits::command;
}

void NorFlash::command(Chip& chip, std::uint8_t command) {
  const auto expect = [&](Awaits what) { chip.awaits = what, chip.reads = Reads::status; };
  switch (command) {
    case read_status:
      chip.reads = Reads::status;
      break;
    case read_identifier:
      chip.reads = Reads::identifier;
      break;
    case read_query:
      chip.reads = Reads::query;
      break;
    case clear_status:
      chip.status = ready;
      break;
    case program_word:
    case program_alternate:
      return expect(Awaits::program);
    case erase_block:
      return expect(Awaits::erase);
    case change_lock:
      return expect(Awaits::lock);
    case program_buffer:
      return expect(Awaits::count);
    default:
      chip.reads = Reads::array;
  }
}

// The CFI table, one byte a word.
std::uint8_t NorFlash::query(std::size_t word) const {
  const std::size_t chip_size = bytes_.size() / chips, blocks = bytes_.size() / block_size;
  constexpr std::size_t chip_block = block_size / chips, extended = 0x31;
  const std::array<std::uint8_t, 0x3a - 0x10> table = {
      // clang-format off
      'Q', 'R', 'Y',
      0x01, 0x00, low(extended), high(extended),  // Intel's extended command set
      0x00, 0x00, 0x00, 0x00,                     // no alternative one
      0x17, 0x20, 0x85, 0x95,                     // 1.7 V to 2.0 V, programming at 8.5 V to 9.5 V
      0x08, 0x09, 0x0a, 0x00,                     // typical times: word, buffer in 2^n us, block in 2^n ms
      0x01, 0x01, 0x02, 0x00,                     // at most 2^n times as long
      low(static_cast<std::size_t>(std::countr_zero(chip_size))),
      0x01, 0x00,                                 // 16 bits wide
      low(std::countr_zero(buffer_words * chip_width)), 0x00,
      0x01,                                       // one region of blocks of a size
      low(blocks - 1), high(blocks - 1), low(chip_block / 256), high(chip_block / 256),
      'P', 'R', 'I', '1', '3',
      0x00, 0x00, 0x00, 0x00,                     // no optional features
      // clang-format on
  };
  return word >= 0x10 && word - 0x10 < table.size() ? table[word - 0x10] : 0;
}

std::uint16_t NorFlash::cell(unsigned chip, std::size_t word) const {
  const std::size_t at = word * bus_width + chip * chip_width;
  return static_cast<std::uint16_t>(bytes_[at] | bytes_[at + 1] << 8);
}

void NorFlash::program(unsigned chip, std::size_t word, std::uint16_t value) {
  const std::size_t at = word * bus_width + chip * chip_width;
  bytes_[at] &= low(value);
  bytes_[at + 1] &= high(value);
  ++counts_.programmed;
}

void NorFlash::erase(unsigned chip, std::size_t word) {
  const std::size_t first = word * bus_width / block_size * block_size;
  for (std::size_t at = first + chip * chip_width; at < first + block_size; at += bus_width)
    bytes_[at] = bytes_[at + 1] = 0xff;
  ++counts_.erased;
}

}  // namespace asterism
