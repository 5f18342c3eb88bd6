// DRAM behind its encoder and decoder: what a controller's datapath does with blocks of 64 bytes (abeyratne2017 section
// 4.4). Contents live in a Dram and are always what was written; faults are an overlay; a block that a fault touches is
// really encoded, disturbed and decoded when it is read. With a hook attached (codec_hook.h) every block is.
//
// Modes are those of the whole memory but for strong or normal ranges (ecc_ranges.h). Changing a range converts its
// blocks: each is read through the decoder of its old mode and written in the new one; what was uncorrectable stays so
// until all of it is written again. Converting takes no time and is no traffic.
//
// Every access says what it cost beyond the access itself, decoder time (Table 4.3) and further accesses to DRAM:
//
//   normal           syndromes 480 ps; 470 ps more when they are not zero
//   strong           syndromes of RS(18,16) 410 ps; when they are not zero, the third symbols (below), then syndromes of
//                    RS(19,16) 410 ps, and 470 ps to correct
//   third symbols    from the ECC cache, or else another access, and decoding of the parity block as in normal mode
//   written, strong  its parity block is changed in the ECC cache, which may have to fetch and to write back
//   partial write    reads the block first; one without a code (mode none) writes bytes
//   demand scrub     what was corrected is written back
//
// Parity blocks are stored as data are in the other rank, in normal mode: one that is uncorrectable gives no symbols, and
// RS(18,16) alone then makes the block uncorrectable. What the ECC cache holds is right.
//
// What a decoder delivers wrongly and believes to be right goes back into the cells as such when the block is rewritten
// (by a scrub, a partial write or a conversion): the truth is lost then, as it would be, and reading it is no error any
// more. It was counted as silent when it was read. Where a stuck fault took part, each read is silent again.
//
// reset: warm keeps everything but the ECC cache; power_loss and cold as their parts say, and no block is lost any more
// (the contents are). Statistics are kept but for cold. An attached hook is reset, too.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/reset.h"
#include "base/statistics.h"
#include "base/units.h"
#include "ecc/codec_hook.h"
#include "ecc/dual_mode_codec.h"
#include "memory/block_set.h"
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
  bool operator==(const ExtraAccess&) const = default;
};

struct BlockAccess {
  // Of reads; what a partial write finds wrong is logged, and stays wrong.
  bool poisoned =
      false;            // uncorrectable: what was delivered is not what was written, and is known to be wrong
  bool silent = false;  // the same, but nobody knows except the platform
  Picoseconds decoding;  // to be added to the latency
  std::vector<ExtraAccess> extra;
};

// How a page of 4 KiB may be accessed directly.
enum class DirectAccess {
  unmonitored,  // no fault touches it
  monitored,    // all its blocks are correctable: contents are right, each access is to be told
  refused,      // a block of it is not
};

class EccMemory {
 public:
  // `cells` and `mapping` outlive this. `part_rows`: of a bank, of which the mapping uses some. Throws
  // std::invalid_argument with words for a user where all pages are to be strong and cannot.
  EccMemory(const EccConfig& config, Dram& cells, const AddressMapping& mapping, std::uint32_t part_rows,
            std::uint64_t seed);

  std::uint64_t blocks() const { return mapping_.geometry().blocks(); }

  // Both within one block. `data` is what the decoder delivers.
  BlockAccess read(Picoseconds now, Bytes offset, std::span<std::byte> data);
  BlockAccess write(Picoseconds now, Bytes offset, std::span<const std::byte> data);
  // An access that went directly to the cells of a shown page; within one block.
  BlockAccess observe(Picoseconds now, Bytes offset, unsigned size, bool is_write);

  DirectAccess direct(Bytes page) const;
  // The range of offsets around `page` in which all pages may be accessed alike; at most the whole memory.
  AddressRange uniform_range(Bytes page) const;
  // Called when direct access of pages has become another; the empty range means all.
  std::function<void(AddressRange offsets)> direct_changed = [](AddressRange) {};

  // Throws std::invalid_argument with words for a user: a fault outside the device.
  void inject(Picoseconds now, const MemoryFault& fault);
  // The block that lies at this offset, as a place for a fault.
  BlockLocation locate(Bytes offset) const { return mapping_.locate(offset / Bytes(block_bytes)); }

  // Sets entry `index` of the range table (ecc_ranges.h) and converts. What is wrong, if anything.
  RangeProblem set_range(Picoseconds now, unsigned index, const std::optional<EccRange>& range);
  const EccRanges& ranges() const { return ranges_; }

  // Reads one block, and rewrites it when it was corrected, as the patrol scrubber does.
  BlockAccess scrub(Picoseconds now, std::uint64_t block);
  // The first block from `from` on whose reading may find an error; nullopt: none up to the end.
  std::optional<std::uint64_t> next_touched(std::uint64_t from) const;
  // When blocks came to be touched for the last time: conversion loses only such as were touched before.
  Picoseconds touched_since() const { return touched_since_; }

