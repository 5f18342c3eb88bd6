// A dead chip of a DIMM, with each mode of the memory code.
#include <asterism/ecc/dual_mode_codec.h>

#include <iostream>

int main() {
  using namespace asterism;
  const DualModeCodec codec(EccProfile::strict);
  for (const EccMode mode : {EccMode::normal, EccMode::strong}) {
    MemoryBlock block;
    for (std::uint8_t i = 0; std::uint8_t & byte : block.data) byte = i++;
    DualModeCodec::encode(mode, block);
    for (unsigned symbol = 0; symbol < chip_symbols; ++symbol) block.flip_symbol(3, symbol, 0xff);
    const DecodeResult result = codec.decode(mode, block);
    std::cout << (mode == EccMode::normal ? "normal" : "strong") << ": "
              << (result.outcome == DecodeResult::Outcome::corrected ? "corrected" : "detected") << '\n';
  }
}
