#include "cosim/rtl_codec.h"

#include <fmt/format.h>

#include <span>
#include <utility>

#include "cosim/codec_ports.h"
#include "cosim/hang_watch.h"
#include "cosim/mismatch.h"
#include "cosim/report_text.h"
#include "cosim/rtl_timeline.h"

namespace asterism {
namespace {

using Kind = CodecOperation::Kind;
using Outcome = DecodeResult::Outcome;

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

std::string chips_text(std::uint32_t chips) {
  std::vector<std::string> names;
  for (unsigned chip = 0; chip < block_chips; ++chip) names.push_back(std::to_string(chip));
  names.emplace_back("third");
  return report_set({chips, 0}, names);
}

std::string asked_text(const CodecOperation& operation) {
  const MemoryBlock& block = operation.block;
  const bool decodes = operation.kind == Kind::decode;
  std::string text = fmt::format("{} {}, data {}", decodes ? "decode" : "encode", to_text(operation.mode),
                                 bytes_text(block.data));
  if (decodes) text += ", parity " + bytes_text(block.parity);
  if (decodes && operation.mode == EccMode::strong) text += ", third " + bytes_text(block.third);
  return text;
}

std::string result_text(const DecodeResult& result) {
  std::string text = outcome_names[static_cast<unsigned>(result.outcome)];
  if (result.chips != 0) text += " " + chips_text(result.chips);
  return text;
}

std::string syndromes_text(const DecodeResult& result) {
  std::string text;
  for (const auto& syndromes : result.syndromes) text += " " + bytes_text(syndromes);
  return text;
}

// What of the answers differs: "outcome, chips", "parity".
std::string differing(const CodecAnswer& a, const CodecAnswer& b) {
  std::string names;
  const auto name = [&](const char* field, bool equal) {
    if (!equal) names += (names.empty() ? "" : ", ") + std::string(field);
  };
  name("outcome", a.result.outcome == b.result.outcome);
  name("chips", a.result.chips == b.result.chips);
  name("used_third", a.result.used_third == b.result.used_third);
  name("syndromes", a.result.syndromes == b.result.syndromes);
  name("data", a.block.data == b.block.data);
  name("parity", a.block.parity == b.block.parity);
  name("third", a.block.third == b.block.third);
  return names;
}

// The result of a decoding, and whatever is not as the other's.
std::string answer_text(Kind kind, const CodecAnswer& answer, const CodecAnswer& other) {
  std::string text;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
  const bool results_differ = answer.result != other.result;
  if (kind == Kind::decode || results_differ) {
    add(result_text(answer.result));
    if (answer.result.used_third != other.result.used_third)
      add(answer.result.used_third ? "third used" : "third not used");
    if (answer.result.syndromes != other.result.syndromes) add("syndromes" + syndromes_text(answer.result));
  }
  if (answer.block.data != other.block.data) add("data " + bytes_text(answer.block.data));
  if (answer.block.parity != other.block.parity) add("parity " + bytes_text(answer.block.parity));
  if (answer.block.third != other.block.third) add("third " + bytes_text(answer.block.third));
  return text;
}

std::vector<std::string> chip_names(bool with_third) {
  std::vector<std::string> names;
  for (unsigned chip = 0; chip < block_chips; ++chip) names.push_back(std::to_string(chip));
  if (with_third) names.emplace_back("third");
  return names;
}

}  // namespace

// ---- the block and what has become of it ----

class RtlCodec::Block {
 public:
  Block(std::shared_ptr<const RtlLibrary> library, const Settings& settings, const RtlOptions& options)
      : settings_(settings),
        rtl_(std::move(library), settings.instance),
        ports_(rtl_),
        timeline_(rtl_, {.clock = settings.clock, .trace = settings.trace}, options),
        operations_(coverage_.group("operations",
                                    {"encode normal", "encode strong", "decode normal", "decode strong"})),
        outcomes_(coverage_.group("outcomes", {"normal clean", "normal corrected", "normal uncorrectable",
                                               "strong clean", "strong corrected", "strong uncorrectable"})),
        chips_{&coverage_.group("normal chips", chip_names(false)),
               &coverage_.group("strong chips", chip_names(true))} {
    check_profile();
    if (const auto file = timeline_.window_file())
      first_.trace_to(file->string(), settings.trace.window,
                      [this](const std::string&, Picoseconds window) { timeline_.write_window(window); });
    restart(Picoseconds(0));
  }

