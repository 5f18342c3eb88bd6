#include "ecc/two_level_span.h"

#include <algorithm>

namespace asterism {
namespace {

constexpr unsigned outer_codewords = TwoLevelSpan::chunk_data / 2;

LongReedSolomon::Symbol outer_symbol(const TwoLevelSpan::Chunk& chunk, std::size_t codeword) {
  return static_cast<LongReedSolomon::Symbol>(chunk[2 * codeword] | chunk[2 * codeword + 1] << 8);
}

void put_outer_symbol(TwoLevelSpan::Chunk& chunk, std::size_t codeword, LongReedSolomon::Symbol symbol) {
  chunk[2 * codeword] = static_cast<std::uint8_t>(symbol);
  chunk[2 * codeword + 1] = static_cast<std::uint8_t>(symbol >> 8);
}

}  // namespace

TwoLevelSpan::TwoLevelSpan(const TwoLevelConfig& config)
    : config_(config),
      inner_(GaloisField::of_bytes(), chunk_bytes, chunk_bytes - chunk_data),
      outer_(GaloisField::of_symbols(), config.data_chunks + config.parity_chunks, config.parity_chunks),
      bytes_(std::size_t{chunk_bytes} * chunks()) {}

unsigned TwoLevelSpan::transfers_of(unsigned first_chunk, unsigned count) {
  const unsigned first = first_chunk * chunk_bytes, end = first + count * chunk_bytes;
  return (end + transfer_bytes - 1) / transfer_bytes - first / transfer_bytes;
}

TwoLevelSpan::Decoded TwoLevelSpan::decode(unsigned chunk) const {
  Stored word{};
  std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(chunk) * chunk_bytes, chunk_bytes, word.begin());
  Decoded decoded;
  switch (inner_.decode(word, {.max_errors = config_.inner_corrects})) {
    case LongReedSolomon::Outcome::clean:
      break;
    case LongReedSolomon::Outcome::corrected:
      decoded.outcome = Outcome::corrected;
      break;
    case LongReedSolomon::Outcome::uncorrectable:
      decoded.outcome = Outcome::uncorrectable;
      break;
  }
  for (unsigned i = 0; i < chunk_data; ++i) decoded.data[i] = static_cast<std::uint8_t>(word[i]);
  return decoded;
}

void TwoLevelSpan::store(unsigned chunk, const Chunk& data) {
  Stored word{};
  std::ranges::copy(data, word.begin());
  inner_.encode(word);
  for (unsigned i = 0; i < chunk_bytes; ++i)
    bytes_[std::size_t{chunk} * chunk_bytes + i] = static_cast<std::uint8_t>(word[i]);
}

std::vector<TwoLevelSpan::Decoded> TwoLevelSpan::decode_all() const {
  std::vector<Decoded> decoded;
  decoded.reserve(chunks());
  for (unsigned chunk = 0; chunk < chunks(); ++chunk) decoded.push_back(decode(chunk));
  return decoded;
}

// Fills in the flagged chunks. What is left of the outer distance shows a chunk that the inner code has
// corrected wrongly.
TwoLevelSpan::Outcome TwoLevelSpan::rebuild(std::vector<Decoded>& chunks) const {
  std::vector<unsigned> erased;
  for (unsigned chunk = 0; chunk < chunks.size(); ++chunk)
    if (chunks[chunk].outcome == Outcome::uncorrectable) erased.push_back(chunk);
  if (erased.size() > config_.parity_chunks) return Outcome::uncorrectable;  // even if the rest is a codeword
  for (unsigned codeword = 0; codeword < outer_codewords; ++codeword) {
    Word word(chunks.size());
    for (unsigned chunk = 0; chunk < chunks.size(); ++chunk)
      word[chunk] = outer_symbol(chunks[chunk].data, codeword);
    for (const unsigned chunk : erased) word[chunk] = 0;
    const auto outcome = outer_.decode(word, {.erased = erased, .max_errors = 0});
    if (outcome == LongReedSolomon::Outcome::uncorrectable) return Outcome::uncorrectable;
    for (const unsigned chunk : erased) put_outer_symbol(chunks[chunk].data, codeword, word[chunk]);
  }
  return erased.empty() ? Outcome::clean : Outcome::rebuilt;
}

