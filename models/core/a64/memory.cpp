#include "core/a64/memory.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <utility>

#include "core/a64/exclusive_monitors.h"
#include "core/a64/page_ownership.h"
#include "core/a64/speculative_cores.h"

namespace asterism::a64 {
namespace {

static_assert(std::endian::native == std::endian::little, "guest memory is little-endian");

// PageInfo::writing_entry: no entry.
constexpr std::uint16_t no_entry = Memory::address_spaces * 2 * Memory::tlb_entries;
// Adds a slot to a list, which may have duplicates but does not grow without bound.
void add_slot(std::vector<std::uint16_t>& slots, std::uint16_t slot_number) {
  slots.push_back(slot_number);
  if (slots.size() <= std::size_t{2} * no_entry) return;
  std::ranges::sort(slots);
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
}
// Ends a speculation; this fault is never taken.
Fault ends_speculation(std::uint64_t address) { return {address, fault_status::external_abort}; }
// One more TLB entry may access the page.
void note_access(PageInfo& info, std::uint16_t slot_number) {
  info.is_accessed |= info.accessed_by != 0 && info.accessed_by != slot_number + 1;
  info.accessed_by = static_cast<std::uint16_t>(slot_number + 1);
}

// Of an entry of the line filter.
Memory::UsedLine contents_of(const LineFilter::Entry& entry, bool may_be_stored) {
  Memory::UsedLine used{
      .hits = entry.hits, .behind_is_last = entry.behind_is_last, .may_be_stored = may_be_stored};
  if (!may_be_stored) return used;
  std::memcpy(used.bytes.data(), entry.host, used.bytes.size());
  used.dirty = *entry.dirty;
  return used;
}

// The block of 2^span bytes that an address lies in, without its tag; with a span of 64, the only one.
std::uint64_t number_of_block(std::uint64_t address, unsigned span) {
  constexpr unsigned address_bits = 56;
  return span >= address_bits ? 0 : (address & ~std::uint64_t{0} >> (64 - address_bits)) >> span;
}

// The lines of a page whose byte has a flag, a bit each.
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
  for_tlbs([&](Tlb& tlb) {
    for (std::size_t slot = 0; slot < tlb_entries; ++slot)
      if (tlb.pages[slot].page != TlbPage::none) f(tlb, slot);
  });
}

template <class F>
void Memory::for_tlbs(F f) {
  for (const AddressSpace& space : spaces_)
    for (const auto& tlb : space.tlbs)
      if (tlb && !tlb->is_empty) f(*tlb);
}

std::uint16_t Memory::tlb_slot(unsigned exception_level, std::size_t slot) const {
  const auto space = static_cast<std::size_t>(space_ - spaces_.data());
  return static_cast<std::uint16_t>((2 * space + exception_level) * tlb_entries + slot);
}

// ---- direct memory ----

void Memory::map(AddressRange range, std::uint8_t* host, bool is_monitored) {
  map(range, {.host = host, .is_monitored = is_monitored});
}

// Nothing stores through the pointer.
void Memory::map_read_only(AddressRange range, const std::uint8_t* host, bool is_monitored) {
  map(range, {.host = const_cast<std::uint8_t*>(host), .is_monitored = is_monitored, .is_read_only = true});
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
    // A page that is unmapped in part is unmapped as a whole.
    const std::uint64_t below = first & page_mask, above = last | ~page_mask;
    if (grant.first < below) {
      kept.push_back(grant);
      kept.back().last = below - 1;
    }
    if (grant.last > above) {
      kept.push_back(grant);
      kept.back().first = above + 1;
      kept.back().host += above + 1 - grant.first;
    }
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
    if (is_speculating_) return std::nullopt;
    host_.touch(Address(physical));
    grant = grant_at(physical);
  }
  if (!grant) return std::nullopt;
  return Direct{grant->host + (physical - grant->first), &info(physical), grant->is_monitored,
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
    if (speculative_cores_) {
      Ownership* const pages = speculative_cores_->ownership().find_pages(number * chunk_size);
      for (std::size_t at = 0; at < chunk->pages.size(); ++at) chunk->pages[at].ownership = pages + at;
    }
  }
  return *chunk;
}

