// Tests floating point and SIMD in edge cases: NaNs, infinities, zeros, denormals, halfway cases, overflow,
// in every rounding mode, with and without flush to zero and default NaN, results and flags; saturation with
// FPSR.QC. The program first prints a few named cases, then a line for each instruction with digests of its
// results and flags over all inputs, one for each rounding mode. Half precision and other instructions newer
// than Armv8.0-A (FEAT_FP16, FEAT_RDM, FEAT_DotProd) are left out on a core that does not announce them, and
// a line says so.
//
//   conformance_floating_point [detail=NAME]     prints every case of one instruction instead
//
// Left out: traps of floating-point exceptions (FPCR.IDE...IOE), which neither side implements.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "boot/arguments.h"
#include "boot/exit_status.h"

typedef unsigned long long Printable;

typedef struct {
  uint64_t low, high;
} Vector;

// result = instruction(a, b, c): in v3 from v0, v1, v2.
typedef void (*Function)(Vector* result, const Vector* a, const Vector* b, const Vector* c);

typedef enum { double_lanes, single_lanes, half_lanes, bytes, halfwords, words, doublewords } Lanes;

typedef struct {
  const char* name;
  Function function;
  Lanes lanes;
  unsigned operands;
} Instruction;

enum {
  flush_halves_to_zero = 1 << 19,
  flush_to_zero = 1 << 24,
  default_nan = 1 << 25,
  alternative_half = 1 << 26,
  modes_shift = 22
};
enum { flags = 0x0800009f };  // QC, IDC, IXC, UFC, OFC, DZC, IOC

