#include "cosim/rtl_codec.h"

#include <fmt/format.h>

#include <span>
#include <utility>

#include "cosim/rtl_contract.h"

namespace asterism {
namespace {

using Kind = CodecOperation::Kind;

constexpr unsigned outcomes = 3;
constexpr const char* outcome_names[outcomes] = {"clean", "corrected", "uncorrectable"};

unsigned index_of(EccMode mode) { return mode == EccMode::strong ? 1 : 0; }

// ---- texts ----

std::string bytes_text(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (unsigned i = 0; i < bytes.size(); ++i)
    text += fmt::format("{}{:02x}", i != 0 && i % block_beats == 0 ? " " : "", bytes[i]);
  return text;
}

std::vector<std::string> chip_names(bool with_third) {
  std::vector<std::string> names;
  for (unsigned chip = 0; chip < block_chips; ++chip) names.push_back(std::to_string(chip));
  if (with_third) names.emplace_back("third");
  return names;
}

std::string result_text(const DecodeResult& result) {
  std::string text = outcome_names[static_cast<unsigned>(result.outcome)];
  if (result.chips != 0) text += " " + report_set({result.chips, 0}, chip_names(true));
  return text;
}

std::string syndromes_text(const DecodeResult& result) {
  std::string text;
  for (const auto& syndromes : result.syndromes) text += " " + bytes_text(syndromes);
  return text;
}

// A model beside RTL of another profile would sooner or later differ.
void check_profile(const RtlInstance& rtl, EccProfile wanted) {
  const auto profile = rtl.library().parameter("Profile");
  if (profile && *profile != static_cast<std::uint64_t>(wanted))
    refuse_block(rtl, fmt::format("was built with Profile={}, the memory's profile is {} ({})", *profile,
                                  to_text(wanted), static_cast<std::uint64_t>(wanted)));
}

}  // namespace

RtlCodec::RtlCodec(std::shared_ptr<const RtlLibrary> library, const Settings& settings,
                   const RtlOptions& options)
    : RtlOperationsOf(std::move(library), {.instance = settings.instance,
                                           .impl = settings.impl,
                                           .clock = settings.clock,
                                           .on_mismatch = settings.on_mismatch,
                                           .trace = settings.trace,
                                           .max_cycles = settings.max_cycles}),
      ports_(rtl()),
      operations_(
          coverage_group("operations", {"encode normal", "encode strong", "decode normal", "decode strong"})),
      outcomes_(coverage_group("outcomes", {"normal clean", "normal corrected", "normal uncorrectable",
                                            "strong clean", "strong corrected", "strong uncorrectable"})),
      chips_{&coverage_group("normal chips", chip_names(false)),
             &coverage_group("strong chips", chip_names(true))} {
  outcomes_.need_one_of({1, 4}, "never corrected an error");
  outcomes_.need_one_of({2, 5}, "never found an uncorrectable error");
  check_profile(rtl(), settings.profile);
  begin(options);
}

// ---- the hook ----

void RtlCodec::encode(Picoseconds now, EccMode mode, MemoryBlock& encoded) {
  if (mode == EccMode::none) return;
  CodecOperation operation{.kind = Kind::encode, .mode = mode, .block = {}};
  operation.block.data = encoded.data;
  encoded = operate(now, operation, {.block = encoded}).block;
}

void RtlCodec::decode(Picoseconds now, EccMode mode, const MemoryBlock& received, MemoryBlock& decoded,
                      DecodeResult& result) {
  if (mode == EccMode::none) return;
  const CodecAnswer answer = operate(now, {.kind = Kind::decode, .mode = mode, .block = received},
                                     {.block = decoded, .result = result});
  decoded = answer.block;
  result = answer.result;
}

void RtlCodec::reset(Reset) { restart(); }

// ---- an operation ----

void RtlCodec::ask(const CodecOperation& operation) { ports_.ask(operation); }

CodecAnswer RtlCodec::read(const CodecOperation&, const CodecAnswer&) const { return ports_.answer(); }

void RtlCodec::count(const CodecOperation& operation, const CodecAnswer& answer) {
  const unsigned mode = index_of(operation.mode);
  const bool decodes = operation.kind == Kind::decode;
  operations_.hit((decodes ? 2 : 0) + mode);
  if (!decodes) return;
  outcomes_.hit(outcomes * mode + static_cast<unsigned>(answer.result.outcome));
  for (unsigned chip = 0; chip < chips_[mode]->points(); ++chip)
    if (answer.result.chips >> chip & 1) chips_[mode]->hit(chip);
}

std::string RtlCodec::difference(const CodecAnswer& model, const CodecAnswer& rtl) const {
  return unequal({{"outcome", model.result.outcome == rtl.result.outcome},
                  {"chips", model.result.chips == rtl.result.chips},
                  {"used_third", model.result.used_third == rtl.result.used_third},
                  {"syndromes", model.result.syndromes == rtl.result.syndromes},
                  {"data", model.block.data == rtl.block.data},
                  {"parity", model.block.parity == rtl.block.parity},
                  {"third", model.block.third == rtl.block.third}});
}

std::string RtlCodec::asked_text(const CodecOperation& operation) const {
  const MemoryBlock& block = operation.block;
  const bool decodes = operation.kind == Kind::decode;
  std::string text = fmt::format("{} {}, data {}", decodes ? "decode" : "encode", to_text(operation.mode),
                                 bytes_text(block.data));
  if (decodes) text += ", parity " + bytes_text(block.parity);
  if (decodes && operation.mode == EccMode::strong) text += ", third " + bytes_text(block.third);
  return text;
}

std::string RtlCodec::answer_text(const CodecOperation& operation, const CodecAnswer& answer,
                                  const CodecAnswer* other) const {
  const bool decodes = operation.kind == Kind::decode;
  if (other == nullptr)
    return decodes ? result_text(answer.result) : "parity " + bytes_text(answer.block.parity);
  std::string text;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
  if (decodes || answer.result != other->result) {
    add(result_text(answer.result));
    if (answer.result.used_third != other->result.used_third)
      add(answer.result.used_third ? "third used" : "third not used");
    if (answer.result.syndromes != other->result.syndromes) add("syndromes" + syndromes_text(answer.result));
  }
  if (answer.block.data != other->block.data) add("data " + bytes_text(answer.block.data));
  if (answer.block.parity != other->block.parity) add("parity " + bytes_text(answer.block.parity));
  if (answer.block.third != other->block.third) add("third " + bytes_text(answer.block.third));
  return text;
}

std::string RtlCodec::past_text(const CodecOperation& operation, const CodecAnswer& answer) const {
  const bool decodes = operation.kind == Kind::decode;
  const std::string asked = fmt::format("{} {}", decodes ? "decode" : "encode", to_text(operation.mode));
  return decodes ? asked + " -> " + result_text(answer.result) : asked;
}

}  // namespace asterism
