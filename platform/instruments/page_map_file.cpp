#include "platform/instruments/page_map_file.h"

#include <fmt/format.h>

#include "platform/instruments/record_numbers.h"

namespace asterism {
namespace {

constexpr std::string_view page_map_magic = "ASTERMAP";
constexpr std::uint32_t page_map_version = 1;
constexpr std::size_t header_bytes = 20, largest_map = std::size_t{1} << 30;

void append_text(std::string& to, std::string_view text) {
  append_varint(to, text.size());
  to += text;
}

void append_counts(std::string& to, const PageMap::Counts& counts) {
  append_text(to, counts.name);
  append_varint(to, counts.runs.size());
  std::uint64_t end = 0;
  for (const auto& [first, length, value] : counts.runs) {
    append_varint(to, first - end);
    append_varint(to, length);
    append_varint(to, value);
    end = first + length;
  }
}

void append_area(std::string& to, const PageMap::Area& area) {
  append_text(to, area.name);
  for (const std::uint64_t number :
       {static_cast<std::uint64_t>(area.kind), area.first.value(), area.unit.count(), area.units, area.group})
    append_varint(to, number);
  append_varint(to, area.counts.size());
  for (const PageMap::Counts& counts : area.counts) append_counts(to, counts);
  append_varint(to, area.names.size());
  for (const auto& [text, range] : area.names) {
    append_text(to, text);
    append_varint(to, range.first.value());
    append_varint(to, range.size.count());
  }
}

class PageMapReader {
 public:
  explicit PageMapReader(std::string_view block) : block_(block) {}

  PageMap map() {
    PageMap map;
    for (std::uint64_t areas = number(); areas > 0; --areas) map.areas.push_back(area());
    if (!block_.empty()) refuse("its end");
    return map;
  }

 private:
  [[noreturn]] static void refuse(const char* expected) {
    throw RunRecordError(fmt::format("is damaged: expected {}", expected));
  }
  std::uint64_t number() {
    const auto value = take_varint(block_);
    if (!value) refuse("a number of 64 bits");
    return *value;
  }
  std::string text() {
    const std::uint64_t length = number();
    if (length > block_.size()) refuse("the whole of a text");
    std::string text(block_.substr(0, length));
    block_.remove_prefix(length);
    return text;
  }
  PageMap::Area area() {
    PageMap::Area area{.name = text()};
    const std::uint64_t kind = number();
    if (kind > static_cast<std::uint64_t>(PageMap::Kind::blocks)) refuse("the kind of an area");
    area.kind = static_cast<PageMap::Kind>(kind);
    area.first = Address(number());
    area.unit = Bytes(number());
    area.units = number();
    area.group = number();
    for (std::uint64_t counts = number(); counts > 0; --counts) area.counts.push_back(this->counts(area));
    for (std::uint64_t names = number(); names > 0; --names) {
      area.names.push_back({.text = text(), .range = {Address(0), Bytes(0)}});
      area.names.back().range = {Address(number()), Bytes(number())};
    }
    return area;
  }
  PageMap::Counts counts(const PageMap::Area& area) {
    PageMap::Counts counts{text()};
    std::uint64_t end = 0;
    for (std::uint64_t runs = number(); runs > 0; --runs) {
      const std::uint64_t gap = number(), length = number(), value = number();
      if (gap > area.units - end || length > area.units - end - gap) refuse("units within their area");
      counts.runs.push_back({end + gap, length, value});
      end += gap + length;
    }
    return counts;
  }

  std::string_view block_;
};

}  // namespace

std::string to_file(const PageMap& map) {
  std::string block;
  append_varint(block, map.areas.size());
  for (const PageMap::Area& area : map.areas) append_area(block, area);
  std::string file(page_map_magic);
  append_u32(file, page_map_version);
  append_u32(file, static_cast<std::uint32_t>(block.size()));
  const std::string compressed = compressed_by_zlib(block);
  append_u32(file, static_cast<std::uint32_t>(compressed.size()));
  return file + compressed;
}

PageMap read_page_map(std::string_view bytes) {
  if (!bytes.starts_with(page_map_magic))
    throw RunRecordError("is no map of pages: expected \"ASTERMAP\" at byte 0");
  if (bytes.size() < header_bytes) throw RunRecordError("is truncated: expected a header of 20 bytes");
  const auto u32 = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
  };
  if (const std::uint32_t version = u32(8); version != page_map_version)
    throw RunRecordError(fmt::format("has version {} at byte 8, expected {}", version, page_map_version));
  if (bytes.size() - header_bytes != u32(16))
    throw RunRecordError(fmt::format("has {} bytes, expected {} by its header", bytes.size(),
                                     std::uint64_t{u32(16)} + header_bytes));
  if (u32(12) > largest_map)
    throw RunRecordError(fmt::format("is damaged: expected at most {} bytes at byte 12", largest_map));
  const auto block = decompressed_by_zlib(bytes.substr(header_bytes), u32(12));
  if (!block)
    throw RunRecordError(
        fmt::format("is damaged: expected {} bytes, compressed by zlib, at byte {}", u32(12), header_bytes));
  return PageMapReader(*block).map();
}

}  // namespace asterism
