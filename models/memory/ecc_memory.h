// DRAM behind its encoder and decoder: the datapath of a controller for blocks of 64 bytes (abeyratne2017
// section 4.4). A Dram holds the contents, always as they were written; faults are an overlay. A block that a
// fault touches is actually encoded, disturbed and decoded when it is read. With a hook attached
// (codec_hook.h) every block is.
//
// The mode is that of the whole memory, except for strong or normal ranges (ecc_ranges.h). A change of a
// range converts its blocks: each is read through the decoder of its old mode and written in the new one. A
// block that was uncorrectable stays so until all of it is written again. A conversion takes no time and
// causes no traffic.
//
// Every access returns what it costs beyond the access itself: decoder time (Table 4.3) and further accesses
// to DRAM:
//
//   normal           syndromes 480 ps; another 470 ps if they are not zero
//   strong           syndromes of RS(18,16) 410 ps; if they are not zero, the third symbols (below), then
//                    syndromes of RS(19,16) 410 ps, and 470 ps to correct
//   third symbols    from the ECC cache, or by another access and decoding of the parity block as in normal
//                    mode
//   strong write     its parity block is changed in the ECC cache, which may have to fetch and to write back
//   partial write    reads the block first; in a memory without a code (mode none) it just writes the bytes
//   demand scrub     a corrected block is written back
//
// Parity blocks are stored like data, in the other rank and in normal mode. An uncorrectable parity block
// gives no symbols, and RS(18,16) alone then makes the block uncorrectable. The symbols in the ECC cache are
// always correct.
//
// A miscorrection, which the decoder takes for correct, is written back to the cells when the block is
// rewritten (by a scrub, a partial write or a conversion). As in a real memory the truth is then lost, and
// reading the block is no longer an error; it was counted as silent when it was read. If a stuck fault was
// involved, each read is silent again.
//
// With a code of a DDR5 rank (ddr5_codec.h) blocks in normal mode are encoded and decoded by it; there is no
// strong mode. Its times are those of normal mode, which is assumed. With on-die ECC the chips correct a bit
// of their words first; a read writes nothing back there, and the log has the errors that are left. The
// scrubber on the die (on_die_scrubber.h) does write back.
//
// reset: warm keeps everything but the ECC cache. power_loss and cold reset the parts as these say, and no
// block is lost any more, as the contents are. Only cold clears statistics. The hook is reset, too.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/reset.h"
#include "base/statistics.h"
#include "base/units.h"
#include "ecc/codec_hook.h"
#include "ecc/ddr5_codec.h"
#include "ecc/decoder_times.h"
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

// A further access to DRAM that an access causes.
struct ExtraAccess {
  BlockLocation block;
  bool is_write;
  bool operator==(const ExtraAccess&) const = default;
};

struct BlockAccess {
  // Of reads only. An error that a partial write finds is logged and stays.
  bool poisoned = false;  // uncorrectable: the data are known to be wrong
  bool silent = false;    // the data are wrong, and only the platform knows it
  Picoseconds decoding;   // adds to the latency
  std::vector<ExtraAccess> extra;
};

// How a page of 4 KiB may be accessed directly.
enum class DirectAccess {
  unmonitored,  // no fault touches the page
  monitored,    // all blocks are correctable: the contents are right, and each access must be reported
  refused,      // a block is not correctable
};

class EccMemory {
 public:
  // `cells` and `mapping` must outlive this. `part_rows` is the number of rows of a bank, of which the
  // mapping uses some. Throws std::invalid_argument with a message for the user if strong ECC is configured
  // and impossible.
  EccMemory(const EccConfig& config, Dram& cells, const AddressMapping& mapping, std::uint32_t part_rows,
            std::uint64_t seed);

  std::uint64_t blocks() const { return mapping_.geometry().blocks(); }
  const DramGeometry& geometry() const { return mapping_.geometry(); }

