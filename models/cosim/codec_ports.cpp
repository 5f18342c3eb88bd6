#include "cosim/codec_ports.h"

#include <fmt/format.h>

#include <span>

#include "cosim/rtl_contract.h"

namespace asterism {
namespace {

constexpr unsigned word_bytes = 8;

constexpr ExpectedPort expected_ports[] = {
    {"in.valid", ASTERISM_RTL_INPUT, 1},        {"in.operation", ASTERISM_RTL_INPUT, 1},
    {"in.mode", ASTERISM_RTL_INPUT, 1},         {"in.data", ASTERISM_RTL_INPUT, 512},
    {"in.parity", ASTERISM_RTL_INPUT, 64},      {"in.third", ASTERISM_RTL_INPUT, 32},
    {"out.valid", ASTERISM_RTL_OUTPUT, 1},      {"out.data", ASTERISM_RTL_OUTPUT, 512},
    {"out.parity", ASTERISM_RTL_OUTPUT, 64},    {"out.third", ASTERISM_RTL_OUTPUT, 32},
    {"out.outcome", ASTERISM_RTL_OUTPUT, 2},    {"out.chips", ASTERISM_RTL_OUTPUT, 19},
    {"out.used_third", ASTERISM_RTL_OUTPUT, 1}, {"out.syndromes", ASTERISM_RTL_OUTPUT, 128},
};

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
    : name_(check_contract(instance, "codec", expected_ports).name()),
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
  const std::uint64_t outcome = outcome_.get();
  if (outcome > static_cast<std::uint64_t>(DecodeResult::Outcome::uncorrectable))
    throw RtlError(fmt::format("{}: its outcome is {}, which does not exist", name_, outcome));
  answer.result.outcome = static_cast<DecodeResult::Outcome>(outcome);
  answer.result.chips = static_cast<std::uint32_t>(chips_.get());
  answer.result.used_third = used_third_.is_set();
  std::array<std::uint8_t, 16> syndromes{};
  get_bytes(syndromes_, syndromes);
  for (unsigned i = 0; i < syndromes.size(); ++i) answer.result.syndromes[i / 4][i % 4] = syndromes[i];
  return answer;
}

}  // namespace asterism
