#include "platform/firmware/spin_table.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "base/affinity.h"

namespace asterism {
namespace {

constexpr std::uint64_t releases = 0x800;  // offset of the release addresses, core 0's first

// Each core waits for its own release address: Aff1 and Aff0 of MPIDR_EL1 select it (base/affinity.h).
constexpr auto loop = std::to_array<std::uint32_t>({
    0xd53800a4,  //    mrs  x4, mpidr_el1
    0xd3483c85,  //    ubfx x5, x4, #8, #8
    0x92401c84,  //    and  x4, x4, #0xff
    0x8b051084,  //    add  x4, x4, x5, lsl #4
    0x10003f85,  //    adr  x5, releases
    0x8b040ca5,  //    add  x5, x5, x4, lsl #3
    0xf94000a6,  // 1: ldr  x6, [x5]
    0xb5000066,  //    cbnz x6, 2f
    0xd503205f,  //    wfe
    0x17fffffd,  //    b    1b
    0xd2800000,  // 2: mov  x0, #0
    0xd2800001,  //    mov  x1, #0
    0xd2800002,  //    mov  x2, #0
    0xd2800003,  //    mov  x3, #0
    0xd61f00c0,  //    br   x6
});
static_assert(sizeof loop <= releases);

}  // namespace

static_assert(cores_per_cluster == 16);

SpinTable::SpinTable(AddressRange dram, unsigned cores)
    : size_(releases + std::uint64_t{8} * cores <= 4096 ? 4_KiB : 8_KiB),
      entry_(dram.first + 1_MiB - size_) {}

Address SpinTable::release_address(unsigned core) const {
  return entry_ + Bytes(releases + std::uint64_t{8} * core);
}

std::vector<std::byte> SpinTable::contents() const {
  std::vector<std::byte> pages(size_.count());
  std::memcpy(pages.data(), loop.data(), sizeof loop);
  return pages;
}

}  // namespace asterism
