// The request descriptor of a DIMM-SSD's command (dimm_ssd/dimm_ssd.h) in memory, little-endian:
//   char name[32], zero padded; u64 version; u32 page_count; u32 method; u64 pages[page_count]
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "dimm_ssd/checkpoint_method.h"

namespace asterism {

struct RequestDescriptor {
  static constexpr std::size_t header_bytes = 48;
  static constexpr Bytes memory_page{4096};

  std::string name;
  std::uint64_t version = 0;
  std::uint32_t page_count = 0;
  std::uint32_t method = 0;  // 0: the configured one
  std::vector<Address> pages;
};

// Decodes at least the header. The list of pages is empty until `raw` contains all of it.
RequestDescriptor decode_request(std::span<const std::byte> raw);

bool has_name(const RequestDescriptor& request);
// Returns nullopt if there is no method of that number.
std::optional<CheckpointMethod> method_of(const RequestDescriptor& request, CheckpointMethod configured);

// The index of the first entry that is 0, unaligned, outside of `memory`, or a duplicate.
std::optional<std::uint32_t> first_bad_page(std::span<const Address> pages, AddressRange memory);

}  // namespace asterism