void Memory::set_code_lines(std::uint64_t physical_page, std::uint64_t lines) {
  PageInfo& page = info(physical_page);
  if (page.code == 0 && lines != 0) {
    for_entries([&](Tlb& tlb, std::size_t slot) {
      if (tlb.pages[slot].info == &page) tlb.entries[slot].write_page = nowhere;
    });
    if (filter_) filter_->refuse_stores(page.dirty, page_size / line);
    if (own_filter_) own_filter_->refuse_stores(page.dirty, page_size / line);
  }
  page.code = lines;
}

// ---- tracking of stores ----

void Memory::list(PageInfo& info, std::uint64_t physical) {
  info.is_listed = true;
  if (!std::exchange(info.is_queued, true)) listed_.push_back({physical & page_mask, &info});
  if (!monitors_ || std::exchange(info.is_writer, true)) return;
  info.has_many_writing_entries = false;
  info.writing_entry = no_entry;
  monitors_->add_writer(*this, info, physical);
}

std::uint64_t Memory::revoke_writer(PageInfo& info) {
  if (speculative_cores_) speculative_cores_->quiesce(core_);
  info.is_writer = false;
  const auto refuse = [&](Tlb& tlb, std::size_t slot) {
    if (tlb.pages[slot].info == &info) tlb.entries[slot].write_page = nowhere;
  };
  if (info.has_many_writing_entries)
    for_entries(refuse);
  else if (info.writing_entry != no_entry)
    refuse(tlb_of(info.writing_entry), info.writing_entry % tlb_entries);
  if (filter_) filter_->refuse_stores(info.dirty, page_size / line);
  if (own_filter_) own_filter_->refuse_stores(info.dirty, page_size / line);
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

std::optional<Memory::Direct> Memory::direct_for_store(std::uint64_t physical) {
  while (const auto memory = direct(physical)) {
    if (memory->is_read_only) break;
    if (!has_to_ask(physical)) return memory;
    ask(physical);
  }
  return std::nullopt;
}

bool Memory::mark_written(PageInfo& info, std::uint64_t physical, unsigned size) {
  const std::uint64_t first = physical % page_size / line, last = (physical + size - 1) % page_size / line;
  for (std::uint64_t at = first; at <= last; ++at) info.dirty[at] = stored_to;
  list(info, physical);
  return info.code << (63 - last) >> (63 - last) >> first != 0;
}

// The pages of the range that may have been stored to, in ascending order. The pages of a small range are
// looked up one by one, so that the cost does not grow with what was stored elsewhere.
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

std::vector<PageLines> Memory::collect_writes(AddressRange range) {
  std::vector<PageLines> written;
  const std::vector<Listed> taken = take_listed(range);
  if (taken.empty()) return written;
  for_entries([](Tlb& tlb, std::size_t slot) {
    const PageInfo* info = tlb.pages[slot].info;
    if (info && !info->is_listed) tlb.entries[slot].write_page = nowhere;
  });
  if (filter_) filter_->refuse_stores();
  for (const Listed& each : taken) {
    const std::uint64_t lines = lines_with(each.info->dirty, is_dirty);
    for (std::uint64_t at = 0; at < page_size / line; ++at) each.info->dirty[at] &= is_marked;
    if (lines != 0) written.push_back({Address(each.page), lines});
  }
  return written;
}

// ---- speculation ----

Claim Memory::claim_page(const PageInfo& info, std::uint64_t physical, bool is_store) {
  return is_speculating_ ? PageOwnership::claim_speculatively(*info.ownership, core_, is_store)
                         : speculative_cores_->ownership().claim(*info.ownership, physical, core_, is_store);
}

bool Memory::claim(PageInfo& info, std::uint64_t physical, std::uint64_t size, Access access,
                   bool is_monitored) {
  const bool is_store = access == Access::store;
  if (is_speculating_ && (is_monitored || (is_store && !may_store_speculatively(info)))) return false;
  if (speculative_cores_) {
    const Claim claimed = claim_page(info, physical, is_store);
    if (claimed == Claim::denied) return false;
    if (claimed == Claim::line_granular) return claim_lines(info, physical, size, is_store);
    info.is_accessed = true;
  }
  if (is_speculating_ && is_store) save_page(info, physical);
  return true;
}

bool Memory::claim_lines(PageInfo& info, std::uint64_t physical, std::uint64_t size, bool is_store) {
  Ownership* const lines = info.ownership->lines;
  for (std::uint64_t at = physical & ~(line - 1); at < physical + size; at += line) {
    Ownership& ownership = lines[at % page_size / line];
    if (!is_speculating_) {
      speculative_cores_->ownership().claim_line(ownership, at, core_, is_store);
    } else {
      if (PageOwnership::claim_speculatively(ownership, core_, is_store) != Claim::granted) return false;
      if (!has_accessed_line(at, is_store))
        is_store ? save_line(info, at) : void(accessed_lines_.emplace_back().number = at / line);
    }
  }
  return true;
}

// Not where a store has side effects: it would list the page, register a writer, or invalidate decoded
// blocks.
bool Memory::may_store_speculatively(const PageInfo& info) const {
  return info.is_listed && (!monitors_ || info.is_writer) && info.code == 0;
}

// Saves a page before the first store to it in a speculation.
void Memory::save_page(PageInfo& info, std::uint64_t physical) {
  if (info.saved_in == speculation_) return;
  info.saved_in = speculation_;
  if (saved_count_ == saved_pages_.size()) saved_pages_.push_back(std::make_unique<SavedPage>());
  SavedPage& saved = *saved_pages_[saved_count_++];
  saved.info = &info;
  saved.physical = physical & page_mask;
  saved.host = direct(saved.physical)->host;
  saved.before = contents(info, saved.host);
}

void Memory::save_line(PageInfo& info, std::uint64_t physical) {
  AccessedLine& saved = accessed_lines_.emplace_back();
  saved.number = physical / line;
  saved.info = &info;
  saved.host = direct(physical)->host;
  std::memcpy(saved.bytes.data(), saved.host, line);
  saved.dirty = info.dirty[physical % page_size / line];
}

bool Memory::has_accessed_lines(std::uint64_t first, std::uint64_t bytes, bool stores_only) const {
  return std::ranges::any_of(accessed_lines_, [&](const AccessedLine& each) {
    return each.number - first / line < bytes / line && (each.info || !stores_only);
  });
}

bool Memory::permit_loads(std::size_t slot, unsigned exception_level) {
  Tlb& tlb = this->tlb(exception_level);
  const TlbPage& page = tlb.pages[slot];
  if (!page.info || page.is_monitored || !page.permissions.load) return true;
  if (speculative_cores_) {
    const Claim claimed = claim_page(*page.info, page.physical, false);
    if (claimed == Claim::denied) return false;
    if (claimed == Claim::line_granular) return true;
    const std::uint16_t slot_number = tlb_slot(exception_level, slot);
    if (claimed == Claim::until_next_speculation) add_slot(non_speculative_slots_, slot_number);
    note_access(*page.info, slot_number);
  }
  tlb.entries[slot].read_page = page.page;
  return true;
}

void Memory::revoke_entry(std::uint16_t slot_number, bool stores_only) {
  const std::size_t slot = slot_number % tlb_entries;
  TlbEntry& entry = tlb_of(slot_number).entries[slot];
  entry.write_page = nowhere;
  if (!stores_only) entry.read_page = nowhere;
}

void Memory::begin_speculation() {
  is_speculating_ = true;
  select_lines();
  ++speculation_;
  saved_count_ = 0;
  accessed_lines_.clear();
  replaced_entries_.clear();
  used_entries_.clear();
  for (const std::uint16_t slot_number : store_slots_) revoke_entry(slot_number, true);
  for (const std::uint16_t slot_number : non_speculative_slots_) revoke_entry(slot_number, false);
  store_slots_.clear();
  non_speculative_slots_.clear();
}

void Memory::roll_back() {
  for (std::size_t i = 0; i < saved_count_; ++i) {
    const SavedPage& saved = *saved_pages_[i];
    std::memcpy(saved.host, saved.before.bytes.data(), page_size);
    std::memcpy(saved.info->dirty, saved.before.dirty.data(), page_size / line);
  }
  saved_count_ = 0;
  for (const AccessedLine& each : accessed_lines_) {
    if (!each.info) continue;
    std::memcpy(each.host, each.bytes.data(), line);
    each.info->dirty[each.number % (page_size / line)] = each.dirty;
  }
  accessed_lines_.clear();
  for (auto each = replaced_entries_.rbegin(); each != replaced_entries_.rend(); ++each) {
    Tlb& tlb = tlb_of(each->slot);
    tlb.entries[each->slot % tlb_entries] = each->entry;
    tlb.pages[each->slot % tlb_entries] = each->page;
    tlb.set_has_aliases(each->slot % tlb_entries, true);
    revoke_entry(each->slot, false);
  }
  replaced_entries_.clear();
  for (const UsedEntry& each : used_entries_) {
    const auto entries = entries_of(*filter_, each);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      entries[i]->hits = each.before[i].hits;
      entries[i]->behind_is_last = each.before[i].behind_is_last;
      if (!each.before[i].may_be_stored) continue;
      std::memcpy(entries[i]->host, each.before[i].bytes.data(), line);
      *entries[i]->dirty = each.before[i].dirty;
    }
  }
  used_entries_.clear();
}

