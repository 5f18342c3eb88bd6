#include "cosim/codec_contract.h"

#include <fmt/format.h>

#include <bit>

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

std::string bytes_text(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (unsigned i = 0; i < bytes.size(); ++i)
    text += fmt::format("{}{:02x}", i != 0 && i % block_beats == 0 ? " " : "", bytes[i]);
  return text;
}

}  // namespace

CodecPorts::CodecPorts(const RtlInstance& instance, const char* contract, std::span<const ExpectedPort> ports)
    : name_(check_contract(instance, contract, ports).name()),
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

void CodecPorts::ask(CodecOperationKind kind, std::span<const std::uint8_t> data,
                     std::span<const std::uint8_t> parity) {
  in_valid_.set(1);
  operation_.set(kind == CodecOperationKind::decode);
  set_bytes(in_data_, data);
  set_bytes(in_parity_, parity);
}

void CodecPorts::read(std::span<std::uint8_t> data, std::span<std::uint8_t> parity) const {
  get_bytes(out_data_, data);
  get_bytes(out_parity_, parity);
}

std::uint64_t CodecPorts::outcome() const {
  const std::uint64_t outcome = outcome_.get();
  if (outcome > 2) throw RtlError(fmt::format("{}: its outcome is {}, which does not exist", name_, outcome));
  return outcome;
}

// ---- codec ----

DualModeContract::Answer DualModeContract::answer(const Model& model, const Operation& operation) {
  Answer answer{.block = operation.block};
  if (operation.decodes()) {
    answer.result = model.decode(operation.where, answer.block);
    answer.syndromes = syndromes(model, operation.block, answer.result);
  } else {
    DualModeCodec::encode(operation.where, answer.block);
  }
  return answer;
}

BinaryVector DualModeContract::syndromes(const Model&, const Block&, const Result& result) {
  return std::bit_cast<BinaryVector>(result.syndromes);  // the first byte is the lowest
}

std::string DualModeContract::text(EccMode mode) { return std::string(to_text(mode)); }

std::vector<CodecPart> DualModeContract::parts(const Answer& answer) {
  return {{"used_third", answer.result.used_third ? "third used" : "third not used"},
          {"data", "data " + bytes_text(answer.block.data)},
          {"parity", "parity " + bytes_text(answer.block.parity)},
          {"third", "third " + bytes_text(answer.block.third)}};
}

DualModeContract::Ports::Ports(const RtlInstance& instance)
    : CodecPorts(instance, name, codec_ports),
      mode_(instance.port("in.mode")),
      in_third_(instance.port("in.third")),
      out_third_(instance.port("out.third")),
      used_third_(instance.port("out.used_third")) {}

void DualModeContract::Ports::ask(const Operation& operation) {
  CodecPorts::ask(operation.kind, operation.block.data, operation.block.parity);
  mode_.set(operation.where == EccMode::strong);
  set_bytes(in_third_, operation.block.third);
}

DualModeContract::Answer DualModeContract::Ports::answer() const {
  Answer answer{.result = {.outcome = static_cast<Result::Outcome>(outcome()),
                           .chips = chips(),
                           .used_third = used_third_.is_set()},
                .syndromes = syndromes()};
  answer.result.syndromes = std::bit_cast<decltype(Result::syndromes)>(answer.syndromes);
  read(answer.block.data, answer.block.parity);
  get_bytes(out_third_, answer.block.third);
  return answer;
}

// ---- rank_codec ----

RankContract::Answer RankContract::answer(const Model& model, const Operation& operation) {
  Answer answer{.block = operation.block};
  if (operation.decodes()) {
    answer.result = model.decode(answer.block);
    answer.syndromes = syndromes(model, operation.block, answer.result);
  } else {
    model.encode(answer.block);
  }
  return answer;
}

BinaryVector RankContract::syndromes(const Model& model, const Block& received, const Result&) {
  const unsigned bits = 128 / model.codewords();
  BinaryVector all;
  for (unsigned w = 0; w < model.codewords(); ++w) {
    const BinaryVector one = model.syndrome(received, w);
    const unsigned first = bits * w;
    (first < 64 ? all.low : all.high) |= one.low << first % 64;
    all.high |= one.high;  // there is one codeword then
  }
  return all;
}

std::string RankContract::text(Bytes offset) { return fmt::format("at offset {:#x}", offset.count()); }

std::vector<CodecPart> RankContract::parts(const Answer& answer) {
  std::string data = "words of chips", parity = "check words";
  for (unsigned chip = 0; chip < ddr5_chips; ++chip)
    (chip < ddr5_data_chips ? data : parity) += fmt::format(" {:016x}", answer.block.chips[chip]);
  return {{"data", data}, {"parity", parity}};
}

RankContract::Ports::Ports(const RtlInstance& instance) : CodecPorts(instance, name, rank_codec_ports) {}

void RankContract::Ports::ask(const Operation& operation) {
  CodecPorts::ask(operation.kind, data_of(operation.block), parity_of(operation.block));
}

RankContract::Answer RankContract::Ports::answer() const {
  Answer answer{.result = {.outcome = static_cast<Result::Outcome>(outcome()), .chips = chips()},
                .syndromes = syndromes()};
  std::array<std::uint8_t, block_bytes> data{};
  std::array<std::uint8_t, ddr5_beats> parity{};
  read(data, parity);
  put_data(answer.block, data);
  put_parity(answer.block, parity);
  return answer;
}

}  // namespace asterism
