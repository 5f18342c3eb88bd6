#include "memory/dram_system.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/quantity_text.h"
#include "memory/contended_channel.h"
#include "memory/dram_channel.h"
#include "memory/dram_energy.h"
#include "memory/loose_channel.h"

namespace asterism {
namespace {

DramGeometry geometry_of(const DramConfig& config, const DramPart& part, Bytes size, Bytes block) {
  if (block % part.atom() != Bytes(0) || block / part.atom() > 2)
    throw std::invalid_argument("expected blocks of one or two bursts, " + to_text(part.atom()) +
                                " each, got " + to_text(block));
  DramGeometry geometry{.channels = config.controllers * config.channels,
                        .ranks = config.ranks * part.pseudo_channels,
                        .banks = part.banks,
                        .rows = 1,
                        .columns = part.columns(block),
                        .block = block};
  const Bytes of_rows = geometry.size();  // one row of all banks
  const std::uint64_t rows = size / of_rows;
  if (rows == 0 || size % of_rows != Bytes(0))
    throw std::invalid_argument("expected a multiple of " + to_text(of_rows) +
                                ", one row of all banks, got " + to_text(size));
  if (rows > part.rows())
    throw std::invalid_argument("expected at most " + to_text(of_rows * part.rows()) +
                                ", all rows of all banks, got " + to_text(size));
  geometry.rows = static_cast<std::uint32_t>(rows);
  return geometry;
}

}  // namespace

struct DramSystem::Channels {
  DramConfig config;
  DramPart part;
  AddressMapping mapping;
  std::uint64_t tck;
  std::uint32_t bursts;  // of a block
  std::vector<std::unique_ptr<DramChannel>> channels;
  // At most one of these is used by access().
  std::vector<LooseChannel> loose;
  std::vector<ContendedChannel> contended;  // pseudo-channels
  std::vector<Tick> next;                   // the next event of each channel
  Picoseconds now, since;                   // the latest time given; the start of the statistics
  bool is_loose = false;                    // access() has been called

  Channels(const DramConfig& c, const DramPart& p, Bytes size, const std::optional<DramCurves>& curves,
           Bytes block)
      : config(c),
        part(p),
        mapping(c.mapping, geometry_of(c, p, size, block), c.hash),
        tck(p.timing.tck.count()),
        bursts(static_cast<std::uint32_t>(block / p.atom())) {
    for (std::uint32_t i = 0; i < mapping.geometry().channels; ++i)
      channels.push_back(std::make_unique<DramChannel>(config, part, bursts));
    if (curves)
      contended.assign(channels.size() * part.pseudo_channels,
                       ContendedChannel(config, part, *curves, bursts));
    else
      loose.assign(channels.size(), LooseChannel(config, part, bursts));
    next.assign(channels.size(), DramChannel::never);
  }

