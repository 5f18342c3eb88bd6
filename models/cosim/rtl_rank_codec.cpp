#include "cosim/rtl_rank_codec.h"

#include <fmt/format.h>

#include <utility>

#include "cosim/rtl_contract.h"

namespace asterism {
namespace {

constexpr const char* rank_outcomes[] = {"clean", "corrected", "uncorrectable"};

bool is_decoding(const RankCodecOperation& operation) {
  return operation.kind == RankCodecOperation::Kind::decode;
}

std::vector<std::string> rank_chip_names() {
  std::vector<std::string> names;
  names.reserve(ddr5_chips);
  for (unsigned chip = 0; chip < ddr5_chips; ++chip) names.push_back(std::to_string(chip));
  return names;
}

std::string words_text(const Ddr5Block& block) {
  std::string text;
  for (const std::uint64_t word : block.chips)
    text += fmt::format("{}{:016x}", text.empty() ? "" : " ", word);
  return text;
}

std::string rank_result_text(const Ddr5Result& result) {
  std::string text = rank_outcomes[static_cast<unsigned>(result.outcome)];
  if (result.chips != 0) text += " " + report_set({result.chips, 0}, rank_chip_names());
  return text;
}

}  // namespace

RtlRankCodec::RtlRankCodec(std::shared_ptr<const RtlLibrary> library, const Settings& settings,
                           const RtlOptions& options)
    : RtlOperationsOf(std::move(library), {.instance = settings.instance,
                                           .impl = settings.impl,
                                           .clock = settings.clock,
                                           .on_mismatch = settings.on_mismatch,
                                           .trace = settings.trace,
                                           .max_cycles = settings.max_cycles}),
      model_(settings.code),
      ports_(rtl()),
      operations_(coverage_group("operations", {"encode", "decode"})),
      outcomes_(coverage_group("outcomes", {"clean", "corrected", "uncorrectable"})),
      chips_(coverage_group("chips", rank_chip_names())) {
  outcomes_.need_one_of({1}, "never corrected an error");
  outcomes_.need_one_of({2}, "never found an uncorrectable error");
  check_parameters(rtl(), {{"Code", static_cast<std::uint64_t>(settings.code)}});
  begin(options);
}

// ---- the hook ----

void RtlRankCodec::encode(Picoseconds now, Bytes offset, Ddr5Block& encoded) {
  encoded =
      operate(now, {.kind = RankCodecOperation::Kind::encode, .offset = offset, .block = encoded}, {encoded})
          .block;
}

void RtlRankCodec::decode(Picoseconds now, Bytes offset, const Ddr5Block& received, Ddr5Block& decoded,
                          Ddr5Result& result) {
  const RankCodecAnswer answer =
      operate(now, {.kind = RankCodecOperation::Kind::decode, .offset = offset, .block = received},
              {decoded, result, rank_syndromes(model_, received)});
  decoded = answer.block;
  result = answer.result;
}

void RtlRankCodec::reset(Reset) { restart(); }

// ---- an operation ----

void RtlRankCodec::ask(const RankCodecOperation& operation) { ports_.ask(operation); }

RankCodecAnswer RtlRankCodec::read(const RankCodecOperation&, const RankCodecAnswer&) const {
  return ports_.answer();
}

void RtlRankCodec::count(const RankCodecOperation& operation, const RankCodecAnswer& answer) {
  operations_.hit(is_decoding(operation) ? 1 : 0);
  if (!is_decoding(operation)) return;
  outcomes_.hit(static_cast<unsigned>(answer.result.outcome));
  for (unsigned chip = 0; chip < ddr5_chips; ++chip)
    if (answer.result.chips >> chip & 1) chips_.hit(chip);
}

std::string RtlRankCodec::difference(const RankCodecAnswer& model, const RankCodecAnswer& rtl) const {
  const auto same = [&](unsigned from, unsigned end) {
    for (unsigned chip = from; chip < end; ++chip)
      if (model.block.chips[chip] != rtl.block.chips[chip]) return false;
    return true;
  };
  return unequal({{"outcome", model.result.outcome == rtl.result.outcome},
                  {"chips", model.result.chips == rtl.result.chips},
                  {"syndromes", model.syndromes == rtl.syndromes},
                  {"data", same(0, ddr5_data_chips)},
                  {"parity", same(ddr5_data_chips, ddr5_chips)}});
}

std::string RtlRankCodec::asked_text(const RankCodecOperation& operation) const {
  return fmt::format("{} the block at offset {:#x}, words of chips 0 to 9 {}",
                     is_decoding(operation) ? "decode" : "encode", operation.offset.count(),
                     words_text(operation.block));
}

std::string RtlRankCodec::answer_text(const RankCodecOperation& operation, const RankCodecAnswer& answer,
                                      const RankCodecAnswer* other) const {
  std::string text = is_decoding(operation) ? rank_result_text(answer.result) : "encoded";
  if (other == nullptr) return text;
  if (answer.syndromes != other->syndromes)
    text += fmt::format(", syndromes {:016x}{:016x}", answer.syndromes.high, answer.syndromes.low);
  if (answer.block != other->block) text += ", words " + words_text(answer.block);
  return text;
}

std::string RtlRankCodec::past_text(const RankCodecOperation& operation,
                                    const RankCodecAnswer& answer) const {
  const std::string asked =
      fmt::format("{} {:#x}", is_decoding(operation) ? "decode" : "encode", operation.offset.count());
  return is_decoding(operation) ? asked + " -> " + rank_result_text(answer.result) : asked;
}

}  // namespace asterism
