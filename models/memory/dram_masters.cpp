#include "memory/dram_masters.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

#include "base/random.h"
#include "memory/contended_channel.h"

namespace asterism {
namespace {

constexpr std::uint32_t rows = 4096;

struct Request {
  BlockLocation location;
  bool is_write = false;
  Tick gap = 0;  // before it
};

// The requests of one master.
class Requests {
 public:
  Requests(const DramLoad& load, std::uint32_t master, const DramConfig& config, const DramPart& part)
      : load_(load),
        at_random_(load.places == DramLoad::Places::random ||
                   (load.places == DramLoad::Places::mixed && master % 2 == 0)),
        geometry_{.ranks = config.ranks * part.pseudo_channels,
                  .banks = part.banks,
                  .rows = rows,
                  .columns = part.columns()},
        random_(load.seed * 1'000'003 + master) {
    const std::uint32_t banks = geometry_.ranks * part.banks;
    read_ = (std::uint64_t{master} * 64 + 1) * banks * part.columns() +
            random_.below(std::uint64_t{banks} * part.columns());
    written_ = (std::uint64_t{master} * 64 + 33) * banks * part.columns() +
               random_.below(std::uint64_t{banks} * part.columns());
  }
  Request next() {
    Request request;
    request.is_write = static_cast<double>(random_.next() >> 11) * 0x1p-53 < load_.writes;
    const std::uint64_t block = at_random_         ? random_.below(geometry_.blocks())
                                : request.is_write ? written_++
                                                   : read_++;
    request.location = mapping_.locate(block % geometry_.blocks());
    if (load_.gap > 0) request.gap = load_.gap / 2 + random_.below(load_.gap + 1);
    return request;
  }

 private:
  DramLoad load_;
  bool at_random_;
  DramGeometry geometry_;
  AddressMapping mapping_{"RoRaBaCoCh", geometry_};
  Random random_;
  std::uint64_t read_ = 0, written_ = 0;  // the next blocks
};

// When a master may go on: with the answer to the oldest read, if it waits for that.
struct Window {
  std::deque<std::optional<Tick>> reads;  // their ends, in the order of their requests
  std::uint64_t first = 0;                // number of the first of `reads`

  bool is_full(std::uint32_t limit) const { return reads.size() >= limit; }
  void pop_ended(Tick now) {
    for (; !reads.empty() && reads.front() && *reads.front() <= now; ++first) reads.pop_front();
  }
};

struct Master {
  Requests requests;
  Request next;
  Tick at = 0;  // of the next request
  std::uint32_t made = 0;
  Window window;
};

std::uint32_t bursts_of_block(const DramPart& part) { return static_cast<std::uint32_t>(64_B / part.atom()); }

std::vector<Master> masters_of(const DramLoad& load, const DramConfig& config, const DramPart& part) {
  std::vector<Master> masters;
  for (std::uint32_t m = 0; m < load.masters; ++m) {
    masters.push_back({.requests = {load, m, config, part}, .next = {}, .window = {}});
    masters.back().next = masters.back().requests.next();
    masters.back().at = masters.back().next.gap + Tick{3} * m;
  }
  return masters;
}

class Exact {
 public:
  Exact(const DramLoad& load, const DramConfig& config, const DramPart& part)
      : load_(load),
        channel_(config, part, bursts_of_block(part)),
        masters_(masters_of(load, config, part)) {}

  DramLoadResult run() {
    while (step()) continue;
    result_.latency = result_.reads > 0 ? sum_ / static_cast<double>(result_.reads) : 0;
    return result_;
  }

 private:
  struct Issued {
    std::size_t master;
    std::uint64_t number;  // of its reads
    Tick wanted;
  };

