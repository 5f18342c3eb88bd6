#include "dimm_ssd/request_descriptor.h"

#include <cstring>

namespace asterism {
namespace {

constexpr std::size_t name_bytes = 32;

template <class T>
T load(std::span<const std::byte> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

RequestDescriptor decode_request(std::span<const std::byte> raw) {
  RequestDescriptor request;
  const char* name = reinterpret_cast<const char*>(raw.data());
  request.name.assign(name, strnlen(name, name_bytes));
  request.version = load<std::uint64_t>(raw, 32);
  request.page_count = load<std::uint32_t>(raw, 40);
  request.method = load<std::uint32_t>(raw, 44);
  const std::size_t there = (raw.size() - RequestDescriptor::header_bytes) / 8;
  if (there < request.page_count) return request;
  request.pages.reserve(request.page_count);
  for (std::size_t i = 0; i < request.page_count; ++i)
    request.pages.emplace_back(load<std::uint64_t>(raw, RequestDescriptor::header_bytes + 8 * i));
  return request;
}

bool has_name(const RequestDescriptor& request) {
  return !request.name.empty() && request.name.size() < name_bytes;
}

std::optional<CheckpointMethod> method_of(const RequestDescriptor& request, CheckpointMethod configured) {
  if (request.method == 0) return configured;
  for (const auto& method : enum_names(CheckpointMethod{}))
    if (static_cast<std::uint32_t>(method.value) == request.method) return method.value;
  return std::nullopt;
}

std::optional<std::uint32_t> first_bad_page(std::span<const Address> pages, AddressRange memory) {
  std::vector<bool> seen(memory.size / RequestDescriptor::memory_page);
  for (std::uint32_t i = 0; i < pages.size(); ++i) {
    const Address page = pages[i];
    if (page == Address() || page.value() % RequestDescriptor::memory_page.count() != 0 ||
        !memory.contains(page, RequestDescriptor::memory_page))
      return i;
    const std::uint64_t number = (page - memory.first) / RequestDescriptor::memory_page;
    if (seen[number]) return i;
    seen[number] = true;
  }
  return std::nullopt;
}

}  // namespace asterism
