#include "memory/dram_energy.h"

#include <algorithm>

namespace asterism {

DramEnergy dram_energy(const DramPart& part, const DramActivity& activity) {
  const DramTiming& t = part.timing;
  const DramCurrents& i = part.currents;
  const auto clocks = [](Cycles c) { return static_cast<double>(c.count()); };
  const auto times = [](std::uint64_t count) { return static_cast<double>(count); };
  // One mA for a clock, of all chips of a rank: mA * mV * ps is 1e-6 pJ.
  const double unit =
      static_cast<double>(t.tck.count()) * i.vdd_mv * 1e-6 * static_cast<double>(part.chips_per_rank());
  const double burst = t.burst_clocks();

  DramEnergy energy;
  // IDD0 is measured over activate, standby with the row open for tRAS, precharge, and standby closed for the
  // rest of tRC.
  energy.activate = times(activity.activates) * unit *
                    (i.idd0 * clocks(t.trc) - i.idd3n * clocks(t.tras) - i.idd2n * clocks(t.trc - t.tras));
  energy.read = times(activity.reads) * unit * (i.idd4r - i.idd3n) * burst;
  energy.write = times(activity.writes) * unit * (i.idd4w - i.idd3n) * burst;
  const double current = activity.by_banks ? part.bank_refresh->idd5 : i.idd5b;
  const double refreshed = clocks(activity.by_banks ? part.bank_refresh->trfc : t.trfc);
  energy.refresh = times(activity.refreshes) * unit * (current - i.idd2n) * refreshed;
  const double all = times(activity.all_clocks), open = std::min(all, times(activity.open_clocks));
  energy.background = unit * (i.idd3n * open + i.idd2n * (all - open));
  return energy;
}

void report(Statistics& statistics, const DramEnergy& energy) {
  const auto add = [&](std::string_view name, double picojoules) {
    statistics.add(name, static_cast<std::uint64_t>(std::max(0.0, picojoules)));
  };
  add("activate_pj", energy.activate);
  add("read_pj", energy.read);
  add("write_pj", energy.write);
  add("refresh_pj", energy.refresh);
  add("background_pj", energy.background);
  add("total_pj", energy.total());
}

}  // namespace asterism
