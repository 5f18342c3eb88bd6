// The checkpoints that a program of a crash trial has taken, and therefore what must be in flash.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace asterism {

struct CrashHistory {
  using Image = std::vector<std::byte>;
  using Versions = std::set<std::uint64_t>;

  std::string name;
  std::map<std::uint64_t, Image> images;  // of the versions that may be in flash
  std::deque<std::uint64_t> open;         // their interval has ended, and they are neither durable nor failed
  Versions durable;                       // reported or recovered, and not discarded
  Versions discarded;                     // reported as discarded
  Versions discarding;  // were durable, may still be there; they have expired older versions
  std::uint64_t next_version = 1;

  // Each of these functions returns the first version that violates its rule, or 0 if there is none. `there`
  // are the versions of this name that the device has.

  // A version that the program never took.
  std::uint64_t first_unknown(const Versions& there) const {
    const auto at =
        std::ranges::find_if(there, [&](std::uint64_t version) { return !images.contains(version); });
    return at == there.end() ? 0 : *at;
  }
  // A version that was discarded and is there.
  std::uint64_t first_resurrected(const Versions& there) const {
    const auto at =
        std::ranges::find_if(there, [&](std::uint64_t version) { return discarded.contains(version); });
    return at == there.end() ? 0 : *at;
  }
  // A version that was durable and is not there, although it is among the `kept` newest that have ever been
  // durable. If a version was abandoned and became durable all the same, it or a newer one is there.
  std::uint64_t first_missing(const Versions& there, std::uint32_t kept) const {
    for (const std::uint64_t version : durable) {
      Versions newer(there.upper_bound(version), there.end());
      newer.insert(discarded.upper_bound(version), discarded.end());
      newer.insert(discarding.upper_bound(version), discarding.end());
      if (!there.contains(version) && newer.size() < kept) return version;
    }
    return 0;
  }

  // Restarts the history after a recovery with the versions that are there. `stored` adds versions that may
  // be there and cannot be read now.
  void restart(const Versions& there, const Versions& stored) {
    std::erase_if(images, [&](const auto& image) { return !stored.contains(image.first); });
    open.clear();
    durable = there;
    discarded.clear();
    discarding.clear();
  }
};

}  // namespace asterism
