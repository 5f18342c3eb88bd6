#include "core/a64/dependences.h"

#include <algorithm>
#include <bit>

#include "core/a64/decoder.h"

namespace asterism::a64 {
namespace {

using enum InstructionClass;

// Where the encoding names a register. Rt is at Rd, Rs at Rm, and Rt2 at Ra.
enum Operand : std::uint32_t {
  none = 0,
  xd = 1 << 0,
  xn = 1 << 1,
  xm = 1 << 2,
  xa = 1 << 3,
  vd = 1 << 4,
  vn = 1 << 5,
  vm = 1 << 6,
  va = 1 << 7,
  nzcv = 1 << 8,
  x30 = 1 << 9,
  xd2 = 1 << 10,       // Xd and the next one
  xm2 = 1 << 11,       // Xm and the next one
  vd_list = 1 << 12,   // of a load or store of structures
  vn_list = 1 << 13,   // of a table
  vm_lane = 1 << 14,   // whose lane is named in the encoding, too
  xn_moved = 1 << 15,  // the base that write-back changes
};
constexpr Operand operator|(Operand a, Operand b) {
  return static_cast<Operand>(std::uint32_t{a} | std::uint32_t{b});
}

struct DependenceRow {
  Encoding encoding;
  InstructionClass is;
  Operand from, to;
};

// The first one that matches counts.
// clang-format off
constexpr DependenceRow immediates[] = {
    {encoding("op immlo 10000 immhi Rd"),                    integer, none, xd},         // ADR, ADRP
    {encoding("sf op 1 100010 sh imm12 Rn Rd"),              integer, xn, xd | nzcv},    // ADDS, SUBS
    {encoding("sf op 0 100010 sh imm12 Rn Rd"),              integer, xn, xd},
    {encoding("sf 11 100100 N immr imms Rn Rd"),             integer, xn, xd | nzcv},    // ANDS
    {encoding("sf opc 100100 N immr imms Rn Rd"),            integer, xn, xd},
    {encoding("sf 11 100101 hw imm16 Rd"),                   integer, xd, xd},           // MOVK
    {encoding("sf opc 100101 hw imm16 Rd"),                  integer, none, xd},
    {encoding("sf 01 100110 N immr imms Rn Rd"),             integer, xd | xn, xd},      // BFM
    {encoding("sf opc 100110 N immr imms Rn Rd"),            integer, xn, xd},
    {encoding("sf 00 100111 N 0 Rm imms Rn Rd"),             integer, xn | xm, xd},      // EXTR
};

constexpr DependenceRow registers[] = {
    {encoding("sf 11 01010 shift N Rm imm6 Rn Rd"),          integer, xn | xm, xd | nzcv},  // ANDS, BICS
    {encoding("sf opc 01010 shift N Rm imm6 Rn Rd"),         integer, xn | xm, xd},
    {encoding("sf op 1 01011 shift N Rm imm6 Rn Rd"),        integer, xn | xm, xd | nzcv},  // ADDS, SUBS
    {encoding("sf op 0 01011 shift N Rm imm6 Rn Rd"),        integer, xn | xm, xd},
    {encoding("sf op 1 11010000 Rm 000000 Rn Rd"),           integer, xn | xm | nzcv, xd | nzcv},  // ADCS
    {encoding("sf op 0 11010000 Rm 000000 Rn Rd"),           integer, xn | xm | nzcv, xd},
    {encoding("sf op 1 11010010 Rm cond 0 0 Rn 0 nzcv"),     integer, xn | xm | nzcv, nzcv},  // CCMN, CCMP
    {encoding("sf op 1 11010010 imm5 cond 1 0 Rn 0 nzcv"),   integer, xn | nzcv, nzcv},
    {encoding("sf op 0 11010100 Rm cond 0 o2 Rn Rd"),        integer, xn | xm | nzcv, xd},  // CSEL
    {encoding("sf 1 0 11010110 00000 xxxxxx Rn Rd"),         integer, xn, xd},
    {encoding("sf 0 0 11010110 Rm 00001x Rn Rd"),            divide, xn | xm, xd},
    {encoding("sf 0 0 11010110 Rm xxxxxx Rn Rd"),            integer, xn | xm, xd},
    {encoding("1 00 11011 x10 Rm 0 Ra Rn Rd"),               multiply, xn | xm, xd},     // SMULH, UMULH
    {encoding("sf 00 11011 op1 Rm o0 Ra Rn Rd"),             multiply, xn | xm | xa, xd},
};

constexpr DependenceRow branches_and_system[] = {
    {encoding("0 00101 imm26"),                              branch, none, none},        // B
    {encoding("1 00101 imm26"),                              branch, none, x30},         // BL
    {encoding("0101010 0 imm19 0 cond"),                     branch, nzcv, none},
    {encoding("sf 011010 op imm19 Rt"),                      branch, xd, none},          // CBZ, CBNZ
    {encoding("b5 011011 op b40 imm14 Rt"),                  branch, xd, none},          // TBZ, TBNZ
    {encoding("1101011 0001 11111 000000 Rn 00000"),         branch, xn, x30},           // BLR
    {encoding("1101011 00x0 11111 000000 Rn 00000"),         branch, xn, none},          // BR, RET
    {encoding("1101011 0100 11111 000000 11111 00000"),      branch, none, none},        // ERET
    {encoding("1101010100 1 1 1 011 0100 0010 000 Rt"),      other, nzcv, xd},  // MRS NZCV
    {encoding("1101010100 0 1 1 011 0100 0010 000 Rt"),      other, xd, nzcv},  // MSR NZCV
    {encoding("1101010100 0 1 o0 op1 CRn CRm op2 Rt"),       other, xd, none},  // MSR
    {encoding("1101010100 0 01 op1 CRn CRm op2 Rt"),         other, xd, none},  // SYS
    {encoding("1101010100 1 1 o0 op1 CRn CRm op2 Rt"),       other, none, xd},  // MRS
};

constexpr DependenceRow loads_and_stores[] = {
    {encoding("11 011 0 00 imm19 Rt"),                       load, none, none},          // PRFM (literal)
    {encoding("opc 011 0 00 imm19 Rt"),                      load, none, xd},
    {encoding("opc 011 1 00 imm19 Rt"),                      load, none, vd},

    {encoding("opc 101 0 0x0 0 imm7 Rt2 Rn Rt"),             store, xn | xd | xa, none},
    {encoding("opc 101 0 0x1 0 imm7 Rt2 Rn Rt"),             store, xn | xd | xa, xn_moved},
    {encoding("opc 101 0 0x0 1 imm7 Rt2 Rn Rt"),             load, xn, xd | xa},
    {encoding("opc 101 0 0x1 1 imm7 Rt2 Rn Rt"),             load, xn, xd | xa | xn_moved},
    {encoding("opc 101 1 0x0 0 imm7 Rt2 Rn Rt"),             store, xn | vd | va, none},
    {encoding("opc 101 1 0x1 0 imm7 Rt2 Rn Rt"),             store, xn | vd | va, xn_moved},
    {encoding("opc 101 1 0x0 1 imm7 Rt2 Rn Rt"),             load, xn, vd | va},
    {encoding("opc 101 1 0x1 1 imm7 Rt2 Rn Rt"),             load, xn, vd | va | xn_moved},

    {encoding("11 111 0 00 10 0 imm9 00 Rn Rt"),             load, xn, none},            // PRFUM
    {encoding("size 111 0 00 00 0 imm9 x0 Rn Rt"),           store, xn | xd, none},
    {encoding("size 111 0 00 00 0 imm9 x1 Rn Rt"),           store, xn | xd, xn_moved},
    {encoding("size 111 0 00 opc 0 imm9 x0 Rn Rt"),          load, xn, xd},
    {encoding("size 111 0 00 opc 0 imm9 x1 Rn Rt"),          load, xn, xd | xn_moved},
    {encoding("11 111 0 00 10 1 Rm option S 10 Rn Rt"),      load, xn | xm, none},       // PRFM (register)
    {encoding("size 111 0 00 00 1 Rm option S 10 Rn Rt"),    store, xn | xm | xd, none},
    {encoding("size 111 0 00 opc 1 Rm option S 10 Rn Rt"),   load, xn | xm, xd},
    {encoding("11 111 0 01 10 imm12 Rn Rt"),                 load, xn, none},            // PRFM
    {encoding("size 111 0 01 00 imm12 Rn Rt"),               store, xn | xd, none},
    {encoding("size 111 0 01 opc imm12 Rn Rt"),              load, xn, xd},
    {encoding("size 111 1 00 x0 0 imm9 x0 Rn Rt"),           store, xn | vd, none},
    {encoding("size 111 1 00 x0 0 imm9 x1 Rn Rt"),           store, xn | vd, xn_moved},
    {encoding("size 111 1 00 x1 0 imm9 x0 Rn Rt"),           load, xn, vd},
    {encoding("size 111 1 00 x1 0 imm9 x1 Rn Rt"),           load, xn, vd | xn_moved},
    {encoding("size 111 1 00 x0 1 Rm option S 10 Rn Rt"),    store, xn | xm | vd, none},
    {encoding("size 111 1 00 x1 1 Rm option S 10 Rn Rt"),    load, xn | xm, vd},
    {encoding("size 111 1 01 x0 imm12 Rn Rt"),               store, xn | vd, none},
    {encoding("size 111 1 01 x1 imm12 Rn Rt"),               load, xn, vd},

    {encoding("size 001000 0 0 0 Rs o0 Rt2 Rn Rt"),          store, xn | xd, xm},        // STXR
    {encoding("size 001000 0 1 0 Rs o0 Rt2 Rn Rt"),          load, xn, xd},              // LDXR
    {encoding("1 sz 001000 0 0 1 Rs o0 Rt2 Rn Rt"),          store, xn | xd | xa, xm},   // STXP
    {encoding("1 sz 001000 0 1 1 Rs o0 Rt2 Rn Rt"),          load, xn, xd | xa},         // LDXP
    {encoding("size 001000 1 0 0 Rs 1 Rt2 Rn Rt"),           store, xn | xd, none},      // STLR
    {encoding("size 001000 1 1 0 Rs 1 Rt2 Rn Rt"),           load, xn, xd},              // LDAR
    {encoding("size 001000 1 L 1 Rs o0 11111 Rn Rt"),        load, xn | xm | xd, xm},    // CAS
    {encoding("0 sz 001000 0 L 1 Rs o0 11111 Rn Rt"),        load, xn | xm2 | xd2, xm2},  // CASP
    {encoding("size 111 0 00 1 0 1 11111 1 100 00 Rn Rt"),   load, xn, xd},              // LDAPR
    {encoding("size 111 0 00 A R 1 Rs x op1 00 Rn Rt"),      load, xn | xm, xd},         // LDADD, ..., SWP

    {encoding("0 Q 0011000 0 000000 xxxx size Rn Rt"),       store, xn | vd_list, none},  // ST1 to ST4
    {encoding("0 Q 0011000 1 000000 xxxx size Rn Rt"),       load, xn, vd_list},
    {encoding("0 Q 0011001 0 0 Rm xxxx size Rn Rt"),         store, xn | xm | vd_list, xn_moved},
    {encoding("0 Q 0011001 1 0 Rm xxxx size Rn Rt"),         load, xn | xm, vd_list | xn_moved},
    {encoding("0 Q 0011010 1 R 00000 11 o0 0 size Rn Rt"),   load, xn, vd_list},         // LD1R to LD4R
    {encoding("0 Q 0011011 1 R Rm 11 o0 0 size Rn Rt"),      load, xn | xm, vd_list | xn_moved},
    {encoding("0 Q 0011010 0 R 00000 xx o0 S size Rn Rt"),   store, xn | vd_list, none},  // of a lane
    {encoding("0 Q 0011010 1 R 00000 xx o0 S size Rn Rt"),   load, xn | vd_list, vd_list},
    {encoding("0 Q 0011011 0 R Rm xx o0 S size Rn Rt"),      store, xn | xm | vd_list, xn_moved},
    {encoding("0 Q 0011011 1 R Rm xx o0 S size Rn Rt"),      load, xn | xm | vd_list, vd_list | xn_moved},
};

constexpr DependenceRow scalar_floating_point[] = {
    {encoding("00011111 ptype o1 Rm o0 Ra Rn Rd"),           fp_fused, vn | vm | va, vd},
    {encoding("00011110 ptype 1 imm8 100 00000 Rd"),         vector, none, vd},          // FMOV (immediate)
    {encoding("00011110 ptype 1 Rm 00 1000 Rn x1 000"),      fp_add, vn, nzcv},          // FCMP (zero)
    {encoding("00011110 ptype 1 Rm 00 1000 Rn x0 000"),      fp_add, vn | vm, nzcv},
    {encoding("00011110 ptype 1 Rm cond 01 Rn op nzcv"),     fp_add, vn | vm | nzcv, nzcv},  // FCCMP
    {encoding("00011110 ptype 1 Rm cond 11 Rn Rd"),          fp_add, vn | vm | nzcv, vd},  // FCSEL
    {encoding("00011110 ptype 1 000011 10000 Rn Rd"),        fp_divide, vn, vd},         // FSQRT
    {encoding("00011110 ptype 1 xxxxxx 10000 Rn Rd"),        fp_add, vn, vd},
    {encoding("00011110 ptype 1 Rm x000 10 Rn Rd"),          fp_multiply, vn | vm, vd},
    {encoding("00011110 ptype 1 Rm 0001 10 Rn Rd"),          fp_divide, vn | vm, vd},
    {encoding("00011110 ptype 1 Rm xxxx 10 Rn Rd"),          fp_add, vn | vm, vd},
    {encoding("sf 0011110 10 1 01 111 000000 Rn Rd"),        vector, xn | vd, vd},       // FMOV Vd.D[1], Xn
    {encoding("sf 0011110 ptype 1 xx 111 000000 Rn Rd"),     vector, xn, vd},            // FMOV Dd, Xn
    {encoding("sf 0011110 ptype 1 xx 110 000000 Rn Rd"),     vector, vn, xd},            // FMOV Xd, Dn
    {encoding("sf 0011110 ptype 1 xx 01x 000000 Rn Rd"),     fp_add, xn, vd},            // SCVTF, UCVTF
    {encoding("sf 0011110 ptype 1 xx op1 000000 Rn Rd"),     fp_add, vn, xd},            // FCVTxS, FCVTxU
    {encoding("sf 0011110 ptype 0 xx 01x xxxxxx Rn Rd"),     fp_add, xn, vd},            // fixed point
    {encoding("sf 0011110 ptype 0 xx op1 xxxxxx Rn Rd"),     fp_add, vn, xd},
};

constexpr DependenceRow vectors[] = {
    {encoding("01001110 00 10100 0010x 10 Rn Rd"),           vector, vd | vn, vd},       // AESD, AESE
    {encoding("01011110 00 0 Rm 0 op1 00 Rn Rd"),            vector, vd | vn | vm, vd},  // SHA1, SHA256
    {encoding("01011110 00 10100 00001 10 Rn Rd"),           vector, vd | vn, vd},       // SHA1SU1
    {encoding("01011110 00 10100 00010 10 Rn Rd"),           vector, vd | vn, vd},       // SHA256SU0
    {encoding("0 x x x1110 00 10100 xxxxx 10 Rn Rd"),        vector, vn, vd},            // AESMC, SHA1H

    {encoding("0 Q 0 01110 00 0 Rm 0 xx 0 00 Rn Rd"),        vector, vn_list | vm, vd},  // TBL
    {encoding("0 Q 0 01110 00 0 Rm 0 xx 1 00 Rn Rd"),        vector, vd | vn_list | vm, vd},  // TBX
    {encoding("0 Q 0 01110 size 0 Rm 0 op1 10 Rn Rd"),       vector, vn | vm, vd},       // ZIP, UZP, TRN
    {encoding("0 Q 1 01110 00 0 Rm 0 xxxx 0 Rn Rd"),         vector, vn | vm, vd},       // EXT
    {encoding("0 x 0 x1110 000 imm5 0 0000 1 Rn Rd"),        vector, vn, vd},            // DUP (element)
    {encoding("0 Q 0 01110 000 imm5 0 0001 1 Rn Rd"),        vector, xn, vd},            // DUP (general)
    {encoding("0 Q 0 01110 000 imm5 0 0011 1 Rn Rd"),        vector, xn | vd, vd},       // INS (general)
    {encoding("0 Q 0 01110 000 imm5 0 01x1 1 Rn Rd"),        vector, vn, xd},            // SMOV, UMOV
    {encoding("0 Q 1 01110 000 imm5 0 xxxx 1 Rn Rd"),        vector, vn | vd, vd},       // INS (element)
    {encoding("0 x U x1110 size 0 Rm 1 xxxx 1 Rn Rd"),       vector, vd | vn | vm, vd},  // SDOT, SQRDMLAH

    {encoding("0 x 0 x1110 x10 Rm 00 001 1 Rn Rd"),          fp_fused, vd | vn | vm, vd},  // half precision
    {encoding("0 x U x1110 010 Rm 00 011 1 Rn Rd"),          fp_multiply, vn | vm, vd},
    {encoding("0 x 1 x1110 010 Rm 00 111 1 Rn Rd"),          fp_divide, vn | vm, vd},
    {encoding("0 x U x1110 x10 Rm 00 op1 1 Rn Rd"),          fp_add, vn | vm, vd},
    {encoding("0 x 1 x1110 1 1 11100 11111 10 Rn Rd"),       fp_divide, vn, vd},
    {encoding("0 x U x1110 x 1 11100 xxxxx 10 Rn Rd"),       fp_add, vn, vd},

    {encoding("0 x U x1110 size 1 Rm 0101 00 Rn Rd"),        vector, vd | vn | vm, vd},  // SABAL
    {encoding("0 x U x1110 size 1 Rm 10xx 00 Rn Rd"),        vector, vd | vn | vm, vd},  // SMLAL, SQDMLSL
    {encoding("0 1 U 01110 size 1 Rm 01x0 00 Rn Rd"),        vector, vd | vn | vm, vd},  // ADDHN2, SUBHN2
    {encoding("0 x U x1110 size 1 Rm xxxx 00 Rn Rd"),        vector, vn | vm, vd},

    {encoding("0 Q 1 01110 01 1 Rm 00011 1 Rn Rd"),          vector, vd | vn | vm, vd},  // BSL
    {encoding("0 Q 1 01110 1x 1 Rm 00011 1 Rn Rd"),          vector, vd | vn | vm, vd},  // BIF, BIT
    {encoding("0 Q U 01110 size 1 Rm 01111 1 Rn Rd"),        vector, vd | vn | vm, vd},  // SABA
    {encoding("0 Q U 01110 size 1 Rm 10010 1 Rn Rd"),        vector, vd | vn | vm, vd},  // MLA, MLS
    {encoding("0 x 0 x1110 size 1 Rm 11001 1 Rn Rd"),        fp_fused, vd | vn | vm, vd},  // FMLA, FMLS
    {encoding("0 x U x1110 0 x 1 Rm 11011 1 Rn Rd"),         fp_multiply, vn | vm, vd},
    {encoding("0 Q 1 01110 0 x 1 Rm 11111 1 Rn Rd"),         fp_divide, vn | vm, vd},
    {encoding("0 x U x1110 size 1 Rm 11xxx 1 Rn Rd"),        fp_add, vn | vm, vd},
    {encoding("0 x U x1110 size 1 Rm xxxxx 1 Rn Rd"),        vector, vn | vm, vd},

    {encoding("0 x U x1110 size 10000 00011 10 Rn Rd"),      vector, vd | vn, vd},       // SUQADD, USQADD
    {encoding("0 Q U 01110 size 10000 00110 10 Rn Rd"),      vector, vd | vn, vd},       // SADALP
    {encoding("0 1 U 01110 size 10000 100x0 10 Rn Rd"),      vector, vd | vn, vd},       // XTN2
    {encoding("0 1 U 01110 size 10000 10100 10 Rn Rd"),      vector, vd | vn, vd},       // SQXTN2
    {encoding("0 1 U 01110 size 10000 10110 10 Rn Rd"),      fp_add, vd | vn, vd},       // FCVTN2
    {encoding("0 Q 1 01110 1x 10000 11111 10 Rn Rd"),        fp_divide, vn, vd},         // FSQRT
    {encoding("0 x U x1110 size 10000 11xxx 10 Rn Rd"),      fp_add, vn, vd},
    {encoding("0 x U x1110 size 10000 1011x 10 Rn Rd"),      fp_add, vn, vd},
    {encoding("0 x U x1110 1x 10000 011xx 10 Rn Rd"),        fp_add, vn, vd},
    {encoding("0 x U x1110 size 10000 xxxxx 10 Rn Rd"),      vector, vn, vd},
    {encoding("0 x U x1110 size 11000 011xx 10 Rn Rd"),      fp_add, vn, vd},            // FMAXV, FADDP
    {encoding("0 x U x1110 size 11000 xxxxx 10 Rn Rd"),      vector, vn, vd},

    {encoding("0 x 0 x1111 size L M xxxx 0x01 H 0 Rn Rd"),   fp_fused, vd | vn | vm_lane, vd},
    {encoding("0 x U x1111 size L M xxxx 1001 H 0 Rn Rd"),   fp_multiply, vn | vm_lane, vd},
    {encoding("0 x U x1111 size L M xxxx 0xxx H 0 Rn Rd"),   vector, vd | vn | vm_lane, vd},
    {encoding("0 x U x1111 size L M xxxx 1110 H 0 Rn Rd"),   vector, vd | vn | vm_lane, vd},  // SDOT
    {encoding("0 x 1 x1111 size L M xxxx 11x1 H 0 Rn Rd"),   vector, vd | vn | vm_lane, vd},  // SQRDMLAH
    {encoding("0 x U x1111 size L M xxxx xxxx H 0 Rn Rd"),   vector, vn | vm_lane, vd},

    {encoding("0 Q op 01111 00000 op1 0xx1 01 xxxxx Rd"),    vector, vd, vd},            // ORR, BIC
    {encoding("0 Q op 01111 00000 op1 10x1 01 xxxxx Rd"),    vector, vd, vd},
    {encoding("0 Q op 01111 00000 op1 xxxx x1 xxxxx Rd"),    vector, none, vd},          // MOVI, FMOV
    {encoding("0 x U x1111 0 immh immb 00x10 1 Rn Rd"),      vector, vd | vn, vd},       // SSRA, SRSRA
    {encoding("0 x 1 x1111 0 immh immb 010x0 1 Rn Rd"),      vector, vd | vn, vd},       // SRI, SLI
    {encoding("0 1 U 01111 0 immh immb 100xx 1 Rn Rd"),      vector, vd | vn, vd},       // SHRN2
    {encoding("0 x U x1111 0 immh immb 111xx 1 Rn Rd"),      fp_add, vn, vd},            // SCVTF, FCVTZS
    {encoding("0 x U x1111 0 immh immb xxxxx 1 Rn Rd"),      vector, vn, vd},
};
// clang-format on

constexpr unsigned field(std::uint32_t word, unsigned low, unsigned width) {
  return word >> low & ((1u << width) - 1);
}

constexpr unsigned rd = 0, rn = 5, ra = 10, rm = 16;  // the lowest bits of the fields

std::uint64_t x(std::uint32_t word, unsigned at, unsigned next = 0) {
  const unsigned number = field(word, at, 5) + next;
  return number >= 31 ? 0 : std::uint64_t{1} << number;
}

std::uint64_t v(std::uint32_t word, unsigned at, unsigned count = 1) {
  const std::uint32_t first = std::uint32_t{(1u << count) - 1};
  return std::uint64_t{std::rotl(first, static_cast<int>(field(word, at, 5)))} << 32;
}

unsigned registers_of_structure(std::uint32_t word) {
  const bool is_single = field(word, 24, 1) == 1;
  if (is_single) return 1 + field(word, 21, 1) + 2 * field(word, 13, 1);
  constexpr unsigned by_opcode[] = {4, 0, 4, 0, 3, 0, 3, 1, 2, 0, 2, 0, 0, 0, 0, 0};
  return by_opcode[field(word, 12, 4)];
}

std::uint64_t registers_of(Operand operands, std::uint32_t word) {
  std::uint64_t all = 0;
  const auto add = [&](Operand operand, std::uint64_t registers) {
    if (operands & operand) all |= registers;
  };
  add(xd, x(word, rd));
  add(xn, x(word, rn));
  add(xm, x(word, rm));
  add(xa, x(word, ra));
  add(vd, v(word, rd));
  add(vn, v(word, rn));
  add(vm, v(word, rm));
  add(va, v(word, ra));
  add(nzcv, std::uint64_t{1} << 31);
  add(x30, std::uint64_t{1} << 30);
  add(xd2, x(word, rd) | x(word, rd, 1));
  add(xm2, x(word, rm) | x(word, rm, 1));
  if (operands & vd_list) all |= v(word, rd, registers_of_structure(word));
  add(vn_list, v(word, rn, 1 + field(word, 13, 2)));
  const bool has_half_words = field(word, 23, 1) == 0;
  add(vm_lane, v(has_half_words ? word & ~(1u << 20) : word, rm));
  add(xn_moved, x(word, rn));
  return all;
}

std::span<const DependenceRow> rows_for(std::uint32_t word) {
  const unsigned group = field(word, 25, 4);  // Arm ARM C4.1
  if ((group & 0b1110) == 0b1000) return immediates;
  if ((group & 0b1110) == 0b1010) return branches_and_system;
  if ((group & 0b0101) == 0b0100) return loads_and_stores;
  if ((group & 0b0111) == 0b0101) return registers;
  if ((group & 0b0111) == 0b0111)
    return field(word, 28, 3) == 1 ? std::span<const DependenceRow>(scalar_floating_point) : vectors;
  return {};
}

}  // namespace

Dependences dependences(std::uint32_t word) {
  const std::span rows = rows_for(word);
  const auto row = std::ranges::find_if(rows, [&](const auto& each) { return each.encoding.matches(word); });
  if (row == rows.end()) return {};
  const bool is_access = row->is == load || row->is == store;
  const Operand of_address = is_access ? static_cast<Operand>(row->from & (xn | xm)) : none;
  return {row->is, registers_of(row->from, word), registers_of(row->to, word),
          row->to & xn_moved ? x(word, rn) : 0, registers_of(of_address, word)};
}

}  // namespace asterism::a64
