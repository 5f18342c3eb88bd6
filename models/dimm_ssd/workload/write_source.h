// Write requests to the pages of a memory, as its controller sees them, interval after interval: what a run without cores
// is driven by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/units.h"

namespace asterism {

constexpr std::uint32_t max_written_pages = 1u << 22;  // 16 GiB
constexpr std::uint32_t max_intervals = 1000;

struct WriteRequest {
  Picoseconds time;    // of the program's own, since its interval began; waiting is not in it
  std::uint32_t page;  // 4 KiB
  std::uint32_t line;  // 0 to 63
  bool operator==(const WriteRequest&) const = default;
};

class WriteSource {
 public:
  virtual ~WriteSource() = default;

  virtual std::uint32_t pages() const = 0;  // numbers are below
  virtual Picoseconds interval() const = 0;
  // Index is 0 and then one more than before; what the interval before had left is lost.
  virtual void begin_interval(std::uint32_t index) = 0;
  // The next ones of the interval in order of time, as many as there is room for; 0: there is none left.
  virtual std::size_t next(std::span<WriteRequest> requests) = 0;
};

}  // namespace asterism