// A row for each instruction: name, code, lanes, operands.
// clang-format off
#define ALL(of)                                                                                    \
  /* scalar arithmetic */                                                                          \
  of(fadd_d, "fadd d3, d0, d1", double_lanes, 2)                                                   \
  of(fadd_s, "fadd s3, s0, s1", single_lanes, 2)                                                   \
  of(fsub_d, "fsub d3, d0, d1", double_lanes, 2)                                                   \
  of(fsub_s, "fsub s3, s0, s1", single_lanes, 2)                                                   \
  of(fmul_d, "fmul d3, d0, d1", double_lanes, 2)                                                   \
  of(fmul_s, "fmul s3, s0, s1", single_lanes, 2)                                                   \
  of(fdiv_d, "fdiv d3, d0, d1", double_lanes, 2)                                                   \
  of(fdiv_s, "fdiv s3, s0, s1", single_lanes, 2)                                                   \
  of(fnmul_d, "fnmul d3, d0, d1", double_lanes, 2)                                                 \
  of(fnmul_s, "fnmul s3, s0, s1", single_lanes, 2)                                                 \
  of(fmulx_d, "fmulx d3, d0, d1", double_lanes, 2)                                                 \
  of(fmulx_s, "fmulx s3, s0, s1", single_lanes, 2)                                                 \
  of(fmax_d, "fmax d3, d0, d1", double_lanes, 2)                                                   \
  of(fmax_s, "fmax s3, s0, s1", single_lanes, 2)                                                   \
  of(fmin_d, "fmin d3, d0, d1", double_lanes, 2)                                                   \
  of(fmin_s, "fmin s3, s0, s1", single_lanes, 2)                                                   \
  of(fmaxnm_d, "fmaxnm d3, d0, d1", double_lanes, 2)                                               \
  of(fmaxnm_s, "fmaxnm s3, s0, s1", single_lanes, 2)                                               \
  of(fminnm_d, "fminnm d3, d0, d1", double_lanes, 2)                                               \
  of(fminnm_s, "fminnm s3, s0, s1", single_lanes, 2)                                               \
  of(fabd_d, "fabd d3, d0, d1", double_lanes, 2)                                                   \
  of(fabd_s, "fabd s3, s0, s1", single_lanes, 2)                                                   \
  of(frecps_d, "frecps d3, d0, d1", double_lanes, 2)                                               \
  of(frecps_s, "frecps s3, s0, s1", single_lanes, 2)                                               \
  of(frsqrts_d, "frsqrts d3, d0, d1", double_lanes, 2)                                             \
  of(frsqrts_s, "frsqrts s3, s0, s1", single_lanes, 2)                                             \
  of(fsqrt_d, "fsqrt d3, d0", double_lanes, 1)                                                     \
  of(fsqrt_s, "fsqrt s3, s0", single_lanes, 1)                                                     \
  of(frecpe_d, "frecpe d3, d0", double_lanes, 1)                                                   \
  of(frecpe_s, "frecpe s3, s0", single_lanes, 1)                                                   \
  of(frsqrte_d, "frsqrte d3, d0", double_lanes, 1)                                                 \
  of(frsqrte_s, "frsqrte s3, s0", single_lanes, 1)                                                 \
  of(frecpx_d, "frecpx d3, d0", double_lanes, 1)                                                   \
  of(frecpx_s, "frecpx s3, s0", single_lanes, 1)                                                   \
  of(fabs_d, "fabs d3, d0", double_lanes, 1)                                                       \
  of(fneg_s, "fneg s3, s0", single_lanes, 1)                                                       \
  of(fmadd_d, "fmadd d3, d0, d1, d2", double_lanes, 3)                                             \
  of(fmadd_s, "fmadd s3, s0, s1, s2", single_lanes, 3)                                             \
  of(fmsub_d, "fmsub d3, d0, d1, d2", double_lanes, 3)                                             \
  of(fmsub_s, "fmsub s3, s0, s1, s2", single_lanes, 3)                                             \
  of(fnmadd_d, "fnmadd d3, d0, d1, d2", double_lanes, 3)                                           \
  of(fnmadd_s, "fnmadd s3, s0, s1, s2", single_lanes, 3)                                           \
  of(fnmsub_d, "fnmsub d3, d0, d1, d2", double_lanes, 3)                                           \
  of(fnmsub_s, "fnmsub s3, s0, s1, s2", single_lanes, 3)                                           \
  /* comparisons */                                                                                \
  of(fcmp_d, "fcmp d0, d1\n mrs x9, nzcv\n fmov d3, x9", double_lanes, 2)                          \
  of(fcmp_s, "fcmp s0, s1\n mrs x9, nzcv\n fmov d3, x9", single_lanes, 2)                          \
  of(fcmpe_d, "fcmpe d0, d1\n mrs x9, nzcv\n fmov d3, x9", double_lanes, 2)                        \
  of(fcmpe_s, "fcmpe s0, s1\n mrs x9, nzcv\n fmov d3, x9", single_lanes, 2)                        \
  of(fcmp_zero_d, "fcmp d0, #0.0\n mrs x9, nzcv\n fmov d3, x9", double_lanes, 1)                   \
  of(fccmp_d, "cmp xzr, xzr\n fccmp d0, d1, #3, eq\n mrs x9, nzcv\n fmov d3, x9", double_lanes, 2) \
  of(fcmeq_d, "fcmeq d3, d0, d1", double_lanes, 2)                                                 \
  of(fcmgt_s, "fcmgt s3, s0, s1", single_lanes, 2)                                                 \
  of(fcmge_d, "fcmge d3, d0, d1", double_lanes, 2)                                                 \
  of(facge_d, "facge d3, d0, d1", double_lanes, 2)                                                 \
  of(facgt_s, "facgt s3, s0, s1", single_lanes, 2)                                                 \
  of(fcmlt_zero_s, "fcmlt s3, s0, #0.0", single_lanes, 1)                                          \
  /* rounding and conversion */                                                                    \
  of(frinta_d, "frinta d3, d0", double_lanes, 1)                                                   \
  of(frinta_s, "frinta s3, s0", single_lanes, 1)                                                   \
  of(frintn_d, "frintn d3, d0", double_lanes, 1)                                                   \
  of(frintn_s, "frintn s3, s0", single_lanes, 1)                                                   \
  of(frintm_d, "frintm d3, d0", double_lanes, 1)                                                   \
  of(frintp_s, "frintp s3, s0", single_lanes, 1)                                                   \
  of(frintz_d, "frintz d3, d0", double_lanes, 1)                                                   \
  of(frintz_s, "frintz s3, s0", single_lanes, 1)                                                   \
  of(frintx_d, "frintx d3, d0", double_lanes, 1)                                                   \
  of(frintx_s, "frintx s3, s0", single_lanes, 1)                                                   \
  of(frinti_d, "frinti d3, d0", double_lanes, 1)                                                   \
  of(frinti_s, "frinti s3, s0", single_lanes, 1)                                                   \
  of(fcvt_d_to_s, "fcvt s3, d0", double_lanes, 1)                                                  \
  of(fcvt_s_to_d, "fcvt d3, s0", single_lanes, 1)                                                  \
  of(fcvt_d_to_h, "fcvt h3, d0", double_lanes, 1)                                                  \
  of(fcvt_h_to_d, "fcvt d3, h0", half_lanes, 1)                                                    \
  of(fcvt_s_to_h, "fcvt h3, s0", single_lanes, 1)                                                  \
  of(fcvt_h_to_s, "fcvt s3, h0", half_lanes, 1)                                                    \
  of(fcvtxn_d, "fcvtxn s3, d0", double_lanes, 1)                                                   \
  of(fcvtns_x_d, "fcvtns x9, d0\n fmov d3, x9", double_lanes, 1)                                   \
  of(fcvtns_w_s, "fcvtns w9, s0\n fmov d3, x9", single_lanes, 1)                                   \
  of(fcvtas_x_d, "fcvtas x9, d0\n fmov d3, x9", double_lanes, 1)                                   \
  of(fcvtau_w_d, "fcvtau w9, d0\n fmov d3, x9", double_lanes, 1)                                   \
  of(fcvtps_x_s, "fcvtps x9, s0\n fmov d3, x9", single_lanes, 1)                                   \
  of(fcvtpu_x_d, "fcvtpu x9, d0\n fmov d3, x9", double_lanes, 1)                                   \
  of(fcvtms_w_d, "fcvtms w9, d0\n fmov d3, x9", double_lanes, 1)                                   \
  of(fcvtmu_x_s, "fcvtmu x9, s0\n fmov d3, x9", single_lanes, 1)                                   \
  of(fcvtzs_x_d, "fcvtzs x9, d0\n fmov d3, x9", double_lanes, 1)                                   \
  of(fcvtzs_w_d, "fcvtzs w9, d0\n fmov d3, x9", double_lanes, 1)                                   \
  of(fcvtzs_x_s, "fcvtzs x9, s0\n fmov d3, x9", single_lanes, 1)                                   \
  of(fcvtzs_w_s, "fcvtzs w9, s0\n fmov d3, x9", single_lanes, 1)                                   \
  of(fcvtzu_x_d, "fcvtzu x9, d0\n fmov d3, x9", double_lanes, 1)                                   \
  of(fcvtzu_w_s, "fcvtzu w9, s0\n fmov d3, x9", single_lanes, 1)                                   \
  of(fcvtzs_fixed, "fcvtzs x9, d0, #20\n fmov d3, x9", double_lanes, 1)                            \
  of(fcvtzu_fixed, "fcvtzu w9, s0, #32\n fmov d3, x9", single_lanes, 1)                            \
  of(scvtf_d_x, "fmov x9, d0\n scvtf d3, x9", doublewords, 1)                                      \
  of(scvtf_s_x, "fmov x9, d0\n scvtf s3, x9", doublewords, 1)                                      \
  of(ucvtf_d_x, "fmov x9, d0\n ucvtf d3, x9", doublewords, 1)                                      \
  of(ucvtf_s_x, "fmov x9, d0\n ucvtf s3, x9", doublewords, 1)                                      \
  of(scvtf_s_w, "fmov w9, s0\n scvtf s3, w9", words, 1)                                            \
  of(ucvtf_s_w, "fmov w9, s0\n ucvtf s3, w9", words, 1)                                            \
  of(scvtf_fixed, "fmov x9, d0\n scvtf d3, x9, #33", doublewords, 1)                               \
  of(ucvtf_fixed, "fmov w9, s0\n ucvtf s3, w9, #7", words, 1)                                      \
  /* vectors */                                                                                    \
  of(fadd_4s, "fadd v3.4s, v0.4s, v1.4s", single_lanes, 2)                                         \
  of(fmul_2d, "fmul v3.2d, v0.2d, v1.2d", double_lanes, 2)                                         \
  of(fdiv_4s, "fdiv v3.4s, v0.4s, v1.4s", single_lanes, 2)                                         \
  of(fsqrt_2d, "fsqrt v3.2d, v0.2d", double_lanes, 1)                                              \
  of(fmla_4s, "mov v3.16b, v2.16b\n fmla v3.4s, v0.4s, v1.4s", single_lanes, 3)                    \
  of(fmls_2d, "mov v3.16b, v2.16b\n fmls v3.2d, v0.2d, v1.2d", double_lanes, 3)                    \
  of(fmla_lane, "mov v3.16b, v2.16b\n fmla v3.4s, v0.4s, v1.s[3]", single_lanes, 3)                \
  of(fmulx_lane, "fmulx v3.2d, v0.2d, v1.d[1]", double_lanes, 2)                                   \
  of(faddp_4s, "faddp v3.4s, v0.4s, v1.4s", single_lanes, 2)                                       \
  of(faddp_d, "faddp d3, v0.2d", double_lanes, 1)                                                  \
  of(fmaxv, "fmaxv s3, v0.4s", single_lanes, 1)                                                    \
  of(fminnmv, "fminnmv s3, v0.4s", single_lanes, 1)                                                \
  of(fmaxp_2d, "fmaxp v3.2d, v0.2d, v1.2d", double_lanes, 2)                                       \
  of(fminnmp_4s, "fminnmp v3.4s, v0.4s, v1.4s", single_lanes, 2)                                   \
  of(fabd_4s, "fabd v3.4s, v0.4s, v1.4s", single_lanes, 2)                                         \
  of(facgt_4s, "facgt v3.4s, v0.4s, v1.4s", single_lanes, 2)                                       \
  of(fcmge_2d, "fcmge v3.2d, v0.2d, v1.2d", double_lanes, 2)                                       \
  of(fcmle_zero_4s, "fcmle v3.4s, v0.4s, #0.0", single_lanes, 1)                                   \
  of(frecpe_4s, "frecpe v3.4s, v0.4s", single_lanes, 1)                                            \
  of(frsqrte_2d, "frsqrte v3.2d, v0.2d", double_lanes, 1)                                          \
  of(frinti_4s, "frinti v3.4s, v0.4s", single_lanes, 1)                                            \
  of(frintx_2d, "frintx v3.2d, v0.2d", double_lanes, 1)                                            \
  of(fcvtn, "fcvtn v3.2s, v0.2d\n fcvtn2 v3.4s, v1.2d", double_lanes, 2)                           \
  of(fcvtl, "fcvtl v3.2d, v0.2s", single_lanes, 1)                                                 \
  of(fcvtl2_half, "fcvtl2 v3.4s, v0.8h", half_lanes, 1)                                            \
  of(fcvtn_half, "fcvtn v3.4h, v0.4s", single_lanes, 1)                                            \
  of(fcvtxn_2s, "fcvtxn v3.2s, v0.2d", double_lanes, 1)                                            \
  of(fcvtzs_4s, "fcvtzs v3.4s, v0.4s", single_lanes, 1)                                            \
  of(fcvtzu_2d, "fcvtzu v3.2d, v0.2d", double_lanes, 1)                                            \
  of(fcvtas_4s, "fcvtas v3.4s, v0.4s", single_lanes, 1)                                            \
  of(scvtf_4s, "scvtf v3.4s, v0.4s", words, 1)                                                     \
  of(ucvtf_2d, "ucvtf v3.2d, v0.2d, #1", doublewords, 1)                                           \
  of(urecpe, "urecpe v3.4s, v0.4s", words, 1)                                                      \
  of(ursqrte, "ursqrte v3.4s, v0.4s", words, 1)                                                    \
  /* saturating integers, FPSR.QC */                                                               \
  of(sqadd_16b, "sqadd v3.16b, v0.16b, v1.16b", bytes, 2)                                          \
  of(uqadd_8h, "uqadd v3.8h, v0.8h, v1.8h", halfwords, 2)                                          \
  of(sqsub_4s, "sqsub v3.4s, v0.4s, v1.4s", words, 2)                                              \
  of(uqsub_2d, "uqsub v3.2d, v0.2d, v1.2d", doublewords, 2)                                        \
  of(sqadd_d, "sqadd d3, d0, d1", doublewords, 2)                                                  \
  of(suqadd_8h, "mov v3.16b, v1.16b\n suqadd v3.8h, v0.8h", halfwords, 2)                          \
  of(usqadd_16b, "mov v3.16b, v1.16b\n usqadd v3.16b, v0.16b", bytes, 2)                           \
  of(sqabs_4s, "sqabs v3.4s, v0.4s", words, 1)                                                     \
  of(sqneg_2d, "sqneg v3.2d, v0.2d", doublewords, 1)                                               \
  of(sqdmulh_8h, "sqdmulh v3.8h, v0.8h, v1.8h", halfwords, 2)                                      \
  of(sqrdmulh_4s, "sqrdmulh v3.4s, v0.4s, v1.4s", words, 2)                                        \
  of(sqdmull_4s, "sqdmull v3.4s, v0.4h, v1.4h", halfwords, 2)                                      \
  of(sqdmlal_2d, "mov v3.16b, v2.16b\n sqdmlal v3.2d, v0.2s, v1.2s", words, 3)                     \
  of(sqdmlsl_4s, "mov v3.16b, v2.16b\n sqdmlsl2 v3.4s, v0.8h, v1.h[7]", halfwords, 3)              \
  of(sqshl_16b, "sqshl v3.16b, v0.16b, v1.16b", bytes, 2)                                          \
  of(uqrshl_8h, "uqrshl v3.8h, v0.8h, v1.8h", halfwords, 2)                                        \
  of(srshl_2d, "srshl v3.2d, v0.2d, v1.2d", doublewords, 2)                                        \
  of(sqrshl_4s, "sqrshl v3.4s, v0.4s, v1.4s", words, 2)                                            \
  of(sqshlu_4s, "sqshlu v3.4s, v0.4s, #5", words, 1)                                               \
  of(sqshrn, "sqshrn v3.8b, v0.8h, #3", halfwords, 1)                                              \
  of(sqrshrun, "sqrshrun v3.4h, v0.4s, #16", words, 1)                                             \
  of(uqrshrn, "uqrshrn v3.2s, v0.2d, #32", doublewords, 1)                                         \
  of(sqxtn, "sqxtn v3.2s, v0.2d", doublewords, 1)                                                  \
  of(sqxtun, "sqxtun v3.8b, v0.8h", halfwords, 1)                                                  \
  of(uqxtn, "uqxtn v3.4h, v0.4s", words, 1)                                                        \
  of(urshr, "urshr v3.2d, v0.2d, #64", doublewords, 1)                                             \
  of(srsra, "mov v3.16b, v1.16b\n srsra v3.4s, v0.4s, #32", words, 2)                              \
  of(sli, "mov v3.16b, v1.16b\n sli v3.16b, v0.16b, #7", bytes, 2)                                 \
  of(sri, "mov v3.16b, v1.16b\n sri v3.2d, v0.2d, #64", doublewords, 2)                            \
  of(pmul, "pmul v3.16b, v0.16b, v1.16b", bytes, 2)                                                \
  of(pmull, "pmull v3.8h, v0.8b, v1.8b", bytes, 2)                                                 \
  of(tbl, "tbl v3.16b, {v0.16b, v1.16b}, v1.16b", bytes, 2)                                        \
  of(tbx, "mov v3.16b, v1.16b\n tbx v3.16b, {v0.16b}, v1.16b", bytes, 2)                           \
  of(addhn, "addhn v3.4h, v0.4s, v1.4s", words, 2)                                                 \
  of(rsubhn, "rsubhn v3.2s, v0.2d, v1.2d", doublewords, 2)                                         \
  of(uabal, "mov v3.16b, v2.16b\n uabal v3.8h, v0.8b, v1.8b", bytes, 3)                            \
  of(saddlv, "saddlv s3, v0.8h", halfwords, 1)                                                     \
  of(uadalp, "mov v3.16b, v1.16b\n uadalp v3.2d, v0.4s", words, 2)                                 \
  of(shadd, "shadd v3.4s, v0.4s, v1.4s", words, 2)                                                 \
  of(urhadd, "urhadd v3.16b, v0.16b, v1.16b", bytes, 2)