// An entry of the line filter, and the one behind it.
std::array<LineFilter::Entry*, 2> Memory::entries_of(LineFilter& filter, const UsedEntry& used) const {
  LineFilter::Entry& entry = filter.entries(used.level)[used.address / line & filter.mask()];
  return {&entry, &LineFilter::behind_of(entry, filter.mask())};
}

void Memory::end_speculation() {
  for (const UsedEntry& each : used_entries_) {
    const auto own = entries_of(*own_filter_, each), real = entries_of(*filter_, each);
    for (std::size_t i = 0; i < own.size(); ++i) {
      real[i]->hits = own[i]->hits;
      real[i]->behind_is_last = own[i]->behind_is_last;
      own_filter_->forget(each.address, *own[i]);
    }
  }
  is_speculating_ = false;
  select_lines();
}

// Copies the entry of a line. nullptr: the line is not in the filter.
std::uint8_t* Memory::use_line(std::uint64_t address, bool is_store) {
  UsedEntry used{level_, address / line % (filter_->mask() + 1) * line, {}, {}};
  const auto own = entries_of(*own_filter_, used), real = entries_of(*filter_, used);
  const auto is_in = [&](const LineFilter::Entry* entry) {
    return (is_store ? entry->store_line : entry->load_line) == (address & ~(line - 1));
  };
  const std::size_t at = is_in(real[0]) ? 0 : 1;
  const bool is_copied = std::ranges::any_of(used_entries_, [&](const UsedEntry& each) {
    return each.level == used.level && each.address == used.address;
  });
  if (!is_in(real[at]) || is_copied) return nullptr;
  for (std::size_t i = 0; i < own.size(); ++i) {
    *own[i] = *real[i];
    used.before[i] = contents_of(*real[i], filter_->permits(*real[i], address, true));
  }
  used_entries_.push_back(used);
  hit(*own[0], *own[at]);
  if (is_store) *own[at]->dirty = stored_to;
  return own[at]->host + address % line;
}

