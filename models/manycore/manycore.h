// A many-core chip as a closed loop: cores send requests to L2 banks, banks to memory controllers, and every
// answer that the fabric delays delays the core that waits for it. The result is execution time.
//
// Every node of the fabric is a tile with a core and an L2 bank, or a memory controller. A miss of a core's
// L1 cache goes to the bank to which its block address hashes, uniformly over all tiles, and returns with the
// block:
//
//   core -> bank          request
//   bank                  one request per cycle, in order; answer or miss after `l2.latency`. A miss takes an
//                         MSHR until its block has arrived; while none is free, the requests behind it wait
//                         too
//   bank -> controller    request, on an L2 miss; the block determines controller and channel, uniformly
//   controller            one block after the other on a channel, for its size over `bandwidth`; the block is
//                         ready `latency` after it was scheduled
//   controller -> bank    data
//   bank -> core          data
//
// A core reaches its own bank without the fabric. Nothing is written back, and caches are not kept coherent.
//
// With a workload of fewer cores than tiles, the last tiles have no core; their banks are in use.
//
// reset: every kind restores the state before the first instruction, including that of the network.
//
// Source: abeyratne2017 section 3.4.3 and Table 3.1.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <stop_token>
#include <string>
#include <vector>

#include "base/reset.h"
#include "base/units.h"
#include "core/trace_core.h"
#include "core/workload.h"
#include "manycore/manycore_config.h"
#include "manycore/packet_network.h"

namespace asterism {

class Manycore {
 public:
  struct Sink {
    virtual ~Sink() = default;
    virtual void core_finished(Picoseconds at, std::uint32_t core) = 0;
  };

  // The counts of one run, so far.
  struct Counts {
    std::uint64_t l1_misses = 0, l2_misses = 0, packets = 0, flits = 0;  // packets that entered the fabric
    std::uint64_t returned = 0;                                          // misses whose data have arrived
    Picoseconds waited;   // the sum over those, from the miss to the data
    Picoseconds stalled;  // the sum over the cores of the time in which no instruction could execute
  };

  // The network is used by this chip alone, is idle, and outlives it. Throws std::invalid_argument for a
  // workload or controllers that do not fit the network's nodes.
  Manycore(const ManycoreConfig& config, const Workload& workload, PacketNetwork& network,
           std::uint64_t seed);

  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now, Sink& sink);
  void reset(Reset kind);

  bool finished() const { return running_ == 0; }
  std::uint32_t cores() const { return static_cast<std::uint32_t>(cores_.size()); }
  Counts counts() const;

 private:
  enum class Stage : std::uint8_t { request, access, fetch, fill, answer };  // the progress of a miss
  struct Transaction {
    std::uint32_t core = 0, bank = 0, controller = 0, channel = 0;
    std::uint64_t number = 0;  // the number of the core's miss
    Picoseconds since;
    bool in_l2 = false;
    Stage stage = Stage::request;
  };
  using TransactionId = std::uint32_t;
  struct Bank {
    std::deque<TransactionId> queue;
    Picoseconds free_at;  // when its port is free
    std::uint32_t misses = 0;
    bool wake_pending = false;
  };
  struct Event {
    Picoseconds at;
    std::uint64_t order;
    enum class Kind : std::uint8_t { core, bank, accessed, fetched } kind;
    std::uint32_t which;  // core, bank, or transaction

    bool operator>(const Event& other) const { return at != other.at ? other.at < at : other.order < order; }
  };
  class CoreSink;

  void schedule(Picoseconds at, Event::Kind kind, std::uint32_t which);
  void core_changed(std::uint32_t core, Sink& sink);
  void handle(const Event& event, Sink& sink);
  void run_core(std::uint32_t core, Picoseconds now, Sink& sink);
  void missed(std::uint32_t core, Picoseconds at, const TraceCore::Miss& miss);
  void arrived(TransactionId id, Picoseconds now, Sink& sink);
  void serve(std::uint32_t bank, Picoseconds now);
  void accessed(TransactionId id, Picoseconds now, Sink& sink);
  void fetch(TransactionId id, Picoseconds now);
  void answer(TransactionId id, Picoseconds now, Sink& sink);
  void complete(TransactionId id, Picoseconds now, Sink& sink);
  void send(std::uint32_t from, std::uint32_t to, std::uint32_t flits, TransactionId id, Picoseconds now);

  ManycoreConfig config_;
  PacketNetwork& network_;
  std::vector<std::uint32_t> tiles_, controllers_;  // the nodes that have them
  std::uint32_t request_flits_, data_flits_;
  Picoseconds cycle_, bank_latency_, block_time_;

  std::vector<TraceCore> cores_;
  std::vector<std::optional<Picoseconds>> core_wakes_;  // the event that is scheduled
  std::vector<Bank> banks_;                             // by tile
  std::vector<Picoseconds> channel_free_;               // [controller][channel]
  std::vector<Transaction> transactions_;
  std::vector<TransactionId> unused_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t order_ = 0;
  std::uint32_t running_ = 0;  // cores
  Counts counts_;
};

// The result of a whole run.
struct ManycoreResult {
  bool finished = false;
  std::string reason;       // why it did not finish; "" if it did
  Picoseconds time;         // when the last core finished, or the run ended
  Picoseconds mean_time;    // over the cores that finished, rounded down
  std::uint32_t cores = 0;  // the number that finished
  Manycore::Counts counts;
};

struct ManycoreControl {
  Picoseconds limit = 1_s;    // in simulated time
  std::stop_token stop = {};  // ends the run early, which then counts as not finished
  // Called with a value from 0 to 1, by the expected number of misses.
  std::function<void(double)> progress = {};
};

ManycoreResult run_manycore(const ManycoreConfig& config, const Workload& workload, PacketNetwork& network,
                            std::uint64_t seed, const ManycoreControl& control = {});

}  // namespace asterism
