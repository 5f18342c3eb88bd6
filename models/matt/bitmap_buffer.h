// The bitmap buffer of the memory controller: an associative memory of the pages that were written most
// recently, with their lines and the number of write requests since they entered the buffer. Replacement is
// LRU by writes; entries without a page are replaced first. The Memory Accesses Tracking Table (matt.h)
// handles the pages that leave.
//
// reset: clear().
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace asterism {

class BitmapBuffer {
 public:
  static constexpr std::uint32_t max_entries = 1024;
  static constexpr std::uint8_t max_writes = 255;  // the count saturates here

  struct Page {
    std::uint32_t number;
    std::uint8_t writes;
    std::uint64_t lines;
  };

  explicit BitmapBuffer(std::uint32_t entries)
      : entries_(std::clamp(entries, std::uint32_t{1}, max_entries)),
        keys_(std::bit_ceil(8 * entries_.size())) {
    clear();
  }

  bool contains(std::uint32_t page) const { return keys_[key_of(page)].page == page; }

  // Records write requests to a page. Returns false, without effect, if the page is not in the buffer.
  bool note(std::uint32_t page, std::uint64_t lines, std::uint32_t writes) {
    if (entries_[newest_].page != page) {
      const Key& key = keys_[key_of(page)];
      if (key.page != page) return false;
      make_newest(key.entry);
    }
    Entry& entry = entries_[newest_];
    entry.lines |= lines;
    entry.writes = std::min<std::uint32_t>(entry.writes + writes, max_writes);
    return true;
  }

  // Inserts a page that is not in the buffer; returns the page that it replaces.
  std::optional<Page> insert(std::uint32_t page, std::uint64_t lines, std::uint32_t writes) {
    const std::uint16_t place = oldest_;
    Entry& entry = entries_[place];
    std::optional<Page> left;
    if (entry.page != no_page) left = forget(entry);
    entry.page = page;
    entry.lines = lines;
    entry.writes = std::min<std::uint32_t>(writes, max_writes);
    keys_[key_of(page)] = {page, place};
    make_newest(place);
    return left;
  }

  // Removes a page, if it is in the buffer.
  std::optional<Page> remove(std::uint32_t page) {
    const Key key = keys_[key_of(page)];
    if (key.page != page) return std::nullopt;
    make_oldest(key.entry);
    return forget(entries_[key.entry]);
  }

  template <class Sink>
  void flush(Sink&& sink) {
    for (const Entry& entry : entries_)
      if (entry.page != no_page) sink(as_page(entry));
    clear();
  }

  void clear() {
    const auto last = static_cast<std::uint16_t>(entries_.size() - 1);
    for (std::uint16_t i = 0; i <= last; ++i)
      entries_[i] = {0, no_page, 0, static_cast<std::uint16_t>(i == 0 ? last : i - 1),
                     static_cast<std::uint16_t>(i == last ? 0 : i + 1)};
    newest_ = 0;
    oldest_ = last;
    std::ranges::fill(keys_, Key{no_page, 0});
  }

 private:
  static constexpr std::uint32_t no_page = 0xFFFF'FFFF;

  // A ring: each entry links to the next newer and the next older one. The `newer` of the newest is the
  // oldest.
  struct Entry {
    std::uint64_t lines;
    std::uint32_t page;
    std::uint32_t writes;
    std::uint16_t newer, older;
  };
  // Open addressing with linear probing. At most an eighth of the table is full, so that one probe usually
  // suffices.
  struct Key {
    std::uint32_t page = no_page;
    std::uint16_t entry = 0;
  };

  static Page as_page(const Entry& entry) {
    return {entry.page, static_cast<std::uint8_t>(entry.writes), entry.lines};
  }

  std::size_t home(std::uint32_t page) const { return page * 0x9E3779B1u >> std::countl_zero(mask()); }
  std::uint32_t mask() const { return static_cast<std::uint32_t>(keys_.size() - 1); }
  // The index of the page, or the one at which it would be inserted.
  std::size_t key_of(std::uint32_t page) const {
    std::size_t at = home(page);
    while (keys_[at].page != page && keys_[at].page != no_page) at = (at + 1) & mask();
    return at;
  }

  Page forget(Entry& entry) {
    const Page page = as_page(entry);
    std::size_t hole = key_of(entry.page);
    for (std::size_t at = hole;;) {  // move back the keys that were displaced beyond the hole
      at = (at + 1) & mask();
      if (keys_[at].page == no_page) break;
      if (((at - home(keys_[at].page)) & mask()) >= ((at - hole) & mask())) {
        keys_[hole] = keys_[at];
        hole = at;
      }
    }
    keys_[hole].page = no_page;
    entry.page = no_page;
    return page;
  }

  void make_newest(std::uint16_t place) {
    if (place == newest_) return;
    if (place == oldest_) {  // the ring rotates
      oldest_ = entries_[place].newer;
    } else {
      unlink(place);
      link(place);
    }
    newest_ = place;
  }
  void make_oldest(std::uint16_t place) {
    if (place == oldest_) return;
    if (place == newest_) {
      newest_ = entries_[place].older;
    } else {
      unlink(place);
      link(place);
    }
    oldest_ = place;
  }
  void unlink(std::uint16_t place) {
    const Entry& entry = entries_[place];
    entries_[entry.newer].older = entry.older;
    entries_[entry.older].newer = entry.newer;
  }
  // Between the newest and the oldest.
  void link(std::uint16_t place) {
    entries_[place].older = newest_;
    entries_[place].newer = oldest_;
    entries_[newest_].newer = place;
    entries_[oldest_].older = place;
  }

  std::vector<Entry> entries_;
  std::vector<Key> keys_;
  std::uint16_t newest_ = 0, oldest_ = 0;
};

}  // namespace asterism
