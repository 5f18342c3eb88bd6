#include "memory/dram_curves.h"

#include "base/fields.h"
#include "base/file_kind.h"
#include "base/value_digest.h"

namespace asterism {

static_assert(member_count<DramCurves>() == 16);
void describe(Fields& f, DramCurves& c) {
  const auto factor = within(0, 10);
  f("part", c.part, "The part to which the curves were fitted: a name in configs/dram.", required());
  f("digest", c.digest,
    "A digest of the timing and the geometry of the part. If those of the part are others, the curves are "
    "refused.",
    required());
  f("channel_residual", c.channel_residual,
    "The part of another read in service on the channel that a read waits for. A larger one makes reads wait "
    "longer at moderate load.",
    factor, required());
  f("bank_residual", c.bank_residual,
    "The part of another read in service in its bank that a read waits for. A larger one makes reads wait "
    "longer if they share banks.",
    factor, required());
  f("burst_overhead", c.burst_overhead,
    "The clocks that a burst costs the channel beyond its beats. More of them lower the throughput.", factor,
    required());
  f("activate_overhead", c.activate_overhead,
    "The clocks that a row to be opened costs the channel beyond tFAW and tRRD. More of them lower the "
    "throughput of accesses at random.",
    factor, required());
  f("rank_switch", c.rank_switch,
    "The share of tRTRS that is lost with several ranks. More of it lowers their throughput.", factor,
    required());
  f("write_activate", c.write_activate,
    "A factor on the clocks for a row to be opened for a write. A larger one makes writes at random cost "
    "more.",
    factor, required());
  f("turnaround", c.turnaround,
    "The share of the two turnarounds of the bus that a drain of writes costs. More of it makes writes cost "
    "more.",
    factor, required());
  f("drain", c.drain, "A factor on the wait of reads that come during a drain of writes.", factor,
    required());
  f("drain_knee", c.drain_knee,
    "The load of writes, relative to the pauses of reads, at which they are drained in groups. Below a lower "
    "one, reads already wait for drains.",
    within(0.01, 10), required());
  f("row_closing", c.row_closing,
    "A factor on the probability that an open row is closed because requests wait for its bank. A larger one "
    "gives fewer row hits.",
    factor, required());
  f("idle_turnaround", c.idle_turnaround,
    "The share of a turnaround that a read waits for after a write that a pause was used for.", factor,
    required());
  f("write_recovery", c.write_recovery,
    "The part of a write's time in its bank that a read waits for after it. A larger one makes reads beside "
    "few writes wait longer.",
    factor, required());
  f("fitted", c.fitted, "The errors that remain on the patterns that were fitted.");
  f("held_out", c.held_out, "The errors on other patterns, which were not.");
}

std::string curves_digest(const DramPart& part) {
  ValueDigest digest;
  digest.add("bank_groups", part.bank_groups);
  digest.add("banks", part.banks);
  digest.add("columns", part.columns());
  digest.add(part.timing);
  if (part.pseudo_channels > 1) digest.add("pseudo_channels", part.pseudo_channels);
  if (part.bus != 64) digest.add("bus", part.bus);
  if (part.command_buses > 1) digest.add("command_buses", part.command_buses);
  return digest.text();
}

const RegisteredFileKind<DramCurves> curve_files{
    "dram_curves", "dram_curves", "Asterism curves of a DRAM part", {"channel_residual", "row_closing"}};

}  // namespace asterism
