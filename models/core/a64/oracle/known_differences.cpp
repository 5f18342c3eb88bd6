#include "core/a64/oracle/known_differences.h"

namespace asterism::a64::oracle {
namespace {

constexpr KnownDifference table[] = {
    // clang-format off
    {0xfff0'0000, 0xd510'0000, Aspect::decoding, "MSR: which registers there are is up to the implementation (system_registers.cpp)"},
    {0xfff0'0000, 0xd530'0000, Aspect::decoding, "MRS: as MSR"},
    {0xffd8'0000, 0xd508'0000, Aspect::decoding, "SYS, SYSL: as MSR"},
    {0xffe0'001f, 0xd400'0002, Aspect::decoding, "HVC: QEMU's core has no EL2 to call; here the host answers (PSCI)"},
    {0xffff'ffff, 0xd45e'0000, Aspect::decoding, "HLT #0xf000: a semihosting call here"},
    {0xffe0'001f, 0xd400'0003, Aspect::decoding, "SMC: QEMU's core has an EL3, which this engine has not"},
    {0xffff'fc1f, 0xd69f'0000, Aspect::decoding, "ERET with a register field that is not 11111 is unallocated; QEMU does not look"},
    {0xffff'cc00, 0x4e28'4800, Aspect::decoding, "AESE, AESD, AESMC, AESIMC: cryptography is left out (ID_AA64ISAR0_EL1 says so)"},
    {0xffff'cc00, 0x5e28'0800, Aspect::decoding, "SHA1H, SHA1SU1, SHA256SU0: as AESE"},
    {0xffe0'8c00, 0x5e00'0000, Aspect::decoding, "SHA1C to SHA256SU1: as AESE"},
    {0xbfe0'fc00, 0x0ee0'e000, Aspect::decoding, "PMULL, PMULL2 of 64 bits: as AESE"},
    {0xbf20'cc00, 0x3820'4000, Aspect::execution, "LDSMAX to LDUMIN of bytes and halves: QEMU before 6 compares without extending the operand"},
    {0xff20'cc00, 0xb820'4000, Aspect::execution, "LDSMAX to LDUMIN of words: as of bytes"},
    // clang-format on
};

}  // namespace

const KnownDifference* known_difference(std::uint32_t word, Aspect aspect) {
  for (const KnownDifference& known : table)
    if (known.aspect == aspect && (word & known.mask) == known.value) return &known;
  return nullptr;
}

}  // namespace asterism::a64::oracle