// Instructions newer than Armv8.0-A: half precision, FEAT_RDM, FEAT_DotProd.
#define ALL_HALF(of)                                                                             \
  of(fadd_h, "fadd h3, h0, h1", half_lanes, 2)                                                   \
  of(fsub_h, "fsub h3, h0, h1", half_lanes, 2)                                                   \
  of(fmul_h, "fmul h3, h0, h1", half_lanes, 2)                                                   \
  of(fdiv_h, "fdiv h3, h0, h1", half_lanes, 2)                                                   \
  of(fnmul_h, "fnmul h3, h0, h1", half_lanes, 2)                                                 \
  of(fmulx_h, "fmulx h3, h0, h1", half_lanes, 2)                                                 \
  of(fmax_h, "fmax h3, h0, h1", half_lanes, 2)                                                   \
  of(fmin_h, "fmin h3, h0, h1", half_lanes, 2)                                                   \
  of(fmaxnm_h, "fmaxnm h3, h0, h1", half_lanes, 2)                                               \
  of(fminnm_h, "fminnm h3, h0, h1", half_lanes, 2)                                               \
  of(fabd_h, "fabd h3, h0, h1", half_lanes, 2)                                                   \
  of(frecps_h, "frecps h3, h0, h1", half_lanes, 2)                                               \
  of(frsqrts_h, "frsqrts h3, h0, h1", half_lanes, 2)                                             \
  of(fcmeq_h, "fcmeq h3, h0, h1", half_lanes, 2)                                                 \
  of(facge_h, "facge h3, h0, h1", half_lanes, 2)                                                 \
  of(facgt_h, "facgt h3, h0, h1", half_lanes, 2)                                                 \
  of(fsqrt_h, "fsqrt h3, h0", half_lanes, 1)                                                     \
  of(frecpe_h, "frecpe h3, h0", half_lanes, 1)                                                   \
  of(frsqrte_h, "frsqrte h3, h0", half_lanes, 1)                                                 \
  of(frecpx_h, "frecpx h3, h0", half_lanes, 1)                                                   \
  of(fabs_h, "fabs h3, h0", half_lanes, 1)                                                       \
  of(fneg_h, "fneg h3, h0", half_lanes, 1)                                                       \
  of(frintn_h, "frintn h3, h0", half_lanes, 1)                                                   \
  of(frintp_h, "frintp h3, h0", half_lanes, 1)                                                   \
  of(frintm_h, "frintm h3, h0", half_lanes, 1)                                                   \
  of(frintz_h, "frintz h3, h0", half_lanes, 1)                                                   \
  of(frinta_h, "frinta h3, h0", half_lanes, 1)                                                   \
  of(frintx_h, "frintx h3, h0", half_lanes, 1)                                                   \
  of(frinti_h, "frinti h3, h0", half_lanes, 1)                                                   \
  of(fmadd_h, "fmadd h3, h0, h1, h2", half_lanes, 3)                                             \
  of(fmsub_h, "fmsub h3, h0, h1, h2", half_lanes, 3)                                             \
  of(fnmadd_h, "fnmadd h3, h0, h1, h2", half_lanes, 3)                                           \
  of(fnmsub_h, "fnmsub h3, h0, h1, h2", half_lanes, 3)                                           \
  of(fcmp_h, "fcmp h0, h1\n mrs x9, nzcv\n fmov d3, x9", half_lanes, 2)                          \
  of(fcmpe_h, "fcmpe h0, h1\n mrs x9, nzcv\n fmov d3, x9", half_lanes, 2)                        \
  of(fcmpe_zero_h, "fcmpe h0, #0.0\n mrs x9, nzcv\n fmov d3, x9", half_lanes, 1)                 \
  of(fccmp_h, "cmp xzr, xzr\n fccmp h0, h1, #3, eq\n mrs x9, nzcv\n fmov d3, x9", half_lanes, 2) \
  of(fcsel_h, "cmp xzr, xzr\n fcsel h3, h0, h1, ne", half_lanes, 2)                              \
  of(fmov_h_w, "umov w9, v0.s[0]\n fmov h3, w9", half_lanes, 1)                                  \
  of(fmov_x_h, "fmov x9, h0\n fmov d3, x9", half_lanes, 1)                                       \
  of(fmov_h_immediate, "fmov h3, #-1.9375", half_lanes, 1)                                       \
  of(fmov_8h_immediate, "fmov v3.8h, #0.1328125", half_lanes, 1)                                 \
  of(fcvtns_w_h, "fcvtns w9, h0\n fmov d3, x9", half_lanes, 1)                                   \
  of(fcvtpu_x_h, "fcvtpu x9, h0\n fmov d3, x9", half_lanes, 1)                                   \
  of(fcvtms_x_h, "fcvtms x9, h0\n fmov d3, x9", half_lanes, 1)                                   \
  of(fcvtzs_w_h, "fcvtzs w9, h0\n fmov d3, x9", half_lanes, 1)                                   \
  of(fcvtzu_x_h, "fcvtzu x9, h0\n fmov d3, x9", half_lanes, 1)                                   \
  of(fcvtas_x_h, "fcvtas x9, h0\n fmov d3, x9", half_lanes, 1)                                   \
  of(fcvtzs_x_h_fixed, "fcvtzs x9, h0, #60\n fmov d3, x9", half_lanes, 1)                        \
  of(fcvtzu_w_h_fixed, "fcvtzu w9, h0, #20\n fmov d3, x9", half_lanes, 1)                        \
  of(scvtf_h_x, "fmov x9, d0\n scvtf h3, x9", doublewords, 1)                                    \
  of(ucvtf_h_w, "fmov w9, s0\n ucvtf h3, w9", words, 1)                                          \
  of(scvtf_h_w_fixed, "fmov w9, s0\n scvtf h3, w9, #32", words, 1)                               \
  of(ucvtf_h_x_fixed, "fmov x9, d0\n ucvtf h3, x9, #64", doublewords, 1)                         \
  of(fadd_8h, "fadd v3.8h, v0.8h, v1.8h", half_lanes, 2)                                         \
  of(fdiv_8h, "fdiv v3.8h, v0.8h, v1.8h", half_lanes, 2)                                         \
  of(fmulx_8h, "fmulx v3.8h, v0.8h, v1.8h", half_lanes, 2)                                       \
  of(faddp_8h, "faddp v3.8h, v0.8h, v1.8h", half_lanes, 2)                                       \
  of(fmaxnmp_8h, "fmaxnmp v3.8h, v0.8h, v1.8h", half_lanes, 2)                                   \
  of(fminp_8h, "fminp v3.8h, v0.8h, v1.8h", half_lanes, 2)                                       \
  of(fcmge_8h, "fcmge v3.8h, v0.8h, v1.8h", half_lanes, 2)                                       \
  of(facgt_8h, "facgt v3.8h, v0.8h, v1.8h", half_lanes, 2)                                       \
  of(frecps_8h, "frecps v3.8h, v0.8h, v1.8h", half_lanes, 2)                                     \
  of(frsqrts_8h, "frsqrts v3.8h, v0.8h, v1.8h", half_lanes, 2)                                   \
  of(fmla_8h, "mov v3.16b, v2.16b\n fmla v3.8h, v0.8h, v1.8h", half_lanes, 3)                    \
  of(fmls_4h, "mov v3.16b, v2.16b\n fmls v3.4h, v0.4h, v1.4h", half_lanes, 3)                    \
  of(fmla_h_lane, "mov v3.16b, v2.16b\n fmla v3.8h, v0.8h, v1.h[7]", half_lanes, 3)              \
  of(fmls_h_scalar_lane, "mov v3.16b, v2.16b\n fmls h3, h0, v1.h[5]", half_lanes, 3)             \
  of(fmul_h_lane, "fmul v3.4h, v0.4h, v1.h[2]", half_lanes, 2)                                   \
  of(fmulx_h_lane, "fmulx h3, h0, v1.h[3]", half_lanes, 2)                                       \
  of(faddp_h, "faddp h3, v0.2h", half_lanes, 1)                                                  \
  of(fmaxv_8h, "fmaxv h3, v0.8h", half_lanes, 1)                                                 \
  of(fminv_8h, "fminv h3, v0.8h", half_lanes, 1)                                                 \
  of(fmaxnmv_8h, "fmaxnmv h3, v0.8h", half_lanes, 1)                                             \
  of(fminnmv_8h, "fminnmv h3, v0.8h", half_lanes, 1)                                             \
  of(fminnmv_4h, "fminnmv h3, v0.4h", half_lanes, 1)                                             \
  of(frecpe_8h, "frecpe v3.8h, v0.8h", half_lanes, 1)                                            \
  of(frsqrte_8h, "frsqrte v3.8h, v0.8h", half_lanes, 1)                                          \
  of(fsqrt_8h, "fsqrt v3.8h, v0.8h", half_lanes, 1)                                              \
  of(frinta_8h, "frinta v3.8h, v0.8h", half_lanes, 1)                                            \
  of(frintx_8h, "frintx v3.8h, v0.8h", half_lanes, 1)                                            \
  of(fcvtzs_8h, "fcvtzs v3.8h, v0.8h", half_lanes, 1)                                            \
  of(fcvtnu_8h, "fcvtnu v3.8h, v0.8h", half_lanes, 1)                                            \
  of(fcvtas_8h, "fcvtas v3.8h, v0.8h", half_lanes, 1)                                            \
  of(fcvtpu_8h, "fcvtpu v3.8h, v0.8h", half_lanes, 1)                                            \
  of(fcvtms_8h, "fcvtms v3.8h, v0.8h", half_lanes, 1)                                            \
  of(fcmle_zero_4h, "fcmle v3.4h, v0.4h, #0.0", half_lanes, 1)                                   \
  of(fcvtzs_8h_fixed, "fcvtzs v3.8h, v0.8h, #16", half_lanes, 1)                                 \
  of(fcvtzu_h_fixed, "fcvtzu h3, h0, #7", half_lanes, 1)                                         \
  of(scvtf_8h, "scvtf v3.8h, v0.8h", halfwords, 1)                                               \
  of(ucvtf_4h_fixed, "ucvtf v3.4h, v0.4h, #16", halfwords, 1)
