// What a program of a crash trial knows of its own past, and what must be in flash therefore.
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
  std::map<std::uint64_t, Image> images;  // of versions that may be in flash
  std::deque<std::uint64_t> open;         // ended, neither durable nor failed
  Versions durable;                       // reported, or recovered; not discarded
  Versions discarded;                     // reported
  Versions discarding;                    // were durable: have made others too old, and may be there
  std::uint64_t next_version = 1;

  // The first of these versions of the name, which are there, that was never there; 0: none.
  std::uint64_t stranger(const Versions& there) const {
    const auto at =
        std::ranges::find_if(there, [&](std::uint64_t version) { return !images.contains(version); });
    return at == there.end() ? 0 : *at;
  }
  // The first that was discarded and is there.
  std::uint64_t revenant(const Versions& there) const {
    const auto at =
        std::ranges::find_if(there, [&](std::uint64_t version) { return discarded.contains(version); });
    return at == there.end() ? 0 : *at;
  }
  // The first that was durable and is not there, although it is among the `kept` newest that have ever been durable. A
  // version that was given up and is durable all the same is there, or newer ones are.
  std::uint64_t missing(const Versions& there, std::uint32_t kept) const {
    for (const std::uint64_t version : durable) {
      Versions newer(there.upper_bound(version), there.end());
      newer.insert(discarded.upper_bound(version), discarded.end());
      newer.insert(discarding.upper_bound(version), discarding.end());
      if (!there.contains(version) && newer.size() < kept) return version;
    }
    return 0;
  }

  // After a recovery: what is there is what is known. `stored` are those that may be there, too, and cannot be read now.
  void restart(const Versions& there, const Versions& stored) {
    std::erase_if(images, [&](const auto& image) { return !stored.contains(image.first); });
    open.clear();
    durable = there;
    discarded.clear();
    discarding.clear();
  }
};

}  // namespace asterism