std::vector<Memory::UsedEntry> Memory::used_entries() const {
  std::vector<UsedEntry> all = used_entries_;
  for (UsedEntry& each : all) {
    const auto real = entries_of(*filter_, each);
    for (std::size_t i = 0; i < real.size(); ++i)
      each.now[i] = contents_of(*real[i], each.before[i].may_be_stored);
  }
  return all;
}

Memory::PageContents Memory::contents(const PageInfo& info, const std::uint8_t* host) {
  PageContents now;
  std::memcpy(now.bytes.data(), host, page_size);
  std::memcpy(now.dirty.data(), info.dirty, page_size / line);
  return now;
}

std::vector<Memory::StoredPage> Memory::stored_pages() const {
  std::vector<StoredPage> pages;
  for (std::size_t i = 0; i < saved_count_; ++i) {
    const SavedPage& saved = *saved_pages_[i];
    pages.push_back({saved.physical, saved.before, contents(*saved.info, saved.host)});
  }
  return pages;
}

PageInfo* Memory::existing_info(std::uint64_t physical) {
  const auto found = chunks_.find(physical / chunk_size);
  return found != chunks_.end() ? &found->second->pages[physical % chunk_size / page_size] : nullptr;
}

bool Memory::has_accessed(std::uint64_t physical) {
  const PageInfo* info = existing_info(physical);
  return (info && (info->is_accessed || info->accessed_by != 0)) ||
         has_accessed_lines(physical & page_mask, page_size, false);
}