  Tick tick_from(Picoseconds time) const { return (time.count() + tck - 1) / tck; }  // the first edge
  Picoseconds time_of(Tick tick) const { return Picoseconds(tick * tck); }
  DramChannel& channel(const BlockLocation& location) { return *channels[location.channel]; }
  void note_time(Picoseconds time) { now = std::max(now, time); }
};

DramSystem::DramSystem(const DramConfig& config, const DramPart& part, Bytes size,
                       const std::optional<DramCurves>& curves, Bytes block)
    : channels_(std::make_unique<Channels>(config, part, size, curves, block)) {}
DramSystem::~DramSystem() = default;

const AddressMapping& DramSystem::mapping() const { return channels_->mapping; }

bool DramSystem::submit(Picoseconds now, const DramRequest& request) {
  Channels& all = *channels_;
  all.note_time(now);
  DramChannel& channel = all.channel(request.location);
  const bool taken = channel.submit(all.tick_from(now), request.id, request.location, request.is_write);
  all.next[request.location.channel] = channel.next_event();
  return taken;
}

std::optional<Picoseconds> DramSystem::next_event() const {
  const Tick first = *std::ranges::min_element(channels_->next);
  if (first == DramChannel::never) return std::nullopt;
  return channels_->time_of(first);
}

void DramSystem::advance_to(Picoseconds now, Sink& sink) {
  Channels& all = *channels_;
  all.note_time(now);
  const Tick until = now.count() / all.tck;
  for (;;) {
    const auto first = std::ranges::min_element(all.next);
    const Tick at = *first;
    if (at > until) return;
    // The other channels wait: results come in order of time, also when the sink submits more requests.
    DramChannel& channel = *all.channels[static_cast<std::size_t>(first - all.next.begin())];
    const auto completion = channel.advance(at);
    *first = channel.next_event();
    if (completion) sink.completed(completion->id, all.time_of(completion->at));
  }
}

Picoseconds DramSystem::access(Picoseconds now, const Request& request) {
  Channels& all = *channels_;
  all.note_time(request.at);
  const Tick at = all.tick_from(request.at);
  if (!all.contended.empty()) {
    ChannelAccess access{at, request.master, request.location, request.is_write, request.is_posted};
    const std::uint32_t each = all.part.pseudo_channels;
    const std::uint32_t pseudo_channel = access.location.channel * each + access.location.rank % each;
    access.location.rank /= each;
    const Tick done = all.contended[pseudo_channel].access(now.count() / all.tck, access);
    return all.time_of(done) - request.at;
  }
  all.is_loose = true;
  const Tick done = all.loose[request.location.channel].access(
      all.tick_from(now), {at, request.master, request.location, request.is_write, request.is_posted});
  return all.time_of(done) - request.at;
}

void DramSystem::reset(Reset kind) {
  Channels& all = *channels_;
  for (auto& channel : all.channels) {
    channel->reset(all.tick_from(all.now));
    if (kind == Reset::cold) channel->clear_counts();
  }
  const auto reset_answering = [&](auto& answering) {
    for (auto& channel : answering) {
      channel.reset(all.tick_from(all.now));
      if (kind == Reset::cold) channel.clear_counts();
    }
  };
  reset_answering(all.loose);
  reset_answering(all.contended);
  if (kind == Reset::cold) all.since = all.now;
  std::ranges::fill(all.next, DramChannel::never);
}

DramSystem::Summary DramSystem::summary(std::optional<Picoseconds> until) const {
  return summary_of(0, static_cast<std::uint32_t>(channels_->channels.size()), until);
}

DramSystem::Summary DramSystem::summary(std::uint32_t controller, std::optional<Picoseconds> until) const {
  const std::uint32_t each = channels_->config.channels;
  return summary_of(controller * each, each, until);
}

DramSystem::Summary DramSystem::summary_of(std::uint32_t first_channel, std::uint32_t channels,
                                           std::optional<Picoseconds> until) const {
  const Channels& all = *channels_;
  const Tick now = std::max(all.now, until.value_or(all.now)).count() / all.tck;
  const Tick end = std::max(all.since, until.value_or(all.now)).count() / all.tck;
  DramCounts counts;
  Tick waited = 0;
  const std::uint32_t each = all.part.pseudo_channels;
  for (std::uint32_t i = first_channel; i < first_channel + channels; ++i) {
    if (all.contended.empty())
      counts += all.is_loose ? all.loose[i].counts(now) : all.channels[i]->counts(now);
    for (std::uint32_t p = i * each; p < (i + 1) * each && !all.contended.empty(); ++p)
      counts += all.contended[p].counts(now), waited += all.contended[p].waited();
  }
  const auto issued = [&](DramCommand c) { return counts.commands[static_cast<std::size_t>(c)]; };
  const std::uint64_t reads = issued(DramCommand::read) + issued(DramCommand::read_precharge);
  const std::uint64_t writes = issued(DramCommand::write) + issued(DramCommand::write_precharge);

  Summary s;
  s.reads = counts.reads, s.writes = counts.writes;
  s.forwarded = counts.forwarded, s.merged = counts.merged, s.refused = counts.refused;
  s.row_hits = counts.row_hits, s.row_misses = counts.row_misses, s.row_conflicts = counts.row_conflicts;
  s.activates = issued(DramCommand::activate);
  s.auto_precharges = issued(DramCommand::read_precharge) + issued(DramCommand::write_precharge);
  s.refreshes = issued(DramCommand::refresh);
  s.writes_stored = writes / all.bursts;
  s.read_latency_sum = all.time_of(counts.read_clocks), s.read_latency_max = all.time_of(counts.longest_read);
  s.write_latency_sum = all.time_of(counts.write_clocks),
  s.write_latency_max = all.time_of(counts.longest_write);
  s.data_bus_busy = all.time_of(counts.data_clocks);
  s.wait_sum = all.time_of(waited);
  const std::uint64_t ranks = std::uint64_t{all.mapping.geometry().ranks} * channels;
  s.energy = dram_energy(all.part, {.activates = s.activates,
                                    .reads = reads,
                                    .writes = writes,
                                    .refreshes = s.refreshes,
                                    .by_banks = all.config.refresh == RefreshMode::by_banks,
                                    .open_clocks = counts.open_clocks,
                                    .all_clocks = ranks * (end - all.since.count() / all.tck)});
  return s;
}

void DramSystem::report(Statistics& statistics, std::optional<Picoseconds> until) const {
  const Summary s = summary(until);
  statistics.add("reads", s.reads);
  statistics.add("writes", s.writes);
  statistics.add("reads_from_write_queue", s.forwarded);
  statistics.add("writes_merged", s.merged);
  statistics.add("refused_by_full_queue", s.refused);
  statistics.add("row_hits", s.row_hits);
  statistics.add("row_misses", s.row_misses);
  statistics.add("row_conflicts", s.row_conflicts);
  statistics.add("activates", s.activates);
  statistics.add("auto_precharges", s.auto_precharges);
  statistics.add("refreshes", s.refreshes);
  statistics.add("read_latency_sum", s.read_latency_sum);
  statistics.add("read_latency_max", s.read_latency_max);
  statistics.add("write_latency_sum", s.write_latency_sum);
  statistics.add("write_latency_max", s.write_latency_max);
  statistics.add("data_bus_busy", s.data_bus_busy);
  if (!channels_->contended.empty()) statistics.add("read_wait_sum", s.wait_sum);
  asterism::report(statistics.group("energy"), s.energy);
  const std::uint32_t controllers = channels_->config.controllers;
  for (std::uint32_t i = 0; controllers > 1 && i < controllers; ++i) {
    const Summary own = summary(i, until);
    Statistics& controller = statistics.group("controller" + std::to_string(i));
    controller.add("reads", own.reads);
    controller.add("writes", own.writes);
    controller.add("row_hits", own.row_hits);
    controller.add("row_misses", own.row_misses);
    controller.add("row_conflicts", own.row_conflicts);
    controller.add("read_latency_max", own.read_latency_max);
    controller.add("data_bus_busy", own.data_bus_busy);
  }
}

}  // namespace asterism
