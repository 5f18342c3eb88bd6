#include "gpu/device_memory.h"

#include <algorithm>
#include <cstring>

namespace asterism {

DeviceMemory::DeviceMemory(std::uint32_t channels, Bytes channel_size, MemoryContents contents)
    : contents_(contents),
      pages_per_channel_((channel_size.count() + page.count() - 1) / page.count()),
      pages_(contents == MemoryContents::bytes ? pages_per_channel_ * channels : 0) {}

namespace {

// Calls f(page, offset in it, the part of the data that lies there), page by page.
template <class Byte, class F>
void for_pages(std::uint64_t first_page, std::uint64_t offset, std::span<Byte> data, F f) {
  constexpr std::uint64_t size = DeviceMemory::page.count();
  while (!data.empty()) {
    const std::uint64_t in_page = offset % size;
    const std::size_t part = std::min<std::uint64_t>(data.size(), size - in_page);
    f(first_page + offset / size, in_page, data.first(part));
    data = data.subspan(part);
    offset += part;
  }
}

bool all_zero(std::span<const std::byte> data) {
  return data.empty() ||
         (data[0] == std::byte{0} && std::memcmp(data.data(), data.data() + 1, data.size() - 1) == 0);
}

}  // namespace

void DeviceMemory::read(ChannelAddress at, std::span<std::byte> data) const {
  if (!keeps_contents()) {
    std::ranges::fill(data, std::byte{0});
    return;
  }
  for_pages(at.channel * pages_per_channel_, at.offset, data,
            [&](std::uint64_t number, std::uint64_t offset, std::span<std::byte> part) {
              if (const Page& held = pages_[number])
                std::memcpy(part.data(), held.get() + offset, part.size());
              else
                std::memset(part.data(), 0, part.size());
            });
}

void DeviceMemory::write(ChannelAddress at, std::span<const std::byte> data) {
  if (!keeps_contents()) return;
  for_pages(at.channel * pages_per_channel_, at.offset, data,
            [&](std::uint64_t number, std::uint64_t offset, std::span<const std::byte> part) {
              Page& held = pages_[number];
              if (!held && all_zero(part)) return;
              if (!held) held = std::make_unique<std::byte[]>(page.count());
              std::memcpy(held.get() + offset, part.data(), part.size());
            });
}

Bytes DeviceMemory::touched() const {
  return page * static_cast<std::uint64_t>(std::ranges::count_if(pages_, [](const Page& p) { return !!p; }));
}

bool DeviceMemory::touched(ChannelAddress at, Bytes size) const {
  if (!keeps_contents()) return false;
  const std::uint64_t first = at.channel * pages_per_channel_ + at.offset / page.count();
  const std::uint64_t last = at.channel * pages_per_channel_ + (at.offset + size.count() - 1) / page.count();
  return std::any_of(&pages_[first], &pages_[last] + 1, [](const Page& p) { return !!p; });
}

void DeviceMemory::reset(Reset kind) {
  if (kind == Reset::warm) return;
  for (Page& held : pages_) held.reset();
}

}  // namespace asterism