bool Memory::has_stored_speculatively(std::uint64_t physical) {
  const PageInfo* info = existing_info(physical);
  return (info && info->saved_in == speculation_ && saved_count_ != 0) ||
         has_accessed_lines(physical & page_mask, page_size, true);
}

void Memory::revoke(std::uint64_t physical, bool stores_only) {
  PageInfo* const info = existing_info(physical);
  if (!info) return;
  if (info->is_accessed) {
    for_entries([&](Tlb& tlb, std::size_t slot) {
      if (tlb.pages[slot].info != info) return;
      tlb.entries[slot].write_page = nowhere;
      if (!stores_only) tlb.entries[slot].read_page = nowhere;
    });
  } else if (info->accessed_by != 0) {
    const auto slot_number = static_cast<std::uint16_t>(info->accessed_by - 1);
    if (tlb_of(slot_number).pages[slot_number % tlb_entries].info == info)
      revoke_entry(slot_number, stores_only);
  }
  if (!stores_only) info->is_accessed = false, info->accessed_by = 0;
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

// Addresses that differ in their tag are in the same page.
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

// ---- data caches ----

void Memory::select_lines() {
  // Nothing is installed there, so that all cores share it, and threads too.
  static LineFilter none(0);
  LineFilter& filter = !filter_ || checks_filter_ ? none
                       : !is_speculating_         ? *filter_
                       : own_filter_              ? *own_filter_
                                                  : none;
  lines_ = filter.entries(level_);
  line_mask_ = filter.mask();
  line_offset_mask_ = line_mask_ * line;
}

void Memory::use_caches(LineFilter& filter, bool checks, TlbShape tlb) {
  timed_tlb_ = TimedTlb(tlb);
  filter_ = &filter;
  checks_filter_ = checks;
  if (options_.translation.is_checked) own_filter_ = std::make_unique<LineFilter>(filter.mask() + 1);
  select_lines();
}

bool Memory::may_filter_stores(const TlbPage& page, const PageInfo& info) const {
  return page.permissions.store && info.is_listed && info.code == 0 && (!monitors_ || info.is_writer) &&
         !page.is_read_only && !page.is_ruled_read_only;
}

std::uint8_t* Memory::access_line(std::uint64_t address, bool is_store) {
  if (is_speculating_) return use_line(address, is_store);
  const std::size_t slot = slot_of(address);
  const TlbPage& page = pages_[slot];
  if (page.page != (address & page_mask) || !page.is_monitored || !page.info) return nullptr;
  const bool may_store = may_filter_stores(page, *page.info);
  if (is_store ? !may_store : !page.permissions.load) return nullptr;
  const TlbEntry& entry = entries_[slot];
  const Address physical(page.physical + address % page_size / line * line);
  const CacheAccess what = is_store ? CacheAccess::store : CacheAccess::load;
  if (checks_filter_ && filter_->find(level_, address, what)) {
    if (!timed_tlb_.holds(TimedTlb::of(address, page.span, asid())))
      throw std::logic_error("the line filter has hidden a miss of the TLB");
    host_.check_filtered(physical, what);
    if (is_store) *entry.dirty(address / line) = stored_to;
    return entry.host(address);
  }
  accessed_ = address;
  auto [permission, has_traffic] = host_.access_caches(physical, what, walks(address, page));
  has_traffic_ |= has_traffic;
  if (permission.loads) {
    permission.loads = page.permissions.load;
    permission.stores &= may_store;
    filter_->install(level_, address, permission, entry.host(address / line * line),
                     entry.dirty(address / line));
  }
  if (is_store) *entry.dirty(address / line) = stored_to;
  return entry.host(address);
}

void Memory::access_caches(std::uint64_t address, std::uint64_t physical, unsigned size, bool is_store) {
  accessed_ = physical;
  const TlbPage& page = pages_[slot_of(address)];
  bool walks_first = page.page == (address & page_mask) && walks(address, page);
  for (std::uint64_t first = physical & ~(line - 1); first < physical + size; first += line)
    has_traffic_ |= host_
                        .access_caches(Address(first), is_store ? CacheAccess::store : CacheAccess::load,
                                       std::exchange(walks_first, false))
                        .has_traffic;
}

std::uint16_t Memory::asid() const {
  const bool is_of_ttbr1 = (state_.system.tcr >> 22 & 1) != 0;  // TCR_EL1.A1
  return static_cast<std::uint16_t>((is_of_ttbr1 ? state_.system.ttbr1 : state_.system.ttbr0) >> 48);
}

// Whether the modelled TLB has to walk the tables for an address. Lines of a translation that leaves it leave
// the line filter.
bool Memory::walks(std::uint64_t address, const TlbPage& page) {
  if (!timed_tlb_.is_modelled()) return false;
  const TimedTlb::Translation translation = TimedTlb::of(address, page.span, asid());
  if (timed_tlb_.holds(translation)) return false;
  if (const auto left = timed_tlb_.insert(translation)) filter_->drop_block(left->number, left->span);
  return true;
}

void Memory::flush_timed_tlb() {
  timed_tlb_.clear();
  if (filter_) filter_->clear();
}

LinePermission Memory::fetch_line(std::uint64_t physical) {
  const auto [permission, has_traffic] = host_.access_caches(Address(physical), CacheAccess::fetch, false);
  has_traffic_ |= has_traffic;
  return permission;
}

void Memory::report_monitored() {
  if (std::exchange(has_traffic_, false)) host_.carry_cache_traffic();
  if (monitored_.empty()) return;
  const auto accesses = std::exchange(monitored_, {});
  host_.on_monitored_accesses(accesses);
}

// ---- rules for the program ----

const AddressRange* Memory::violated_by_store(std::uint64_t physical, std::uint64_t size) const {
  const AddressRange bytes{Address(physical), Bytes(size)};
  for (const AddressRange& range : options_.rules.read_only)
    if (range.overlaps(bytes)) return reported_stores_.contains(physical / page_size) ? nullptr : &range;
  return nullptr;
}

const AddressRange* Memory::violated_by_execution(std::uint64_t physical) const {
  for (const AddressRange& range : options_.rules.not_executable)
    if (range.contains(Address(physical)))
      return reported_executions_.contains(physical / page_size) ? nullptr : &range;
  return nullptr;
}

void Memory::store_reported(std::uint64_t physical) {
  reported_stores_.insert(physical / page_size);
  flush();
}

void Memory::forget_reports() {
  reported_stores_.clear();
  reported_executions_.clear();
  flush();
}

bool Memory::asks_for_alignment(const Walk& found) const {
  return (state_.system.sctlr & sctlr::a) != 0 ||
         (is_device(found) && options_.rules.alignment != GuestRules::Alignment::ignored);
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
    Translation translation{physical,       page.level,     page.is_direct,
                            page.is_cached, page.is_device, page.is_ruled_read_only};
    if (access == Access::store && page.is_read_only) {
      translation.is_direct = false;
      return {translation, {}};
    }
    if (access == Access::store && page.is_direct && has_to_ask(physical)) {
      if (is_speculating_) return {{}, ends_speculation(address)};
      ask(physical);  // may have changed any mapping
      continue;
    }
    const bool is_permitted = access == Access::store  ? permit_stores(slot, exception_level)
                              : access == Access::load ? permit_loads(slot, exception_level)
                                                       : true;
    if (!is_permitted) return {{}, ends_speculation(address)};
    return {translation, {}};
  }
}

