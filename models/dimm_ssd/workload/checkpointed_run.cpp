#include "dimm_ssd/workload/checkpointed_run.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "dimm_ssd/workload/exp_minus_one.h"

namespace asterism {

namespace {
constexpr std::size_t batch_size = 1024;
constexpr Picoseconds never{~0ull};
}  // namespace

CheckpointedRun::CheckpointedRun(const CheckpointedRunConfig& config, const CheckpointerConfig& checkpointer,
                                 const FlashPart& part, FlashImage& image, WriteSource& source)
    : config_(config),
      source_(source),
      checkpointer_(checkpointer, part, image, source.pages(), *this, *this),
      batch_(batch_size),
      busy_(std::min(config.line * (config.reads + config.writes), source.interval() / 10 * 9)) {}

CheckpointedRunResult CheckpointedRun::run(const std::function<bool()>& stop) {
  save_all();
  is_running_ = true;
  for (std::uint32_t interval = 0; interval < config_.intervals && !result_.failure; ++interval) {
    source_.begin_interval(interval);
    result_.traffic.reads += config_.reads;
    run_interval(stop);
    if (result_.stopped || result_.failure) break;
    progress_ = source_.interval() * (interval + 1);
    end_interval(interval + 1);
  }
  result_.alone = source_.interval() * config_.intervals;
  result_.time = progress_ + lost_;
  if (!result_.stopped) {
    const Picoseconds last = wait_while([&] { return checkpointer_.open_intervals() != 0; });
    result_.durable = last - begun_;
    count_flash_pages();
  }
  return result_;
}

double CheckpointedRun::share_done() const {
  const Picoseconds alone = source_.interval() * config_.intervals;
  return static_cast<double>(progress_.count()) / static_cast<double>(alone.count());
}

void CheckpointedRun::save_all() {
  checkpointer_.power_up(begun_);
  begun_ = wait_while([&] { return !checkpointer_.ready(); });
  note_room();
  checkpointer_.track(begun_, "run", source_.pages());
  checkpointer_.end_interval(begun_, 0);
  begun_ = wait_while([&] { return checkpointer_.open_intervals() != 0; });
  if (result_.failure) return;
  saved_before_ = checkpointer_.pages_per_flash_page();
  result_.traffic = {};
  result_.checkpoints = 0;
  next_ = checkpointer_.next_event().value_or(never);
}

void CheckpointedRun::run_interval(const std::function<bool()>& stop) {
  const Picoseconds begin = progress_;
  while (const std::size_t made = source_.next(batch_)) {
    if (stop && stop()) {
      result_.stopped = true;
      return;
    }
    result_.traffic.writes += made;
    for (std::size_t i = 0; i < made; ++i) {
      progress_ = begin + batch_[i].time;
      write(batch_[i]);
    }
    if (result_.failure) return;
  }
}

inline void CheckpointedRun::write(const WriteRequest& request) {
  while (next_ <= now()) advance(next_);
  const Checkpointer::Answer answer =
      checkpointer_.write(now(), request.page, std::uint64_t{1} << request.line);
  if (answer.ready) [[likely]]
    lose(answer.delay, result_.lost.copied);
  else
    hold(request);
  next_ = checkpointer_.next_event().value_or(never);
}

void CheckpointedRun::hold(const WriteRequest& request) {
  held_.push_back(request);
  ++result_.writes_held;
  if (held_.size() < config_.write_queue) return;
  const Picoseconds from = now();
  lose(wait_while([&] { return held_.size() >= config_.write_queue; }) - from, result_.lost.held);
}

bool CheckpointedRun::goes_to_ssd(std::uint32_t interval) const {
  if (config_.on_ssd == nullptr) return true;
  std::uint64_t flash_pages = checkpointer_.flash_pages();
  for (const std::uint64_t before : saved_before_) flash_pages -= before;
  return config_.on_ssd({interval, now() - begun_, lost_, flash_pages});
}

void CheckpointedRun::end_interval(std::uint32_t interval) {
  while (next_ <= now()) advance(next_);
  Picoseconds from = now();
  lose(wait_while([&] { return !held_.empty(); }) - from, result_.lost.drained);
  if (result_.failure) return;
  result_.on_ssd.push_back(goes_to_ssd(interval));
  if (!result_.on_ssd.back()) lose(config_.elsewhere, result_.lost.elsewhere);
  if (interval == config_.intervals) is_running_ = false;
  if (!result_.on_ssd.back()) return;
  ++ended_;
  checkpointer_.end_interval(now(), ended_);
  next_ = checkpointer_.next_event().value_or(never);
  from = now();
  lose(wait_while([&] { return checkpointer_.stopped(); }) - from, result_.lost.stopped);
}

void CheckpointedRun::advance(Picoseconds to) {
  checkpointer_.advance_to(to);
  // Retries the requests held for a page that is free now; a page that is locked again keeps its requests.
  while (!released_.empty()) {
    const std::uint32_t page = released_.back();
    released_.pop_back();
    std::erase_if(held_, [&](const WriteRequest& request) {
      return request.page == page && checkpointer_.write(to, page, std::uint64_t{1} << request.line).ready;
    });
  }
  next_ = checkpointer_.next_event().value_or(never);
}

Picoseconds CheckpointedRun::wait_while(const std::function<bool()>& condition) {
  Picoseconds at = now();
  const bool was_running = std::exchange(is_running_, false);
  while (!result_.failure && condition()) {
    const auto next = checkpointer_.next_event();
    if (!next) throw std::logic_error("a program waits for a checkpointer that has nothing to do");
    at = std::max(at, *next);
    advance(at);
  }
  is_running_ = was_running;
  return at;
}

// The time that the program loses on average by copies in succession that take so long.
Picoseconds CheckpointedRun::stalled_by(Picoseconds copying) const {
  const double time = static_cast<double>(copying.count());
  const double reads =
      static_cast<double>(config_.reads) * time / static_cast<double>(source_.interval().count());
  if (reads == 0) return 0_ps;
  return Picoseconds(
      static_cast<std::uint64_t>(std::llround(time + time * exp_minus_one_of_negative(reads) / reads)));
}

// The time of so many lines while the program also uses the bus.
Picoseconds CheckpointedRun::use_bus(Picoseconds now, std::uint64_t lines) {
  const Picoseconds time = config_.line * lines;
  if (!is_running_ || checkpointer_.stopped()) return time;
  if (config_.shared_read_queue) {
    if (now > copied_until_) copying_ = 0_ps;
    lose(stalled_by(copying_ + time) - stalled_by(copying_), result_.lost.bus);
    copying_ += time;
    copied_until_ = now + time;
    return time;
  }
  const std::uint64_t interval = source_.interval().count();
  lose(Picoseconds(scale(time.count(), busy_.count(), interval)), result_.lost.bus);
  return Picoseconds(scale(time.count(), interval, interval - busy_.count(), true));
}

void CheckpointedRun::read_lines(Picoseconds now, std::uint32_t, std::uint64_t lines, OnAccessEnd ended) {
  const auto count = static_cast<std::uint64_t>(std::popcount(lines));
  result_.traffic.copied += count;
  ended({now + use_bus(now, count)});
}

void CheckpointedRun::copy_to_frame(Picoseconds now, std::uint32_t, std::uint64_t lines, std::uint32_t,
                                    OnAccessEnd ended) {
  const auto count = static_cast<std::uint64_t>(std::popcount(lines));
  result_.traffic.to_frames += count;
  ended({now + config_.line * (2 * count)});  // the program waits, so that the bus is free
}

void CheckpointedRun::read_frame(Picoseconds now, std::uint32_t, std::uint64_t lines, OnAccessEnd ended) {
  const auto count = static_cast<std::uint64_t>(std::popcount(lines));
  result_.traffic.from_frames += count;
  ended({now + use_bus(now, count)});
}

void CheckpointedRun::durable(Picoseconds, std::uint64_t version) {
  ++result_.checkpoints;
  result_.lag = std::max(result_.lag, static_cast<std::uint32_t>(ended_ - version));
  note_room();
}

void CheckpointedRun::note_room() {
  result_.room = {.version = 0,
                  .all = checkpointer_.log().pages(),
                  .left = checkpointer_.log().free_pages(),
                  .filled = 0};
  filled_before_ = checkpointer_.flash_pages();
}

void CheckpointedRun::failed(Picoseconds, std::uint64_t version, Checkpointer::Error error) {
  result_.failure = error;
  result_.room.version = version;
  result_.room.filled = checkpointer_.flash_pages() - filled_before_;
}

void CheckpointedRun::count_flash_pages() {
  result_.pages_per_flash_page = checkpointer_.pages_per_flash_page();
  for (std::size_t pages = 0; pages < result_.pages_per_flash_page.size(); ++pages) {
    std::uint64_t& count = result_.pages_per_flash_page[pages];
    if (!saved_before_.empty()) count -= saved_before_[pages];
    result_.flash_pages += count;
    result_.memory_pages += pages * count;
  }
}

}  // namespace asterism