  // Accesses within one block. read() returns in `data` what the decoder delivers.
  BlockAccess read(Picoseconds now, Bytes offset, std::span<std::byte> data);
  BlockAccess write(Picoseconds now, Bytes offset, std::span<const std::byte> data);
  // Reports an access within one block that went directly to the cells of a monitored page.
  BlockAccess observe(Picoseconds now, Bytes offset, unsigned size, bool is_write);
  // The same for a whole block, if it costs decoder time at most, as it does in memory without faults:
  // returns this time. nullopt: nothing was done.
  std::optional<Picoseconds> observe_sound(Bytes offset, bool is_write) {
    const EccMode mode = ranges_.mode(offset);
    if (has_hook() || !is_sound() || (is_write && mode == EccMode::strong)) return std::nullopt;
    ++(is_write ? counts_.writes : counts_.reads);
    return is_write ? Picoseconds(0) : syndromes_time(mode);
  }

  DirectAccess direct(Bytes page) const;
  // The largest range of offsets around `page` whose pages all have the same direct access.
  AddressRange uniform_range(Bytes page) const;
  // Called when the direct access of pages has changed; an empty range means all pages.
  std::function<void(AddressRange offsets)> direct_changed = [](AddressRange) {};

  // Throws std::invalid_argument with a message for the user if the fault lies outside the device.
  void inject(Picoseconds now, const MemoryFault& fault);
  // The location of the block at this offset, for use as the place of a fault.
  BlockLocation locate(Bytes offset) const { return mapping_.locate(offset / Bytes(block_bytes)); }

  // Sets entry `index` of the range table (ecc_ranges.h) and converts its pages. Returns the problem, if
  // there is one.
  RangeProblem set_range(Picoseconds now, unsigned index, const std::optional<EccRange>& range);
  const EccRanges& ranges() const { return ranges_; }

  // Reads the block `number` % blocks(), and rewrites it if it was corrected, as the patrol scrubber does.
  BlockAccess scrub(Picoseconds now, std::uint64_t number);
  // The first block from `from` on whose read may find an error; nullopt if there is none.
  std::optional<std::uint64_t> next_touched(std::uint64_t from) const;
  // The time of the last fault. A conversion only loses blocks that were touched before.
  Picoseconds touched_since() const { return touched_since_; }

  // Of the scrubber on the die: the words of a chip, the first word from `from` on in which a fault may have
  // wrong bits, in any chip, and what a scrub of this word of all chips finds and repairs.
  const DieWords& die_words() const { return die_words_; }
  std::optional<std::uint64_t> next_die_word(std::uint64_t from) const {
    return faults_.next_die_word(die_words_, from);
  }
  std::vector<DieWordErrors> scrub_die_word(std::uint64_t word);

  ErrorLog& log() { return log_; }
  const ErrorLog& log() const { return log_; }
  const FaultOverlay& faults() const { return faults_; }
  // Reads that delivered wrong data unnoticed by the node.
  std::uint64_t silent() const { return counts_.silent; }
  // "12 words corrected on the die, 1 miscorrected"; "" without on-die ECC.
  std::string on_die_summary() const;
  // Called for every error. `is_new` says whether the log has a separate entry for it.
  std::function<void(const MemoryError&, bool is_new)> on_error = [](const MemoryError&, bool) {};

  void attach_hook(CodecHook* hook) { hook_ = hook; }
  void attach_hook(RankCodecHook* hook) { rank_hook_ = hook; }
  void reset(Reset kind);
  void report(Statistics& statistics) const;

 private:
  // A decoded block. A block that nothing touches is clean and right.
  struct DecodedBlock {
    DecodeResult result;
    MemoryBlock wrong;   // the difference from the truth
    MemoryBlock errors;  // the same before it was decoded
    OnDieCounts on_die = {};
    bool is_wrong() const { return wrong.data != MemoryBlock().data; }
    bool is_uncorrectable() const { return result.outcome == DecodeResult::Outcome::uncorrectable; }
  };
  enum class Rewrite { never, by_demand_scrub, always };
  using ThirdSymbols = std::array<std::uint8_t, chip_symbols>;
  // The errors that the parity block's own decoder leaves in the symbols of one slot.
  struct ParityErrors {
    DecodeResult::Outcome outcome = DecodeResult::Outcome::clean;
    ThirdSymbols symbols{};
  };

