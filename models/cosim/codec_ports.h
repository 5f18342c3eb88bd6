// The ports of a block of the contract `codec` or `rank_codec`: the operation of a cycle, and its answer.
#pragma once

#include <array>
#include <cstdint>

#include "base/units.h"
#include "cosim/rtl_library.h"
#include "ecc/binary_space.h"
#include "ecc/ddr5_codec.h"
#include "ecc/dual_mode_codec.h"

namespace asterism {

struct CodecOperation {
  enum class Kind { encode, decode };
  Kind kind = Kind::encode;
  EccMode mode = EccMode::normal;  // normal or strong
  MemoryBlock block = {};
};

struct CodecAnswer {
  MemoryBlock block = {};    // the block that was encoded, or corrected as far as possible
  DecodeResult result = {};  // default-constructed for an encoding
  bool operator==(const CodecAnswer&) const = default;
};

class CodecPorts {
 public:
  // Throws RtlError for a block of another contract, or one whose ports are not those of the contract.
  explicit CodecPorts(const RtlInstance& instance);

  // Sets the inputs of the next cycle.
  void ask(const CodecOperation& operation);
  void ask_nothing() { in_valid_.set(0); }

  // Valid after settle(). answer() throws RtlError for an outcome that does not exist.
  bool answers() const { return out_valid_.is_set(); }
  CodecAnswer answer() const;

 private:
  std::string name_;
  RtlPort in_valid_, operation_, mode_, in_data_, in_parity_, in_third_;
  RtlPort out_valid_, out_data_, out_parity_, out_third_, outcome_, chips_, used_third_, syndromes_;
};

// ---- rank_codec ----

struct RankCodecOperation {
  using Kind = CodecOperation::Kind;
  Kind kind = Kind::encode;
  Bytes offset = {};  // of the block in the memory, for reports
  Ddr5Block block = {};
};

struct RankCodecAnswer {
  Ddr5Block block = {};         // the block that was encoded, or corrected as far as possible
  Ddr5Result result = {};       // default-constructed for an encoding, and so are the
  BinaryVector syndromes = {};  // syndromes of all codewords, that of the first in the lowest bits
  bool operator==(const RankCodecAnswer&) const = default;
};

// The answer of the model.
RankCodecAnswer answer_of(const Ddr5Codec& codec, const RankCodecOperation& operation);
// The syndromes of a block as a RankCodecAnswer has them.
BinaryVector rank_syndromes(const Ddr5Codec& codec, const Ddr5Block& block);

// As CodecPorts. The data are bytes as in memory; beat b of chips 8 and 9 is byte b of the parity.
class RankCodecPorts {
 public:
  explicit RankCodecPorts(const RtlInstance& instance);

  void ask(const RankCodecOperation& operation);
  void ask_nothing() { in_valid_.set(0); }

  bool answers() const { return out_valid_.is_set(); }
  RankCodecAnswer answer() const;

 private:
  std::string name_;
  RtlPort in_valid_, operation_, in_data_, in_parity_;
  RtlPort out_valid_, out_data_, out_parity_, outcome_, chips_, syndromes_;
};

}  // namespace asterism
