#include "gpu/truth/gathered_watch.h"

#include <algorithm>
#include <utility>

namespace asterism {

void GatheredWatch::began(bool by_driver) {
  is_open_ = by_driver;
  waited_for_.clear();
  gathered_.clear();
  forget_copy();
}

void GatheredWatch::forget_copy() {
  copy_ = CopyUnderWay::none;
  under_way_.clear();
  waits_amid_.clear();
}

void GatheredWatch::wrote(std::uint32_t zone, bool waits) {
  if (!is_open_) return;
  if (waits) {
    waited_for_.insert(zone);
    if (under_way_.contains(zone)) waits_amid_.insert(zone);
  } else if (const auto at = gathered_.find(zone); at != gathered_.end() && !waited_for_.contains(zone)) {
    states_.write(CopyWrite::comes_behind, at->second);
  }
}

void GatheredWatch::preserved(std::uint32_t zone) {
  const auto at = gathered_.find(zone);
  if (waited_for_.erase(zone) != 0 && at != gathered_.end()) states_.write(CopyWrite::goes_on, at->second);
}

void GatheredWatch::observe(const Gpu& gpu) {
  if (!is_open_ || !gpu.snapshot_open() || !gpu.copying()) return forget_copy();
  const GpuConfig& config = gpu.config();
  std::set<std::uint32_t> zones;
  for (std::uint32_t number = 0; number < config.zones(); ++number) {
    const Zone zone{number % config.channels, number / config.channels};
    if (gpu.monitor(zone.channel).is_unpreserved(zone.index) && !gpu.awaits_copy(zone) &&
        !gpu.may_preserve(zone))
      zones.insert(number);
  }
  if (zones == under_way_) return;
  forget_copy();
  under_way_ = std::move(zones);
  const bool wait = std::ranges::includes(waited_for_, under_way_);
  const bool is_whole = config.zone * (under_way_.size() + 1) > config.transfer;
  copy_ = !wait                    ? CopyUnderWay::in_order
          : under_way_.size() == 1 ? CopyUnderWay::one_zone
          : is_whole               ? CopyUnderWay::gathered_whole
                                   : CopyUnderWay::gathered;
}

void GatheredWatch::arrived(std::span<const std::uint32_t> zones) {
  for (std::size_t i = 0; i < zones.size() && is_gathered(copy_); ++i) {
    const PlaceInCopy place = i == 0                  ? PlaceInCopy::first
                              : i + 1 == zones.size() ? PlaceInCopy::last
                                                      : PlaceInCopy::middle;
    gathered_[zones[i]] = place;
    states_.write(CopyWrite::waited_before, place);
    if (waits_amid_.contains(zones[i])) states_.write(CopyWrite::waits_amid, place);
  }
  forget_copy();
}

void GatheredWatch::ended(SnapshotEnd end) {
  const CopyUnderWay copy = copy_;
  if (!std::exchange(is_open_, false)) return;
  states_.end(end, copy);
  if (is_gathered(copy)) ended_ = end;
  is_lost_ = is_gathered(copy) && end == SnapshotEnd::loss;
  taken_behind_.reset();
  forget_copy();
}

void GatheredWatch::taken(bool asks_increment, bool is_increment) {
  is_open_ = false;
  forget_copy();
  if (ended_) states_.next(*ended_, asks_increment);
  if (taken_behind_ && is_increment) states_.behind(*taken_behind_);
  taken_behind_ = std::exchange(ended_, std::nullopt);
}

void GatheredWatch::restored(bool has_increment) {
  if (std::exchange(is_lost_, false)) states_.restored(has_increment);
}

}  // namespace asterism
