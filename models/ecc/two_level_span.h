// A span of memory under a code of two levels, as REACH has it in the controller of HBM without a code of
// its own (Xie et al., "Making Strong Error-Correcting Codes Work Effectively for HBM in AI Inference",
// arXiv 2512.18152, 2025). Each chunk of 32 bytes has an inner Reed-Solomon code, which corrects what it
// can and flags the rest. An outer code spans kilobytes of chunks and only fills in erasures: the chunks
// that the inner one has flagged, so that it never searches for places. A write of one chunk changes the
// outer parity by the difference of old and new data.
//
// The abstract has no further parameters. Assumed are the inner code RS(36,32) over GF(2^8), and outer codes
// RS(72,64) over GF(2^16), one for each of the 16 symbols of a chunk: 64 chunks of data, 2 KiB, and 8 of
// parity, which have the inner code, too. The chunks are consecutive, 36 bytes each; memory is accessed in
// transfers of 32 bytes.
//
// `inner_corrects` symbols are corrected in a chunk. With 1, a chunk with two or three wrong symbols is
// always flagged; with 2, three of them are taken for another chunk in one of a hundred cases.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ecc/long_reed_solomon.h"

namespace asterism {

struct TwoLevelConfig {
  unsigned inner_corrects = 1;  // 0 to 2
  unsigned data_chunks = 64, parity_chunks = 8;
};

class TwoLevelSpan {
 public:
  static constexpr unsigned chunk_data = 32, chunk_bytes = 36, transfer_bytes = 32;
  using Chunk = std::array<std::uint8_t, chunk_data>;
  // rebuilt: by the outer code, from all other chunks.
  enum class Outcome : std::uint8_t { clean, corrected, rebuilt, uncorrectable };
  struct Transfers {
    std::uint64_t read = 0, written = 0;
  };

  explicit TwoLevelSpan(const TwoLevelConfig& config);

  unsigned data_chunks() const { return config_.data_chunks; }
  unsigned chunks() const { return config_.data_chunks + config_.parity_chunks; }
  std::uint64_t bits() const { return 8 * std::uint64_t{chunk_bytes} * chunks(); }

  // Writes all data; one chunk; reads all data in order, with the parity; one chunk.
  void write(std::span<const Chunk> data);
  Outcome write(unsigned chunk, const Chunk& data);
  Outcome read(std::span<Chunk> data);
  Outcome read(unsigned chunk, Chunk& data);

  // An error in memory.
  void flip(std::uint64_t bit) { bytes_[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8); }
  const Transfers& transfers() const { return transfers_; }

  // The number of transfers that touch these chunks.
  static unsigned transfers_of(unsigned first_chunk, unsigned count);

 private:
  using Stored = std::array<LongReedSolomon::Symbol, chunk_bytes>;
  using Word = std::vector<LongReedSolomon::Symbol>;
  struct Decoded {
    Chunk data{};
    Outcome outcome = Outcome::clean;
  };
  Decoded decode(unsigned chunk) const;
  void store(unsigned chunk, const Chunk& data);
  Outcome rebuild(std::vector<Decoded>& chunks) const;
  std::vector<Decoded> decode_all() const;

  TwoLevelConfig config_;
  LongReedSolomon inner_, outer_;
  std::vector<std::uint8_t> bytes_;
  Transfers transfers_;
};

}  // namespace asterism
