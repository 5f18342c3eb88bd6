// The ports of a block of the contract `codec`: the operation of a cycle, and its answer.
#pragma once

#include "cosim/rtl_library.h"
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

}  // namespace asterism
