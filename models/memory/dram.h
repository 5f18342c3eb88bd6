// The cells of a DRAM: host memory of the configured size, reserved but not touched until used.
//
// The contents of a real part at power-up are undefined. Here they are a pseudo-random pattern, so that
// firmware which relies on zeros fails at once, and in the same way every time.
//
// reset: cold and power_loss lose all contents (every cell takes the power-up pattern again); warm keeps
// them. Pointers into data() stay valid for the life of the object.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/reset.h"
#include "base/units.h"

namespace asterism {

class Dram {
 public:
  // `size` is a multiple of 2 MiB. The seed selects the pattern. Throws std::bad_alloc if the host lacks
  // address space.
  Dram(Bytes size, std::uint64_t seed);
  ~Dram();
  Dram(const Dram&) = delete;
  Dram& operator=(const Dram&) = delete;

  Bytes size() const { return size_; }
  std::byte* data() const { return base_; }
  void reset(Reset kind);
  // The pages of 4 KiB that anything has written since the contents were lost, as offsets in ascending order.
  // Empty if the host does not tell.
  std::vector<Bytes> written_pages() const;

 private:
  void fill_with_pattern();

  Bytes size_;
  Bytes pattern_size_;
  int pattern_ = -1;
  std::byte* base_ = nullptr;
};

}  // namespace asterism
