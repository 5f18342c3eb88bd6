#include "devices/nor_flash.h"

#include <algorithm>
#include <bit>

namespace asterism {
namespace {

constexpr std::size_t bus_width = 4, chip_width = 2, chips = bus_width / chip_width;

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
    const std::uint16_t lane = reads_array() ? 0 : read(at / bus_width);
    const std::uint8_t byte = reads_array() ? bytes_[at] : low(at % chip_width ? lane >> 8 : lane);
    value |= std::uint64_t{byte} << 8 * i;
  }
  return value;
}

void NorFlash::store(std::size_t offset, unsigned size, std::uint64_t value) {
  for (unsigned i = 0; i < size; i += bus_width)
    write({offset + i, std::min<unsigned>(size, bus_width), static_cast<std::uint32_t>(value >> 8 * i)});
}

bool NorFlash::reads_array() const { return state_.reads == Reads::array; }

// What either chip returns for a word outside of read-array mode.
std::uint16_t NorFlash::read(std::size_t word) const {
  if (state_.reads == Reads::status) return state_.status;
  if (state_.reads == Reads::query) return query(word);
  return word == 0 ? manufacturer : word == 1 ? device : 0;
}

void NorFlash::write(const Store& store) {
  const std::uint8_t byte = low(store.value);
  switch (state_.awaits) {
    case Awaits::command:
      return command(byte);
    case Awaits::program:
      program(store);
      break;
    case Awaits::erase:
      if (byte == confirm) {
        erase(store.offset);
      } else {
        state_.status |= sequence_error;
      }
      break;
    case Awaits::lock:
      if (byte != confirm && byte != lock && byte != lock_down) state_.status |= sequence_error;
      break;
    case Awaits::count:
      state_.missing = (store.value & 0xffff) + 1;
      state_.buffer.clear();
      if (state_.missing <= buffer_words) {
        state_.awaits = Awaits::data;
        return;
      }
      state_.status |= sequence_error;
      break;
    case Awaits::data:
      state_.buffer.push_back(store);
      if (--state_.missing == 0) state_.awaits = Awaits::confirmation;
      return;
    case Awaits::confirmation:
      if (byte == confirm) {
        for (const Store& data : state_.buffer) program(data);
      } else {
        state_.status |= sequence_error;
      }
      break;
  }
  state_.awaits = Awaits::command;
}

void NorFlash::command(std::uint8_t command) {
  const auto expect = [&](Awaits what) { state_.awaits = what, state_.reads = Reads::status; };
  switch (command) {
    case read_status:
      state_.reads = Reads::status;
      break;
    case read_identifier:
      state_.reads = Reads::identifier;
      break;
    case read_query:
      state_.reads = Reads::query;
      break;
    case clear_status:
      state_.status = ready;
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
      state_.reads = Reads::array;
  }
}

// The CFI table, one byte per word.
std::uint8_t NorFlash::query(std::size_t word) const {
  const std::size_t chip_size = bytes_.size() / chips, blocks = bytes_.size() / block_size;
  constexpr std::size_t chip_block = block_size / chips, extended = 0x31;
  const std::array<std::uint8_t, 0x3a - 0x10> table = {
      // clang-format off
      'Q', 'R', 'Y',
      0x01, 0x00, low(extended), high(extended),  // Intel's extended command set
      0x00, 0x00, 0x00, 0x00,                     // no alternative command set
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

void NorFlash::program(const Store& store) {
  for (unsigned i = 0; i < store.size; ++i) bytes_[store.offset + i] &= low(store.value >> 8 * i);
  counts_.programmed += (store.size + chip_width - 1) / chip_width;
}

void NorFlash::erase(std::size_t offset) {
  const auto first = bytes_.begin() + static_cast<std::ptrdiff_t>(offset / block_size * block_size);
  std::fill_n(first, block_size, std::uint8_t{0xff});
  counts_.erased += chips;
}

}  // namespace asterism
