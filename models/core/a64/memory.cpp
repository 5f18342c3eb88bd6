#include "core/a64/memory.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <utility>

#include "core/a64/exclusive_monitors.h"
#include "core/a64/lead.h"
#include "core/a64/turns.h"

namespace asterism::a64 {
namespace {

static_assert(std::endian::native == std::endian::little, "guest memory is little-endian");

// PageInfo::place: of no entry.
constexpr std::uint16_t nowhere_in_tlb = 2 * Memory::tlb_entries;
constexpr std::uint16_t place_of(unsigned exception_level, std::size_t slot) {
  return static_cast<std::uint16_t>(std::size_t{Memory::tlb_entries} * exception_level + slot);
}
// Adds a place to a list; not twice without end.
void note(std::vector<std::uint16_t>& places, std::uint16_t place) {
  places.push_back(place);
  if (places.size() <= std::size_t{4} * Memory::tlb_entries) return;
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
}
// Ends a lead, whose fault is not taken.
Fault not_in_lead(std::uint64_t address) { return {address, fault_status::external_abort}; }
// One more entry may serve the page.
void touch(PageInfo& info, std::uint16_t place) {
  info.is_touched |= info.touched_by != 0 && info.touched_by != place + 1;
  info.touched_by = static_cast<std::uint16_t>(place + 1);
}

// A bit for each of a page's bytes.
std::uint64_t lines_with(const std::uint8_t* dirty, unsigned flag) {
  std::uint64_t lines = 0;
  for (std::size_t at = 0; at < 8; ++at) {
    std::uint64_t eight;
    std::memcpy(&eight, dirty + 8 * at, sizeof eight);
    eight = eight / flag & 0x0101'0101'0101'0101;
    lines |= (eight * 0x0102'0408'1020'4080 >> 56) << 8 * at;
  }
  return lines;
}

}  // namespace

template <class F>
void Memory::for_entries(F f) {
  for (const auto& tlb : tlbs_) {
    if (!tlb || tlb->is_empty) continue;
    for (std::size_t slot = 0; slot < tlb_entries; ++slot)
      if (tlb->pages[slot].page != TlbPage::none) f(*tlb, slot);
  }
}

// ---- direct memory ----

void Memory::map(AddressRange range, std::uint8_t* host, bool is_shown) {
  map(range, {.host = host, .is_shown = is_shown});
}

// Nobody stores through the pointer.
void Memory::map_read_only(AddressRange range, const std::uint8_t* host, bool is_shown) {
  map(range, {.host = const_cast<std::uint8_t*>(host), .is_shown = is_shown, .is_read_only = true});
}

void Memory::map(AddressRange range, Grant grant) {
  const std::uint64_t first = (range.first.value() + page_size - 1) & page_mask;
  const std::uint64_t end = (range.first.value() + range.size.count()) & page_mask;
  if (first >= end) return;
  grant.first = first, grant.last = end - 1, grant.host += first - range.first.value();
  if (const Grant* known = grant_at(first); known && *known == grant) return;
  unmap({Address(first), Bytes(end - first)});
  grants_.insert(std::ranges::upper_bound(grants_, first, {}, &Grant::first), grant);
}

void Memory::unmap(AddressRange range) {
  const std::uint64_t first = range.first.value(), size = range.size.count();
  if (size == 0) return;
  const std::uint64_t last = size - 1 > ~first ? ~std::uint64_t{0} : first + (size - 1);
  std::vector<Grant> kept;
  for (const Grant& grant : grants_) {
    if (grant.last < first || grant.first > last) {
      kept.push_back(grant);
      continue;
    }
    // A page that goes in part goes as a whole.
    const std::uint64_t below = first & page_mask, above = last | ~page_mask;
    Grant lower = grant, upper = grant;
    lower.last = below - 1;
    upper.first = above + 1, upper.host += upper.first - grant.first;
    if (grant.first < below) kept.push_back(lower);
    if (grant.last > above) kept.push_back(upper);
  }
  grants_ = std::move(kept);
  flush();
}

const Memory::Grant* Memory::grant_at(std::uint64_t physical) const {
  const auto above = std::ranges::upper_bound(grants_, physical, {}, &Grant::first);
  if (above == grants_.begin() || physical > std::prev(above)->last) return nullptr;
  return &*std::prev(above);
}

std::optional<Memory::Direct> Memory::direct(std::uint64_t physical) {
  const Grant* grant = grant_at(physical);
  if (!grant) {
    if (is_ahead_) return std::nullopt;
    host_.touch(Address(physical));
    grant = grant_at(physical);
  }
  if (!grant) return std::nullopt;
  return Direct{grant->host + (physical - grant->first), &info(physical), grant->is_shown,
                grant->is_read_only};
}

PageInfo& Memory::info(std::uint64_t physical) {
  const std::uint64_t number = physical / chunk_size;
  if (number != last_chunk_.number || !last_chunk_.chunk) last_chunk_ = {number, &chunk(number)};
  return last_chunk_.chunk->pages[physical % chunk_size / page_size];
}

Memory::Chunk& Memory::chunk(std::uint64_t number) {
  auto& chunk = chunks_[number];
  if (!chunk) {
    chunk = std::make_unique<Chunk>();
    for (std::size_t at = 0; at < chunk->pages.size(); ++at)
      chunk->pages[at].dirty = chunk->dirty.data() + at * (page_size / line);
    if (turns_) {
      Right* const rights = turns_->rights(number * chunk_size);
      for (std::size_t at = 0; at < chunk->pages.size(); ++at) chunk->pages[at].right = rights + at;
    }
  }
  return *chunk;
}

void Memory::set_code_lines(std::uint64_t physical_page, std::uint64_t lines) {
  PageInfo& page = info(physical_page);
  if (page.code == 0 && lines != 0)
    for_entries([&](Tlb& tlb, std::size_t slot) {
      if (tlb.pages[slot].info == &page) tlb.entries[slot].write_page = nowhere(slot);
    });
  page.code = lines;
}

// ---- what was stored to, and what is shown ----

void Memory::list(PageInfo& info, std::uint64_t physical) {
  info.is_listed = true;
  if (!std::exchange(info.is_queued, true)) listed_.push_back({physical & page_mask, &info});
  if (!monitors_ || std::exchange(info.is_admitted, true)) return;
  info.is_scattered = false;
  info.place = nowhere_in_tlb;
  monitors_->admit(*this, info, physical);
}

std::uint64_t Memory::refuse_stores(PageInfo& info) {
  if (turns_) turns_->settle(core_);
  info.is_admitted = false;
  const auto refuse = [&](Tlb& tlb, std::size_t slot) {
    if (tlb.pages[slot].info == &info) tlb.entries[slot].write_page = nowhere(slot);
  };
  if (info.is_scattered)
    for_entries(refuse);
  else if (info.place != nowhere_in_tlb)
    refuse(*tlbs_[info.place / tlb_entries], info.place % tlb_entries);
  const std::uint64_t marks = lines_with(info.dirty, is_marked);
  if (marks != 0)
    for (std::uint64_t at = 0; at < page_size / line; ++at) info.dirty[at] &= is_dirty;
  return marks;
}

void Memory::ask(std::uint64_t physical) {
  ++asked_;
  host_.about_to_store(Address(physical & page_mask), static_cast<unsigned>(physical % page_size / line));
  list(info(physical), physical);
}

std::optional<Memory::Direct> Memory::admitted(std::uint64_t physical) {
  while (const auto memory = direct(physical)) {
    if (memory->is_read_only) break;
    if (!has_to_ask(physical)) return memory;
    ask(physical);
  }
  return std::nullopt;
}

bool Memory::mark_written(PageInfo& info, std::uint64_t physical, unsigned size) {
  const std::uint64_t first = physical % page_size / line, last = (physical + size - 1) % page_size / line;
  for (std::uint64_t at = first; at <= last; ++at) info.dirty[at] = stored;
  list(info, physical);
  return info.code << (63 - last) >> (63 - last) >> first != 0;
}

// The pages of the range that may have been stored to, in ascending order. Few pages are looked up one by one, so that the
// cost does not grow with what was written elsewhere.
std::vector<Memory::Listed> Memory::take_listed(AddressRange range) {
  std::vector<Listed> taken;
  if (range.size == Bytes(0)) return taken;
  const std::uint64_t first = range.first.value() / page_size, last = range.last().value() / page_size;
  if (last - first < listed_.size() / 8) {
    for (std::uint64_t page = first; page <= last; ++page) {
      const auto chunk = chunks_.find(page * page_size / chunk_size);
      if (chunk == chunks_.end()) continue;
      PageInfo& info = chunk->second->pages[page % (chunk_size / page_size)];
      if (std::exchange(info.is_listed, false)) taken.push_back({page * page_size, &info});
    }
    return taken;
  }
  const auto in_range = [&](const Listed& each) {
    return each.page / page_size >= first && each.page / page_size <= last;
  };
  const auto middle = std::stable_partition(listed_.begin(), listed_.end(), std::not_fn(in_range));
  for (auto each = middle; each != listed_.end(); ++each) {
    each->info->is_queued = false;
    if (std::exchange(each->info->is_listed, false)) taken.push_back(*each);
  }
  listed_.erase(middle, listed_.end());
  std::ranges::sort(taken, {}, &Listed::page);
  return taken;
}

void Memory::collect_writes(AddressRange range, WriteObserver& observer) {
  const std::vector<Listed> taken = take_listed(range);
  if (taken.empty()) return;
  for_entries([](Tlb& tlb, std::size_t slot) {
    const PageInfo* info = tlb.pages[slot].info;
    if (info && !info->is_listed) tlb.entries[slot].write_page = nowhere(slot);
  });
  for (const Listed& each : taken) {
    const std::uint64_t lines = lines_with(each.info->dirty, is_dirty);
    for (std::uint64_t at = 0; at < page_size / line; ++at) each.info->dirty[at] &= is_marked;
    if (lines != 0) observer.written(Address(each.page), lines);
  }
}

// ---- with cores in other threads ----

Claimed Memory::claim_right(const PageInfo& info, std::uint64_t physical, bool to_store) {
  return is_ahead_ ? Turns::claim_ahead(*info.right, core_, to_store)
                   : turns_->claim(*info.right, physical, core_, to_store);
}

bool Memory::claim(PageInfo& info, std::uint64_t physical, std::uint64_t size, Access access, bool is_shown) {
  if (!turns_) return true;
  const bool to_store = access == Access::store;
  if (is_ahead_ && (is_shown || (to_store && !may_store_ahead(info)))) return false;
  const Claimed claimed = claim_right(info, physical, to_store);
  if (claimed == Claimed::refused) return false;
  if (claimed == Claimed::by_lines) return claim_lines(info, physical, size, to_store);
  info.is_touched = true;
  if (is_ahead_ && to_store) keep(info, physical);
  return true;
}

bool Memory::claim_lines(PageInfo& info, std::uint64_t physical, std::uint64_t size, bool to_store) {
  Right* const rights = info.right->lines;
  for (std::uint64_t at = physical & ~(line - 1); at < physical + size; at += line) {
    Right& right = rights[at % page_size / line];
    if (!is_ahead_) {
      turns_->claim_line(right, at, core_, to_store);
    } else {
      if (Turns::claim_ahead(right, core_, to_store) != Claimed::lasting) return false;
      if (!has_touched_line(at, to_store))
        to_store ? keep_line(info, at) : void(lines_.emplace_back().number = at / line);
    }
  }
  return true;
}

// Stores that somebody has to be told of are not for leads.
bool Memory::may_store_ahead(const PageInfo& info) const {
  return info.is_listed && (!monitors_ || info.is_admitted) && info.code == 0;
}

// Before the first store to a page in a lead.
void Memory::keep(PageInfo& info, std::uint64_t physical) {
  if (info.kept_in == lead_) return;
  info.kept_in = lead_;
  if (kept_count_ == kept_.size()) kept_.push_back(std::make_unique<Kept>());
  Kept& kept = *kept_[kept_count_++];
  kept.info = &info;
  kept.host = direct(physical & page_mask)->host;
  std::memcpy(kept.bytes.data(), kept.host, page_size);
  std::memcpy(kept.dirty.data(), info.dirty, page_size / line);
}

void Memory::keep_line(PageInfo& info, std::uint64_t physical) {
  TouchedLine& kept = lines_.emplace_back();
  kept.number = physical / line;
  kept.info = &info;
  kept.host = direct(physical)->host;
  std::memcpy(kept.bytes.data(), kept.host, line);
  kept.dirty = info.dirty[physical % page_size / line];
}

bool Memory::has_touched_lines(std::uint64_t first, std::uint64_t bytes, bool stores_only) const {
  return std::ranges::any_of(lines_, [&](const TouchedLine& each) {
    return each.number - first / line < bytes / line && (each.info || !stores_only);
  });
}

bool Memory::admit_loads(std::size_t slot, unsigned exception_level) {
  if (!turns_) return true;
  Tlb& tlb = this->tlb(exception_level);
  const TlbPage& page = tlb.pages[slot];
  if (!page.info || !page.permissions.load || state_.system.sctlr & sctlr::a) return true;
  const Claimed claimed = claim_right(*page.info, page.physical, false);
  if (claimed == Claimed::refused) return false;
  if (claimed == Claimed::by_lines) return true;
  const std::uint16_t place = place_of(exception_level, slot);
  if (claimed == Claimed::until_lead) note(in_turn_, place);
  touch(*page.info, place);
  tlb.entries[slot].read_page = page.page;
  return true;
}

void Memory::close(std::uint16_t place, bool stores_only) {
  const std::size_t slot = place % tlb_entries;
  TlbEntry& entry = tlb(place / tlb_entries).entries[slot];
  entry.write_page = nowhere(slot);
  if (!stores_only) entry.read_page = nowhere(slot);
}

void Memory::begin_lead() {
  is_ahead_ = true;
  ++lead_;
  kept_count_ = 0;
  lines_.clear();
  replaced_.clear();
  for (const std::uint16_t place : storing_) close(place, true);
  for (const std::uint16_t place : in_turn_) close(place, false);
  storing_.clear();
  in_turn_.clear();
}

void Memory::undo_lead() {
  for (std::size_t i = 0; i < kept_count_; ++i) {
    const Kept& kept = *kept_[i];
    std::memcpy(kept.host, kept.bytes.data(), page_size);
    std::memcpy(kept.info->dirty, kept.dirty.data(), page_size / line);
  }
  kept_count_ = 0;
  for (const TouchedLine& each : lines_) {
    if (!each.info) continue;
    std::memcpy(each.host, each.bytes.data(), line);
    each.info->dirty[each.number % (page_size / line)] = each.dirty;
  }
  lines_.clear();
  for (auto each = replaced_.rbegin(); each != replaced_.rend(); ++each) {
    Tlb& tlb = this->tlb(each->place / tlb_entries);
    tlb.entries[each->place % tlb_entries] = each->entry;
    tlb.pages[each->place % tlb_entries] = each->page;
    close(each->place, false);
  }
  replaced_.clear();
}

PageInfo* Memory::known_info(std::uint64_t physical) {
  const auto found = chunks_.find(physical / chunk_size);
  return found != chunks_.end() ? &found->second->pages[physical % chunk_size / page_size] : nullptr;
}

bool Memory::has_touched(std::uint64_t physical) {
  const PageInfo* info = known_info(physical);
  return (info && (info->is_touched || info->touched_by != 0)) ||
         has_touched_lines(physical & page_mask, page_size, false);
}

bool Memory::has_stored_ahead(std::uint64_t physical) {
  const PageInfo* info = known_info(physical);
  return (info && info->kept_in == lead_ && kept_count_ != 0) ||
         has_touched_lines(physical & page_mask, page_size, true);
}

void Memory::lose(std::uint64_t physical, bool stores_only) {
  PageInfo* const info = known_info(physical);
  if (!info) return;
  if (info->is_touched) {
    for_entries([&](Tlb& tlb, std::size_t slot) {
      if (tlb.pages[slot].info != info) return;
      tlb.entries[slot].write_page = nowhere(slot);
      if (!stores_only) tlb.entries[slot].read_page = nowhere(slot);
    });
  } else if (info->touched_by != 0) {
    const auto place = static_cast<std::uint16_t>(info->touched_by - 1);
    if (tlb(place / tlb_entries).pages[place % tlb_entries].info == info) close(place, stores_only);
  }
  if (!stores_only) info->is_touched = false, info->touched_by = 0;
}

void Memory::set_watchpoints(std::vector<Watchpoint> watchpoints) {
  watchpoints_ = std::move(watchpoints);
  flush();
}

void Memory::watch_for_the_guest(std::vector<AddressRange> ranges) {
  if (own_watched_ == ranges) return;
  own_watched_ = std::move(ranges);
  flush();
}

// Addresses with a tag lead to the same page.
bool Memory::is_watched_page(std::uint64_t address) const {
  constexpr std::uint64_t untagged = ~std::uint64_t{0} >> 8;
  const std::uint64_t page = address & page_mask & untagged;
  const auto touches = [page](const AddressRange& range) {
    return page >= (range.first.value() & page_mask & untagged) && page <= (range.last().value() & untagged);
  };
  return std::ranges::any_of(watchpoints_, touches, &Watchpoint::range) ||
         std::ranges::any_of(own_watched_, touches);
}

std::optional<std::uint64_t> Memory::watched(std::uint64_t address, unsigned size, bool is_store) const {
  std::optional<std::uint64_t> first;
  const std::uint64_t last = address + size - 1;
  for (const Watchpoint& each : watchpoints_) {
    if (!(is_store ? each.stores : each.loads)) continue;
    if (last < each.range.first.value() || address > each.range.last().value()) continue;
    const std::uint64_t hit = std::max(address, each.range.first.value());
    first = std::min(first.value_or(hit), hit);
  }
  return first;
}

void Memory::tell_shown() {
  if (shown_.empty()) return;
  const auto told = std::exchange(shown_, {});
  host_.shown(told);
}

// ---- translation ----

Memory::Result Memory::translate(std::uint64_t address, Access access, unsigned exception_level) {
  Tlb& tlb = this->tlb(exception_level);
  const std::size_t slot = slot_of(address);
  const TlbPage& page = tlb.pages[slot];
  for (;;) {
    const bool is_known = page.page == (address & page_mask) && page.permissions(access);
    if (!is_known)
      if (const auto fault = fill(address, exception_level)) return {{}, fault};
    if (!page.permissions(access))
      return {{}, Fault{address, static_cast<std::uint8_t>(fault_status::permission + page.level)}};
    const std::uint64_t physical = page.physical | address % page_size;
    if (access == Access::store && page.is_read_only)
      return {{physical, page.level, false, page.is_cached}, {}};
    if (access == Access::store && page.is_direct && has_to_ask(physical)) {
      if (is_ahead_) return {{}, not_in_lead(address)};
      ask(physical);  // after which nothing may be where it was
      continue;
    }
    const bool is_admitted = access == Access::store  ? admit_stores(slot, exception_level)
                             : access == Access::load ? admit_loads(slot, exception_level)
                                                      : true;
    if (!is_admitted) return {{}, not_in_lead(address)};
    return {{physical, page.level, page.is_direct, page.is_cached}, {}};
  }
}

std::optional<Fault> Memory::fill(std::uint64_t address, unsigned exception_level) {
  // A walk that waits for the bus may meet another core's invalidation.
  std::uint64_t flushes;
  Walk found;
  do {
    flushes = flushes_;
    found = walk(state_.system, address, *this);
  } while (flushes != flushes_);
  if (found.fault) return Fault{address, *found.fault};
  const auto memory = direct(found.physical & page_mask);  // may flush
  if (is_ahead_ && !memory) return not_in_lead(address);
  const bool is_tagged = static_cast<std::int64_t>(address << 8) >> 8 != static_cast<std::int64_t>(address);
  is_scattered_ |= found.span > 12 || is_tagged;
  Tlb& tlb = this->tlb(exception_level);
  tlb.is_empty = false;
  const std::size_t slot = slot_of(address);
  TlbPage& page = tlb.pages[slot];
  if (is_ahead_) replaced_.push_back({place_of(exception_level, slot), tlb.entries[slot], page});
  page = {.page = address & page_mask,
          .physical = found.physical & page_mask,
          .permissions = found.permissions[exception_level],
          .level = found.level,
          .span = found.span,
          .is_direct = memory.has_value(),
          .is_read_only = memory && memory->is_read_only,
          .is_cached = is_cacheable(state_.system, found)};
  TlbEntry& entry = tlb.entries[slot];
  entry = {nowhere(slot), nowhere(slot)};
  if (!memory || memory->is_shown || is_watched_page(address)) return std::nullopt;
  page.info = memory->info;
  entry.host = memory->host;
  entry.dirty = memory->info->dirty;
  if (!turns_ && page.permissions.load && !(state_.system.sctlr & sctlr::a)) entry.read_page = page.page;
  return std::nullopt;
}

// The fast path serves stores to a page once it is listed.
bool Memory::admit_stores(std::size_t slot, unsigned exception_level) {
  Tlb& tlb = this->tlb(exception_level);
  const TlbPage& page = tlb.pages[slot];
  if (!page.info || page.info->code != 0 || state_.system.sctlr & sctlr::a) return true;
  PageInfo& info = *page.info;
  const std::uint16_t place = place_of(exception_level, slot);
  if (turns_) {
    if (is_ahead_ && !may_store_ahead(info)) return false;
    const Claimed claimed = claim_right(info, page.physical, true);
    if (claimed == Claimed::refused) return false;
    if (claimed == Claimed::by_lines) return true;
    if (is_ahead_) keep(info, page.physical);
    touch(info, place);
    note(claimed == Claimed::lasting ? storing_ : in_turn_, place);
  }
  list(info, page.physical);
  tlb.entries[slot].write_page = page.page;
  info.is_scattered |= info.place != nowhere_in_tlb && info.place != place;
  info.place = place;
  return true;
}

std::optional<std::uint64_t> Memory::descriptor(std::uint64_t physical) {
  std::uint64_t value = 0;
  if (const auto memory = direct(physical)) {
    if (!claim(*memory->info, physical, sizeof value, Access::load)) return std::nullopt;
    std::memcpy(&value, memory->host, sizeof value);
    return value;
  }
  if (is_ahead_) return std::nullopt;
  return host_.load(Address(physical), sizeof value, value) ? std::optional(value) : std::nullopt;
}

std::uint64_t Memory::probe(std::uint64_t address, Access access, unsigned exception_level) {
  constexpr std::uint64_t fixed = 1 << 11;  // RES1
  const Walk found = walk(state_.system, address, *this);
  std::uint64_t status = 0;
  if (found.fault) {
    status = *found.fault;
  } else if (!found.permissions[exception_level](access)) {
    status = fault_status::permission + found.level;
  } else {
    return std::uint64_t{found.attributes} << 56 | (found.physical & page_mask) | fixed |
           std::uint64_t{found.shareability} << 7;
  }
  return fixed | status << 1 | 1;
}

std::optional<std::uint64_t> Memory::physical(std::uint64_t address) {
  struct DirectTables final : TableMemory {
    Memory& memory;
    explicit DirectTables(Memory& memory) : memory(memory) {}
    std::optional<std::uint64_t> descriptor(std::uint64_t physical) override {
      const auto found = memory.direct(physical);
      if (!found) return std::nullopt;
      std::uint64_t value = 0;
      std::memcpy(&value, found->host, sizeof value);
      return value;
    }
  } tables(*this);
  const Walk found = walk(state_.system, address, tables);
  return found.fault ? std::nullopt : std::optional(found.physical);
}

const std::size_t Memory::tlb_bytes = sizeof(Tlb);

void Memory::Tlb::flush() {
  if (std::exchange(is_empty, true)) return;
  entries.fill({nowhere(1), nowhere(1)});
  entries[0] = {nowhere(0), nowhere(0)};
  pages.fill({});
}

void Memory::flush() {
  ++flushes_;
  for (const auto& tlb : tlbs_)
    if (tlb) tlb->flush();
  is_scattered_ = false;
}

void Memory::flush_page(std::uint64_t address) {
  ++flushes_;
  const auto flush = [&](Tlb& tlb, std::size_t slot) {
    TlbPage& page = tlb.pages[slot];
    const std::uint64_t differs = (page.page ^ address) & ~std::uint64_t{0} >> 8;
    const bool is_elsewhere = page.span < 64 && differs >> page.span != 0;
    if (page.page == TlbPage::none || is_elsewhere) return;
    page = {};
    tlb.entries[slot] = {nowhere(slot), nowhere(slot)};
  };
  if (is_scattered_) return for_entries(flush);
  for (const auto& tlb : tlbs_)
    if (tlb) flush(*tlb, slot_of(address));
}

}  // namespace asterism::a64
