// The lines of an expander whose data are known to be wrong, which it reports by Get Poison List (CXL 3.1
// section 8.2.10.9.4.1).
//
// A line gets into the list when it is found to be uncorrectable, or by Inject Poison. It stays there until
// all of its 64 bytes have been written, in any pieces, or until Clear Poison; a part of a line that is
// written leaves the rest wrong. If the list is full, further lines are poisoned, and overflow() says that
// they are not listed.
//
// reset: warm keeps the list; cold and power_loss empty it, as the contents are lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "base/enum_names.h"
#include "base/reset.h"
#include "base/units.h"

namespace asterism {

// The numbers are those of a media error record.
enum class PoisonSource : std::uint8_t { internal = 2, injected = 3 };
constexpr auto enum_names(PoisonSource) {
  return std::to_array<EnumName<PoisonSource>>({{PoisonSource::internal, "internal", "an error of the media"},
                                                {PoisonSource::injected, "injected", "Inject Poison"}});
}

class PoisonList {
 public:
  static constexpr Bytes line{64};
  static constexpr std::size_t limit = 256;  // lines that are listed

  struct Entry {
    Bytes line;
    PoisonSource source;
  };

  // Returns whether the line was not poisoned before.
  bool add(Bytes offset, PoisonSource source);
  // Whether any of these bytes is in a poisoned line.
  bool touches(Bytes offset, Bytes size) const;
  // These bytes have been written. Returns whether a line is not poisoned any more.
  bool written(Bytes offset, Bytes size);
  bool clear(Bytes offset);

  // The largest part of a range of whole pages around a page that has no poisoned line; empty if the page has
  // one.
  AddressRange sound_around(Bytes page, AddressRange range) const;

  bool empty() const { return lines_.empty(); }
  std::size_t size() const { return lines_.size(); }  // also those that are not listed
  std::size_t listed() const { return lines_.size() < limit ? lines_.size() : limit; }
  bool overflow() const { return lines_.size() > limit; }
  Entry entry(std::size_t index) const;  // in the order of addresses
  void reset(Reset kind);

 private:
  struct Line {
    PoisonSource source;
    std::uint64_t written = 0;  // bytes, since it was poisoned
  };
  std::map<std::uint64_t, Line> lines_;  // by number
};

}  // namespace asterism
