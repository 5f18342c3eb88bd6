// The contracts `codec` and `rank_codec`: their operations and answers, the ports of a block, and what
// distinguishes the two for RtlCodecOf (rtl_codec.h) and the testbenches.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "cosim/rtl_contract.h"
#include "cosim/rtl_library.h"
#include "ecc/binary_space.h"
#include "ecc/codec_hook.h"
#include "ecc/ddr5_codec.h"
#include "ecc/dual_mode_codec.h"

namespace asterism {

enum class CodecOperationKind { encode, decode };

// `Where` is what a codec's hook says of the block besides its contents.
template <class Where, class Block>
struct CodecOperationOf {
  using Kind = CodecOperationKind;
  Kind kind = Kind::encode;
  Where where = {};
  Block block = {};

  bool decodes() const { return kind == Kind::decode; }
};

template <class Block, class Result>
struct CodecAnswerOf {
  Block block = {};             // the block that was encoded, or corrected as far as possible
  Result result = {};           // default-constructed for an encoding, and so are the
  BinaryVector syndromes = {};  // syndromes of all codewords, that of the first in the lowest bits
  bool operator==(const CodecAnswerOf&) const = default;
};

// The ports that blocks of both contracts have.
class CodecPorts {
 public:
  void ask_nothing() { in_valid_.set(0); }
  // Valid after settle().
  bool answers() const { return out_valid_.is_set(); }

 protected:
  // Throws RtlError for a block of another contract, or one whose ports are not those of the contract.
  CodecPorts(const RtlInstance& instance, const char* contract, std::span<const ExpectedPort> ports);

  void ask(CodecOperationKind kind, std::span<const std::uint8_t> data, std::span<const std::uint8_t> parity);
  void read(std::span<std::uint8_t> data, std::span<std::uint8_t> parity) const;
  // 0 to 2; throws RtlError for an outcome that does not exist.
  std::uint64_t outcome() const;
  std::uint32_t chips() const { return static_cast<std::uint32_t>(chips_.get()); }
  BinaryVector syndromes() const { return {syndromes_.get(0), syndromes_.get(1)}; }

 private:
  std::string name_;
  RtlPort in_valid_, operation_, in_data_, in_parity_;
  RtlPort out_valid_, out_data_, out_parity_, outcome_, chips_, syndromes_;
};

// A part of an answer for reports, beside outcome, chips and syndromes: {"parity", "parity 00ff..."}.
struct CodecPart {
  const char* name;
  std::string text;
};

// The dual-mode memory code.
struct DualModeContract {
  using Hook = CodecHook;
  using Model = DualModeCodec;
  using Code = EccProfile;  // the parameter of the model, and of the block
  using Where = EccMode;    // normal or strong; operations without a code are not passed to the RTL
  using Block = MemoryBlock;
  using Result = DecodeResult;
  using Operation = CodecOperationOf<Where, Block>;
  using Answer = CodecAnswerOf<Block, Result>;

  static constexpr const char* name = "codec";
  static constexpr const char* parameter = "Profile";
  // The modes, which have coverage of their own, and the chips that each may correct.
  static constexpr std::array<const char*, 2> modes = {"normal", "strong"};
  static constexpr std::array<unsigned, 2> mode_chips = {block_chips, block_chips + 1};
  static constexpr const char* last_chip = "third";

  static bool has_code(EccMode mode) { return mode != EccMode::none; }
  static unsigned mode_of(EccMode mode) { return mode == EccMode::strong ? 1 : 0; }
  static Answer answer(const Model& model, const Operation& operation);
  static BinaryVector syndromes(const Model& model, const Block& received, const Result& result);
  static std::string text(EccMode mode);
  static std::vector<CodecPart> parts(const Answer& answer);

  class Ports : public CodecPorts {
   public:
    explicit Ports(const RtlInstance& instance);
    // Sets the inputs of the next cycle.
    void ask(const Operation& operation);
    Answer answer() const;

   private:
    RtlPort mode_, in_third_, out_third_, used_third_;
  };
};

// The codes of a DDR5 rank.
struct RankContract {
  using Hook = RankCodecHook;
  using Model = Ddr5Codec;
  using Code = Ddr5Code;
  using Where = Bytes;  // the offset of the block in the memory, for reports
  using Block = Ddr5Block;
  using Result = Ddr5Result;
  using Operation = CodecOperationOf<Where, Block>;
  using Answer = CodecAnswerOf<Block, Result>;

  static constexpr const char* name = "rank_codec";
  static constexpr const char* parameter = "Code";
  static constexpr std::array<const char*, 1> modes = {""};
  static constexpr std::array<unsigned, 1> mode_chips = {ddr5_chips};
  static constexpr const char* last_chip = "9";

  static bool has_code(Bytes) { return true; }
  static unsigned mode_of(Bytes) { return 0; }
  static Answer answer(const Model& model, const Operation& operation);
  static BinaryVector syndromes(const Model& model, const Block& received, const Result& result);
  static std::string text(Bytes offset);
  static std::vector<CodecPart> parts(const Answer& answer);

  // The data are bytes as in memory; beat b of chips 8 and 9 is byte b of the parity.
  class Ports : public CodecPorts {
   public:
    explicit Ports(const RtlInstance& instance);
    void ask(const Operation& operation);
    Answer answer() const;
  };
};

}  // namespace asterism
