#include "platform/run/run_instruments.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/core_module.h"
#include "platform/config/diagnostics.h"
#include "platform/host/human_time.h"
#include "platform/instruments/instruction_trace.h"
#include "platform/instruments/page_map_file.h"
#include "tlm/log.h"
#include "tlm/time.h"

namespace asterism {
namespace {

// A longer run takes samples at a larger distance, so that neither time nor file grow without limit.
constexpr unsigned most_samples = 1'000'000;

bool is_traced(const CoreModule& core) { return log(core.name()).is_enabled(LogLevel::trace); }

void check_symbols_for_profile(const Scenario& scenario) {
  const FirmwareFormat format = scenario.config.firmware_format;
  if (format == FirmwareFormat::linux_image && scenario.firmware.symbols.empty())
    throw ConfigError(Diagnostic::of_file(
        scenario.firmware.file,
        "kernel has no table of its symbols (CONFIG_KALLSYMS), expected one for --profile, or a file of them "
        "in symbols"));
  if (format == FirmwareFormat::raw)
    refuse_option("--profile", fmt::format("needs the symbols of an ELF file, but firmware_format is {}",
                                           to_text(format)));
  if (format == FirmwareFormat::elf &&
      FunctionSymbols::parse(scenario.firmware.elf.bytes(), scenario.firmware.file).empty())
    throw ConfigError(
        Diagnostic::of_file(scenario.firmware.file,
                            "firmware has no symbols of functions, expected a symbol table (.symtab) for "
                            "--profile; it may have been stripped"));
}

}  // namespace

// A core and its observer: the control flow for the profile, the instructions for the log.
class Instruments::Core final : public FlowObserver {
 public:
  Core(DebuggedCore core, const FunctionSymbols& symbols, const ProfiledCode& code,
       const InstrumentOptions& options)
      : name(std::move(core.name)),
        module(*core.core),
        profile(code, [this](std::uint64_t count) { return costs(count); }),
        symbols_(symbols, module.iss().debug_port()),
        code_(code),
        options_(options),
        text_(symbols_) {
    if (is_traced(module))
      follow_log();
    else if (options.profile)
      follow(true);
  }

  // Begins or ends to trace instructions, as the log's level says.
  void follow_log() {
    if (is_traced(module) == log_.has_value()) return;
    log_last();
    log_ = log_ ? std::nullopt : std::optional(log(module.name()));
    module.on_quantum = nullptr;
    if (log_ && options_.has_window() && !options_.profile) {
      module.on_quantum = [this] { follow_in_window(); };
      follow_in_window();
    } else {
      follow(options_.profile || log_);
    }
  }

  void goes(const FlowStep& step) override {
    if (options_.profile) profile.goes(step);
    if (!log_) return;
    log_last();
    if (!is_in_window()) return;
    const bool was_running = std::exchange(has_just_begun_, false);
    if (step.how == Flow::start && !was_running) log_->trace("starts at {}", symbols_.describe(step.to));
    if (step.how == Flow::exception)
      log_->trace("exception at {}, goes to {}", symbols_.describe(step.from), symbols_.describe(step.to));
  }
  void executes(std::uint64_t pc, std::uint32_t word, std::uint64_t instructions) override {
    // If the last instruction had no effect, it is repeated.
    if (last_ && last_->pc == pc && last_->instructions == instructions) return;
    TracedInstruction next(module, pc, word, instructions);
    log_last(&next);
    if (!is_in_window()) return;
    last_ = next;
    has_trace_ = true;
  }
  // Logs the last instruction, with the registers behind it: those before the next one, or those of now.
  void log_last(const TracedInstruction* next = nullptr) {
    if (!last_ || !log_) return;
    const TracedInstruction last = *std::exchange(last_, std::nullopt);
    log_->trace("{}", text_.line(last, next ? *next : TracedInstruction(module, 0, 0, 0)));
  }
  // The core is halted: logs the last instruction if it has been executed.
  void halted() {
    if (!last_ || !module.iss().debug_port().is_between_instructions()) return;
    if (module.instructions() != last_->instructions || module.iss().read(CoreRegister::pc) != last_->pc)
      log_last();
  }

  bool is_logged() const { return log_.has_value(); }
  bool has_trace() const { return has_trace_; }

  const std::string name;
  CoreModule& module;
  CoreProfile profile;

 private:
  void follow(bool is_wanted) {
    has_just_begun_ = is_wanted && !is_following_ && module.instructions() > 0;
    is_following_ = is_wanted;
    module.iss().follow(is_wanted ? this : nullptr, code_.question(log_.has_value()));
  }
  // Following every instruction is slow, so that it begins shortly before the window.
  void follow_in_window() {
    const Picoseconds time = module.local_time();
    const bool is_wanted = time + module.max_time_ahead() >= options_.trace_from && time < options_.trace_to;
    if (is_wanted == is_following_) return;
    if (!is_wanted) log_last();
    follow(is_wanted);
  }
  bool is_in_window() const {
    const Picoseconds time = module.local_time();
    return time >= options_.trace_from && time < options_.trace_to;
  }

  ProfileCost costs(std::uint64_t instructions) const {
    ProfileCost cost{.instructions = instructions, .time = module.local_time()};
    if (!module.has_caches()) return cost;
    const CacheCounts counts = module.cache_counts();
    cost.l1_misses = counts.l1_refills;
    cost.l2_misses = counts.l2_refills;
    return cost;
  }