  // What the RTL, or where it stands in the model, answers.
  const CodecAnswer& operate(Picoseconds now, CodecOperation operation, CodecAnswer& model) {
    if (first_.mismatch()) return model;
    Past& past = past_.next();
    past = {now, operation.kind, operation.mode, model.result};
    ++asked_;
    try {
      rtl_answer_ = ask(now, operation);
    } catch (const RtlError& error) {
      const bool stands_alone = settings_.impl == Impl::rtl;
      differ(now, operation, "RTL failed", stands_alone ? "" : told(operation.kind, model),
             report_reason(error.what(), rtl_.name()));
      return model;
    }
    if (settings_.impl == Impl::lockstep && rtl_answer_ != model) {
      differ(now, operation, differing(model, rtl_answer_), answer_text(operation.kind, model, rtl_answer_),
             answer_text(operation.kind, rtl_answer_, model));
      return model;
    }
    past.result = rtl_answer_.result;
    count(operation, rtl_answer_.result);
    return settings_.impl == Impl::rtl ? rtl_answer_ : model;
  }

  void reset() {
    if (!first_.mismatch()) restart(timeline_.time());
  }
  void finish(Picoseconds now) {
    if (first_.mismatch()) return;
    try {
      timeline_.catch_up(now);
    } catch (const RtlError& error) {
      tell(found(now, "RTL failed", settings_.impl == Impl::rtl ? "" : "goes on",
                 report_reason(error.what(), rtl_.name())));
    }
  }

  std::function<void(const Lockstep::Mismatch&)> on_mismatch;

  const Settings& settings() const { return settings_; }
  std::uint64_t asked() const { return asked_; }
  const std::optional<Lockstep::Mismatch>& mismatch() const { return first_.mismatch(); }
  const Coverage& coverage() const { return coverage_; }

 private:
  struct Past {
    Picoseconds at;
    Kind kind = Kind::encode;
    EccMode mode = EccMode::normal;
    DecodeResult result = {};
  };

  // A model of one profile beside RTL of another would differ sooner or later.
  void check_profile() const {
    const auto profile = rtl_.library().parameter("Profile");
    const auto wanted = static_cast<std::uint64_t>(settings_.profile);
    if (profile && *profile != wanted)
      throw RtlError(fmt::format("{}: {} ({}) was built with Profile={}, the memory's profile is {} ({})",
                                 rtl_.name(), rtl_.library().name(), rtl_.library().file().string(), *profile,
                                 to_text(settings_.profile), wanted));
  }

  void restart(Picoseconds at) {
    const HangWatch::Scope scope(rtl_.name());
    rtl_.reset();
    timeline_.start(at);
  }

  CodecAnswer ask(Picoseconds now, const CodecOperation& operation) {
    timeline_.catch_up(now);
    const HangWatch::Scope scope(rtl_.name());
    ports_.ask(operation);
    timeline_.inputs_changed();
    for (std::uint64_t cycle = 0; cycle < settings_.patience; ++cycle) {
      timeline_.settle();
      std::optional<CodecAnswer> answer;
      if (ports_.answers()) answer = ports_.answer();
      timeline_.edge();
      if (cycle == 0) {
        ports_.ask_nothing();
        timeline_.inputs_changed();
      }
      if (answer) return *answer;
      scope.alive();
    }
    throw RtlError(fmt::format("{}: no answer: {} was low for {} cycles", rtl_.name(),
                               rtl_.library().ports()[*rtl_.library().find("out.valid")].name,
                               settings_.patience));
  }

  void count(const CodecOperation& operation, const DecodeResult& result) {
    const unsigned mode = index_of(operation.mode);
    const bool decodes = operation.kind == Kind::decode;
    operations_.hit((decodes ? 2 : 0) + mode);
    if (!decodes) return;
    outcomes_.hit(outcomes * mode + static_cast<unsigned>(result.outcome));
    for (unsigned chip = 0; chip < chips_[mode]->points(); ++chip)
      if (result.chips >> chip & 1) chips_[mode]->hit(chip);
  }

  static std::string told(Kind kind, const CodecAnswer& answer) {
    return kind == Kind::decode ? result_text(answer.result) : "parity " + bytes_text(answer.block.parity);
  }