std::optional<Fault> Memory::fill(std::uint64_t address, unsigned exception_level) {
  // While a walk waits for the bus, another core may invalidate translations.
  std::uint64_t flushes;
  Walk found;
  do {
    flushes = flushes_;
    found = walk(state_.system, address, *this);
  } while (flushes != flushes_);
  if (found.fault) return Fault{address, *found.fault};
  const auto memory = direct(found.physical & page_mask);  // may flush
  if (is_speculating_ && !memory) return ends_speculation(address);
  const bool is_tagged = static_cast<std::int64_t>(address << 8) >> 8 != static_cast<std::int64_t>(address);
  Tlb& tlb = this->tlb(exception_level);
  tlb.is_empty = false;
  const std::size_t slot = slot_of(address);
  tlb.set_has_aliases(slot, found.span > 12 || is_tagged);
  TlbPage& page = tlb.pages[slot];
  if (is_speculating_)
    replaced_entries_.push_back({tlb_slot(exception_level, slot), tlb.entries[slot], page});
  page = {.page = address & page_mask,
          .physical = found.physical & page_mask,
          .permissions = found.permissions[exception_level],
          .level = found.level,
          .span = found.span,
          .asks_for_alignment = asks_for_alignment(found),
          .is_direct = memory.has_value(),
          .is_read_only = memory && memory->is_read_only,
          .is_cached = is_cacheable(state_.system, found),
          .is_device = is_device(found),
          .is_ruled_read_only = violated_by_store(found.physical & page_mask, page_size) != nullptr};
  TlbEntry& entry = tlb.entries[slot];
  entry = {nowhere, nowhere};
  if (!memory || is_watched_page(address)) return std::nullopt;
  page.is_monitored = memory->is_monitored;
  if (page.is_monitored && (!has_caches() || (options_.has_data_caches() && !page.is_cached)))
    return std::nullopt;
  page.info = memory->info;
  entry.to_host = std::bit_cast<std::uint64_t>(memory->host) - page.page;
  entry.to_dirty = std::bit_cast<std::uint64_t>(page.info->dirty) - page.page / line;
  if (!speculative_cores_ && !page.is_monitored && page.permissions.load) entry.read_page = page.page;
  return std::nullopt;
}

