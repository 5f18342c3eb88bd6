#include "cosim/codec_ports.h"

#include <fmt/format.h>

#include <span>

#include "cosim/rtl_contract.h"

namespace asterism {
namespace {

constexpr unsigned word_bytes = 8;

constexpr ExpectedPort codec_ports[] = {
    {"in.valid", ASTERISM_RTL_INPUT, 1},        {"in.operation", ASTERISM_RTL_INPUT, 1},
    {"in.mode", ASTERISM_RTL_INPUT, 1},         {"in.data", ASTERISM_RTL_INPUT, 512},
    {"in.parity", ASTERISM_RTL_INPUT, 64},      {"in.third", ASTERISM_RTL_INPUT, 32},
    {"out.valid", ASTERISM_RTL_OUTPUT, 1},      {"out.data", ASTERISM_RTL_OUTPUT, 512},
    {"out.parity", ASTERISM_RTL_OUTPUT, 64},    {"out.third", ASTERISM_RTL_OUTPUT, 32},
    {"out.outcome", ASTERISM_RTL_OUTPUT, 2},    {"out.chips", ASTERISM_RTL_OUTPUT, 19},
    {"out.used_third", ASTERISM_RTL_OUTPUT, 1}, {"out.syndromes", ASTERISM_RTL_OUTPUT, 128},
};

constexpr ExpectedPort rank_codec_ports[] = {
    {"in.valid", ASTERISM_RTL_INPUT, 1},      {"in.operation", ASTERISM_RTL_INPUT, 1},
    {"in.data", ASTERISM_RTL_INPUT, 512},     {"in.parity", ASTERISM_RTL_INPUT, 128},
    {"out.valid", ASTERISM_RTL_OUTPUT, 1},    {"out.data", ASTERISM_RTL_OUTPUT, 512},
    {"out.parity", ASTERISM_RTL_OUTPUT, 128}, {"out.outcome", ASTERISM_RTL_OUTPUT, 2},
    {"out.chips", ASTERISM_RTL_OUTPUT, 10},   {"out.syndromes", ASTERISM_RTL_OUTPUT, 128},
};

// The bits of chips 8 and 9, a byte for each beat.
std::array<std::uint8_t, ddr5_beats> parity_of(const Ddr5Block& block) {
  std::array<std::uint8_t, ddr5_beats> bytes{};
  for (unsigned beat = 0; beat < ddr5_beats; ++beat)
    bytes[beat] =
        static_cast<std::uint8_t>((block.chips[8] >> 4 * beat & 15) | (block.chips[9] >> 4 * beat & 15) << 4);
  return bytes;
}
void put_parity(Ddr5Block& block, const std::array<std::uint8_t, ddr5_beats>& bytes) {
  block.chips[8] = block.chips[9] = 0;
  for (unsigned beat = 0; beat < ddr5_beats; ++beat) {
    const std::uint64_t byte = bytes[beat];
    block.chips[8] |= (byte & 15) << 4 * beat;
    block.chips[9] |= (byte >> 4) << 4 * beat;
  }
}

// The outcome that a port says.
template <class Outcome>
Outcome outcome_of(const RtlPort& port, const std::string& name) {
  const std::uint64_t outcome = port.get();
  if (outcome > static_cast<std::uint64_t>(Outcome::uncorrectable))
    throw RtlError(fmt::format("{}: its outcome is {}, which does not exist", name, outcome));
  return static_cast<Outcome>(outcome);
}

// The first byte is the lowest.
void set_bytes(RtlPort& port, std::span<const std::uint8_t> bytes) {
  for (unsigned first = 0; first < bytes.size(); first += word_bytes) {
    std::uint64_t word = 0;
    for (unsigned i = first; i < bytes.size() && i < first + word_bytes; ++i)
      word |= std::uint64_t{bytes[i]} << 8 * (i - first);
    port.set(word, first / word_bytes);
  }
}
void get_bytes(const RtlPort& port, std::span<std::uint8_t> bytes) {
  for (unsigned i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(port.get(i / word_bytes) >> 8 * (i % word_bytes));
}

}  // namespace

CodecPorts::CodecPorts(const RtlInstance& instance)
    : name_(check_contract(instance, "codec", codec_ports).name()),
      in_valid_(instance.port("in.valid")),
      operation_(instance.port("in.operation")),
      mode_(instance.port("in.mode")),
      in_data_(instance.port("in.data")),
      in_parity_(instance.port("in.parity")),
      in_third_(instance.port("in.third")),
      out_valid_(instance.port("out.valid")),
      out_data_(instance.port("out.data")),
      out_parity_(instance.port("out.parity")),
      out_third_(instance.port("out.third")),
      outcome_(instance.port("out.outcome")),
      chips_(instance.port("out.chips")),
      used_third_(instance.port("out.used_third")),
      syndromes_(instance.port("out.syndromes")) {}

void CodecPorts::ask(const CodecOperation& operation) {
  in_valid_.set(1);
  operation_.set(operation.kind == CodecOperation::Kind::decode);
  mode_.set(operation.mode == EccMode::strong);
  set_bytes(in_data_, operation.block.data);
  set_bytes(in_parity_, operation.block.parity);
  set_bytes(in_third_, operation.block.third);
}

CodecAnswer CodecPorts::answer() const {
  CodecAnswer answer;
  get_bytes(out_data_, answer.block.data);
  get_bytes(out_parity_, answer.block.parity);
  get_bytes(out_third_, answer.block.third);
  answer.result.outcome = outcome_of<DecodeResult::Outcome>(outcome_, name_);
  answer.result.chips = static_cast<std::uint32_t>(chips_.get());
  answer.result.used_third = used_third_.is_set();
  std::array<std::uint8_t, 16> syndromes{};
  get_bytes(syndromes_, syndromes);
  for (unsigned i = 0; i < syndromes.size(); ++i) answer.result.syndromes[i / 4][i % 4] = syndromes[i];
  return answer;
}

// ---- rank_codec ----

BinaryVector rank_syndromes(const Ddr5Codec& codec, const Ddr5Block& block) {
  const unsigned bits = 128 / codec.codewords();
  BinaryVector all;
  for (unsigned w = 0; w < codec.codewords(); ++w) {
    const BinaryVector one = codec.syndrome(block, w);
    const unsigned first = bits * w;
    (first < 64 ? all.low : all.high) |= one.low << first % 64;
    all.high |= one.high;  // there is one codeword then
  }
  return all;
}

RankCodecAnswer answer_of(const Ddr5Codec& codec, const RankCodecOperation& operation) {
  RankCodecAnswer answer{.block = operation.block};
  if (operation.kind == CodecOperation::Kind::encode) {
    codec.encode(answer.block);
    return answer;
  }
  answer.syndromes = rank_syndromes(codec, operation.block);
  answer.result = codec.decode(answer.block);
  return answer;
}

RankCodecPorts::RankCodecPorts(const RtlInstance& instance)
    : name_(check_contract(instance, "rank_codec", rank_codec_ports).name()),
      in_valid_(instance.port("in.valid")),
      operation_(instance.port("in.operation")),
      in_data_(instance.port("in.data")),
      in_parity_(instance.port("in.parity")),
      out_valid_(instance.port("out.valid")),
      out_data_(instance.port("out.data")),
      out_parity_(instance.port("out.parity")),
      outcome_(instance.port("out.outcome")),
      chips_(instance.port("out.chips")),
      syndromes_(instance.port("out.syndromes")) {}

void RankCodecPorts::ask(const RankCodecOperation& operation) {
  in_valid_.set(1);
  operation_.set(operation.kind == CodecOperation::Kind::decode);
  set_bytes(in_data_, data_of(operation.block));
  set_bytes(in_parity_, parity_of(operation.block));
}

RankCodecAnswer RankCodecPorts::answer() const {
  RankCodecAnswer answer;
  std::array<std::uint8_t, block_bytes> data{};
  std::array<std::uint8_t, ddr5_beats> parity{};
  get_bytes(out_data_, data);
  get_bytes(out_parity_, parity);
  put_data(answer.block, data);
  put_parity(answer.block, parity);
  answer.result.outcome = outcome_of<Ddr5Result::Outcome>(outcome_, name_);
  answer.result.chips = static_cast<std::uint32_t>(chips_.get());
  answer.syndromes = {syndromes_.get(0), syndromes_.get(1)};
  return answer;
}

}  // namespace asterism
