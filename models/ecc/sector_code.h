// The codes of HBM, one sector of 32 bytes at a time: the unit that a pseudo-channel transfers.
//
//   none     nothing is detected
//   secded   HBM2: 64 data pins of a pseudo-channel, 4 beats, and 8 check bits beside each beat, for a code
//            (72,64) in the controller that corrects one bit and detects two (JESD235: 16 check bits for 128
//            data pins; the columns have an odd weight, Hsiao 1970)
//   symbol   HBM3: RS(19,17) over GF(2^16) on the die: 16 symbols of data, one of metadata, two check
//            symbols. It corrects one symbol of 16 bits: what a sub-wordline driver holds of a sector
//            (Gurumurthi et al., "HBM3 RAS", IEEE CAL 2021; Park et al., JSSC 58(1), 2023)
//   reach    the inner code of REACH, in the controller: RS(36,32) over GF(2^8), which corrects one byte and
//            flags the rest for the outer one (two_level_span.h)
//
// A sector is its data, the metadata of `symbol`, and the check bits. The faults that hardware has cover bits
// of it:
//
//   bit      one bit
//   word     16 aligned bits: the part of a sub-wordline
//   pin      the bits that one data pin (or its via) transfers, in every beat
//   sector   all bits
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/enum_names.h"
#include "base/random.h"

namespace asterism {

enum class SectorCode : std::uint8_t { none, secded, symbol, reach };
constexpr auto enum_names(SectorCode) {
  return std::to_array<EnumName<SectorCode>>(
      {{SectorCode::none, "none", "Errors are not detected."},
       {SectorCode::secded, "secded",
        "HBM2: one wrong bit of each 64 is corrected, two are detected (72,64)."},
       {SectorCode::symbol, "symbol",
        "HBM3: one wrong symbol of 16 bits in each 32 bytes is corrected, RS(19,17)."},
       {SectorCode::reach, "reach",
        "REACH: one wrong byte in each 32 bytes is corrected, RS(36,32), and up to eight chunks of 2 KiB are "
        "filled in, RS(72,64). A write that covers a part of 2 KiB also changes its parity."}});
}

constexpr unsigned sector_data = 32;
using SectorBits = std::array<std::uint8_t, 38>;  // the bytes beyond those of the code are 0
// Data, metadata and check bits, in bytes.
constexpr unsigned sector_bytes(SectorCode code) {
  return code == SectorCode::none ? 32 : code == SectorCode::symbol ? 38 : 36;
}

// Sets the check bits.
void encode_sector(SectorCode code, SectorBits& sector);

enum class SectorOutcome : std::uint8_t { clean, corrected, uncorrectable };
// Corrects the sector; if any part of it is uncorrectable, all of it stays as received. The codes are linear:
// an error pattern decodes the same whatever the data, and what is left of it is wrong in the data.
SectorOutcome decode_sector(SectorCode code, SectorBits& sector);

enum class SectorFaultShape : std::uint8_t { bit, word, pin, sector };
constexpr auto enum_names(SectorFaultShape) {
  return std::to_array<EnumName<SectorFaultShape>>(
      {{SectorFaultShape::bit, "bit", "one bit"},
       {SectorFaultShape::word, "word", "16 bits of a sub-wordline"},
       {SectorFaultShape::pin, "pin", "one data pin in every beat"},
       {SectorFaultShape::sector, "sector", "all bits"}});
}
// The bits that a fault covers: a bit of the result is set for each. `place` numbers the bits of a sector;
// for `word` the one that contains it, for `pin` the pin that transfers it.
SectorBits fault_bits(SectorCode code, SectorFaultShape shape, unsigned place);
// Which of the covered bits are wrong: each with probability 1/2, and at least one.
SectorBits draw_sector_errors(const SectorBits& covered, Random& random);

}  // namespace asterism
