#include "core/guest_checks.h"

#include <fmt/format.h>

#include <numeric>

namespace asterism {
namespace {

std::string to_text(const AddressRange& range) {
  return fmt::format("{:#x} to {:#x}", range.first.value(), range.last().value());
}

std::string bytes(unsigned size) { return fmt::format("{} byte{}", size, size == 1 ? "" : "s"); }

// Where the mistake is: that which makes another finding the same one.
std::uint64_t place_of(const GuestFinding& finding) {
  switch (finding.check) {
    case GuestCheck::read_only:
    case GuestCheck::alignment:
      return finding.pc.value();
    case GuestCheck::no_execute:
    case GuestCheck::register_width:
      return finding.address.value();
    case GuestCheck::stack:
      break;
  }
  return finding.within.first.value();
}

}  // namespace

GuestChecks::Log GuestChecks::add(const GuestFinding& finding) {
  const auto check = static_cast<std::size_t>(finding.check);
  ++counts_[check];
  if (places_[check].size() == max_places || !places_[check].insert(place_of(finding)).second) return Log::no;
  return places_[check].size() == max_places ? Log::last : Log::yes;
}

std::uint64_t GuestChecks::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

std::string GuestChecks::summary() const {
  static constexpr std::pair<const char*, const char*> words[checks] = {
      {"page of a read-only segment stored to", "pages of read-only segments stored to"},
      {"page of a segment without execute permission executed",
       "pages of segments without execute permission executed"},
      {"stack overflow", "stack overflows"},
      {"unaligned access to Device memory", "unaligned accesses to Device memory"},
      {"access to a register by another width", "accesses to registers by another width"}};
  std::string text;
  for (std::size_t check = 0; check < checks; ++check)
    if (const std::uint64_t count = counts_[check]; count > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count,
                          count == 1 ? words[check].first : words[check].second);
  return text;
}

void GuestChecks::report(Statistics& statistics) const {
  for (const auto& entry : enum_names(GuestCheck{}))
    statistics.add(entry.name, counts_[static_cast<std::size_t>(entry.value)]);
}

std::string to_text(const GuestFinding& finding, std::string_view name) {
  const std::string access = fmt::format("{} of {} at {:#x}", finding.is_store ? "store" : "load",
                                         bytes(finding.size), finding.address.value());
  switch (finding.check) {
    case GuestCheck::read_only:
      return fmt::format("{}, in a segment that the ELF file makes read-only ({})", access,
                         to_text(finding.within));
    case GuestCheck::no_execute:
      return fmt::format("execution at {:#x}, in a segment that the ELF file does not make executable ({})",
                         finding.address.value(), to_text(finding.within));
    case GuestCheck::stack:
      return fmt::format("stack overflow: SP becomes {:#x}, {} below the stack ({})", finding.address.value(),
                         bytes(static_cast<unsigned>(finding.within.first.value() - finding.address.value())),
                         to_text(finding.within));
    case GuestCheck::alignment:
      return fmt::format("{} in Device memory: real hardware takes an alignment fault",
                         finding.size == 0 ? fmt::format("DC ZVA at {:#x}", finding.address.value())
                                           : "unaligned " + access);
    case GuestCheck::register_width:
      break;
  }
  return fmt::format("{}, the register {}, which has 32 bits", access, name);
}

}  // namespace asterism
