// The non-volatile cells of a flash array: contents, spare areas and states of pages, wear and health of
// blocks. Kept in memory, or in an image file that outlives the run (sparse; what was never programmed takes
// no disk space).
//
// The file is mapped, so that what was programmed is in it even when the simulator is killed: a page whose
// program or erase was under way is torn then, as after a power loss. It is locked while in use. Every page
// has a checksum over contents and spare; opening a file checks all that is programmed, so that a byte that
// changed outside is found at once and not by a recovery years later.
//
// Contents::none keeps spare areas and states alone: for studies that measure time. Pages then read as empty
// spans.
//
// Errors: FlashImageError says which file and what is wrong with it (another format, another geometry with
// both named, size, a page that is not what was written with its plane, block and page, in use).
//
// Layout of the file (little-endian): a header of 4 KiB, a word a block, 32 bytes a page, the pages; each
// part begins at a multiple of 4 KiB. All zeros is all erased.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "flash/flash_config.h"

namespace asterism {

struct FlashImageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class FlashImage {
 public:
  enum class Contents { kept, none };
  enum class PageState : std::uint8_t {
    erased = 0,
    programmed = 1,
    torn = 2,  // a program or erase was cut off or failed: uncorrectable until the block is erased
  };

  // In memory, all erased.
  explicit FlashImage(const FlashGeometry& geometry, Contents contents = Contents::kept);
  // In `file`, which is made when it does not exist.
  FlashImage(const FlashGeometry& geometry, const std::string& file);
  ~FlashImage();
  FlashImage(const FlashImage&) = delete;
  FlashImage& operator=(const FlashImage&) = delete;

  const FlashGeometry& geometry() const { return geometry_; }
  bool keeps_contents() const { return pages_ != nullptr; }

  PageState state(FlashAddress at) const;
  std::span<const std::byte> page(FlashAddress at) const;
  PageSpare spare(FlashAddress at) const;
  // Bits that have flipped since the page was programmed, in the KiB of it that has most.
  std::uint32_t bit_errors(FlashAddress at) const;

  // First page not yet programmed; those before it are programmed or torn.
  std::uint32_t next_page(FlashBlock block) const { return next_page_[index(block)]; }
  std::uint32_t erase_count(FlashBlock block) const;
  // Ever, also in runs before this one; a block was full whenever it was erased: that is its wear.
  Bytes written() const;
  // As a real part marks it: found out at the factory, or by the controller.
  bool is_bad(FlashBlock block) const { return (blocks_[index(block)] & bad_mark) != 0; }
  void mark_bad(FlashBlock block);

  // `data` is a whole page; of no interest where no contents are kept.
  void program(FlashAddress at, std::span<const std::byte> data, const PageSpare& spare);
  // The first half of the page took the new data, the second did not.
  void tear_program(FlashAddress at, std::span<const std::byte> data, const PageSpare& spare);
  void erase(FlashBlock block);
  void tear_erase(FlashBlock block);
  // Flips bits of the weakest KiB of a programmed page, up to 65535 in all: the page code corrects them up to
  // its strength, and cannot read the page beyond. Forgotten by an erase.
  void add_bit_errors(FlashAddress at, std::uint32_t bits);

 private:
  struct PageRecord;
  struct Layout;
  static constexpr std::uint32_t bad_mark = 1u << 31;  // in a block's word

  void map_memory(const Layout& layout);
  void map_file(const Layout& layout);
  void check_header(std::uint64_t file_size, const Layout& layout);
  void check_blocks() const;
  void take_over_pages(const Layout& layout);
  void take_over(std::uint64_t page);
  void mend_torn_erases();
  void reserve(const void* first, std::size_t size);
  [[noreturn]] void fail(const std::string& problem) const;

  std::uint64_t index(FlashBlock block) const {
    return std::uint64_t{block.plane} * geometry_.blocks + block.block;
  }
  std::uint64_t index(FlashAddress at) const {
    return index(at.whole_block()) * geometry_.pages_per_block + at.page;
  }
  PageRecord& begin_program(FlashAddress at, std::uint64_t page, const PageSpare& spare);
  void set_block(FlashBlock block, std::uint32_t erases, bool bad);
  std::byte* page_bytes(std::uint64_t page) const;
  std::uint32_t checksum(std::uint64_t page) const;

  FlashGeometry geometry_;
  std::string name_;
  int file_ = -1;
  std::byte* base_ = nullptr;
  std::size_t mapped_ = 0;
  std::uint64_t* blocks_ = nullptr;
  PageRecord* records_ = nullptr;
  std::byte* pages_ = nullptr;
  std::vector<std::uint32_t> next_page_;
  std::vector<bool> reserved_;  // of each 4 KiB of the file, whether the disk has room for it
};

}  // namespace asterism
