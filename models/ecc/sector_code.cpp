#include "ecc/sector_code.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "ecc/long_reed_solomon.h"
#include "ecc/two_level_span.h"

namespace asterism {
namespace {

// ---- (72,64): the column of each bit of a beat; those of the check bits have weight 1 ----

constexpr std::array<std::uint8_t, 72> secded_columns = [] {
  std::array<std::uint8_t, 72> columns{};
  unsigned count = 0;
  for (const int weight : {3, 5})
    for (unsigned column = 0; column < 256 && count < 64; ++column)
      if (std::popcount(column) == weight) columns[count++] = static_cast<std::uint8_t>(column);
  for (unsigned bit = 0; bit < 8; ++bit) columns[64 + bit] = static_cast<std::uint8_t>(1u << bit);
  return columns;
}();

constexpr unsigned beats = 4, beat_bytes = 8;

std::uint8_t secded_sum(const SectorBits& sector, unsigned beat) {
  std::uint8_t sum = 0;
  for (unsigned bit = 0; bit < 64; ++bit)
    if ((sector[beat * beat_bytes + bit / 8] >> bit % 8 & 1) != 0) sum ^= secded_columns[bit];
  return sum;
}

// The bit to correct; nullopt if there is no such bit.
std::optional<unsigned> secded_place(std::uint8_t syndrome) {
  const auto* const found = std::ranges::find(secded_columns, syndrome);
  if (found == secded_columns.end()) return std::nullopt;
  return static_cast<unsigned>(found - secded_columns.begin());
}

SectorOutcome decode_secded(SectorBits& sector) {
  SectorBits corrected = sector;
  bool any = false;
  for (unsigned beat = 0; beat < beats; ++beat) {
    const auto syndrome = static_cast<std::uint8_t>(secded_sum(sector, beat) ^ sector[sector_data + beat]);
    if (syndrome == 0) continue;
    any = true;
    const auto place = secded_place(syndrome);
    if (!place) return SectorOutcome::uncorrectable;
    const unsigned byte = *place < 64 ? beat * beat_bytes + *place / 8 : sector_data + beat;
    corrected[byte] ^= static_cast<std::uint8_t>(1u << *place % 8);
  }
  sector = corrected;
  return any ? SectorOutcome::corrected : SectorOutcome::clean;
}

// ---- RS(19,17) ----

constexpr unsigned symbols = 19, check_symbols = 2;
// The locators are spread over the field: no pair of wrong bits in two symbols is then taken for a third
// symbol. With consecutive ones 2,611 of 43,776 pairs are, and 11 would be by chance. What a vendor's die has
// is not published.
constexpr unsigned symbol_stride = 1021;
using Symbols = std::array<LongReedSolomon::Symbol, symbols>;

const LongReedSolomon& symbol_code() {
  static const LongReedSolomon code(GaloisField::of_symbols(), symbols, check_symbols, symbol_stride);
  return code;
}

Symbols symbols_of(const SectorBits& sector) {
  Symbols word{};
  for (std::size_t i = 0; i < symbols; ++i)
    word[i] = static_cast<LongReedSolomon::Symbol>(sector[2 * i] | sector[2 * i + 1] << 8);
  return word;
}

void put(const Symbols& word, SectorBits& sector) {
  for (std::size_t i = 0; i < symbols; ++i) {
    sector[2 * i] = static_cast<std::uint8_t>(word[i]);
    sector[2 * i + 1] = static_cast<std::uint8_t>(word[i] >> 8);
  }
}

SectorOutcome decode_symbols(SectorBits& sector) {
  Symbols word = symbols_of(sector);
  switch (symbol_code().decode(word, {})) {
    case LongReedSolomon::Outcome::clean:
      return SectorOutcome::clean;
    case LongReedSolomon::Outcome::corrected:
      put(word, sector);
      return SectorOutcome::corrected;
    case LongReedSolomon::Outcome::uncorrectable:
      break;
  }
  return SectorOutcome::uncorrectable;
}

// ---- RS(36,32) ----

constexpr unsigned chunk_bytes = TwoLevelSpan::chunk_bytes;
using ChunkSymbols = std::array<LongReedSolomon::Symbol, chunk_bytes>;

const LongReedSolomon& chunk_code() {
  static const LongReedSolomon code(GaloisField::of_bytes(), chunk_bytes, chunk_bytes - sector_data);
  return code;
}

ChunkSymbols chunk_of(const SectorBits& sector) {
  ChunkSymbols word{};
  std::copy_n(sector.begin(), chunk_bytes, word.begin());
  return word;
}

void put(const ChunkSymbols& word, SectorBits& sector) {
  for (std::size_t i = 0; i < chunk_bytes; ++i) sector[i] = static_cast<std::uint8_t>(word[i]);
}

SectorOutcome decode_chunk(SectorBits& sector) {
  ChunkSymbols word = chunk_of(sector);
  switch (chunk_code().decode(word, {.max_errors = TwoLevelConfig{}.inner_corrects})) {
    case LongReedSolomon::Outcome::clean:
      return SectorOutcome::clean;
    case LongReedSolomon::Outcome::corrected:
      put(word, sector);
      return SectorOutcome::corrected;
    case LongReedSolomon::Outcome::uncorrectable:
      break;
  }
  return SectorOutcome::uncorrectable;
}

}  // namespace

void encode_sector(SectorCode code, SectorBits& sector) {
  if (code == SectorCode::secded)
    for (unsigned beat = 0; beat < beats; ++beat) sector[sector_data + beat] = secded_sum(sector, beat);
  if (code == SectorCode::reach) {
    ChunkSymbols chunk = chunk_of(sector);
    chunk_code().encode(chunk);
    put(chunk, sector);
  }
  if (code != SectorCode::symbol) return;
  Symbols word = symbols_of(sector);
  symbol_code().encode(word);
  put(word, sector);
}

SectorOutcome decode_sector(SectorCode code, SectorBits& sector) {
  switch (code) {
    case SectorCode::none:
      break;
    case SectorCode::secded:
      return decode_secded(sector);
    case SectorCode::symbol:
      return decode_symbols(sector);
    case SectorCode::reach:
      return decode_chunk(sector);
  }
  return SectorOutcome::clean;
}

SectorBits fault_bits(SectorCode code, SectorFaultShape shape, unsigned place) {
  SectorBits covered{};
  const unsigned bits = 8 * sector_bytes(code);
  const auto cover = [&](unsigned bit) { covered[bit / 8] |= static_cast<std::uint8_t>(1u << bit % 8); };
  switch (shape) {
    case SectorFaultShape::bit:
      cover(place);
      break;
    case SectorFaultShape::word:
      for (unsigned bit = place / 16 * 16; bit < std::min(place / 16 * 16 + 16, bits); ++bit) cover(bit);
      break;
    case SectorFaultShape::pin: {
      // HBM3 has 32 data pins and 8 beats, HBM2 64 and 4. Beside them are the pins of the other bits: in HBM2
      // the 8 check bits of a beat; in HBM3 those on the die are never transferred. A chunk of REACH is nine
      // beats of 32 pins.
      const unsigned pins = code == SectorCode::symbol || code == SectorCode::reach ? 32 : 64;
      const unsigned data_bits = code == SectorCode::reach ? bits : 8 * sector_data;
      const unsigned first = place < data_bits ? 0 : data_bits;
      const unsigned width = place < data_bits ? pins : 8;
      for (unsigned bit = first + (place - first) % width; bit < (first == 0 ? data_bits : bits);
           bit += width)
        cover(bit);
      break;
    }
    case SectorFaultShape::sector:
      for (unsigned bit = 0; bit < bits; ++bit) cover(bit);
      break;
  }
  return covered;
}

SectorBits draw_sector_errors(const SectorBits& covered, Random& random) {
  SectorBits errors{};
  bool any = false;
  while (!any) {
    std::uint64_t word = 0;
    for (unsigned byte = 0; byte < errors.size(); ++byte) {
      if (byte % 8 == 0) word = random.next();
      errors[byte] = static_cast<std::uint8_t>(word >> 8 * (byte % 8)) & covered[byte];
      any = any || errors[byte] != 0;
    }
  }
  return errors;
}

}  // namespace asterism
