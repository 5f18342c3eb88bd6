#include "dimm_ssd/checkpoint_log_format.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace asterism {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is written as it lies in memory");

struct RootHeader {
  char magic[8];
  std::uint64_t generation, next_sequence;
  std::uint32_t line_bytes;
  std::uint16_t names, records;
  std::uint32_t crc;  // over the used part, with 0 here
  std::uint32_t reserved;
};
static_assert(sizeof(RootHeader) == Root::header_bytes);
constexpr char root_magic[8] = {'C', 'K', 'P', 'T', 'L', 'O', 'G', '1'};

struct PackedRecord {
  std::uint64_t version, sequence;
  std::uint32_t memory_pages, entries, metadata_pages, first_metadata, metadata_crc;
  std::uint16_t name, flags;
};
static_assert(sizeof(PackedRecord) == Root::record_bytes);
constexpr std::uint16_t flag_full = 1, flag_visible = 2, flag_lost = 4;

struct MetadataHeader {
  std::uint32_t magic, next, next_crc, entries;
};
static_assert(sizeof(MetadataHeader) == MetadataPage::header_bytes);
constexpr std::uint32_t metadata_magic = 0x4154'454d;

std::uint32_t crc_of(std::span<const std::byte> data, std::uint32_t start = 0) {
  return static_cast<std::uint32_t>(
      crc32_z(start, reinterpret_cast<const unsigned char*>(data.data()), data.size()));
}

template <class T>
T load(std::span<const std::byte> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}
template <class T>
void store(std::vector<std::byte>& bytes, std::size_t at, const T& value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

std::vector<std::string> names_of(const Root& root) {
  std::vector<std::string> names;
  for (const RootRecord& record : root.records)
    if (std::ranges::find(names, record.name) == names.end()) names.push_back(record.name);
  return names;
}

std::uint32_t root_crc(RootHeader header, std::span<const std::byte> used) {
  header.crc = 0;
  const auto* first = reinterpret_cast<const std::byte*>(&header);
  return crc_of(used.subspan(sizeof header), crc_of({first, sizeof header}));
}

}  // namespace

std::size_t root_bytes(const Root& root) {
  return Root::header_bytes + names_of(root).size() * Root::name_bytes +
         root.records.size() * Root::record_bytes;
}

std::vector<std::byte> encode_root(const Root& root, std::size_t page_bytes) {
  const std::size_t used = root_bytes(root);
  if (used > page_bytes) throw std::length_error("the root does not fit its page");
  std::vector<std::byte> page(page_bytes);
  const std::vector<std::string> names = names_of(root);
  RootHeader header{};
  std::memcpy(header.magic, root_magic, sizeof root_magic);
  header.generation = root.generation;
  header.next_sequence = root.next_sequence;
  header.line_bytes = root.line_bytes;
  header.names = static_cast<std::uint16_t>(names.size());
  header.records = static_cast<std::uint16_t>(root.records.size());

  std::size_t at = sizeof header;
  for (const std::string& name : names) {
    std::memcpy(page.data() + at, name.data(), std::min(name.size(), Root::name_bytes - 1));
    at += Root::name_bytes;
  }
  for (const RootRecord& r : root.records) {
    const auto name = static_cast<std::uint16_t>(std::ranges::find(names, r.name) - names.begin());
    const auto flags = static_cast<std::uint16_t>((r.full ? flag_full : 0) | (r.visible ? flag_visible : 0) |
                                                  (r.lost ? flag_lost : 0));
    store(page, at,
          PackedRecord{r.version, r.sequence, r.memory_pages, r.entries, r.metadata_pages, r.first_metadata,
                       r.metadata_crc, name, flags});
    at += sizeof(PackedRecord);
  }
  header.crc = root_crc(header, std::span(page).first(used));
  store(page, 0, header);
  return page;
}

std::optional<Root> decode_root(std::span<const std::byte> page) {
  if (page.size() < sizeof(RootHeader)) return std::nullopt;
  const auto header = load<RootHeader>(page, 0);
  const std::size_t used =
      sizeof header + header.names * Root::name_bytes + header.records * Root::record_bytes;
  if (std::memcmp(header.magic, root_magic, sizeof root_magic) != 0 || used > page.size() ||
      header.crc != root_crc(header, page.first(used)))
    return std::nullopt;

  std::size_t at = sizeof header;
  std::vector<std::string> names;
  for (unsigned i = 0; i < header.names; ++i, at += Root::name_bytes) {
    const auto* text = reinterpret_cast<const char*>(page.data() + at);
    names.emplace_back(text, strnlen(text, Root::name_bytes));
  }
  Root root{header.generation, header.next_sequence, header.line_bytes, {}};
  for (unsigned i = 0; i < header.records; ++i, at += Root::record_bytes) {
    const auto p = load<PackedRecord>(page, at);
    if (p.name >= names.size()) return std::nullopt;
    root.records.push_back({names[p.name], p.version, p.sequence, p.memory_pages, p.entries, p.metadata_pages,
                            p.first_metadata, p.metadata_crc, (p.flags & flag_full) != 0,
                            (p.flags & flag_visible) != 0, (p.flags & flag_lost) != 0});
  }
  return root;
}

std::uint32_t entries_per_metadata_page(std::size_t page_bytes) {
  return static_cast<std::uint32_t>((page_bytes - sizeof(MetadataHeader)) / sizeof(LogEntry));
}

std::vector<std::byte> encode_metadata(std::span<const LogEntry> entries, std::uint32_t next,
                                       std::uint32_t next_crc, std::size_t page_bytes) {
  std::vector<std::byte> page(page_bytes);
  store(page, 0, MetadataHeader{metadata_magic, next, next_crc, static_cast<std::uint32_t>(entries.size())});
  std::ranges::copy(std::as_bytes(entries), page.begin() + sizeof(MetadataHeader));
  return page;
}

std::optional<MetadataPage> decode_metadata(std::span<const std::byte> page, std::uint32_t crc) {
  if (page.size() < sizeof(MetadataHeader) || page_crc(page) != crc) return std::nullopt;
  const auto header = load<MetadataHeader>(page, 0);
  if (header.magic != metadata_magic || header.entries > entries_per_metadata_page(page.size()))
    return std::nullopt;
  MetadataPage result{header.next, header.next_crc, std::vector<LogEntry>(header.entries)};
  if (header.entries != 0)
    std::memcpy(result.entries.data(), page.data() + sizeof header, header.entries * sizeof(LogEntry));
  return result;
}

std::uint32_t page_crc(std::span<const std::byte> page) { return crc_of(page); }

std::uint16_t lines_check(std::span<const std::byte> lines) {
  const std::uint32_t crc = crc_of(lines);
  return static_cast<std::uint16_t>(crc ^ crc >> 16);
}

}  // namespace asterism