// Lists the page, so that the fast path permits stores to it.
bool Memory::permit_stores(std::size_t slot, unsigned exception_level) {
  Tlb& tlb = this->tlb(exception_level);
  const TlbPage& page = tlb.pages[slot];
  if (!page.info || page.is_monitored || page.info->code != 0 || page.is_ruled_read_only) return true;
  PageInfo& info = *page.info;
  const std::uint16_t slot_number = tlb_slot(exception_level, slot);
  if (is_speculating_ && !may_store_speculatively(info)) return false;
  if (speculative_cores_) {
    const Claim claimed = claim_page(info, page.physical, true);
    if (claimed == Claim::denied) return false;
    if (claimed == Claim::line_granular) return true;
    note_access(info, slot_number);
    add_slot(claimed == Claim::granted ? store_slots_ : non_speculative_slots_, slot_number);
  } else if (options_.translation.is_checked) {
    add_slot(store_slots_, slot_number);
  }
  if (is_speculating_) save_page(info, page.physical);
  list(info, page.physical);
  tlb.entries[slot].write_page = page.page;
  info.has_many_writing_entries |= info.writing_entry != no_entry && info.writing_entry != slot_number;
  info.writing_entry = slot_number;
  return true;
}

std::optional<std::uint64_t> Memory::descriptor(std::uint64_t physical) {
  std::uint64_t value = 0;
  if (const auto memory = direct(physical)) {
    if (!claim(*memory->info, physical, sizeof value, Access::load)) return std::nullopt;
    std::memcpy(&value, memory->host, sizeof value);
    return value;
  }
  if (is_speculating_) return std::nullopt;
  return host_.load_descriptor(Address(physical), value) ? std::optional(value) : std::nullopt;
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
  has_aliases = {};
  entries.fill({nowhere, nowhere});
  pages.fill({});
}