void TwoLevelSpan::write(std::span<const Chunk> data) {
  std::vector<Chunk> all(data.begin(), data.end());
  all.resize(chunks());
  for (unsigned codeword = 0; codeword < outer_codewords; ++codeword) {
    Word word(chunks());
    for (unsigned chunk = 0; chunk < data_chunks(); ++chunk) word[chunk] = outer_symbol(all[chunk], codeword);
    outer_.encode(word);
    for (unsigned chunk = data_chunks(); chunk < chunks(); ++chunk)
      put_outer_symbol(all[chunk], codeword, word[chunk]);
  }
  for (unsigned chunk = 0; chunk < chunks(); ++chunk) store(chunk, all[chunk]);
  transfers_.written += transfers_of(0, chunks());
}

TwoLevelSpan::Outcome TwoLevelSpan::read(unsigned chunk, Chunk& data) {
  transfers_.read += transfers_of(chunk, 1);
  Decoded decoded = decode(chunk);
  if (decoded.outcome == Outcome::uncorrectable) {
    transfers_.read += transfers_of(0, chunks()) - transfers_of(chunk, 1);
    std::vector<Decoded> all = decode_all();
    decoded.outcome = rebuild(all);
    decoded.data = all[chunk].data;
  }
  data = decoded.data;
  return decoded.outcome;
}

TwoLevelSpan::Outcome TwoLevelSpan::read(std::span<Chunk> data) {
  transfers_.read += transfers_of(0, chunks());
  std::vector<Decoded> all = decode_all();
  const auto needs = std::ranges::max(all, {}, &Decoded::outcome).outcome;
  const Outcome outcome = needs == Outcome::uncorrectable ? rebuild(all) : needs;
  for (unsigned chunk = 0; chunk < data_chunks(); ++chunk) data[chunk] = all[chunk].data;
  return outcome;
}

TwoLevelSpan::Outcome TwoLevelSpan::write(unsigned chunk, const Chunk& data) {
  Chunk old{};
  Outcome outcome = read(chunk, old);
  const unsigned parity = transfers_of(data_chunks(), config_.parity_chunks);
  const bool has_span = outcome == Outcome::rebuilt || outcome == Outcome::uncorrectable;
  if (!has_span) transfers_.read += parity;
  std::vector<Decoded> all(chunks());
  bool is_sound = true;
  for (unsigned i = data_chunks(); i < chunks(); ++i) {
    all[i] = decode(i);
    is_sound = is_sound && all[i].outcome != Outcome::uncorrectable;
  }
  if (!is_sound) {
    // What has not been read yet of the span.
    if (!has_span) transfers_.read += transfers_of(0, chunks()) - transfers_of(chunk, 1) - parity;
    all = decode_all();
    outcome = rebuild(all);
  }
  if (outcome == Outcome::uncorrectable) return outcome;
  for (unsigned codeword = 0; codeword < outer_codewords; ++codeword) {
    const auto change =
        static_cast<LongReedSolomon::Symbol>(outer_symbol(old, codeword) ^ outer_symbol(data, codeword));
    const Word changes = outer_.parity_change(chunk, change);
    for (unsigned i = 0; i < config_.parity_chunks; ++i) {
      Chunk& of = all[data_chunks() + i].data;
      put_outer_symbol(of, codeword, outer_symbol(of, codeword) ^ changes[i]);
    }
  }
  store(chunk, data);
  for (unsigned i = data_chunks(); i < chunks(); ++i) store(i, all[i].data);
  transfers_.written += transfers_of(chunk, 1) + parity;
  return outcome;
}

}  // namespace asterism