  // A request, or an answer.
  bool step() {
    Master* next = nullptr;
    for (Master& master : masters_)
      if (master.made < load_.requests && !master.window.is_full(load_.in_flight) &&
          (next == nullptr || master.at < next->at))
        next = &master;
    const Tick event = channel_.next_event();
    if (next != nullptr && next->at < event) {
      issue(*next);
      return true;
    }
    if (event == DramChannel::never || (next == nullptr && waiting_ == 0)) return false;
    if (const auto completion = channel_.advance(event)) answer(*completion);
    return true;
  }
  void issue(Master& master) {
    if (wanted_.size() < masters_.size()) wanted_.resize(masters_.size());
    const auto m = static_cast<std::size_t>(&master - masters_.data());
    if (!wanted_[m]) wanted_[m] = master.at;
    if (!channel_.submit(master.at, issued_.size(), master.next.location, master.next.is_write)) {
      master.at = std::max(master.at, channel_.next_event()) + 1;
      return;
    }
    issued_.push_back({m, master.window.first + master.window.reads.size(), *wanted_[m]});
    wanted_[m].reset();
    result_.ended = std::max(result_.ended, master.at);
    ++master.made;
    if (!master.next.is_write) master.window.reads.emplace_back(), ++waiting_;
    master.next = master.requests.next();
    if (!master.window.is_full(load_.in_flight)) master.at += master.next.gap;
  }
  void answer(const DramChannel::Completion& completion) {
    const Issued& issued = issued_[completion.id];
    Master& master = masters_[issued.master];
    const bool waited = master.window.is_full(load_.in_flight);
    master.window.reads[issued.number - master.window.first] = completion.at;
    master.window.pop_ended(completion.at);
    if (waited && !master.window.is_full(load_.in_flight))
      master.at = std::max(master.at, completion.at) + master.next.gap;
    sum_ += static_cast<double>(completion.at - issued.wanted);
    ++result_.reads, --waiting_;
    result_.ended = std::max(result_.ended, completion.at);
  }

  DramLoad load_;
  DramChannel channel_;
  std::vector<Master> masters_;
  std::vector<std::optional<Tick>> wanted_;  // by master, when its next request was made first
  std::vector<Issued> issued_;
  std::uint64_t waiting_ = 0;
  double sum_ = 0;
  DramLoadResult result_;
};

}  // namespace

DramLoadResult run_exact(const DramLoad& load, const DramConfig& config, const DramPart& part) {
  return Exact(load, config, part).run();
}

DramLoadResult run_contended(const DramLoad& load, const DramConfig& config, const DramPart& part,
                             const DramCurves& curves, Tick quantum) {
  std::vector<ContendedChannel> channels(part.pseudo_channels, {config, part, curves, bursts_of_block(part)});
  std::vector<Master> masters = masters_of(load, config, part);
  DramLoadResult result;
  double sum = 0;
  const auto request = [&](std::uint32_t m, Tick committed) {
    Master& master = masters[m];
    ChannelAccess access{
        .at = master.at, .master = m, .location = master.next.location, .is_write = master.next.is_write};
    const std::uint32_t pseudo_channel = access.location.rank % part.pseudo_channels;
    access.location.rank /= part.pseudo_channels;
    const Tick end = channels[pseudo_channel].access(committed, access);
    result.ended = std::max(result.ended, end);
    if (master.next.is_write) {
      master.at = std::max(master.at, end);
    } else {
      sum += static_cast<double>(end - master.at);
      ++result.reads;
      master.window.reads.emplace_back(end);
    }
    ++master.made;
    master.window.pop_ended(master.at);
    if (master.window.is_full(load.in_flight)) {
      master.at = std::max(master.at, *master.window.reads.front());
      master.window.pop_ended(master.at);
    }
    master.next = master.requests.next();
    master.at += master.next.gap;
  };
  bool all_made = false;
  for (Tick from = 0; !all_made; from += quantum) {
    all_made = true;
    for (std::uint32_t m = 0; m < masters.size(); ++m) {
      while (masters[m].made < load.requests && masters[m].at < from + quantum) request(m, from);
      all_made = all_made && masters[m].made == load.requests;
    }
  }
  result.latency = result.reads > 0 ? sum / static_cast<double>(result.reads) : 0;
  return result;
}

}  // namespace asterism