void Memory::flush() {
  ++flushes_;
  for_tlbs([](Tlb& tlb) { tlb.flush(); });
  if (filter_) filter_->clear();
  space_->ttbr0 = state_.system.ttbr0, space_->ttbr1 = state_.system.ttbr1;
}

// The line filter knows the lines of one address space only.
Memory::Selected Memory::select_address_space() {
  const std::uint64_t ttbr0 = state_.system.ttbr0, ttbr1 = state_.system.ttbr1;
  space_->selected = ++selections_;
  const auto known = std::ranges::find_if(
      spaces_, [&](const AddressSpace& each) { return each.ttbr0 == ttbr0 && each.ttbr1 == ttbr1; });
  const bool is_kept = known != spaces_.end();
  space_ = is_kept ? &*known : &*std::ranges::min_element(spaces_, {}, &AddressSpace::selected);
  if (!is_kept) {
    space_->ttbr0 = ttbr0, space_->ttbr1 = ttbr1;
    for (const auto& tlb : space_->tlbs)
      if (tlb) tlb->flush();
  }
  if (filter_) filter_->clear();
  use_level(level_);
  return {static_cast<unsigned>(space_ - spaces_.data()), is_kept};
}

void Memory::flush_page(std::uint64_t address) {
  ++flushes_;
  if (filter_) filter_->clear();
  const auto drop = [&](Tlb& tlb, std::size_t slot) {
    TlbPage& page = tlb.pages[slot];
    const std::uint64_t differs = (page.page ^ address) & ~std::uint64_t{0} >> 8;
    const bool is_elsewhere = page.span < 64 && differs >> page.span != 0;
    if (page.page == TlbPage::none || is_elsewhere) return;
    page = {};
    tlb.entries[slot] = {nowhere, nowhere};
  };
  for_tlbs([&](Tlb& tlb) {
    drop(tlb, slot_of(address));
    for (std::size_t at = 0; at < tlb.has_aliases.size(); ++at)
      for (std::uint64_t slots = tlb.has_aliases[at]; slots != 0; slots &= slots - 1)
        drop(tlb, at * 64 + static_cast<unsigned>(std::countr_zero(slots)));
  });
}

void Memory::note_execution(std::uint64_t address) {
  const std::uint8_t span = pages_[slot_of(address)].span;
  if (span == 12) {
    executed_pages_.set(address / page_size % executed_pages_.size());
    return;
  }
  const MappedBlock block{number_of_block(address, span), span};
  if (std::ranges::find(executed_blocks_, block) == executed_blocks_.end()) executed_blocks_.push_back(block);
}

bool Memory::may_execute(std::uint64_t address) const {
  return executed_pages_.test(address / page_size % executed_pages_.size()) ||
         std::ranges::any_of(executed_blocks_, [&](const MappedBlock& block) {
           return block.number == number_of_block(address, block.span);
         });
}

void Memory::forget_execution() {
  executed_pages_.reset();
  executed_blocks_.clear();
}

}  // namespace asterism::a64
