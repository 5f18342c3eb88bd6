#include "cosim/rtl_codec.h"

#include <fmt/format.h>

#include <utility>

namespace asterism {
namespace {

constexpr std::array<const char*, 3> outcome_names = {"clean", "corrected", "uncorrectable"};
constexpr unsigned outcomes = outcome_names.size();

const char* kind_name(CodecOperationKind kind) {
  return kind == CodecOperationKind::decode ? "decode" : "encode";
}

// Names of two parts, one of which may be empty.
std::string both(std::string_view first, std::string_view second) {
  return fmt::format("{}{}{}", first, first.empty() || second.empty() ? "" : " ", second);
}

template <class Contract>
std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const auto kind : {CodecOperationKind::encode, CodecOperationKind::decode})
    for (const char* const mode : Contract::modes) names.push_back(both(kind_name(kind), mode));
  return names;
}

template <class Contract>
std::vector<std::string> names_of_outcomes() {
  std::vector<std::string> names;
  for (const char* const mode : Contract::modes)
    for (const char* const outcome : outcome_names) names.push_back(both(mode, outcome));
  return names;
}

// The last name is that of the last chip of all modes.
template <class Contract>
std::vector<std::string> chip_names(unsigned chips) {
  std::vector<std::string> names;
  names.reserve(chips);
  for (unsigned chip = 0; chip < chips; ++chip) names.push_back(std::to_string(chip));
  if (chips == Contract::mode_chips.back()) names.back() = Contract::last_chip;
  return names;
}

template <class Contract>
std::string result_text(const typename Contract::Result& result) {
  std::string text = outcome_names[static_cast<unsigned>(result.outcome)];
  if (result.chips != 0)
    text += " " + report_set({result.chips, 0}, chip_names<Contract>(Contract::mode_chips.back()));
  return text;
}

// Codewords by bytes, the first one first.
std::string syndromes_text(const BinaryVector& syndromes) {
  std::string text = "syndromes";
  for (unsigned i = 0; i < 16; ++i)
    text += fmt::format("{}{:02x}", i % 4 == 0 ? " " : "",
                        (i < 8 ? syndromes.low : syndromes.high) >> 8 * (i % 8) & 255);
  return text;
}

}  // namespace

template <class Contract>
RtlCodecOf<Contract>::RtlCodecOf(std::shared_ptr<const RtlLibrary> library, const Settings& settings,
                                 const RtlOptions& options)
    : RtlOperationsOf<Operation, Answer>(std::move(library), {.instance = settings.instance,
                                                              .impl = settings.impl,
                                                              .clock = settings.clock,
                                                              .on_mismatch = settings.on_mismatch,
                                                              .trace = settings.trace,
                                                              .max_cycles = settings.max_cycles}),
      model_(settings.code),
      ports_(this->rtl()),
      operations_(this->coverage_group("operations", operation_names<Contract>())),
      outcomes_(this->coverage_group("outcomes", names_of_outcomes<Contract>())) {
  std::vector<std::size_t> corrected, uncorrectable;
  for (unsigned mode = 0; mode < modes; ++mode) {
    chips_[mode] = &this->coverage_group(both(Contract::modes[mode], "chips"),
                                         chip_names<Contract>(Contract::mode_chips[mode]));
    corrected.push_back(outcomes * mode + 1);
    uncorrectable.push_back(outcomes * mode + 2);
  }
  outcomes_.need_one_of(corrected, "never corrected an error");
  outcomes_.need_one_of(uncorrectable, "never found an uncorrectable error");
  check_parameters(this->rtl(), {{Contract::parameter, static_cast<std::uint64_t>(settings.code)}});
  this->begin(options);
}

// ---- the hook ----

template <class Contract>
void RtlCodecOf<Contract>::encode(Picoseconds now, typename Contract::Where where,
                                  typename Contract::Block& encoded) {
  if (!Contract::has_code(where)) return;
  Operation operation{.kind = CodecOperationKind::encode, .where = where, .block = encoded};
  encoded = this->operate(now, operation, {.block = encoded}).block;
}

template <class Contract>
void RtlCodecOf<Contract>::decode(Picoseconds now, typename Contract::Where where,
                                  const typename Contract::Block& received, typename Contract::Block& decoded,
                                  typename Contract::Result& result) {
  if (!Contract::has_code(where)) return;
  const Answer answer =
      this->operate(now, {.kind = CodecOperationKind::decode, .where = where, .block = received},
                    {decoded, result, Contract::syndromes(model_, received, result)});
  decoded = answer.block;
  result = answer.result;
}

template <class Contract>
void RtlCodecOf<Contract>::reset(Reset) {
  this->restart();
}

// ---- an operation ----

template <class Contract>
void RtlCodecOf<Contract>::ask(const Operation& operation) {
  ports_.ask(operation);
}

template <class Contract>
auto RtlCodecOf<Contract>::read(const Operation&, const Answer&) const -> Answer {
  return ports_.answer();
}

template <class Contract>
void RtlCodecOf<Contract>::count(const Operation& operation, const Answer& answer) {
  const unsigned mode = Contract::mode_of(operation.where);
  operations_.hit((operation.decodes() ? modes : 0) + mode);
  if (!operation.decodes()) return;
  outcomes_.hit(outcomes * mode + static_cast<unsigned>(answer.result.outcome));
  for (unsigned chip = 0; chip < Contract::mode_chips[mode]; ++chip)
    if (answer.result.chips >> chip & 1) chips_[mode]->hit(chip);
}

template <class Contract>
std::string RtlCodecOf<Contract>::difference(const Answer& model, const Answer& rtl) const {
  std::string fields = this->unequal({{"outcome", model.result.outcome == rtl.result.outcome},
                                      {"chips", model.result.chips == rtl.result.chips},
                                      {"syndromes", model.syndromes == rtl.syndromes}});
  const auto of_model = Contract::parts(model), of_rtl = Contract::parts(rtl);
  for (std::size_t i = 0; i < of_model.size(); ++i)
    if (of_model[i].text != of_rtl[i].text)
      fields += fmt::format("{}{}", fields.empty() ? "" : ", ", of_model[i].name);
  return fields;
}

template <class Contract>
std::string RtlCodecOf<Contract>::asked_text(const Operation& operation) const {
  std::string text = both(kind_name(operation.kind), Contract::text(operation.where));
  for (const CodecPart& part : Contract::parts({.block = operation.block}))
    if (part.name != std::string_view("used_third")) text += ", " + part.text;
  return text;
}

template <class Contract>
std::string RtlCodecOf<Contract>::answer_text(const Operation& operation, const Answer& answer,
                                              const Answer* other) const {
  std::string text = operation.decodes() || (other && answer.result != other->result)
                         ? result_text<Contract>(answer.result)
                         : "encoded";
  if (!other) return text;
  if (answer.syndromes != other->syndromes) text += ", " + syndromes_text(answer.syndromes);
  const auto parts = Contract::parts(answer), of_other = Contract::parts(*other);
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i].text != of_other[i].text) text += ", " + parts[i].text;
  return text;
}

template <class Contract>
std::string RtlCodecOf<Contract>::past_text(const Operation& operation, const Answer& answer) const {
  const std::string asked = both(kind_name(operation.kind), Contract::text(operation.where));
  return operation.decodes() ? asked + " -> " + result_text<Contract>(answer.result) : asked;
}

template class RtlCodecOf<DualModeContract>;
template class RtlCodecOf<RankContract>;

}  // namespace asterism