#define ALL_RDM(of)                                                                      \
  of(sqrdmlah_8h, "mov v3.16b, v2.16b\n sqrdmlah v3.8h, v0.8h, v1.8h", halfwords, 3)     \
  of(sqrdmlsh_4s, "mov v3.16b, v2.16b\n sqrdmlsh v3.4s, v0.4s, v1.4s", words, 3)         \
  of(sqrdmlah_s, "mov v3.16b, v2.16b\n sqrdmlah s3, s0, s1", words, 3)                   \
  of(sqrdmlsh_h, "mov v3.16b, v2.16b\n sqrdmlsh h3, h0, h1", halfwords, 3)               \
  of(sqrdmlah_lane, "mov v3.16b, v2.16b\n sqrdmlah v3.4h, v0.4h, v1.h[6]", halfwords, 3) \
  of(sqrdmlsh_scalar_lane, "mov v3.16b, v2.16b\n sqrdmlsh s3, s0, v1.s[3]", words, 3)
#define ALL_DOT(of)                                                            \
  of(sdot_4s, "mov v3.16b, v2.16b\n sdot v3.4s, v0.16b, v1.16b", bytes, 3)     \
  of(udot_2s, "mov v3.16b, v2.16b\n udot v3.2s, v0.8b, v1.8b", bytes, 3)       \
  of(sdot_lane, "mov v3.16b, v2.16b\n sdot v3.2s, v0.8b, v1.4b[3]", bytes, 3)  \
  of(udot_lane, "mov v3.16b, v2.16b\n udot v3.4s, v0.16b, v1.4b[1]", bytes, 3)
