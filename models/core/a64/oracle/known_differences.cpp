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
    // clang-format on
};

}  // namespace

const KnownDifference* known_difference(std::uint32_t word, Aspect aspect) {
  for (const KnownDifference& known : known_differences)
    if (known.aspect == aspect && (word & known.mask) == known.value) return &known;
  return nullptr;
}

}  // namespace asterism::a64::oracle
