#include "platform/firmware/device_tree_blob.h"

#include <libfdt.h>

#include <stdexcept>

namespace asterism {
namespace {

constexpr std::size_t largest = 1 << 20;

void check(int result) {
  if (result == -FDT_ERR_NOSPACE)
    throw std::length_error("device tree is larger than 1 MiB; expected fewer devices or cores");
  if (result < 0) throw std::logic_error(std::string("device tree: ") + fdt_strerror(result));
}

void add_property(void* blob, const std::string& name, const DeviceTreeNode::Value& value) {
  if (const auto* strings = std::get_if<DeviceTreeNode::Strings>(&value)) {
    std::string bytes;
    for (const std::string& text : *strings) bytes += text, bytes += '\0';
    check(fdt_property(blob, name.c_str(), bytes.data(), static_cast<int>(bytes.size())));
  } else if (const auto* cells = std::get_if<DeviceTreeNode::Cells>(&value)) {
    std::vector<fdt32_t> big_endian;
    for (const std::uint32_t cell : *cells) big_endian.push_back(cpu_to_fdt32(cell));
    check(fdt_property(blob, name.c_str(), big_endian.data(), static_cast<int>(4 * big_endian.size())));
  } else {
    check(fdt_property(blob, name.c_str(), nullptr, 0));
  }
}

void add_node(void* blob, const DeviceTreeNode& node, const std::string& name) {
  check(fdt_begin_node(blob, name.c_str()));
  for (const auto& [key, value] : node.properties) add_property(blob, key, value);
  for (const DeviceTreeNode& child : node.children) add_node(blob, child, child.name);
  check(fdt_end_node(blob));
}

}  // namespace

std::vector<std::byte> flatten(const DeviceTreeNode& root, std::span<const AddressRange> reserved) {
  std::vector<std::byte> blob(largest);
  check(fdt_create(blob.data(), static_cast<int>(blob.size())));
  for (const AddressRange& range : reserved)
    check(fdt_add_reservemap_entry(blob.data(), range.first.value(), range.size.count()));
  check(fdt_finish_reservemap(blob.data()));
  add_node(blob.data(), root, "");
  check(fdt_finish(blob.data()));
  blob.resize(fdt_totalsize(blob.data()));
  return blob;
}

}  // namespace asterism
