#include "cxl/cxl_traffic.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "base/random.h"

namespace asterism {
namespace {

struct LineAccess {
  std::uint64_t line;
  bool is_write, is_counted;
  bool is_written_back;  // a read of a line that is written later
};

// The accesses of the threads in turn.
class Stream {
 public:
  explicit Stream(const CxlLoad& load, std::uint64_t lines)
      : inputs_(load.program == CxlProgram::add ? 2 : 1),
        array_(load.array / Bytes(64)),
        part_(array_ / load.threads),
        steps_(load.threads),
        program_(load.program),
        lines_(lines),
        places_(load.seed) {}

  // How many of so many requests next() gives; the others are writes of lines that were read before.
  std::uint64_t accesses_of(std::uint64_t requests) const {
    const bool is_stream = program_ == CxlProgram::copy || program_ == CxlProgram::add;
    return is_stream ? requests / (inputs_ + 2) * (inputs_ + 1) : requests;
  }
  LineAccess next() {
    if (program_ == CxlProgram::chase) return {places_.below(lines_), false, true, false};
    std::uint64_t& step = steps_[thread_];
    const bool is_dma = program_ == CxlProgram::write || program_ == CxlProgram::read;
    // STREAM: the reads, and the read of the line that is written.
    const std::uint64_t accesses = is_dma ? 1 : inputs_ + 1;
    const std::uint64_t which = step % accesses, at = thread_ * part_ + step / accesses % part_;
    ++step;
    thread_ = (thread_ + 1) % steps_.size();
    if (is_dma) return {at, program_ == CxlProgram::write, true, false};
    const bool is_output = which == inputs_;
    return {which * array_ + at, false, !is_output, is_output};
  }

 private:
  std::uint64_t inputs_, array_, part_;
  std::vector<std::uint64_t> steps_;
  std::size_t thread_ = 0;
  CxlProgram program_;
  std::uint64_t lines_;
  Random places_;
};

// Requests that are issued, sent over the link, held by the device, and answered.
class ClosedLoop final : private DramSystem::Sink {
 public:
  ClosedLoop(const CxlLoad& load, DramSystem& memory, CxlLink* link, Picoseconds path)
      : load_(load),
        memory_(memory),
        link_(link),
        path_(path),
        stream_(load, memory.mapping().geometry().blocks()),
        requests_(load.outstanding),
        queue_(link ? link->part().queue : load.outstanding),
        controller_(link ? link->part().controller_latency : Picoseconds(0)) {}

  CxlLoadResult run() {
    for (std::uint32_t i = 0; i < load_.outstanding; ++i) at(Picoseconds(0), Step::issue, i);
    while (!events_.empty() || !refused_.empty() || in_memory_ != 0) {
      const auto of_memory = memory_.next_event();
      now_ =
          !events_.empty() && (!of_memory || events_.top().at <= *of_memory) ? events_.top().at : *of_memory;
      memory_.advance_to(now_, *this);
      retry();
      while (!events_.empty() && events_.top().at <= now_) {
        const Event event = events_.top();
        events_.pop();
        act(event);
      }
    }
    if (result_.reads != 0) result_.latency = latencies_ / result_.reads;
    return result_;
  }

 private:
  enum class Step { issue, arrive, submit, leave };
  struct Event {
    Picoseconds at;
    std::uint64_t number;  // in the order in which they were made
    Step step;
    std::uint32_t request;
    bool operator>(const Event& other) const {
      return at != other.at ? at > other.at : number > other.number;
    }
  };
  struct Request {
    LineAccess access = {};
    Picoseconds issued;
  };

  void at(Picoseconds time, Step step, std::uint32_t request) {
    events_.push({time, made_++, step, request});
  }

  void act(const Event& event) {
    Request& request = requests_[event.request];
    switch (event.step) {
      case Step::issue:
        // A line that has been read to be written is written in the place of the read.
        if (request.access.is_written_back) {
          request = {{request.access.line, true, true, false}, now_};
        } else {
          if (issued_ == stream_.accesses_of(load_.requests)) return;
          ++issued_;
          request = {stream_.next(), now_};
        }
        at(link_ ? link_->to_device(now_, request.access.is_write) : now_, Step::arrive, event.request);
        return;
      case Step::arrive:
        waiting_.push_back(event.request);
        enter();
        return;
      case Step::submit:
        refused_.push_back(event.request);
        retry();
        return;
      case Step::leave:
        --held_;
        enter();
        answer(event.request);
        return;
    }
  }

  void enter() {
    for (; held_ < queue_ && !waiting_.empty(); waiting_.pop_front()) {
      ++held_;
      at(now_ + controller_, Step::submit, waiting_.front());
    }
  }

  void retry() {
    std::erase_if(refused_, [this](std::uint32_t each) {
      const LineAccess& access = requests_[each].access;
      if (!memory_.submit(now_, {each, memory_.mapping().locate(access.line), access.is_write})) return false;
      if (access.is_write)
        at(now_ + controller_, Step::leave, each);
      else
        ++in_memory_;
      return true;
    });
  }

  void completed(std::uint64_t id, Picoseconds ended) override {
    --in_memory_;
    at(std::max(ended, now_) + controller_, Step::leave, static_cast<std::uint32_t>(id));
  }

  void answer(std::uint32_t number) {
    const Request& request = requests_[number];
    const bool is_write = request.access.is_write;
    Picoseconds answered = link_ ? link_->to_host(now_, is_write) : now_;
    if (!is_write) answered += path_;
    if (!is_write) latencies_ += answered - request.issued;
    ++(is_write ? result_.writes : result_.reads);
    result_.counted += request.access.is_counted;
    result_.elapsed = std::max(result_.elapsed, answered);
    at(answered, Step::issue, number);
  }

  const CxlLoad& load_;
  DramSystem& memory_;
  CxlLink* const link_;
  const Picoseconds path_;
  Stream stream_;
  std::vector<Request> requests_;  // under way
  const std::uint32_t queue_;
  const Picoseconds controller_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::deque<std::uint32_t> waiting_;   // for a place in the device
  std::vector<std::uint32_t> refused_;  // by a queue of the memory
  std::uint32_t held_ = 0, in_memory_ = 0;
  std::uint64_t made_ = 0, issued_ = 0;
  Picoseconds now_, latencies_;
  CxlLoadResult result_;
};

}  // namespace

CxlLoadResult run(const CxlLoad& load, DramSystem& memory, CxlLink* link, Picoseconds path) {
  return ClosedLoop(load, memory, link, path).run();
}

}  // namespace asterism
