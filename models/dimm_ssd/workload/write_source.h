// Write requests to the pages of a memory, as its controller sees them, interval by interval: the input of a
// run without cores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/units.h"

namespace asterism {

constexpr std::uint32_t max_written_pages = 1u << 22;  // 16 GiB
constexpr std::uint32_t max_intervals = 1000;

struct WriteRequest {
  Picoseconds time;    // of the program, since its interval began, without waits
  std::uint32_t page;  // 4 KiB
  std::uint32_t line;  // 0 to 63
  bool operator==(const WriteRequest&) const = default;
};

class WriteSource {
 public:
  virtual ~WriteSource() = default;

  virtual std::uint32_t pages() const = 0;  // all page numbers are below this
  virtual Picoseconds interval() const = 0;
  // `index` is 0 first, and then one more each time. Remaining requests of the interval before are dropped.
  virtual void begin_interval(std::uint32_t index) = 0;
  // Returns the next requests of the interval in order of time, as many as fit; 0 if none is left.
  virtual std::size_t next(std::span<WriteRequest> requests) = 0;
};

}  // namespace asterism
