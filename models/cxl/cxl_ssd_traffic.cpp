#include "cxl/cxl_ssd_traffic.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <queue>
#include <vector>

#include "base/random.h"
#include "cxl/cxl_link.h"
#include "cxl/flash_cache.h"

namespace asterism {
namespace {

class SsdLoop final : private FlashCache::Sink {
 public:
  SsdLoop(const CxlSsdLoad& load, const CxlSsdConfig& config, const CxlPart& link, const FlashPart& flash,
          const DramPart& dram, Picoseconds path, const CxlSsdStop& stop)
      : load_(load),
        stop_(stop),
        image_(flash_geometry(config, flash), FlashImage::Contents::none),
        cache_(config, flash, dram, image_, *this),
        link_(link),
        path_(path),
        places_(load.seed),
        lines_(load.working_set / FlashCache::line),
        total_(load.program == CxlSsdProgram::random ? load.requests : lines_),
        warm_(load.program == CxlSsdProgram::random ? load.requests / 2 : 0) {}

  CxlSsdLoadResult run() {
    fill_flash();
    measured_from_ = last_ = now_;
    before_ = cache_.counters();
    for (std::uint32_t i = 0; i < load_.outstanding; ++i) at(now_, Step::issue, {});
    while (answered_ < total_ && !stopped_) step();
    if (load_.program == CxlSsdProgram::checkpoint) {
      now_ = std::max(now_, last_);
      flush();
      last_ = now_;
    }
    result_.elapsed = last_ - measured_from_;
    if (result_.hits != 0) result_.hit = hits_ / result_.hits;
    if (result_.misses != 0) result_.miss = misses_ / result_.misses;
    const FlashCache::Counters& after = cache_.counters();
    result_.lines_written = after.lines_written - before_.lines_written;
    result_.pages_written = after.pages_written - before_.pages_written;
    return result_;
  }

 private:
  enum class Step : std::uint8_t { issue, arrive, access, leave };
  struct Request {
    Picoseconds issued;
    Bytes offset;
    bool is_write = false, has_waited = false;
  };
  struct Event {
    Picoseconds at;
    std::uint64_t number;  // in the order in which they were made
    Step step;
    Request request;
    bool operator>(const Event& other) const {
      return at != other.at ? at > other.at : number > other.number;
    }
  };

  void at(Picoseconds time, Step step, const Request& request) {
    events_.push({time, made_++, step, request});
  }

  // One event of the cache or of a request.
  void step() {
    if (++steps_ % 4096 == 0) stopped_ = stopped_ || stop_(share_done());
    const auto flash = cache_.next_event();
    if (flash && (events_.empty() || *flash <= events_.top().at)) {
      cache_.advance_to(now_ = std::max(now_, *flash));
      return;
    }
    if (events_.empty()) throw CxlSsdWornOut("the flash of the device is worn out, and is read-only");
    const Event event = events_.top();
    events_.pop();
    now_ = std::max(now_, event.at);
    act(event);
  }

  // Both halves take about the same.
  double share_done() const {
    return static_cast<double>(filled_) / static_cast<double>(lines_) / 2 +
           static_cast<double>(answered_) / static_cast<double>(total_) / 2;
  }

  void fill_flash() {
    cache_.power_up(now_);
    while (!cache_.is_ready()) step();
    for (; filled_ < lines_ && !stopped_; filled_ += cache_.page() / FlashCache::line) {
      const Bytes offset = FlashCache::line * filled_;
      while (prepare(offset, true, false) != FlashCache::Answer::ready) step();
      cache_.written(now_, offset, FlashCache::line);
    }
    flush();
    cache_.reset(Reset::power_loss);
    cache_.power_up(now_);
    while (!cache_.is_ready()) step();
  }

  FlashCache::Answer prepare(Bytes offset, bool is_write, bool is_whole) {
    const FlashCache::Answer answer = cache_.prepare(now_, offset, is_write, is_whole);
    if (answer == FlashCache::Answer::failed)
      throw CxlSsdWornOut("the flash of the device is worn out, and is read-only");
    return answer;
  }

  void flush() {
    cache_.flush(now_);
    while (cache_.is_flushing()) step();
  }

  void act(const Event& event) {
    Request request = event.request;
    switch (event.step) {
      case Step::issue:
        issue();
        return;
      case Step::arrive:
        arrived_.push_back(request);
        enter();
        return;
      case Step::access:
        access(request);
        return;
      case Step::leave:
        --held_;
        enter();
        answer(request);
        return;
    }
  }

  void issue() {
    if (issued_ == total_) return;
    Request request{.issued = now_, .offset = {}};
    const bool is_random = load_.program == CxlSsdProgram::random;
    request.offset = FlashCache::line * (is_random ? places_.below(lines_) : issued_);
    request.is_write =
        is_random ? places_.below(1000) < load_.write_permille : load_.program == CxlSsdProgram::checkpoint;
    ++issued_;
    at(link_.to_device(now_, request.is_write), Step::arrive, request);
  }

  // The device holds a request from here until its answer leaves, also while it waits for flash.
  void enter() {
    for (; held_ < link_.part().queue && !arrived_.empty(); arrived_.pop_front()) {
      ++held_;
      at(now_ + link_.part().controller_latency, Step::access, arrived_.front());
    }
  }

  void access(Request& request) {
    if (prepare(request.offset, request.is_write, request.is_write) != FlashCache::Answer::ready) {
      request.has_waited = true;
      waiting_.push_back(request);
      return;
    }
    const Picoseconds ended = now_ + cache_.time(now_, now_, request.offset, request.is_write, 0);
    if (request.is_write) cache_.written(now_, request.offset, FlashCache::line);
    at(ended + link_.part().controller_latency, Step::leave, request);
  }

  void answer(const Request& request) {
    const Picoseconds answered = link_.to_host(now_, request.is_write) + path_;
    last_ = std::max(last_, answered);
    if (++answered_ > warm_) {
      ++result_.lines;
      ++(request.has_waited ? result_.misses : result_.hits);
      (request.has_waited ? misses_ : hits_) += answered - request.issued;
    } else if (answered_ == warm_) {
      measured_from_ = last_;
      before_ = cache_.counters();
    }
    at(answered, Step::issue, {});
  }

  void ready(Picoseconds) override {}
  void changed(Picoseconds at) override {
    for (const Request& each : waiting_) this->at(at, Step::access, each);
    waiting_.clear();
  }
  void flushed(Picoseconds, bool) override {}
  void lost(Picoseconds, Bytes) override {}

  const CxlSsdLoad& load_;
  const CxlSsdStop& stop_;
  FlashImage image_;
  FlashCache cache_;
  CxlLink link_;
  const Picoseconds path_;
  Random places_;
  const std::uint64_t lines_, total_, warm_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::deque<Request> arrived_;   // wait for a place in the device
  std::vector<Request> waiting_;  // in it, for flash
  std::uint32_t held_ = 0;
  std::uint64_t made_ = 0, steps_ = 0, filled_ = 0, issued_ = 0, answered_ = 0;
  bool stopped_ = false;
  Picoseconds now_, measured_from_, last_, hits_, misses_;
  FlashCache::Counters before_;
  CxlSsdLoadResult result_;
};

}  // namespace

CxlSsdLoadResult run(const CxlSsdLoad& load, const CxlSsdConfig& config, const CxlPart& link,
                     const FlashPart& flash, const DramPart& dram, Picoseconds path, const CxlSsdStop& stop) {
  return SsdLoop(load, config, link, flash, dram, path, stop).run();
}

}  // namespace asterism
