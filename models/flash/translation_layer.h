// A page-mapping flash translation layer: logical pages that can be rewritten and trimmed, on flash that can only be
// programmed in order and erased by the block.
//
// Writes go round the planes, channels first, each into the open block of its plane. What a new write makes invalid stays
// until garbage collection (translation_config.h says when and which block) has moved the block's valid pages within
// their plane and erased it; writes wait for it when no page is left. Writes of one logical page are done in the order
// given. A block whose program or erase fails is retired: what was to be programmed is programmed elsewhere, its valid pages
// are moved, it is marked bad in the image. When too few blocks are left for the logical pages, the layer is read-only: writes
// end with `failed`, all that was written before stays readable.
//
// What makes it safe against a power cut at any instant:
//   - the spare area of every page holds its logical number and the sequence number of its write, the checksum covers both;
//     of all readable copies of a logical page the one with the highest sequence number is it;
//   - a copy made by garbage collection keeps the sequence number of its original; a block is erased only after all that was
//     valid in it is programmed elsewhere;
//   - the last page of every block lists the logical and sequence numbers of the others, so that power_up() reads one page of
//     a closed block and the spares of an open one; a block without a readable list is read page by page.
// After power_up() every logical page reads as its newest write that was reported written, or a newer one that was under way,
// or, when none ever was, is not mapped. A trimmed page may be back: trims are kept in the mapping alone.
//
// Time: recovery, garbage collection and wear levelling are operations of the NandArray like any other.
//
// reset: as NandArray; the mapping is lost by every kind, until power_up() has read it back.
//
// Sources: what users of SSD simulators expect (MQSim: Tavakkol et al., FAST 2018): page mapping, plane to channel
// parallelism, collection policies and thresholds, static and dynamic wear levelling, over-provisioning.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/engine.h"
#include "base/statistics.h"
#include "flash/nand_array.h"
#include "flash/translation_config.h"

namespace asterism {

class TranslationLayer final : private NandArray::Sink {
 public:
  using Tag = std::uint64_t;  // the caller's name for a request
  using Outcome = NandArray::Outcome;

  struct Sink {
    virtual ~Sink() = default;
    virtual void recovered(Picoseconds at) = 0;
    virtual void left_buffer(Picoseconds at,
                             Tag tag) = 0;  // of a write: its data is in the package's register
    // The write survives a power cut from now on; failed: the layer is read-only and the page is what it was.
    virtual void written(Picoseconds at, Tag tag, Outcome outcome) = 0;
    // Readable: `data` is the page, or empty where the image keeps no contents. Else it was never written, or is lost.
    virtual void read_done(Picoseconds at, Tag tag, bool is_readable, std::span<const std::byte> data) = 0;
  };

  // Throws std::invalid_argument with words for a user when the geometry is too small for the config (fewer blocks in a plane
  // than garbage collection needs).
  TranslationLayer(const TranslationConfig& config, const FlashPart& part, FlashImage& image, Sink& sink);
  ~TranslationLayer();

  // Logical pages offered; does not change, and does not depend on what the image holds.
  std::uint32_t pages() const;
  Bytes page_size() const;

  // Begins to read the mapping back; requests are allowed after Sink::recovered.
  void power_up(Picoseconds now);
  bool ready() const;
  bool read_only() const;

  void write(Picoseconds now, std::uint32_t page, std::vector<std::byte> data, Tag tag);
  void read(Picoseconds now, std::uint32_t page, Tag tag);
  void trim(std::uint32_t page);
  bool is_mapped(std::uint32_t page) const;

  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now);
  void reset(Reset kind);
  // Page writes of the caller and in all, collections, pages moved, blocks retired, spread of wear, read retries.
  void report(Statistics& statistics) const;

  // Where a logical page lies, for tests and fault injection.
  std::optional<FlashAddress> place(std::uint32_t page) const;

  // The private part is the implementation's.
};

}  // namespace asterism
