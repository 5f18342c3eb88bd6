#include "flash/flash_config.h"

#include "base/fields.h"

namespace asterism {

static_assert(member_count<FlashPart>() == 13);
void describe(Fields& f, FlashPart& p) {
  f.sourced();
  f("page", p.page, "What is programmed at once", within(512_B, 64_KiB), required());
  f("spare", p.spare, "Of each page, beside its data: for the page code and the controller's notes",
    within(32_B, 16_KiB), required());
  f("pages_per_block", p.pages_per_block, "What is erased at once", within(1, 4096), required());
  f("blocks", p.blocks, "Per package of the real part; a node says how many it models", within(1, 1'000'000),
    required());
  f("dies", p.dies, "Per package; they work independently", within(1, 16), required());
  f("planes", p.planes, "Per die; they do the same operation at the same time", within(1, 8), required());
  const auto operation = within(1_ns, 1_s);
  f("read", p.read, "From the array to the page register", operation, required());
  f("program", p.program, "From the page register to the array", operation, required());
  f("erase", p.erase, "One block", operation, required());
  f("bus", p.bus, "Between the channel and the page registers; below page/program/packages it is the limit",
    within(1_MBps, 1000_GBps), required());
  f("cache_register", p.cache_register,
    "A second page register: without it transfer and program of a package alternate", required());
  f("endurance", p.endurance,
    "Program/erase cycles that a block is rated for, around which it fails; 0 when not stated: never",
    at_most(1'000'000'000), required());
  f("correctable_bits", p.correctable_bits, "Of each KiB of a page, by the page code; more are not corrected",
    within(0, 1024), required());
  f.check([&] { return p.page % 512_B == Bytes(0); }, "page", "is a multiple of 512 bytes");
}

}  // namespace asterism