// clang-format on

#define DEFINE(name, code, lanes, operands)                                                             \
  static void run_##name(Vector* result, const Vector* a, const Vector* b, const Vector* c) {           \
    __asm__ volatile("ldr q0, [%1]\n ldr q1, [%2]\n ldr q2, [%3]\n movi v3.2d, #0\n mov x9, #0\n " code \
                     "\n str q3, [%0]" ::"r"(result),                                                   \
                     "r"(a), "r"(b), "r"(c)                                                             \
                     : "x9", "v0", "v1", "v2", "v3", "cc", "memory");                                   \
  }
#define DEFINE_LATER(name, code, lanes, operands) \
  DEFINE(name, ".arch armv8.2-a+fp16+dotprod\n " code, lanes, operands)
ALL(DEFINE)
ALL_HALF(DEFINE_LATER)
ALL_RDM(DEFINE_LATER)
ALL_DOT(DEFINE_LATER)

#define ROW(name, code, lanes, operands) {#name, run_##name, lanes, operands},
static const Instruction always[] = {ALL(ROW)}, of_half[] = {ALL_HALF(ROW)}, of_rdm[] = {ALL_RDM(ROW)},
                         of_dot[] = {ALL_DOT(ROW)};
#define COUNTED(table) table, sizeof table / sizeof *table

