#include "flash/flash_config.h"

#include "base/fields.h"
#include "base/file_kind.h"

namespace asterism {

static_assert(member_count<FlashPart>() == 13);
void describe(Fields& f, FlashPart& p) {
  f.sourced();
  f("page", p.page, "The data of a page: the unit of a read and a program.", within(512_B, 64_KiB),
    required());
  f("spare", p.spare,
    "The spare area of each page, for the parity of the page code and the metadata of the controller.",
    within(32_B, 16_KiB), required());
  f("pages_per_block", p.pages_per_block, "The number of pages per block. A block is erased as a whole.",
    within(1, 4096), required());
  f("blocks", p.blocks,
    "The number of blocks per package of the real part. A node says how many of them it models.",
    within(1, 1'000'000), required());
  f("dies", p.dies, "The number of dies per package. They work independently.", within(1, 16), required());
  f("planes", p.planes, "The number of planes per die. They perform the same operation at the same time.",
    within(1, 8), required());
  const auto operation = within(1_ns, 1_s);
  f("read", p.read, "The time from the array to the page register.", operation, required());
  f("program", p.program, "The time from the page register to the array.", operation, required());
  f("erase", p.erase, "The time to erase one block.", operation, required());
  f("bus", p.bus,
    "The bandwidth between the channel and the page registers. Below page / program / packages it limits "
    "programs.",
    within(1_MBps, 1000_GBps), required());
  f("cache_register", p.cache_register,
    "Whether there is a second page register. Without it, transfer and program of a package alternate.",
    required());
  f("endurance", p.endurance,
    "The program/erase cycles that a block is rated for; it fails around this number. 0: not stated, and "
    "blocks never fail.",
    at_most(1'000'000'000), required());
  f("correctable_bits", p.correctable_bits,
    "The bit errors per KiB of a page that the page code corrects. A page with more is uncorrectable.",
    within(0, 1024), required());
  f.check([&] { return p.page % 512_B == Bytes(0); }, "page", "is a multiple of 512 bytes");
}
const RegisteredFileKind<FlashPart> part_files{"flash", "flash", "Asterism flash part", {"pages_per_block"}};

}  // namespace asterism
