#include "platform/spin_table.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace asterism {
namespace {

constexpr std::uint64_t releases = 0x800;  // offset of the release addresses, core 0's first

// Each core its own: Aff0 of MPIDR_EL1 chooses.
constexpr auto loop = std::to_array<std::uint32_t>({
    0xd53800a4,  //    mrs  x4, mpidr_el1
    0x92401c84,  //    and  x4, x4, #0xff
    0x10003fc5,  //    adr  x5, releases
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

SpinTable::SpinTable(AddressRange dram) : entry_(dram.first + 1_MiB - size) {}

Address SpinTable::release_address(unsigned core) const {
  return entry_ + Bytes(releases + std::uint64_t{8} * core);
}

std::vector<std::byte> SpinTable::contents() {
  std::vector<std::byte> page(size.count());
  std::memcpy(page.data(), loop.data(), sizeof loop);
  return page;
}

}  // namespace asterism