  Lockstep::Mismatch found(Picoseconds at, std::string what, std::string model, std::string rtl) const {
    Lockstep::Mismatch mismatch;
    mismatch.at = at;
    mismatch.instance = rtl_.name();
    mismatch.what = std::move(what);
    mismatch.model = std::move(model);
    mismatch.rtl = std::move(rtl);
    return mismatch;
  }

  void differ(Picoseconds at, const CodecOperation& operation, std::string what, std::string model,
              std::string rtl) {
    Lockstep::Mismatch mismatch = found(at, std::move(what), std::move(model), std::move(rtl));
    mismatch.asked = asked_text(operation);
    past_.for_each([&](const Past& past) {
      std::string line = fmt::format("{}  {} {}", report_time(past.at),
                                     past.kind == Kind::decode ? "decode" : "encode", to_text(past.mode));
      if (past.kind == Kind::decode) line += " -> " + result_text(past.result);
      mismatch.history.push_back(std::move(line));
    });
    tell(std::move(mismatch));
  }

  void tell(Lockstep::Mismatch mismatch) {
    const Lockstep::Mismatch& kept = first_.keep(std::move(mismatch));
    if (on_mismatch) on_mismatch(kept);
  }

  Settings settings_;
  RtlInstance rtl_;
  CodecPorts ports_;
  RtlTimeline timeline_;
  CodecAnswer rtl_answer_;
  LastFew<Past> past_;
  FirstMismatch first_;
  std::uint64_t asked_ = 0;
  Coverage coverage_;
  Coverage::Group &operations_, &outcomes_;
  Coverage::Group* chips_[2];  // by mode
};

// ---- the seat ----

RtlCodec::RtlCodec(std::shared_ptr<const RtlLibrary> library, const Settings& settings,
                   const RtlOptions& options) {
  if (settings.impl == Impl::model) throw std::invalid_argument("RTL encodes and decodes or is in lockstep");
  block_ = std::make_unique<Block>(std::move(library), settings, options);
  block_->on_mismatch = [this](const Lockstep::Mismatch& mismatch) {
    if (on_mismatch) on_mismatch(mismatch);
  };
}

RtlCodec::~RtlCodec() = default;

void RtlCodec::encode(Picoseconds now, EccMode mode, MemoryBlock& encoded) {
  if (mode == EccMode::none) return;
  CodecOperation operation{.kind = Kind::encode, .mode = mode, .block = {}};
  operation.block.data = encoded.data;
  CodecAnswer model{.block = encoded};
  encoded = block_->operate(now, operation, model).block;
}

void RtlCodec::decode(Picoseconds now, EccMode mode, const MemoryBlock& received, MemoryBlock& decoded,
                      DecodeResult& result) {
  if (mode == EccMode::none) return;
  CodecAnswer model{.block = decoded, .result = result};
  const CodecAnswer& answer =
      block_->operate(now, {.kind = Kind::decode, .mode = mode, .block = received}, model);
  decoded = answer.block;
  result = answer.result;
}

void RtlCodec::reset(Reset) { block_->reset(); }
void RtlCodec::finish(Picoseconds now) { block_->finish(now); }

const std::string& RtlCodec::instance() const { return block_->settings().instance; }
std::uint64_t RtlCodec::operations() const { return block_->asked(); }
const std::optional<Lockstep::Mismatch>& RtlCodec::mismatch() const { return block_->mismatch(); }
const Coverage& RtlCodec::coverage() const { return block_->coverage(); }

void RtlCodec::report(Statistics& statistics) const {
  statistics.add("impl", to_text(block_->settings().impl));
  statistics.add("operations", operations());
  if (block_->settings().impl == Impl::lockstep)
    statistics.add("mismatches", std::uint64_t{mismatch().has_value()});
  coverage().report(statistics.group("coverage"));
}

std::vector<std::string> RtlCodec::summary() const {
  const Impl impl = block_->settings().impl;
  std::string line = fmt::format("{}: {}, {} operations", instance(), to_text(impl), operations());
  if (impl == Impl::lockstep) line += mismatch() ? ", 1 mismatch" : ", 0 mismatches";
  std::vector<std::string> lines{line};
  for (const std::string& group : coverage().text()) lines.push_back("reached " + group);
  return lines;
}

}  // namespace asterism