  const SymbolsOfCore symbols_;
  const ProfiledCode& code_;
  const InstrumentOptions& options_;
  const InstructionText text_;
  bool is_following_ = false;
  bool has_just_begun_ = false;  // in a core that was running, whose next step looks like a start
  std::optional<Log> log_;       // absent if the core is not traced
  std::optional<TracedInstruction> last_;
  bool has_trace_ = false;  // at least one instruction has been traced
};

Instruments::Instruments(const InstrumentOptions& options, const Scenario& scenario,
                         const RunDirectory& directory, EventFile& events)
    : options_(options),
      scenario_(scenario),
      directory_(directory),
      code_(scenario.firmware.symbols, options.profile_lines),
      sample_distance_(options.sample) {
  if (!scenario.config.has_firmware())
    for (const auto& [is_wanted, option] : {std::pair(options.profile, "--profile"),
                                            {options.timeline, "--timeline"},
                                            {options.transactions, "--transactions"},
                                            {options.last_instructions > 0, "--last-instructions"}})
      if (is_wanted) refuse_option(option, "no core of this scenario runs firmware");
  if (options.profile) check_symbols_for_profile(scenario);
  if (options.profile_lines && !code_.has_lines())
    throw ConfigError(Diagnostic::of_file(
        scenario.firmware.file,
        "firmware has no lines of source, expected DWARF for --profile-lines; compile it with -g"));
  if (options.timeline) events.forward_to(timeline_.emplace());
  if (options.record) {
    std::filesystem::create_directories(directory.path() / "traces");
    events.forward_to(recorder_.emplace(directory.path() / "traces" / "record.bin", scenario.name));
  }
  if (options.transactions) taps_.emplace();
}

Instruments::~Instruments() = default;

void Instruments::attach(SimulatedSystem& system) {
  const std::vector<DebuggedCore> cores = system.cores_to_debug();
  const auto traced =
      std::ranges::find_if(cores, [](const DebuggedCore& each) { return is_traced(*each.core); });
  if (options_.profile || traced != cores.end() || timeline_ || recorder_) create_cores(system);
  if (timeline_ || recorder_)
    for (const auto& core : cores_) {
      const bool is_on = core->module.state() != CoreModule::State::off;
      const auto activity = is_on ? CoreModule::Activity::running : CoreModule::Activity::off;
      std::size_t lane = 0;
      if (timeline_) lane = timeline_->add_core(core->name, activity);
      if (recorder_) lane = recorder_->add_core(core->name, activity);
      core->module.on_activity = [this, lane](CoreModule::Activity activity) {
        if (timeline_) timeline_->set(lane, activity, now());
        if (recorder_) recorder_->set(lane, activity, now());
      };
    }
  if (recorder_) system.count_pages();
  if (recorder_ && options_.sample > 0_ps) sample(system, now());
  if (!taps_) return;
  const std::filesystem::path traces = directory_.path() / "traces";
  std::filesystem::create_directories(traces);
  transactions_.emplace(traces / "transactions.bin", taps_->masters());
  taps_->write_to(*transactions_);
}

void Instruments::output(const std::string& line, std::string_view text) {
  if (recorder_) recorder_->output(now(), line, text);
}

void Instruments::sample(SimulatedSystem& system, Picoseconds at) {
  system.quiesce();
  Statistics statistics;
  system.report_to(statistics);
  recorder_->sample(at, statistics);
  if (++samples_ % (options_.sample_grows ? 1000 : most_samples) == 0) {
    sample_distance_ = sample_distance_ * 2;
    if (!options_.sample_grows)
      log("node").warn("{} samples have been taken: from now on they are {} apart", samples_,
                       human_time(sample_distance_));
  }
  next_sample_ = at + sample_distance_;
}

void Instruments::create_cores(SimulatedSystem& system) {
  for (DebuggedCore& each : system.cores_to_debug())
    cores_.push_back(std::make_unique<Core>(std::move(each), scenario_.firmware.symbols, code_, options_));
}

void Instruments::follow_log(SimulatedSystem& system) {
  if (cores_.empty()) create_cores(system);
  for (const auto& core : cores_) core->follow_log();
}

void Instruments::halted() {
  for (const auto& core : cores_) core->halted();
}

std::vector<std::string> Instruments::cores_without_trace() const {
  std::vector<std::string> names;
  for (const auto& core : cores_) {
    if (core->has_trace()) return {};
    if (core->is_logged()) names.push_back(core->name);
  }
  return names;
}

void Instruments::finish(SimulatedSystem& system, Picoseconds end) {
  if (options_.profile) {
    const bool has_caches =
        std::ranges::any_of(cores_, [](const auto& core) { return core->module.has_caches(); });
    ProfileReport report(has_caches);
    for (const auto& core : cores_) {
      core->profile.finish(core->module.instructions());
      report.add(core->name, core->profile);
    }
    directory_.write("profile.txt", report.text());
    directory_.write("profile.folded", report.folded());
    directory_.write("profile.svg", report.flame_graph("Profile of " + scenario_.name));
    if (options_.profile_lines) directory_.write("profile_lines.txt", report.lines());
  }
  for (const auto& core : cores_) core->log_last();
  if (timeline_) {
    timeline_->finish(end);
    directory_.write("timeline.svg", timeline_->to_svg(scenario_.name));
  }
  if (transactions_) transactions_->finish();
  if (!recorder_) return;
  if (options_.sample > 0_ps) sample(system, end);
  recorder_->finish(end);
  PageMap pages;
  system.report_pages(pages);
  directory_.write(page_map_name, to_file(pages));
}

}  // namespace asterism
