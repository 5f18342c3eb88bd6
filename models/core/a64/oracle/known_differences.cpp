#include "core/a64/oracle/known_differences.h"

namespace asterism::a64::oracle {
namespace {

constexpr KnownDifference known_differences[] = {
    // clang-format off
    {0xfff0'0000, 0xd510'0000, Aspect::decoding, "MSR: which registers there are is up to the implementation (system_registers.cpp)"},
    {0xfff0'0000, 0xd530'0000, Aspect::decoding, "MRS: as MSR"},
    {0xffd8'0000, 0xd508'0000, Aspect::decoding, "SYS, SYSL: as MSR"},
    {0xffe0'001f, 0xd400'0002, Aspect::decoding, "HVC: QEMU's core has no EL2 to call; here the host answers (PSCI)"},
    {0xffff'ffff, 0xd45e'0000, Aspect::decoding, "HLT #0xf000: a semihosting call here"},
    {0xffe0'001f, 0xd400'0003, Aspect::decoding, "SMC: QEMU's core has an EL3, which this engine has not"},
    {0xffff'fc1f, 0xd69f'0000, Aspect::decoding, "ERET with a register field that is not 11111 is unallocated; QEMU does not look"},
    {0xbf20'cc00, 0x3820'4000, Aspect::execution, "LDSMAX to LDUMIN of bytes and halves: QEMU before 6 compares without extending the operand"},
    {0xbff8'fc00, 0x2f00'fc00, Aspect::decoding, "FMOV (vector, immediate) of halves with op 1 is unallocated; QEMU does not look"},
    {0xbf7f'cc00, 0x0e70'c800, Aspect::decoding, "FMAXNMV to FMINV of halves with sz 1: as FMOV"},
    {0xff7f'cc00, 0x5e70'c800, Aspect::decoding, "FMAXNMP to FMINP of a scalar of halves with sz 1: as FMOV"},
    {0xfff0'fc00, 0x5f10'fc00, Aspect::execution, "FCVTZS of a scalar half with fraction bits: QEMU extends the sign of the result to 32 bits"},
    {0xff20'cc00, 0xb820'4000, Aspect::execution, "LDSMAX to LDUMIN of words: as of bytes"},
    {0xff80'0000, 0x7280'0000, Aspect::vixl, "MOVK of a W register: VIXL keeps the upper half"},
    {0x8fa7'fc00, 0x0e21'd800, Aspect::vixl, "SCVTF, UCVTF (SIMD): as with fraction bits"},
    {0x0a00'03e0, 0x0800'03e0, Aspect::vixl, "by SP, which VIXL wants aligned and forgets to write back"},
    {0xff3e'0c00, 0x4e28'0800, Aspect::vixl, "AES: not in VIXL"},
    {0xff3e'0c00, 0x5e28'0800, Aspect::vixl, "SHA1, SHA256: as AES"},
    {0xff20'8c00, 0x5e00'0000, Aspect::vixl, "SHA1, SHA256: as AES"},
    {0x3b20'0c00, 0x3800'0800, Aspect::vixl, "LDTR, STTR: as AES"},
    {0xbf20'fc00, 0x0e20'e000, Aspect::vixl, "PMULL: VIXL overwrites what it reads; none of 64 bits"},
    {0x8f80'fc00, 0x0f00'e400, Aspect::vixl, "SCVTF, UCVTF with fraction bits: VIXL keeps the rest"},
    {0x8f00'b400, 0x0f00'1000, Aspect::vixl, "FMLA, FMLS (by element): as PMULL"},
    {0xffbf'fc00, 0x0e21'6800, Aspect::vixl, "FCVTN: as SCVTF"},
    {0x8f00'f400, 0x0f00'9000, Aspect::vixl, "FMUL, FMULX (by element): as PMULL"},
    {0xafff'fc00, 0x2e61'6800, Aspect::vixl, "FCVTXN: as PMULL"},
    // clang-format on
};

}  // namespace

const KnownDifference* known_difference(std::uint32_t word, Aspect aspect) {
  for (const KnownDifference& known : known_differences)
    if (known.aspect == aspect && (word & known.mask) == known.value) return &known;
  return nullptr;
}

}  // namespace asterism::a64::oracle
