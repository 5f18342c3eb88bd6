#include "cxl/cxl_ssd_traffic.h"

#include <algorithm>
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
          const DramPart& dram, Picoseconds path)
      : load_(load),
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
    const Picoseconds begin = now_;
    measured_from_ = begin;
    before_ = cache_.counters();
    for (std::uint32_t i = 0; i < load_.outstanding; ++i) issue(begin);
    while (answered_ < total_) step();
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
  struct Request {
    Picoseconds issued, at;  // at: the device
    std::uint64_t number;    // in the order of issue
    Bytes offset;
    CxlLink::Sent sent;
    bool is_write = false, has_waited = false;
    bool operator>(const Request& other) const {
      return at != other.at ? at > other.at : number > other.number;
    }
  };

  // One event of the cache or of a request.
  void step() {
    const auto flash = cache_.next_event();
    if (coming_.empty() || (flash && *flash <= coming_.top().at)) {
      if (flash) cache_.advance_to(now_ = std::max(now_, *flash));
      return;
    }
    const Request request = coming_.top();
    coming_.pop();
    now_ = std::max(now_, request.at);
    enter(request);
  }

  void fill_flash() {
    cache_.power_up(now_);
    while (!cache_.is_ready()) step();
    for (std::uint64_t line = 0; line < lines_; line += cache_.page() / FlashCache::line) {
      const Bytes offset = FlashCache::line * line;
      while (cache_.prepare(now_, offset, true, false) != FlashCache::Answer::ready) step();
      cache_.written(now_, offset, FlashCache::line);
    }
    flush();
    cache_.reset(Reset::power_loss);
    cache_.power_up(now_);
    while (!cache_.is_ready()) step();
  }

  void flush() {
    cache_.flush(now_);
    while (cache_.is_flushing()) step();
  }

  void issue(Picoseconds at) {
    if (issued_ == total_) return;
    Request request{.issued = at, .at = at, .number = issued_, .offset = {}, .sent = {}};
    const bool is_random = load_.program == CxlSsdProgram::random;
    request.offset = FlashCache::line * (is_random ? places_.below(lines_) : issued_);
    request.is_write =
        is_random ? places_.below(1000) < load_.write_permille : load_.program == CxlSsdProgram::checkpoint;
    ++issued_;
    request.sent = link_.request(std::min(now_, at), at, request.is_write);
    request.at = request.sent.at_memory;
    coming_.push(request);
  }

  void enter(Request request) {
    if (cache_.prepare(now_, request.offset, request.is_write, request.is_write) !=
        FlashCache::Answer::ready) {
      request.has_waited = true;
      waiting_.push_back(request);
      return;
    }
    const Picoseconds ended = now_ + cache_.time(now_, now_, request.offset, request.is_write, 0);
    if (request.is_write) cache_.written(now_, request.offset, FlashCache::line);
    Picoseconds answered = link_.response(request.sent, ended, request.is_write) + path_;
    ++answered_;
    last_ = std::max(last_, answered);
    if (request.number >= warm_) {
      ++result_.lines;
      ++(request.has_waited ? result_.misses : result_.hits);
      (request.has_waited ? misses_ : hits_) += answered - request.issued;
    } else if (request.number + 1 == warm_) {
      measured_from_ = answered;
      before_ = cache_.counters();
    }
    issue(answered);
  }

  void ready(Picoseconds) override {}
  void changed(Picoseconds at) override {
    for (Request& each : waiting_) {
      each.at = at;
      coming_.push(each);
    }
    waiting_.clear();
  }
  void flushed(Picoseconds, bool) override {}
  void lost(Picoseconds, Bytes) override {}

  const CxlSsdLoad& load_;
  FlashImage image_;
  FlashCache cache_;
  CxlLink link_;
  const Picoseconds path_;
  Random places_;
  const std::uint64_t lines_, total_, warm_;
  std::priority_queue<Request, std::vector<Request>, std::greater<>> coming_;
  std::vector<Request> waiting_;
  std::uint64_t issued_ = 0, answered_ = 0;
  Picoseconds now_, measured_from_, last_, hits_, misses_;
  FlashCache::Counters before_;
  CxlSsdLoadResult result_;
};

}  // namespace

CxlSsdLoadResult run(const CxlSsdLoad& load, const CxlSsdConfig& config, const CxlPart& link,
                     const FlashPart& flash, const DramPart& dram, Picoseconds path) {
  return SsdLoop(load, config, link, flash, dram, path).run();
}

}  // namespace asterism