  ErrorLog& log() { return log_; }
  const ErrorLog& log() const { return log_; }
  const FaultOverlay& faults() const { return faults_; }
  // Blocks that were delivered wrong, and nobody in the node knew.
  std::uint64_t silent() const { return counts_.silent; }
  // Of every error; `is_new`: the log has an entry for it alone.
  std::function<void(const MemoryError&, bool is_new)> on_error = [](const MemoryError&, bool) {};

  void attach_hook(CodecHook* hook) { hook_ = hook; }
  void reset(Reset kind);
  void report(Statistics& statistics) const;

 private:
  // What the decoder made of a block. Of one that nothing touches: clean and right.
  struct DecodedBlock {
    DecodeResult result;
    MemoryBlock wrong;  // what differs from the truth
    bool is_wrong() const { return wrong.data != MemoryBlock().data; }
    bool is_uncorrectable() const { return result.outcome == DecodeResult::Outcome::uncorrectable; }
  };
  enum class Rewrite { never, by_demand_scrub, always };
  using ThirdSymbols = std::array<std::uint8_t, chip_symbols>;
  // What is left in the symbols of one slot by the parity block's own decoder.
  struct ParityErrors {
    DecodeResult::Outcome outcome = DecodeResult::Outcome::clean;
    ThirdSymbols symbols{};
  };

  EccMode mode(std::uint64_t block) const { return ranges_.mode(Bytes(block * block_bytes)); }
  bool is_sound() const { return faults_.empty() && lost_.empty(); }
  bool is_touched(std::uint64_t block, const BlockLocation& at) const;
  // Reads a block, with all that follows from what is found.
  DecodedBlock inspect(Picoseconds now, std::uint64_t block, ErrorSource source, Rewrite rewrite,
                       BlockAccess& access);
  DecodedBlock decode(Picoseconds now, std::uint64_t block, const BlockLocation& at, EccMode mode,
                      BlockAccess& access);
  void count_and_log(Picoseconds now, std::uint64_t block, ErrorSource source, const DecodedBlock& found);

  ParityErrors decode_parity(Picoseconds now, const ParityPlace& place);
  std::optional<ThirdSymbols> read_third_symbols(Picoseconds now, const BlockLocation& data,
                                                 BlockAccess& access);
  void write_third_symbols(Picoseconds now, const BlockLocation& data, BlockAccess& access);
  void write_back(const BlockLocation& parity, BlockAccess& access);
  void parity_changed();

  // Around whoever stores the data. True: all of the block is written.
  bool before_write(Picoseconds now, std::uint64_t block, unsigned first, unsigned count,
                    BlockAccess& access);
  void after_write(Picoseconds now, std::uint64_t block, unsigned first, unsigned count, BlockAccess& access);
  // Rewritten with what was delivered, stuck cells of the block would hold what they hold and it would be read as it was
  // just now. So it keeps its truth and its errors, which are read so for ever.
  bool must_not_rewrite(const BlockLocation& at, const DecodedBlock& found) const;
  void store_errors(std::uint64_t block, const MemoryBlock& wrong, unsigned first, unsigned count);
  void written(std::uint64_t block, unsigned first, unsigned count);
  void convert(Picoseconds now, const AddressRange& offsets, const EccRanges& to, BlockSet& lost,
               const AddressRange& done);

  // How a page may be accessed, and why not: the first block that is not correctable.
  struct PageClass {
    DirectAccess access = DirectAccess::unmonitored;
    std::uint64_t bad = 0;
  };
  PageClass classify(std::uint64_t from, std::uint64_t end) const;
  const PageClass& reclassify(std::uint64_t block, PageClass& page_class) const;
  bool is_correctable(std::uint64_t block) const;
  void forget(const AddressRange& offsets);
  BlockAccess counted(BlockAccess access);

  EccConfig config_;
  Dram& cells_;
  const AddressMapping& mapping_;
  std::uint32_t part_rows_;
  DualModeCodec codec_;
  FaultOverlay faults_;
  EccRanges ranges_;
  EccCache cache_;
  ErrorLog log_;
  CodecHook* hook_ = nullptr;
  Picoseconds touched_since_;

  BlockSet lost_;  // found uncorrectable when they were converted, and not written again since
  BlockPieces lost_pieces_;
  BlockPieces third_pieces_;                                           // of uncorrectable strong blocks
  mutable std::unordered_map<std::uint64_t, PageClass> page_classes_;  // pages that faults touch

  struct Counts {
    std::uint64_t reads = 0, writes = 0, corrected = 0, uncorrectable = 0, silent = 0;
    std::uint64_t parity_corrected = 0, parity_uncorrectable = 0;
    std::uint64_t conversions = 0, lost = 0, scrubs = 0, scrub_writes = 0, extra_reads = 0, extra_writes = 0;
    std::uint64_t log_lost = 0;
  } counts_;
};

}  // namespace asterism
