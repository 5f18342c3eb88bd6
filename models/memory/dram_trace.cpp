#include "memory/dram_trace.h"

#include <fmt/format.h>

namespace asterism {

DramTraceSource::DramTraceSource(std::unique_ptr<std::istream> in, std::string name, Bytes size, Bytes block)
    : lines_(std::move(in), std::move(name)), size_(size), block_(block) {}

std::optional<DramAccess> DramTraceSource::next() {
  const std::span<const std::string_view> fields = lines_.next();
  if (fields.empty()) return std::nullopt;
  if (fields.size() < 2 || fields.size() > 3)
    lines_.refuse(fmt::format("expected 2 or 3 fields (R|W address [time]), got {}", fields.size()));
  DramAccess access;
  if (fields[0] != "R" && fields[0] != "W")
    lines_.refuse(fmt::format("expected R or W, got {}", quoted_text(fields[0])));
  access.is_write = fields[0] == "W";
  const bool has_prefix = fields[1].starts_with("0x") || fields[1].starts_with("0X");
  const auto address = plain_number(fields[1].substr(has_prefix ? 2 : 0), 16);
  if (!address)
    lines_.refuse(
        fmt::format("expected a hexadecimal address such as 0x1f40, got {}", quoted_text(fields[1])));
  if (Bytes(*address) >= size_)
    lines_.refuse(fmt::format("expected an address below {:#x}, the size of the memory, got {:#x}",
                              size_.count(), *address));
  access.block = Bytes(*address) / block_;
  if (fields.size() == 3) last_ = lines_.time(fields[2]);
  access.earliest = last_;
  return access;
}

}  // namespace asterism