static bool announces_always(void) { return true; }
static bool announces_half(void) {
  uint64_t features;
  __asm__("mrs %0, id_aa64pfr0_el1" : "=r"(features));
  return (features >> 16 & 0xff) == 0x11;
}
static unsigned isar0(unsigned low) {
  uint64_t features;
  __asm__("mrs %0, id_aa64isar0_el1" : "=r"(features));
  return features >> low & 0xf;
}
static bool announces_rdm(void) { return isar0(28) >= 1; }
static bool announces_dot(void) { return isar0(44) >= 1; }

static const struct {
  const char* name;
  bool (*is_announced)(void);
  const Instruction* instructions;
  unsigned count;
} parts[] = {
    {"Armv8.0-A", announces_always, COUNTED(always)},
    {"half precision", announces_half, COUNTED(of_half)},
    {"SQRDMLAH and SQRDMLSH", announces_rdm, COUNTED(of_rdm)},
    {"dot products", announces_dot, COUNTED(of_dot)},
};
enum { part_count = sizeof parts / sizeof *parts };

// ---- Inputs: the edges of each format ----

static const uint64_t doubles[] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x800fffffffffffff, 0x0010000000000000,
    0x3ff0000000000000, 0xbff0000000000001, 0x3fe0000000000000, 0x3ff8000000000000, 0x4004000000000000,
    0xc00c000000000000, 0x400921fb54442d18, 0x36a0000000000000, 0x380fffffe0000000, 0x3f00000000000001,
    0x41dfffffffe00000, 0x41efffffffffffff, 0x43e0000000000000, 0xc3e0000000000001, 0x43f0000000000000,
    0x47efffffefffffff, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
    0xfff8000000012345, 0x7ff0000000000001, 0xfff4000000abcdef,
};
static const uint64_t singles[] = {
    0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x00800000, 0x3f800000, 0xbf800001,
    0x3f000000, 0x3fc00000, 0x40200000, 0xc0600000, 0x40490fdb, 0x33000000, 0x387fe000,
    0x477ff000, 0x4effffff, 0x4f000000, 0xcf000001, 0x5f000000, 0x5f800000, 0x7f7fffff,
    0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001, 0xffabcdef, 0x1e800001,
};
static const uint64_t halves[] = {
    0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x3c00, 0xbc01, 0x3800,
    0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe12, 0x7c01, 0xfd55,
};
static const uint64_t integers[] = {
    0,
    1,
    2,
    3,
    0x7f,
    0x80,
    0x81,
    0xff,
    0x7fff,
    0x8000,
    0x8001,
    0xffff,
    0x7fffffff,
    0x80000000,
    0x80000001,
    0xffffffff,
    0x0123456789abcdef,
    0x7fffffffffffffff,
    0x8000000000000000,
    0x8000000000000001,
    0xfffffffffffffffe,
    0xffffffffffffffff,
    0x00800080ff80ff80,
    0x00200000000001ff,
};

