// The non-volatile cells of a flash array: contents, spare areas and states of pages, wear and health of
// blocks. They are kept in memory, or in an image file that outlives the run (sparse; what was never
// programmed takes no disk space).
//
// The file is mapped, so that it contains what was programmed even if the simulator is killed: a page whose
// program or erase was under way is then torn, as after a power loss. The file is locked while in use. Every
// page has a checksum over contents and spare area. Opening a file checks all programmed pages, so that a
// byte that was changed from outside is found at once, and not much later by a recovery.
//
// Contents::none keeps only spare areas and states, for studies that measure time. Pages then read as empty
// spans.
//
// Errors: FlashImageError names the file and the problem (another format, another geometry with both named,
// its size, a page that is not what was written with its plane, block and page, or that it is in use).
//
// Layout of the file (little-endian): a header of 4 KiB, a word per block, 32 bytes per page, the pages; each
// part begins at a multiple of 4 KiB. All zeros means all erased.
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
    torn = 2,  // a program or erase was interrupted or failed: uncorrectable until the block is erased
  };

  // An erased flash in memory.
  explicit FlashImage(const FlashGeometry& geometry, Contents contents = Contents::kept);
  // A flash in `file`, which is created if it does not exist.
  FlashImage(const FlashGeometry& geometry, const std::string& file);
  ~FlashImage();
  FlashImage(const FlashImage&) = delete;
  FlashImage& operator=(const FlashImage&) = delete;

  const FlashGeometry& geometry() const { return geometry_; }
  bool keeps_contents() const { return pages_ != nullptr; }

  PageState state(FlashAddress at) const;
  std::span<const std::byte> page(FlashAddress at) const;
  PageSpare spare(FlashAddress at) const;
  // The number of bits that have flipped since the page was programmed, in the KiB with the most.
  std::uint32_t bit_errors(FlashAddress at) const;

  // The first page that is not yet programmed; those before it are programmed or torn.
  std::uint32_t next_page(FlashBlock block) const { return next_page_[index(block)]; }
  std::uint32_t erase_count(FlashBlock block) const;
  // The bytes written since the beginning, also in earlier runs. A block counts as full whenever it was
  // erased.
  Bytes written() const;
  // Whether the block is marked bad, by the factory or by the controller.
  bool is_bad(FlashBlock block) const { return (blocks_[index(block)] & bad_mark) != 0; }
  void mark_bad(FlashBlock block);
  // Whether a fault has broken the block: its programs and erases fail, and nobody knows it before one does.
  // A file does not keep that.
  bool is_broken(FlashBlock block) const { return !broken_.empty() && broken_[index(block)]; }
  void break_block(FlashBlock block);

  // `data` is a whole page; it is ignored if no contents are kept.
  void program(FlashAddress at, std::span<const std::byte> data, const PageSpare& spare);
  // Only the first half of the page takes the new data.
  void tear_program(FlashAddress at, std::span<const std::byte> data, const PageSpare& spare);
  void erase(FlashBlock block);
  void tear_erase(FlashBlock block);
  // Flips bits of the weakest KiB of a programmed page, at most 65535 in total. The page code corrects as
  // many as its strength allows; with more, the page is unreadable. An erase removes them.
  void add_bit_errors(FlashAddress at, std::uint32_t bits);

 private:
  struct PageRecord;
  struct Layout;
  static constexpr std::uint32_t bad_mark = 1u << 31;  // in the word of a block

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
  std::vector<bool> broken_;    // by block; empty: none is
  std::vector<bool> reserved_;  // whether disk space is reserved, by 4 KiB of the file
};

}  // namespace asterism
