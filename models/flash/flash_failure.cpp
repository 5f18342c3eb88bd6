#include "flash/flash_failure.h"

#include <string>

#include "base/event_log.h"
#include "flash/flash_image.h"

namespace asterism {
namespace {

constexpr std::uint32_t bits_of_a_dead_page = 65'535;  // more than any code corrects

void break_die(FlashImage& image, FlashAddress at) {
  const FlashGeometry& geometry = image.geometry();
  const std::uint32_t first = at.plane / geometry.planes * geometry.planes;
  for (std::uint32_t plane = first; plane < first + geometry.planes; ++plane)
    for (std::uint32_t block = 0; block < geometry.blocks; ++block) {
      image.break_block({plane, block});
      for (std::uint32_t page = 0; page < image.next_page({plane, block}); ++page)
        image.add_bit_errors({plane, block, page}, bits_of_a_dead_page);
    }
}

}  // namespace

void break_flash(FlashImage& image, FlashAddress page, const FlashFailure& failure) {
  switch (failure.covers) {
    case FlashFailurePart::page:
      return image.add_bit_errors(page, failure.bits);
    case FlashFailurePart::block:
      return image.break_block(page.whole_block());
    case FlashFailurePart::die:
      return break_die(image, page);
  }
}

void record_flash_fault(EventLog& events, Picoseconds at, std::string_view source,
                        const FlashFailure& failure, FlashAddress page) {
  events.record(at, source, "flash_fault",
                {{"covers", std::string(to_text(failure.covers))},
                 {"plane", std::uint64_t{page.plane}},
                 {"block", std::uint64_t{page.block}},
                 {"page", std::uint64_t{page.page}},
                 {"bits", std::uint64_t{failure.bits}}});
}

}  // namespace asterism