static const struct {
  const uint64_t* values;
  unsigned count, bits;
} inputs[] = {
    [double_lanes] = {doubles, sizeof doubles / 8, 64},  [single_lanes] = {singles, sizeof singles / 8, 32},
    [half_lanes] = {halves, sizeof halves / 8, 16},      [bytes] = {integers, sizeof integers / 8, 8},
    [halfwords] = {integers, sizeof integers / 8, 16},   [words] = {integers, sizeof integers / 8, 32},
    [doublewords] = {integers, sizeof integers / 8, 64},
};

// Lane 0 holds value i, the other lanes the following values: every lane gets every value.
static Vector vector(Lanes lanes, unsigned i) {
  const unsigned bits = inputs[lanes].bits, each = 64 / bits;
  uint64_t half[2] = {0, 0};
  for (unsigned lane = 0; lane < 2 * each; ++lane) {
    uint64_t value = inputs[lanes].values[(i + lane) % inputs[lanes].count];
    if (bits < 64) value &= (1ull << bits) - 1;
    half[lane / each] |= value << lane % each * bits;
  }
  return (Vector){half[0], half[1]};
}

static Vector vectors[32];  // of the instruction's lanes
_Static_assert(sizeof doubles / 8 <= 32 && sizeof singles / 8 <= 32, "one for each input");

static void prepare(Lanes lanes) {
  for (unsigned i = 0; i < inputs[lanes].count; ++i) vectors[i] = vector(lanes, i);
}

static uint64_t digest(uint64_t so_far, uint64_t value) {  // FNV-1a, by words
  return (so_far ^ value) * 0x100000001b3;
}

static uint32_t compute(const Instruction* what, uint32_t control, Vector* result, const Vector* a,
                        const Vector* b, const Vector* c) {
  uint64_t status;
  __asm__ volatile("msr fpcr, %0\n msr fpsr, xzr" ::"r"((uint64_t)control));
  what->function(result, a, b, c);
  __asm__ volatile("mrs %0, fpsr\n msr fpcr, xzr" : "=r"(status));
  return (uint32_t)status & flags;
}

static uint64_t all_inputs(const Instruction* what, uint32_t control, bool detailed) {
  const unsigned count = inputs[what->lanes].count;
  const unsigned step = what->operands == 3 ? 3 : 1;  // with three operands, not every combination
  uint64_t sum = 0xcbf29ce484222325;
  for (unsigned i = 0; i < count; ++i)
    for (unsigned j = 0; j < (what->operands > 1 ? count : 1); j += step)
      for (unsigned k = 0; k < (what->operands > 2 ? count : 1); k += step) {
        const Vector* const a = &vectors[i];
        const Vector* const b = &vectors[(j + i % step) % count];
        const Vector* const c = &vectors[(k + j % 2) % count];
        Vector result;
        const uint32_t status = compute(what, control, &result, a, b, c);
        sum = digest(digest(digest(sum, result.low), result.high), status);
        if (detailed)
          printf("%s FPCR %08x: %016llx%016llx %016llx%016llx %016llx%016llx -> %016llx%016llx %08x\n",
                 what->name, control, (Printable)a->high, (Printable)a->low, (Printable)b->high,
                 (Printable)b->low, (Printable)c->high, (Printable)c->low, (Printable)result.high,
                 (Printable)result.low, status);
      }
  return sum;
}

static const uint32_t others[] = {0, flush_to_zero, default_nan, flush_to_zero | default_nan,
                                  alternative_half},
                      others_of_half[] = {flush_halves_to_zero, flush_halves_to_zero | default_nan,
                                          alternative_half};

static bool is_of_half(const Instruction* what) {
  return what >= of_half && what < of_half + sizeof of_half / sizeof *of_half;
}

static void every_mode(const Instruction* what, bool detailed) {
  uint64_t sums[4];
  prepare(what->lanes);
  for (uint32_t mode = 0; mode < 4; ++mode) {
    sums[mode] = 0xcbf29ce484222325;
    for (unsigned i = 0; i < sizeof others / sizeof *others; ++i) {
      const bool matters = others[i] != alternative_half || strstr(what->name, "cvt") != NULL;
      if (matters)
        sums[mode] = digest(sums[mode], all_inputs(what, mode << modes_shift | others[i], detailed));
    }
    for (unsigned i = 0; is_of_half(what) && i < sizeof others_of_half / sizeof *others_of_half; ++i)
      sums[mode] = digest(sums[mode], all_inputs(what, mode << modes_shift | others_of_half[i], detailed));
  }
  printf("%s: nearest %016llx up %016llx down %016llx zero %016llx\n", what->name, (Printable)sums[0],
         (Printable)sums[1], (Printable)sums[2], (Printable)sums[3]);
}

static const Instruction* named(const char* name) {
  for (unsigned part = 0; part < part_count; ++part)
    for (unsigned i = 0; parts[part].is_announced() && i < parts[part].count; ++i)
      if (strcmp(parts[part].instructions[i].name, name) == 0) return &parts[part].instructions[i];
  return NULL;
}

// ---- Named cases ----

static void print_case(const char* words, const char* name, uint32_t control, uint64_t a, uint64_t b,
                       uint64_t c) {
  Vector result;
  const uint32_t status =
      compute(named(name), control, &result, &(Vector){a, 0}, &(Vector){b, 0}, &(Vector){c, 0});
  printf("%s: %016llx%s%s%s%s%s%s%s\n", words, (Printable)result.low, status & 1 ? ", invalid" : "",
         status & 2 ? ", by zero" : "", status & 4 ? ", overflow" : "", status & 8 ? ", underflow" : "",
         status & 16 ? ", inexact" : "", status & 128 ? ", input denormal" : "",
         status >> 27 ? ", saturated" : "");
}

static void plain_words_of_half(void) {
  const uint64_t largest = 0x7bff, denormal = 1, half = 0x3800, one = 0x3c00, smallest_normal = 0x0400;
  print_case("half: largest + largest", "fadd_h", 0, largest, largest, 0);
  print_case("half: smallest normal / 2", "fmul_h", 0, smallest_normal, half, 0);
  print_case("half: smallest normal / 2, flushed", "fmul_h", flush_halves_to_zero, smallest_normal, half, 0);
  print_case("half: smallest normal / 2, with FZ alone", "fmul_h", flush_to_zero, smallest_normal, half, 0);
  print_case("half: smallest + 1, flushed", "fadd_h", flush_halves_to_zero, denormal, one, 0);
  print_case("half: 0x7c00 + 1 is infinity with AHP, too", "fadd_h", alternative_half, 0x7c00, one, 0);
  print_case("half: 65519 from an integer", "scvtf_h_x", 0, 65519, 0, 0);
  print_case("half: 65520 from an integer", "scvtf_h_x", 0, 65520, 0, 0);
}

