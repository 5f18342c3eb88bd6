// Instructions that turn on the MMU and caches, for the beginning of test programs. They use x9. The test
// provides the translation table at 0x40008000: its first entry is for devices, 0x401, and its second one for
// Write-Back memory, 0x4000'0705.
#pragma once

#include <array>
#include <cstdint>

namespace asterism {

inline constexpr std::array<std::uint32_t, 12> mmu_on = {
    0xd2a80009,  // mov x9, #0x40000000
    0xf2900009,  // movk x9, #0x8000
    0xd5182009,  // msr ttbr0_el1, x9
    0xd29fe009,  // mov x9, #0xff00
    0xd518a209,  // msr mair_el1, x9
    0xd286a329,  // mov x9, #0x3519
    0xf2a01009,  // movk x9, #0x80, lsl #16
    0xf2c00089,  // movk x9, #4, lsl #32
    0xd5182049,  // msr tcr_el1, x9
    0xd28200a9,  // mov x9, #0x1005
    0xd5181009,  // msr sctlr_el1, x9
    0xd5033fdf,  // isb
};

}  // namespace asterism