  EccMode mode(std::uint64_t block) const { return ranges_.mode(Bytes(block * block_bytes)); }
  bool has_hook() const { return hook_ || rank_hook_; }
  bool has_rank_code(EccMode mode) const { return rank_codec_ && mode == EccMode::normal; }
  bool is_sound() const { return faults_.empty() && lost_.empty(); }
  bool is_touched(std::uint64_t block, const BlockLocation& at) const;
  // Reads and decodes a block, counts and logs its errors, and scrubs it.
  DecodedBlock inspect(Picoseconds now, std::uint64_t block, ErrorSource source, Rewrite rewrite,
                       BlockAccess& access);
  DecodedBlock decode(Picoseconds now, std::uint64_t block, const BlockLocation& at, EccMode mode,
                      BlockAccess& access);
  // As it is stored, without errors.
  Ddr5Block rank_block(std::uint64_t block) const;
  // The hook, if any, observes the decoder.
  DecodedBlock decode_rank(Picoseconds now, std::uint64_t block, const BlockLocation& at,
                           RankCodecHook* hook) const;
  void mark_lost(std::uint64_t block, DecodedBlock& found) const;
  void count_and_log(Picoseconds now, std::uint64_t block, ErrorSource source, const DecodedBlock& found);

  ParityErrors decode_parity(Picoseconds now, const ParityPlace& place);
  std::optional<ThirdSymbols> read_third_symbols(Picoseconds now, const BlockLocation& data,
                                                 BlockAccess& access);
  void write_third_symbols(Picoseconds now, const BlockLocation& data, BlockAccess& access);
  void write_back(const BlockLocation& parity, BlockAccess& access);
  void parity_changed();

  // Called before and after the data are stored. before_write() returns whether the whole block is written.
  bool before_write(Picoseconds now, std::uint64_t block, unsigned first, unsigned count,
                    BlockAccess& access);
  void after_write(Picoseconds now, std::uint64_t block, unsigned first, unsigned count, BlockAccess& access);
  // Whether the block must not be rewritten with the delivered data: its stuck cells would not change, and it
  // would be read as before. It therefore keeps its true contents and its errors.
  bool must_not_rewrite(const BlockLocation& at, const DecodedBlock& found) const;
  void store_errors(std::uint64_t block, const MemoryBlock& wrong, unsigned first, unsigned count);
  void written(std::uint64_t block, unsigned first, unsigned count);
  void healed(std::uint64_t block);
  void convert(Picoseconds now, const AddressRange& offsets, const EccRanges& to, BlockSet& lost,
               const AddressRange& done);

  // The direct access of a page.
  struct PageClass {
    DirectAccess access = DirectAccess::unmonitored;
    std::uint64_t bad = 0;  // the first block that is not correctable, if access is refused
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
  DieWords die_words_;
  DualModeCodec codec_;
  std::optional<Ddr5Codec> rank_codec_;
  FaultOverlay faults_;
  EccRanges ranges_;
  EccCache cache_;
  ErrorLog log_;
  CodecHook* hook_ = nullptr;
  RankCodecHook* rank_hook_ = nullptr;
  Picoseconds touched_since_;

  BlockSet lost_;  // were uncorrectable when converted, and have not been written since
  BlockPieces lost_pieces_;
  BlockPieces third_pieces_;                                           // of uncorrectable strong blocks
  mutable std::unordered_map<std::uint64_t, PageClass> page_classes_;  // of pages that faults touch

  struct Counts {
    std::uint64_t reads = 0, writes = 0, corrected = 0, uncorrectable = 0, silent = 0;
    std::uint64_t parity_corrected = 0, parity_uncorrectable = 0;
    std::uint64_t conversions = 0, lost = 0, scrubs = 0, scrub_writes = 0, extra_reads = 0, extra_writes = 0;
    std::uint64_t log_lost = 0;
    std::uint64_t on_die_corrected = 0, on_die_miscorrected = 0;
    std::uint64_t on_die_scrub_corrected = 0, on_die_scrub_left = 0;
  } counts_;
};

}  // namespace asterism
