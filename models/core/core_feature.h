// The optional extensions of a core beyond Armv8.0-A, by their names in a node's configuration
// (`cores.features`). ID registers announce exactly those that are configured. Instructions of the others are
// UNDEFINED.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/enum_names.h"

namespace asterism {

enum class CoreFeature : std::uint8_t { crc32, lse, aes, pmull, sha1, sha2, rdm, rcpc, dotprod, fp16 };
constexpr auto enum_names(CoreFeature) {
  return std::to_array<EnumName<CoreFeature>>(
      {{CoreFeature::crc32, "crc32", "FEAT_CRC32: CRC32 and CRC32C"},
       {CoreFeature::lse, "lse", "FEAT_LSE: atomic instructions (LDADD, SWP, CAS)"},
       {CoreFeature::aes, "aes", "FEAT_AES: AES rounds"},
       {CoreFeature::pmull, "pmull", "FEAT_PMULL: 64-bit PMULL, for GHASH and CRCs; requires aes"},
       {CoreFeature::sha1, "sha1", "FEAT_SHA1: SHA-1; requires sha2"},
       {CoreFeature::sha2, "sha2", "FEAT_SHA256: SHA-256; requires sha1"},
       {CoreFeature::rdm, "rdm", "FEAT_RDM: SQRDMLAH and SQRDMLSH"},
       {CoreFeature::rcpc, "rcpc", "FEAT_LRCPC: LDAPR"},
       {CoreFeature::dotprod, "dotprod", "FEAT_DotProd: SDOT and UDOT"},
       {CoreFeature::fp16, "fp16", "FEAT_FP16: half-precision arithmetic, scalar and SIMD"}});
}

// A set of features.
class CoreFeatures {
 public:
  constexpr CoreFeatures() = default;
  constexpr explicit CoreFeatures(std::span<const CoreFeature> features) {
    for (const CoreFeature feature : features) bits_ |= bit(feature);
  }
  static constexpr CoreFeatures all() {
    CoreFeatures result;
    for (const EnumName<CoreFeature>& entry : enum_names(CoreFeature{})) result.bits_ |= bit(entry.value);
    return result;
  }

  constexpr bool has(CoreFeature feature) const { return bits_ & bit(feature); }
  constexpr CoreFeatures with(CoreFeature feature) const { return CoreFeatures(bits_ | bit(feature)); }
  constexpr CoreFeatures without(CoreFeature feature) const { return CoreFeatures(bits_ & ~bit(feature)); }
  bool operator==(const CoreFeatures&) const = default;

 private:
  constexpr explicit CoreFeatures(std::uint32_t bits) : bits_(bits) {}
  static constexpr std::uint32_t bit(CoreFeature feature) { return 1u << static_cast<unsigned>(feature); }
  std::uint32_t bits_ = 0;
};

// The default: those of a Cortex-A57, as MIDR_EL1 says, with its cryptographic extension, which Linux and
// user space use if they find it; and LSE, which that CPU does not have, because programs run faster with
// atomics.
inline constexpr std::array usual_features{CoreFeature::crc32, CoreFeature::lse,  CoreFeature::aes,
                                           CoreFeature::pmull, CoreFeature::sha1, CoreFeature::sha2};

}  // namespace asterism
