#include "dimm_ssd/checkpoint_table.h"

#include <algorithm>
#include <boost/crc.hpp>
#include <cstring>

namespace asterism {
namespace {

struct PageHeader {
  char magic[8];
  std::uint64_t sequence;
  std::uint32_t payload_bytes;
  std::uint32_t payload_crc;
  std::uint32_t entries;
  std::uint32_t header_crc;  // of the fields above
};
constexpr char magic[8] = {'C', 'K', 'P', 'T', 'D', 'I', 'R', '1'};

struct EntryRecord {
  char name[CheckpointEntry::name_bytes];
  std::uint64_t version;
  std::uint32_t memory_pages, crc, rows, reserved;
};

std::uint32_t crc32(const void* data, std::size_t bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(data, bytes);
  return crc.checksum();
}
std::uint32_t header_crc(const PageHeader& header) {
  return crc32(&header, offsetof(PageHeader, header_crc));
}

}  // namespace

const CheckpointEntry* CheckpointTable::newest(const std::string& name, std::uint64_t limit) const {
  const CheckpointEntry* best = nullptr;
  for (const CheckpointEntry& entry : entries)
    if (entry.name == name && entry.version <= limit && (!best || entry.version > best->version))
      best = &entry;
  return best;
}

const CheckpointEntry* CheckpointTable::find(const std::string& name, std::uint64_t version) const {
  const CheckpointEntry* entry = newest(name, version);
  return entry && entry->version == version ? entry : nullptr;
}

void CheckpointTable::put(CheckpointEntry entry, std::size_t versions) {
  const std::string name = entry.name;
  remove(name, entry.version);
  entries.push_back(std::move(entry));
  while (static_cast<std::size_t>(std::ranges::count(entries, name, &CheckpointEntry::name)) > versions)
    entries.erase(std::ranges::find(entries, name, &CheckpointEntry::name));
}

void CheckpointTable::remove(const std::string& name, std::uint64_t version) {
  std::erase_if(entries, [&](const CheckpointEntry& e) { return e.name == name && e.version == version; });
}

bool CheckpointTable::uses_row(std::uint32_t row) const {
  return std::ranges::any_of(entries,
                             [&](const CheckpointEntry& e) { return std::ranges::count(e.rows, row) != 0; });
}

std::optional<std::vector<std::byte>> CheckpointTable::to_page(std::size_t page_bytes) const {
  std::vector<std::byte> payload;
  const auto append = [&](const void* data, std::size_t bytes) {
    const auto* from = static_cast<const std::byte*>(data);
    payload.insert(payload.end(), from, from + bytes);
  };
  for (const CheckpointEntry& entry : entries) {
    EntryRecord record{
        {}, entry.version, entry.memory_pages, entry.crc, static_cast<std::uint32_t>(entry.rows.size()), 0};
    entry.name.copy(record.name, sizeof record.name - 1);
    append(&record, sizeof record);
    append(entry.rows.data(), entry.rows.size() * sizeof(std::uint32_t));
  }
  if (sizeof(PageHeader) + payload.size() > page_bytes) return std::nullopt;
  PageHeader header{{},
                    sequence,
                    static_cast<std::uint32_t>(payload.size()),
                    crc32(payload.data(), payload.size()),
                    static_cast<std::uint32_t>(entries.size()),
                    0};
  std::memcpy(header.magic, magic, sizeof magic);
  header.header_crc = header_crc(header);
  std::vector<std::byte> page(page_bytes);
  std::memcpy(page.data(), &header, sizeof header);
  std::ranges::copy(payload, page.begin() + sizeof header);
  return page;
}

std::optional<CheckpointTable> CheckpointTable::from_page(std::span<const std::byte> page) {
  PageHeader header;
  if (page.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, page.data(), sizeof header);
  if (std::memcmp(header.magic, magic, sizeof magic) != 0 || header.header_crc != header_crc(header))
    return std::nullopt;
  std::span<const std::byte> payload = page.subspan(sizeof header);
  if (header.payload_bytes > payload.size() ||
      crc32(payload.data(), header.payload_bytes) != header.payload_crc)
    return std::nullopt;
  payload = payload.first(header.payload_bytes);

  CheckpointTable table;
  table.sequence = header.sequence;
  for (std::uint32_t i = 0; i < header.entries; ++i) {
    EntryRecord record;
    if (payload.size() < sizeof record) return std::nullopt;
    std::memcpy(&record, payload.data(), sizeof record);
    payload = payload.subspan(sizeof record);
    if (record.rows > payload.size() / sizeof(std::uint32_t)) return std::nullopt;
    CheckpointEntry entry{std::string(record.name, strnlen(record.name, sizeof record.name)), record.version,
                          record.memory_pages, record.crc, std::vector<std::uint32_t>(record.rows)};
    std::memcpy(entry.rows.data(), payload.data(), record.rows * sizeof(std::uint32_t));
    payload = payload.subspan(record.rows * sizeof(std::uint32_t));
    table.entries.push_back(std::move(entry));
  }
  return table;
}

}  // namespace asterism