static void plain_words(void) {
  const uint64_t one = 0x3ff0000000000000, infinity = 0x7ff0000000000000, quiet = 0x7ff8000000001234,
                 signalling = 0x7ff0000000000001, minus_zero = 1ull << 63, largest = 0x7fefffffffffffff,
                 smallest = 1, smallest_normal = 0x0010000000000000;
  enum { up = 1 << modes_shift, down = 2 << modes_shift, to_zero = 3 << modes_shift };
  print_case("sNaN + 1 is that NaN, quiet", "fadd_d", 0, signalling, one, 0);
  print_case("qNaN + sNaN is the signalling one, quiet", "fadd_d", 0, quiet, signalling, 0);
  print_case("qNaN + 1 with default NaN", "fadd_d", default_nan, quiet, one, 0);
  print_case("infinity - infinity", "fsub_d", 0, infinity, infinity, 0);
  print_case("1 - 1", "fsub_d", 0, one, one, 0);
  print_case("1 - 1, down", "fsub_d", down, one, one, 0);
  print_case("0 * infinity", "fmul_d", 0, 0, infinity, 0);
  print_case("0 * infinity by FMULX is 2", "fmulx_d", 0, minus_zero, infinity, 0);
  print_case("1 / 0", "fdiv_d", 0, one, 0, 0);
  print_case("0 / 0", "fdiv_d", 0, 0, 0, 0);
  print_case("largest + largest", "fadd_d", 0, largest, largest, 0);
  print_case("largest + largest, to zero", "fadd_d", to_zero, largest, largest, 0);
  print_case("smallest normal / 2", "fmul_d", 0, smallest_normal, 0x3fe0000000000000, 0);
  print_case("smallest normal / 2, flushed", "fmul_d", flush_to_zero, smallest_normal, 0x3fe0000000000000, 0);
  print_case("smallest + 1, flushed", "fadd_d", flush_to_zero, smallest, one, 0);
  print_case("smallest + 1, up", "fadd_d", up, smallest, one, 0);
  print_case("smallest * smallest, up", "fmul_d", up, smallest, smallest, 0);
  print_case("root of -0", "fsqrt_d", 0, minus_zero, 0, 0);
  print_case("root of -1", "fsqrt_d", 0, one | minus_zero, 0, 0);
  print_case("larger of -0 and 0", "fmax_d", 0, minus_zero, 0, 0);
  print_case("larger of qNaN and 1", "fmax_d", 0, quiet, one, 0);
  print_case("larger number of qNaN and 1", "fmaxnm_d", 0, quiet, one, 0);
  print_case("larger number of sNaN and 1", "fmaxnm_d", 0, signalling, one, 0);
  print_case("0 * infinity + qNaN", "fmadd_d", 0, 0, infinity, quiet);
  print_case("1 * 1 - 1 with one rounding", "fnmsub_d", 0, one + 1, one - 1, one);
  print_case("qNaN to an integer", "fcvtzs_x_d", 0, quiet, 0, 0);
  print_case("infinity to an integer", "fcvtzs_x_d", 0, infinity, 0, 0);
  print_case("-1 to an unsigned integer", "fcvtzu_x_d", 0, one | minus_zero, 0, 0);
  print_case("2.5 to nearest, ties to even", "fcvtns_x_d", 0, 0x4004000000000000, 0, 0);
  print_case("2.5 to nearest, ties away", "fcvtas_x_d", 0, 0x4004000000000000, 0, 0);
  print_case("2^53 + 1 to double", "scvtf_d_x", 0, (1ull << 53) + 1, 0, 0);
  print_case("2^53 + 1 to double, up", "scvtf_d_x", up, (1ull << 53) + 1, 0, 0);
  print_case("65520 to half", "fcvt_d_to_h", 0, 0x40effe0000000000, 0, 0);
  print_case("65520 to half, to zero", "fcvt_d_to_h", to_zero, 0x40effe0000000000, 0, 0);
  print_case("infinity to alternative half", "fcvt_d_to_h", alternative_half, infinity, 0, 0);
  print_case("a half 0x7c00 that is alternative", "fcvt_h_to_d", alternative_half, 0x7c00, 0, 0);
  print_case("halfway between singles, to odd", "fcvtxn_d", 0, 0x3ff0000010000000, 0, 0);
  print_case("estimate of 1/0", "frecpe_d", 0, 0, 0, 0);
  print_case("estimate of 1/root(-1)", "frsqrte_d", 0, one | minus_zero, 0, 0);
  print_case("comparison of qNaN and 1", "fcmp_d", 0, quiet, one, 0);
  print_case("comparison of qNaN and 1 that signals", "fcmpe_d", 0, quiet, one, 0);
  print_case("127 + 1 in bytes", "sqadd_16b", 0, 0x7f, 1, 0);
}

int main(int argc, char** argv) {
  const char* detail = NULL;
  const Argument table[] = {
      {"detail", argument_text, &detail, 1, 20, "an instruction whose cases are all printed"}};
  if (!arguments_read(argc, argv, table, 1)) return exit_usage;
  if (detail != NULL) {
    const Instruction* const what = named(detail);
    if (what == NULL) {
      printf(
          "conformance_floating_point: detail=%s: no such instruction; the program without arguments lists "
          "them\n",
          detail);
      return exit_usage;
    }
    every_mode(what, true);
    return exit_passed;
  }
  plain_words();
  if (announces_half()) plain_words_of_half();
  for (unsigned part = 0; part < part_count; ++part) {
    if (!parts[part].is_announced())
      printf("%s: left out, this core does not announce it\n", parts[part].name);
    for (unsigned i = 0; parts[part].is_announced() && i < parts[part].count; ++i)
      every_mode(&parts[part].instructions[i], false);
  }
  return exit_passed;
}
