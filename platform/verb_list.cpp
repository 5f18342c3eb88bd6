#include <fmt/format.h>

#include <algorithm>

#include "platform/study/paper.h"
#include "platform/verbs.h"

namespace asterism {
namespace {

void print(const std::vector<std::string>& names) {
  for (const std::string& name : names) fmt::print("{}\n", name);
}

void print_map() {
  const AddressMap map(MemoryConfig{}.size, true, true, true);
  std::size_t width = 0;
  for (const MapEntry& entry : map.entries()) width = std::max(width, entry.name.size());
  fmt::print("{:<{}} {:<23} {:>9}\n", "device", width, "address", "interrupt");
  for (const MapEntry& entry : map.entries())
    fmt::print("{:<{}} {:#010x}-{:#010x}   {:>9}\n", entry.name, width, entry.range.first.value(),
               entry.range.last().value(), entry.interrupt ? fmt::format("SPI {}", *entry.interrupt) : "-");
}

}  // namespace

int verb_list(const std::string& what) {
  if (what == "blocks") return verb_rtl_list();
  const InstalledFiles installed = InstalledFiles::find();
  if (what == "devices") {
    print_map();
  } else if (what == "topologies") {
    for (const auto& entry : enum_names(TopologyKind{})) fmt::print("{:<12} {}\n", entry.name, entry.meaning);
  } else if (what == "firmware") {
    print(installed.firmware_names());
  } else if (what == "papers") {
    print(Paper::list(installed.configs));
  } else {
    print(installed.configs.list(what));
  }
  return 0;
}

}  // namespace asterism
