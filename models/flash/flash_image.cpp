#include "flash/flash_image.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

namespace asterism {
namespace {

constexpr std::size_t chunk = 4096;  // alignment and growth of the parts of the file
constexpr std::uint32_t version = 2;

struct Header {
  char magic[16];
  std::uint32_t version, channels, packages, dies, planes, blocks, pages_per_block, page_bytes;
  std::uint32_t checksum;
};

std::uint32_t crc(std::uint32_t start, const void* data, std::size_t size) {
  return static_cast<std::uint32_t>(crc32_z(start, static_cast<const Bytef*>(data), size));
}

Header header_of(const FlashGeometry& g) {
  Header header{"asterism-flash\n",
                version,
                g.channels,
                g.packages,
                g.dies,
                g.planes,
                g.blocks,
                g.pages_per_block,
                static_cast<std::uint32_t>(g.page.count()),
                0};
  header.checksum = crc(0, &header, offsetof(Header, checksum));
  return header;
}

std::string words_of(const Header& h) {
  return fmt::format("{} channels x {} packages x {} dies x {} planes x {} blocks x {} pages of {} bytes",
                     h.channels, h.packages, h.dies, h.planes, h.blocks, h.pages_per_block, h.page_bytes);
}

constexpr std::size_t align(std::size_t n) { return (n + chunk - 1) / chunk * chunk; }

// The states as stored in a record. No two share a byte, so that a changed byte does not turn one into
// another.
constexpr std::uint32_t erased_word = 0, programmed_word = 0x50524F47, torn_word = 0x544F524E;

// A count and its check in one word, because a kill between two stores would leave them inconsistent. 0 is a
// valid 0.
constexpr std::uint64_t guarded(std::uint32_t value) {
  return (std::uint64_t{value} * 0x9E37'79B1u) << 32 | value;
}
constexpr std::uint32_t guarded_bits(std::uint32_t bits) { return ((bits * 0x9E37u) & 0xFFFF) << 16 | bits; }

constexpr std::uint32_t max_bits = 0xFFFF;

// Prevents the compiler from reordering stores across it: what was stored before a kill is in the file.
void in_this_order() { std::atomic_signal_fence(std::memory_order_seq_cst); }

}  // namespace

struct FlashImage::PageRecord {
  std::uint64_t logical, sequence;
  std::uint32_t kind, checksum, state, bit_errors;
};

struct FlashImage::Layout {
  explicit Layout(const FlashGeometry& g)
      : records_at(blocks_at + align(g.all_blocks() * sizeof(std::uint64_t))),
        pages_at(records_at + align(g.all_pages() * sizeof(PageRecord))),
        end(pages_at + g.all_pages() * g.page.count()) {}
  std::size_t blocks_at = chunk, records_at, pages_at, end;
};

FlashImage::FlashImage(const FlashGeometry& geometry, Contents contents)
    : geometry_(geometry), name_("flash in memory"), next_page_(geometry.all_blocks()) {
  Layout layout(geometry);
  if (contents == Contents::none) layout.end = layout.pages_at;
  map_memory(layout);
}

FlashImage::FlashImage(const FlashGeometry& geometry, const std::string& file)
    : geometry_(geometry), name_(file), next_page_(geometry.all_blocks()) {
  file_ = open(name_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) fail(fmt::format("cannot be opened for writing: {}", std::strerror(errno)));
  try {
    if (flock(file_, LOCK_EX | LOCK_NB) != 0) fail("flash image is in use by another run");
    const Layout layout(geometry);
    map_file(layout);
    check_blocks();
    take_over_pages(layout);
    mend_torn_erases();
  } catch (...) {
    if (base_) munmap(base_, mapped_);
    close(file_);
    throw;
  }
}

FlashImage::~FlashImage() {
  if (base_) munmap(base_, mapped_);
  if (file_ >= 0) close(file_);
}

void FlashImage::fail(const std::string& problem) const {
  throw FlashImageError(fmt::format("{}: {}", name_, problem));
}

// ---- opening ----

void FlashImage::map_memory(const Layout& layout) {
  const int flags = MAP_NORESERVE | (file_ < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED);
  void* base = mmap(nullptr, layout.end, PROT_READ | PROT_WRITE, flags, file_, 0);
  if (base == MAP_FAILED) fail(fmt::format("cannot be mapped: {}", std::strerror(errno)));
  base_ = static_cast<std::byte*>(base);
  mapped_ = layout.end;
  blocks_ = reinterpret_cast<std::uint64_t*>(base_ + layout.blocks_at);
  records_ = reinterpret_cast<PageRecord*>(base_ + layout.records_at);
  if (layout.end > layout.pages_at) pages_ = base_ + layout.pages_at;
  if (file_ < 0 && mapped_ >= (64_MiB).count()) madvise(base_, mapped_, MADV_HUGEPAGE);
}

void FlashImage::map_file(const Layout& layout) {
  struct stat info {};
  if (fstat(file_, &info) != 0 || !S_ISREG(info.st_mode)) fail("flash image is not a regular file");
  if (info.st_size == 0) {
    if (ftruncate(file_, static_cast<off_t>(layout.end)) != 0)
      fail(fmt::format("cannot be made {} bytes large: {}", layout.end, std::strerror(errno)));
    info.st_size = static_cast<off_t>(layout.end);
  }
  check_header(static_cast<std::uint64_t>(info.st_size), layout);
  map_memory(layout);
  reserved_.resize((mapped_ + chunk - 1) / chunk);
  reserve(base_, layout.records_at);
}

void FlashImage::check_header(std::uint64_t file_size, const Layout& layout) {
  const Header expected = header_of(geometry_);
  Header found{};
  const ssize_t got = pread(file_, &found, sizeof found, 0);
  const Header zeros{};
  // When the file is created, its length is set first and its header second; an earlier run may have been
  // killed in between.
  if (file_size == layout.end && std::memcmp(&found, &zeros, sizeof found) == 0) {
    if (pwrite(file_, &expected, sizeof expected, 0) != static_cast<ssize_t>(sizeof expected))
      fail(fmt::format("cannot be written: {}", std::strerror(errno)));
    return;
  }
  if (got != static_cast<ssize_t>(sizeof found) ||
      std::memcmp(found.magic, expected.magic, sizeof found.magic) != 0 || found.version != expected.version)
    fail(fmt::format("is not a flash image of this program (version {})", version));
  if (found.checksum != crc(0, &found, offsetof(Header, checksum)))
    fail("the header of the flash image is not what was written");
  if (std::memcmp(&found, &expected, sizeof found) != 0)
    fail(fmt::format("flash image has {}, but the node has {}", words_of(found), words_of(expected)));
  if (file_size != layout.end)
    fail(fmt::format("flash image is {}: {} bytes, expected {}",
                     file_size < layout.end ? "truncated" : "too long", file_size, layout.end));
}

void FlashImage::check_blocks() const {
  for (std::uint64_t i = 0; i < geometry_.all_blocks(); ++i)
    if (blocks_[i] != guarded(static_cast<std::uint32_t>(blocks_[i])))
      fail(fmt::format("the record of plane {}, block {} is not what was written", i / geometry_.blocks,
                       i % geometry_.blocks));
}

// Reads only records for which the file has space; the others are those of erased pages.
void FlashImage::take_over_pages(const Layout& layout) {
  const auto end = static_cast<off_t>(layout.records_at + geometry_.all_pages() * sizeof(PageRecord));
  for (auto at = static_cast<off_t>(layout.records_at); at < end;) {
    const off_t first = lseek(file_, at, SEEK_DATA);
    if (first < 0 || first >= end) return;
    const off_t hole = lseek(file_, first, SEEK_HOLE);
    const off_t last = hole < 0 ? end : std::min(hole, end);
    for (off_t record = first; record < last; record += sizeof(PageRecord))
      take_over((static_cast<std::size_t>(record) - layout.records_at) / sizeof(PageRecord));
    at = last;
  }
}

void FlashImage::take_over(std::uint64_t page) {
  const PageRecord& record = records_[page];
  if (record.state == erased_word) return;
  const std::uint64_t block = page / geometry_.pages_per_block;
  next_page_[block] = static_cast<std::uint32_t>(page % geometry_.pages_per_block + 1);
  if (record.state == torn_word) return;
  if (record.state == programmed_word && record.checksum == checksum(page) &&
      record.bit_errors == guarded_bits(record.bit_errors & max_bits))
    return;
  fail(fmt::format("plane {}, block {}, page {} is not what was written", block / geometry_.blocks,
                   block % geometry_.blocks, page % geometry_.pages_per_block));
}

// A kill during an erase leaves erased pages before pages that are not.
void FlashImage::mend_torn_erases() {
  for (std::uint64_t block = 0; block < geometry_.all_blocks(); ++block) {
    const std::span<PageRecord> pages(records_ + block * geometry_.pages_per_block, next_page_[block]);
    if (std::ranges::find(pages, erased_word, &PageRecord::state) == pages.end()) continue;
    for (PageRecord& page : pages) page.state = torn_word;
  }
}

// A mapped file without disk space ends the process by a signal; reserving space first makes it an error.
void FlashImage::reserve(const void* first, std::size_t size) {
  const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(first) - base_);
  const std::size_t from = offset / chunk, to = (offset + size + chunk - 1) / chunk;
  bool there = true;
  for (std::size_t i = from; i < to; ++i) there = there && reserved_[i];
  if (there) return;
  const std::size_t length = std::min(to * chunk, mapped_) - from * chunk;
  const int error = posix_fallocate(file_, static_cast<off_t>(from * chunk), static_cast<off_t>(length));
  if (error != 0) fail(fmt::format("cannot grow: {}", std::strerror(error)));
  for (std::size_t i = from; i < to; ++i) reserved_[i] = true;
}

// ---- queries ----

std::byte* FlashImage::page_bytes(std::uint64_t page) const { return pages_ + page * geometry_.page.count(); }

std::uint32_t FlashImage::checksum(std::uint64_t page) const {
  const std::uint32_t contents = crc(0, page_bytes(page), geometry_.page.count());
  return crc(contents, &records_[page], offsetof(PageRecord, checksum));
}

FlashImage::PageState FlashImage::state(FlashAddress at) const {
  const std::uint32_t word = records_[index(at)].state;
  if (word == erased_word) return PageState::erased;
  return word == programmed_word ? PageState::programmed : PageState::torn;
}
std::span<const std::byte> FlashImage::page(FlashAddress at) const {
  if (!keeps_contents()) return {};
  return {page_bytes(index(at)), geometry_.page.count()};
}
PageSpare FlashImage::spare(FlashAddress at) const {
  const PageRecord& record = records_[index(at)];
  return {record.logical, record.sequence, record.kind};
}
std::uint32_t FlashImage::bit_errors(FlashAddress at) const {
  const PageRecord& record = records_[index(at)];
  return record.state == programmed_word ? record.bit_errors & max_bits : 0;
}
std::uint32_t FlashImage::erase_count(FlashBlock block) const {
  return static_cast<std::uint32_t>(blocks_[index(block)]) & ~bad_mark;
}

Bytes FlashImage::written() const {
  std::uint64_t pages = 0;
  for (std::uint64_t block = 0; block < next_page_.size(); ++block) {
    const auto erases = static_cast<std::uint32_t>(blocks_[block]) & ~bad_mark;
    pages += std::uint64_t{erases} * geometry_.pages_per_block + next_page_[block];
  }
  return geometry_.page * pages;
}

// ---- changes ----
//
// The simulator may be killed between any two stores. The image must then be as after a power failure.

void FlashImage::set_block(FlashBlock block, std::uint32_t erases, bool bad) {
  blocks_[index(block)] = guarded(std::min(erases, ~bad_mark) | (bad ? bad_mark : 0));
}
void FlashImage::mark_bad(FlashBlock block) { set_block(block, erase_count(block), true); }

void FlashImage::break_block(FlashBlock block) {
  broken_.resize(geometry_.all_blocks());
  broken_[index(block)] = true;
}

FlashImage::PageRecord& FlashImage::begin_program(FlashAddress at, std::uint64_t page,
                                                  const PageSpare& spare) {
  PageRecord& record = records_[page];
  if (file_ >= 0) {
    reserve(&record, sizeof record);
    reserve(page_bytes(page), geometry_.page.count());
  }
  next_page_[index(at.whole_block())] = at.page + 1;
  record.state = torn_word;
  in_this_order();
  record.logical = spare.logical;
  record.sequence = spare.sequence;
  record.kind = spare.kind;
  return record;
}

void FlashImage::program(FlashAddress at, std::span<const std::byte> data, const PageSpare& spare) {
  const std::uint64_t page = index(at);
  PageRecord& record = begin_program(at, page, spare);
  record.bit_errors = 0;
  if (keeps_contents()) std::ranges::copy(data, page_bytes(page));
  if (file_ >= 0) record.checksum = checksum(page);
  in_this_order();
  record.state = programmed_word;
}

void FlashImage::tear_program(FlashAddress at, std::span<const std::byte> data, const PageSpare& spare) {
  const std::uint64_t page = index(at);
  begin_program(at, page, spare);
  if (keeps_contents()) std::ranges::copy(data.first(data.size() / 2), page_bytes(page));
}

void FlashImage::erase(FlashBlock block) {
  PageRecord* first = &records_[index({block.plane, block.block, 0})];
  set_block(block, erase_count(block) + 1, is_bad(block));
  in_this_order();
  for (std::uint32_t page = 0; page < next_page(block); ++page) first[page].state = erased_word;
  next_page_[index(block)] = 0;
}

void FlashImage::tear_erase(FlashBlock block) {
  PageRecord* first = &records_[index({block.plane, block.block, 0})];
  for (std::uint32_t page = 0; page < next_page(block); ++page) first[page].state = torn_word;
}

void FlashImage::add_bit_errors(FlashAddress at, std::uint32_t bits) {
  PageRecord& record = records_[index(at)];
  if (record.state != programmed_word) return;
  record.bit_errors = guarded_bits(std::min(max_bits, bit_errors(at) + std::min(bits, max_bits)));
}

}  // namespace asterism
