// What has happened to the pages of memories and to the blocks of flash: numbers by name, such as how often
// each page was copied by checkpoints. A number of 0 is not stored, and neighbours with the same number are
// stored once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"

namespace asterism {

struct PageMap {
  // Numbers of units: of pages, or of blocks.
  struct Counts {
    struct Run {  // neighbours with the same number
      std::uint64_t first, length, value;
      bool operator==(const Run&) const = default;
    };
    std::string name;
    std::vector<Run> runs = {};  // ascending

    // Units must come in ascending order.
    void add(std::uint64_t unit, std::uint64_t value, std::uint64_t length = 1) {
      if (value == 0 || length == 0) return;
      if (!runs.empty() && runs.back().value == value && runs.back().first + runs.back().length == unit)
        runs.back().length += length;
      else
        runs.push_back({unit, length, value});
    }
    bool operator==(const Counts&) const = default;
  };
  // What firmware has at an address: a function, a variable, a part of the image.
  struct Name {
    std::string text;
    AddressRange range;
    bool operator==(const Name&) const = default;
  };
  enum class Kind : std::uint8_t { pages, blocks };
  struct Area {
    std::string name;  // "node.memory", "node.dimm_ssd.flash"
    Kind kind = Kind::pages;
    Address first{};  // physical, of a memory
    Bytes unit{4096};
    std::uint64_t units = 0;
    std::uint64_t group = 0;  // the blocks of a plane, which has a row of its own; 0: there are no groups
    std::vector<Counts> counts = {};
    std::vector<Name> names = {};

    Counts& of(std::string_view what) {
      const auto known = std::ranges::find(counts, what, &Counts::name);
      return known != counts.end() ? *known : counts.emplace_back(Counts{std::string(what)});
    }
    AddressRange range() const { return {first, unit * units}; }
    bool operator==(const Area&) const = default;
  };

  std::vector<Area> areas = {};

  // The memory that has this address; nullptr if none has.
  Area* memory_at(Address address) {
    const auto area = std::ranges::find_if(areas, [&](const Area& each) {
      return each.kind == Kind::pages && each.range().contains(address, Bytes(1));
    });
    return area == areas.end() ? nullptr : &*area;
  }
  bool operator==(const PageMap&) const = default;
};

// A number for each page of a memory, once start() was called; until then nothing is counted.
class PageCounter {
 public:
  void start(AddressRange memory) {
    memory_ = memory;
    counts_.resize(memory.size.count() / page);
  }
  void add(Address at) {
    if (!counts_.empty() && memory_.contains(at, Bytes(1))) ++counts_[(at - memory_.first).count() / page];
  }
  void report(PageMap& map, std::string_view what) const {
    PageMap::Area* const area = counts_.empty() ? nullptr : map.memory_at(memory_.first);
    if (!area) return;
    PageMap::Counts& to = area->of(what);
    const std::uint64_t offset = (memory_.first - area->first) / area->unit;
    for (std::size_t i = 0; i < counts_.size(); ++i) to.add(offset + i, counts_[i]);
  }

 private:
  static constexpr std::uint64_t page = 4096;
  AddressRange memory_{Address(0), Bytes(0)};
  std::vector<std::uint32_t> counts_;
};

}  // namespace asterism
