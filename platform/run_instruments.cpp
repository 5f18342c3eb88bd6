#include "platform/run_instruments.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/a64/decoder.h"
#include "core/core_module.h"
#include "platform/config/diagnostics.h"
#include "tlm/log.h"
#include "tlm/time.h"

namespace asterism {
namespace {

bool is_traced(const CoreModule& core) { return log(core.name()).is_enabled(LogLevel::trace); }

FunctionSymbols symbols_for_profile(const Scenario& scenario) {
  if (!scenario.rom.empty())
    refuse_option("--profile", "needs the symbols of an ELF file, but firmware_format is raw");
  FunctionSymbols symbols = FunctionSymbols::parse(scenario.firmware.bytes(), scenario.firmware_file);
  if (symbols.empty())
    throw ConfigError(
        Diagnostic::of_file(scenario.firmware_file,
                            "firmware has no symbols of functions, expected a symbol table (.symtab) for "
                            "--profile; it may have been stripped"));
  return symbols;
}

// A trace of firmware without symbols has only addresses.
FunctionSymbols symbols_for_trace(const Scenario& scenario) {
  try {
    return FunctionSymbols::parse(scenario.firmware.bytes(), scenario.firmware_file);
  } catch (const ConfigError&) {
    return {};
  }
}

}  // namespace

// A core and its observer: the control flow for the profile, the instructions for the log.
class Instruments::Core final : public FlowObserver {
 public:
  Core(DebuggedCore core, const FunctionSymbols& symbols, bool is_profiled)
      : name(std::move(core.name)), module(*core.core), symbols_(symbols), is_profiled_(is_profiled) {
    if (is_traced(module)) log_ = log(module.name());
    if (is_profiled || log_) module.iss().follow(this, {symbols.boundaries(), log_.has_value()});
  }

  void goes(const FlowStep& step) override {
    if (is_profiled_) profile.goes(step);
    if (!log_) return;
    if (step.how == Flow::start) log_->trace("starts at {:#x}", step.to);
    if (step.how == Flow::exception) log_->trace("exception at {:#x}, goes to {:#x}", step.from, step.to);
  }
  void executes(std::uint64_t pc, std::uint32_t word, std::uint64_t instructions) override {
    const bool is_logged =
        last_pc_ == pc && last_count_ == instructions;  // the instruction had no effect and is repeated
    last_pc_ = pc, last_count_ = instructions;
    if (is_logged) return;
    const a64::Row* row = a64::find_row(word, {});
    log_->trace("{:>10} {:#010x} {:08x} {:<28} {}", instructions, pc, word, symbols_.place_of(pc),
                row ? row->name : "UNDEFINED");
  }

  const std::string name;
  CoreModule& module;
  CoreProfile profile;

 private:
  const FunctionSymbols& symbols_;
  const bool is_profiled_;
  std::optional<Log> log_;  // absent if the core is not traced
  std::uint64_t last_pc_ = ~std::uint64_t{0}, last_count_ = ~std::uint64_t{0};
};

Instruments::Instruments(const InstrumentOptions& options, const Scenario& scenario,
                         const RunDirectory& directory, EventFile& events)
    : options_(options), scenario_(scenario), directory_(directory) {
  if (!scenario.config.has_firmware())
    for (const auto& [is_wanted, option] : {std::pair(options.profile, "--profile"),
                                            {options.timeline, "--timeline"},
                                            {options.transactions, "--transactions"}})
      if (is_wanted) refuse_option(option, "no core of this scenario runs firmware");
  if (options.profile) symbols_ = symbols_for_profile(scenario);
  if (options.timeline) events.forward_to(timeline_.emplace());
  if (options.transactions) taps_.emplace();
}

Instruments::~Instruments() = default;

void Instruments::attach(SimulatedSystem& system) {
  std::vector<DebuggedCore> cores = system.cores_to_debug();
  const auto traced =
      std::ranges::find_if(cores, [](const DebuggedCore& each) { return is_traced(*each.core); });
  if (traced != cores.end() && !options_.profile) symbols_ = symbols_for_trace(scenario_);
  if (options_.profile || traced != cores.end() || timeline_)
    for (DebuggedCore& each : cores)
      cores_.push_back(std::make_unique<Core>(std::move(each), symbols_, options_.profile));
  if (timeline_)
    for (const auto& core : cores_) {
      const bool is_on = core->module.state() != CoreModule::State::off;
      const std::size_t lane =
          timeline_->add_core(core->name, is_on ? CoreModule::Activity::running : CoreModule::Activity::off);
      core->module.on_activity = [this, lane](CoreModule::Activity activity) {
        timeline_->set(lane, activity, now());
      };
    }
  if (!taps_) return;
  const std::filesystem::path traces = directory_.path() / "traces";
  std::filesystem::create_directories(traces);
  transactions_.emplace(traces / "transactions.bin", taps_->masters());
  taps_->write_to(*transactions_);
}

void Instruments::finish(Picoseconds end) {
  if (options_.profile) {
    ProfileReport report(symbols_);
    for (const auto& core : cores_) {
      core->profile.finish(core->module.instructions());
      report.add(core->name, core->profile);
    }
    directory_.write("profile.txt", report.text());
    directory_.write("profile.folded", report.folded());
  }
  if (timeline_) {
    timeline_->finish(end);
    directory_.write("timeline.svg", timeline_->to_svg(scenario_.name));
  }
  if (transactions_) transactions_->finish();
}

}  // namespace asterism
