// The non-volatile cells of a flash array: page contents and states, block wear. Kept in memory, or in an
// image file that outlives the run (sparse; what was never programmed takes no disk space).
//
// The file is mapped, so that what was programmed is in it even when the simulator is killed. It is locked
// while in use. Layout: a header page (magic, version, geometry), a 16-byte record a block, a byte of state a
// page, the pages.
//
// Errors: FlashImageError says which file and what is wrong with it: another format, geometry, size, or in
// use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "flash/flash_config.h"

namespace asterism {

struct FlashImageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class FlashImage {
 public:
  enum class PageState : std::uint8_t {
    erased = 0,
    programmed = 1,
    torn =
        2,  // a program or erase was cut by a power loss: reads are uncorrectable until the block is erased
  };

  // In memory, all erased.
  explicit FlashImage(const FlashGeometry& geometry);
  // In `file`, which is made when it does not exist.
  FlashImage(const FlashGeometry& geometry, const std::string& file);
  ~FlashImage();
  FlashImage(const FlashImage&) = delete;
  FlashImage& operator=(const FlashImage&) = delete;

  const FlashGeometry& geometry() const { return geometry_; }

  PageState state(FlashAddress at) const { return states_[index(at)]; }
  std::span<const std::byte> page(FlashAddress at) const;
  std::uint32_t next_page(std::uint32_t package, std::uint32_t block) const;  // first page not yet programmed
  std::uint32_t erase_count(std::uint32_t package, std::uint32_t block) const;

  void program(FlashAddress at, std::span<const std::byte> data);
  // The first half of the page took the new data, the second did not.
  void tear_program(FlashAddress at, std::span<const std::byte> data);
  void erase(std::uint32_t package, std::uint32_t block);
  void tear_erase(std::uint32_t package, std::uint32_t block);

 private:
  struct BlockRecord;

  void layout(int file, const std::string& name);
  void reserve(const std::byte* first, std::size_t size) const;
  void set_page(FlashAddress at, std::span<const std::byte> data, PageState state);
  std::uint64_t index(FlashAddress at) const;
  std::byte* page_bytes(FlashAddress at) const;
  BlockRecord& record(std::uint32_t package, std::uint32_t block) const;

  FlashGeometry geometry_;
  int file_ = -1;
  std::string name_;
  std::byte* base_ = nullptr;
  std::size_t mapped_ = 0;
  BlockRecord* blocks_ = nullptr;
  PageState* states_ = nullptr;
  std::byte* pages_ = nullptr;
};

}  // namespace asterism
