#include "dimm_ssd/checkpoint_store.h"

#include <algorithm>

namespace asterism {
namespace {

// Tags tell what an operation was for: the kind above, two operands below.
enum class Purpose : std::uint64_t { data, table, log_read, erase };

constexpr NandArray::Tag tag(Purpose purpose, std::uint32_t a = 0, std::uint32_t b = 0) {
  return static_cast<std::uint64_t>(purpose) << 60 | std::uint64_t{a} << 32 | b;
}
constexpr Purpose purpose_of(NandArray::Tag t) { return static_cast<Purpose>(t >> 60); }
constexpr std::uint32_t first_of(NandArray::Tag t) {
  return static_cast<std::uint32_t>(t >> 32) & 0x0FFF'FFFFu;
}
constexpr std::uint32_t second_of(NandArray::Tag t) { return static_cast<std::uint32_t>(t); }

}  // namespace

CheckpointStore::CheckpointStore(const FlashPart& part, FlashImage& image, unsigned versions_kept, Sink& sink)
    : nand_(part, image), sink_(sink), versions_kept_(versions_kept) {}

// Recovery reads each log block backwards from its end to its newest valid table.
void CheckpointStore::power_up(Picoseconds now) {
  table_ = {};
  logs_to_read_ = log_blocks;
  for (std::uint32_t package = 0; package < log_blocks; ++package)
    read_log(now, package, nand_.image().next_page({package, 0}));
}

void CheckpointStore::read_log(Picoseconds now, std::uint32_t package, std::uint32_t end) {
  if (end > 0) return nand_.read(now, {package, 0, end - 1}, tag(Purpose::log_read, package, end - 1));
  if (--logs_to_read_ == 0) finish_recovery(now);
}

void CheckpointStore::log_page_read(Picoseconds at, std::uint32_t package, std::uint32_t page,
                                    std::span<const std::byte> data) {
  auto found = CheckpointTable::from_page(data);
  if (!found || !fits(*found)) return read_log(at, package, page);
  if (found->sequence > table_.sequence) {
    table_ = std::move(*found);
    log_.package = package;
  }
  if (--logs_to_read_ == 0) finish_recovery(at);
}

// Whether the table speaks of rows and sizes that this flash has; an image may come from anywhere.
bool CheckpointStore::fits(const CheckpointTable& table) const {
  const FlashGeometry& g = nand_.geometry();
  const Bytes row_size = std::uint64_t{g.packages} * g.pages_per_block * g.page;
  return std::ranges::all_of(table.entries, [&](const CheckpointEntry& entry) {
    return std::ranges::all_of(entry.rows, [&](std::uint32_t row) { return row > 0 && row < g.blocks; }) &&
           entry.memory_pages * 4_KiB <= entry.rows.size() * row_size;
  });
}

void CheckpointStore::finish_recovery(Picoseconds now) {
  log_.page = nand_.image().next_page({log_.package, 0});
  ready_ = true;
  erase_unused(now);
  sink_.recovered(now);
}

CheckpointStore::Space CheckpointStore::begin(std::uint32_t flash_pages) {
  const FlashGeometry& g = nand_.geometry();
  const std::uint64_t pages_per_row = std::uint64_t{g.packages} * g.pages_per_block;
  const std::uint64_t wanted = (flash_pages + pages_per_row - 1) / pages_per_row;
  std::vector<std::uint32_t> free;
  std::uint64_t obtainable = 0;
  for (std::uint32_t row = 1; row < g.blocks; ++row) {
    if (table_.uses_row(row)) continue;
    ++obtainable;
    if (blank(row)) free.push_back(row);
  }
  if (obtainable < wanted) return Space::none;
  if (free.size() < wanted) return Space::wait;
  std::ranges::stable_sort(free, {}, [this](std::uint32_t row) { return wear(row); });
  free.resize(wanted);
  rows_in_use_ = std::move(free);
  return Space::granted;
}

bool CheckpointStore::blank(std::uint32_t row) const {
  for (std::uint32_t package = 0; package < nand_.geometry().packages; ++package)
    if (nand_.image().next_page({package, row}) != 0 || erasing_.contains({row, package})) return false;
  return true;
}

std::uint64_t CheckpointStore::wear(std::uint32_t row) const {
  std::uint64_t sum = 0;
  for (std::uint32_t package = 0; package < nand_.geometry().packages; ++package)
    sum += nand_.image().erase_count({package, row});
  return sum;
}

FlashAddress CheckpointStore::place(const std::vector<std::uint32_t>& rows, std::uint32_t index) const {
  const FlashGeometry& g = nand_.geometry();
  const std::uint32_t pages_per_row = g.packages * g.pages_per_block;
  return {index % g.packages, rows.at(index / pages_per_row), index % pages_per_row / g.packages};
}

void CheckpointStore::write(Picoseconds now, std::uint32_t index, std::vector<std::byte> page) {
  nand_.program(now, place(rows_in_use_, index), std::move(page), {}, tag(Purpose::data));
}

void CheckpointStore::read(Picoseconds now, const CheckpointEntry& entry, std::uint32_t index) {
  nand_.read(now, place(entry.rows, index), tag(Purpose::data, 0, index));
}

bool CheckpointStore::commit(Picoseconds now, CheckpointEntry entry) {
  entry.rows = rows_in_use_;
  CheckpointTable next = table_;
  next.put(std::move(entry), versions_kept_);
  return write_table(now, std::move(next));
}

bool CheckpointStore::discard(Picoseconds now, const std::string& name, std::uint64_t version) {
  CheckpointTable next = table_;
  next.remove(name, version);
  return write_table(now, std::move(next));
}

void CheckpointStore::abandon(Picoseconds now) {
  rows_in_use_.clear();
  erase_unused(now);
}

// A full log block goes on in the other one, which is blank by then: it was erased when this one took its
// first table.
bool CheckpointStore::write_table(Picoseconds now, CheckpointTable next) {
  ++next.sequence;
  auto page = next.to_page(page_size().count());
  if (!page) return false;
  if (log_.page == nand_.geometry().pages_per_block) log_ = {1 - log_.package, 0};
  nand_.program(now, {log_.package, 0, log_.page}, std::move(*page), {}, tag(Purpose::table));
  ++log_.page;
  table_being_written_ = std::move(next);
  return true;
}

void CheckpointStore::transferred(Picoseconds at, NandArray::Tag t) {
  if (purpose_of(t) == Purpose::data) sink_.page_left_buffer(at);
}

void CheckpointStore::programmed(Picoseconds at, NandArray::Tag t, NandArray::Outcome) {
  if (purpose_of(t) == Purpose::data) return sink_.page_written(at);
  table_ = *std::exchange(table_being_written_, std::nullopt);
  rows_in_use_.clear();
  erase_unused(at);
  sink_.committed(at);
}

void CheckpointStore::read_done(Picoseconds at, NandArray::Tag t, const NandArray::Read& read) {
  if (purpose_of(t) == Purpose::log_read) return log_page_read(at, first_of(t), second_of(t), read.data);
  sink_.page_read(at, second_of(t), read.data);
}

void CheckpointStore::erased(Picoseconds at, NandArray::Tag t, NandArray::Outcome) {
  erasing_.erase({first_of(t), second_of(t)});
  if (first_of(t) != 0 && blank(first_of(t))) sink_.space_freed(at);
}

void CheckpointStore::erase_unused(Picoseconds now) {
  const FlashGeometry& g = nand_.geometry();
  const auto erase = [&](std::uint32_t package, std::uint32_t row) {
    if (nand_.image().next_page({package, row}) == 0 || !erasing_.emplace(row, package).second) return;
    nand_.erase(now, {package, row}, tag(Purpose::erase, row, package));
  };
  if (!table_being_written_) erase(1 - log_.package, 0);
  for (std::uint32_t row = 1; row < g.blocks; ++row) {
    if (table_.uses_row(row) || std::ranges::count(rows_in_use_, row)) continue;
    for (std::uint32_t package = 0; package < g.packages; ++package) erase(package, row);
  }
}

void CheckpointStore::reset(Reset kind) {
  nand_.reset(kind);
  ready_ = false;
  table_ = {};
  table_being_written_.reset();
  log_ = {};
  rows_in_use_.clear();
  erasing_.clear();
}

}  // namespace asterism
