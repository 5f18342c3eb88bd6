// DRAM behind its encoder and decoder: what a controller's datapath does with blocks of 64 bytes (abeyratne2017 section
// 4.4). Contents live in a Dram and are always what was written; faults are an overlay; a block that a fault touches is
// really encoded, disturbed and decoded when it is read.
//
// Modes are those of the whole memory but for strong or normal ranges (ecc_ranges.h). Changing a range converts its
// blocks: each is read through the decoder of its old mode and written in the new one; what was uncorrectable stays so.
//
// Every access says what it cost beyond the access itself: decoder time (Table 4.3: syndromes 0.48 ns normal, 0.41 ns
// strong, 0.47 ns more to correct), and the blocks of third parity symbols that had to be fetched or written back because
// the ECC cache did not hold them. A partial write reads its block first.
//
// Parity blocks are stored as data are in the other rank, in normal mode: one that is uncorrectable gives no symbols, and
// RS(18,16) alone then makes the block uncorrectable.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/reset.h"
#include "base/statistics.h"
#include "base/units.h"
#include "ecc/codec_seat.h"
#include "ecc/dual_mode_codec.h"
#include "memory/dram.h"
#include "memory/ecc_cache.h"
#include "memory/ecc_config.h"
#include "memory/ecc_ranges.h"
#include "memory/error_log.h"
#include "memory/fault_overlay.h"
#include "memory/parity_translation.h"

namespace asterism {

// Another access to DRAM that one access caused, in this order.
struct ExtraAccess {
  BlockLocation block;
  bool is_write;
};

struct BlockAccess {
  bool poisoned =
      false;            // uncorrectable: what was delivered is not what was written, and is known to be wrong
  bool silent = false;  // the same, but nobody knows except the platform
  Picoseconds decoding;  // to be added to the latency
  std::vector<ExtraAccess> extra;
};

// How a page of 4 KiB may be accessed directly.
enum class DirectAccess {
  unseen,   // no fault touches it
  shown,    // all its blocks are correctable: contents are right, each access is to be told
  refused,  // a block of it is not
};

class EccMemory {
 public:
  // `cells` outlives this.
  EccMemory(const EccConfig& config, Dram& cells, const AddressMapping& mapping, std::uint32_t part_rows,
            std::uint64_t seed);

  // Both within one block. `data` is what the decoder delivers.
  BlockAccess read(Picoseconds now, Bytes offset, std::span<std::byte> data);
  BlockAccess write(Picoseconds now, Bytes offset, std::span<const std::byte> data);
  // An access that went directly to the cells of a shown page.
  BlockAccess saw(Picoseconds now, Bytes offset, unsigned size, bool is_write);

  DirectAccess direct(Bytes page) const;
  // The range of offsets around `page` in which all pages may be accessed alike; at most the whole memory.
  AddressRange alike(Bytes page) const;
  // Called when direct access of pages has become another; the empty range means all.
  std::function<void(AddressRange offsets)> direct_changed = [](AddressRange) {};

  // Throws std::invalid_argument with words for a user: a fault outside the device.
  void inject(Picoseconds now, const MemoryFault& fault);
  // The block that lies at this offset, as a place for a fault.
  BlockLocation locate(Bytes offset) const;

  // Sets entry `index` of the range table (ecc_ranges.h) and converts. What is wrong, if anything.
  RangeProblem set_range(Picoseconds now, unsigned index, const std::optional<EccRange>& range);
  const EccRanges& ranges() const { return ranges_; }

  // Reads and rewrites one block, as the patrol scrubber does.
  void scrub(Picoseconds now, std::uint64_t block);
  // The first block from `from` on that a fault touches; nullopt: none up to the end.
  std::optional<std::uint64_t> next_touched(std::uint64_t from) const;

  ErrorLog& log() { return log_; }
  const FaultOverlay& faults() const { return faults_; }
  std::function<void(const MemoryError&)> on_error = [](const MemoryError&) {};

  void seat(CodecSeat* seat) { seat_ = seat; }
  void reset(Reset kind);
  void report(Statistics& statistics) const;

 private:
  EccConfig config_;
  Dram& cells_;
  const AddressMapping& mapping_;
  DualModeCodec codec_;
  FaultOverlay faults_;
  EccRanges ranges_;
  EccCache cache_;
  ErrorLog log_;
  CodecSeat* seat_ = nullptr;
  std::uint64_t corrected_reads_ = 0, uncorrectable_reads_ = 0, silent_reads_ = 0;
};

}  // namespace asterism
