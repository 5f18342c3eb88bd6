// The speed of a Verilated arbiter behind the loader: cycles and decisions a second, each against a
// SwizzleSwitch with the same number of inputs in the same run.
//
//   cosim_bench [--check] LIBRARY...
//
// A library is what `asterism rtl build rtl/lrg_arbiter/block.json` writes, of any radix up to 128. Each
// input requests at random in half of the cycles. Each figure is the median of five rounds, in which the
// subjects alternate; before that a million decisions of the RTL are compared with the model's. With --check
// the exit status is 1 when a figure of a radix of 64 misses its limit.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/random.h"
#include "cosim/rtl_arbitration.h"
#include "figures.h"
#include "swizzle_switch/swizzle_switch.h"

namespace asterism {
namespace {

constexpr Picoseconds period = 666_ps;  // 1.5 GHz, the clock of a Swizzle-Switch with 64 inputs
constexpr std::size_t stimuli = 4096;
constexpr unsigned decisions = 500'000;  // in a round
void figure(const std::string& name, double per_second, double models_per_second, double limit) {
  figures.add("  " + name,
              fmt::format("{:.2f} M/s {:>5.2f}", per_second / 1e6, per_second / models_per_second),
              per_second >= limit, limit == 0 ? "" : fmt::format(">= {:.1f} M/s", limit / 1e6));
}

// The requests in the form that each subject takes.
struct Stimuli {
  std::vector<RequestSet> sets;
  std::vector<std::vector<unsigned>> lists;

  explicit Stimuli(unsigned inputs) : sets(stimuli), lists(stimuli) {
    Random random(1);
    for (std::size_t i = 0; i < stimuli; ++i) {
      for (unsigned input = 0; input < inputs; ++input) {
        if (random.below(2) == 0) continue;
        sets[i][input / 64] |= std::uint64_t{1} << input % 64;
        lists[i].push_back(input);
      }
      if (!lists[i].empty()) continue;
      sets[i][0] |= 1;
      lists[i].push_back(0);
    }
  }
};

// Decides the requests of a round; each subject continues with the state of the round before.
using Subject = std::function<void(unsigned first)>;
struct Measured {
  Subject subject;
  std::vector<double> speeds = {};
};
void measure(std::vector<Measured>& all) {
  for (unsigned round = 0; round < 5; ++round) {
    for (Measured& one : all) {
      const double start = cpu_seconds();
      one.subject(round * decisions);
      one.speeds.push_back(decisions / (cpu_seconds() - start));
    }
  }
}

RtlArbitration::Settings settings(unsigned inputs, Impl impl) {
  return {.instance = "bench", .impl = impl, .inputs = inputs, .outputs = 1, .period = period};
}

void stop(const Lockstep::Mismatch& mismatch) { throw std::runtime_error(mismatch.text()); }

void compare_a_million(const std::shared_ptr<const RtlLibrary>& library, unsigned inputs) {
  RtlArbitration hook(library, settings(inputs, Impl::lockstep), {});
  hook.on_mismatch = stop;
  SwizzleSwitch model(inputs, 1, ArbiterPolicy::least_recently_granted);
  Random random(2);
  std::vector<unsigned> list;
  for (std::uint64_t cycle = 1; cycle <= 1'000'000; ++cycle) {
    RequestSet requests{};
    list.clear();
    const std::uint64_t density = 1 + random.below(7);
    for (unsigned input = 0; input < inputs; ++input) {
      if (random.below(8) >= density) continue;
      requests[input / 64] |= std::uint64_t{1} << input % 64;
      list.push_back(input);
    }
    if (!list.empty()) hook.decide(cycle * period, 0, requests, *model.grant(0, list));
  }
  fmt::print("  {} decisions are the model's; {}\n", hook.decisions(),
             fmt::join(hook.coverage().text(), ", "));
}

void measure_library(const std::string& file) {
  const auto library = RtlLibrary::open(file);
  const unsigned inputs = library->width("request");
  fmt::print("{} of {} inputs\n", library->name(), inputs);
  compare_a_million(library, inputs);

  const Stimuli requests(inputs);
  SwizzleSwitch model(inputs, 1, ArbiterPolicy::least_recently_granted), beside = model,
                                                                         recorded_beside = model;
  RtlInstance raw(library, "raw");
  raw.reset();
  RtlPort request = raw.port("request"), grant = raw.port("grant");
  // The folder is named so that windows are recorded; as nothing differs, no window is written.
  RtlOptions with_window;
  with_window.traces = std::filesystem::temp_directory_path();
  RtlArbitration rtl(library, settings(inputs, Impl::rtl), {}),
      lockstep(library, settings(inputs, Impl::lockstep), {});
  RtlArbitration recorded(library, settings(inputs, Impl::lockstep), with_window);
  rtl.on_mismatch = lockstep.on_mismatch = recorded.on_mismatch = stop;

  std::uint64_t won = 0;
  const auto drive = [](auto decide) {
    return [decide](unsigned first) mutable {
      for (unsigned i = first; i < first + decisions; ++i) decide(i, i % stimuli);
    };
  };
  const auto in_lockstep = [&](RtlArbitration& hook, SwizzleSwitch& own) {
    return drive([&](std::uint64_t i, std::size_t s) {
      won += hook.decide((i + 1) * period, 0, requests.sets[s], *own.grant(0, requests.lists[s]));
    });
  };
  std::vector<Measured> all = {
      {drive([&](std::uint64_t, std::size_t s) { won += *model.grant(0, requests.lists[s]); })},
      {drive([&](std::uint64_t, std::size_t s) {
        for (std::uint32_t word = 0; word < request.words(); ++word)
          request.set(requests.sets[s][word], word);
        raw.settle();
        won += grant.get();
        raw.edge();
      })},
      {drive([&](std::uint64_t i, std::size_t s) {
        won += rtl.decide((i + 1) * period, 0, requests.sets[s], 0);
      })},
      {in_lockstep(lockstep, beside)},
      {in_lockstep(recorded, recorded_beside)}};
  measure(all);

  const double models = median(all[0].speeds), limit = inputs == 64 ? 2.5e6 : 0;
  fmt::print("{:<58} {:>14}\n", "", "of the model");
  figure("SwizzleSwitch", models, models, 0);
  figure("RTL through the loader, settle and edge", median(all[1].speeds), models, limit);
  figure("RTL arbitrates", median(all[2].speeds), models, limit);
  figure("lockstep, the model's decision included", median(all[3].speeds), models, 0);
  figure("lockstep, its last cycles kept for a window", median(all[4].speeds), models, 0);
  if (won == 0) fmt::print("nobody won\n");
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) {
  CLI::App app;
  std::vector<std::string> libraries;
  app.add_option("LIBRARY", libraries, "What `asterism rtl build` has written of the arbiter")->required();
  return asterism::bench_main(argc, argv, app, [&] {
    for (const std::string& library : libraries) asterism::measure_library(library);
  });
}
