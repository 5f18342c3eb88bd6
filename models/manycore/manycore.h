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
// A core reaches its own bank without the fabric. By the shares of `coherence`, a miss has messages of a
// directory protocol, too (MESI; the directory of a block is in its bank, and three hops get a modified one):
//
//   core -> bank          write-back: the modified block that the miss replaces. It takes a bank's cycle
//   bank -> core          the acknowledgement of that block. No instruction waits for either
//   bank -> owner         instead of the answer: the request, forwarded to the core that has the block
//   owner -> core         the data, `coherence.latency` later
//   bank -> sharers       beside the answer: the copies of the other cores are invalid now
//   sharers -> core       their answers, `coherence.latency` later; the miss ends with the last of them
//   bank -> controller    write-back: the modified block that an L2 miss replaces. It takes the channel as
//                         long as any block
//
// Data messages are as long as an answer, all others as a request. Owner and sharers are other cores, drawn
// uniformly. A forwarded request needs no memory, so that L2 misses are not forwarded.
//
// With a workload of fewer cores than tiles, the last tiles have no core; their banks are in use.
//
// reset: every kind restores the state before the first instruction, including that of the network.
//
// Source: abeyratne2017 section 3.4.3 (the dependency between coherence messages is obeyed) and Table 3.1. It
// does not name the protocol; this one is the textbook's: Sorin, Hill, Wood, "A Primer on Memory Consistency
// and Cache Coherence", 2011, section 8.2. There, the owner of a block that another core loads sends it to
// the bank, too; that message is left out. Directories are not inclusive: a block can have sharers that its
// bank does not hold.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <stop_token>
#include <string>
#include <vector>

#include "base/random.h"
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
    std::uint64_t write_backs = 0, forwards = 0, invalidations = 0;      // messages, of L1 and L2
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
  // The progress of a miss, or the message that a transaction beside it consists of.
  enum class Stage : std::uint8_t {
    request,
    access,
    fetch,
    fill,
    forward,
    answer,
    write_back,   // of an L1 to a bank
    acknowledge,  // of such a write-back
    spill,        // of a bank to a memory controller
    invalidate,   // from the bank to a sharer
    invalidated   // from the sharer to the core of `miss`
  };
  using TransactionId = std::uint32_t;
  struct Transaction {
    std::uint32_t core = 0, bank = 0, controller = 0, channel = 0;
    std::uint32_t other = 0;   // the owner of a forwarded miss; the sharer of an invalidation
    TransactionId miss = 0;    // of an invalidation
    std::uint64_t number = 0;  // the number of the core's miss
    std::uint64_t block = 0;   // what the choices of the miss are drawn from
    Picoseconds since = {};
    bool in_l2 = false, owned = false, shared = false;
    std::uint32_t awaited = 1;  // messages that the core needs: the data, and those of the sharers
    Stage stage = Stage::request;
  };
  struct Bank {
    std::deque<TransactionId> queue;
    Picoseconds free_at;  // when its port is free
    std::uint32_t misses = 0;
    bool wake_pending = false;
  };
  struct Event {
    Picoseconds at;
    std::uint64_t order;
    enum class Kind : std::uint8_t { core, bank, accessed, fetched, looked_up } kind;
    std::uint32_t which;  // core, bank, or transaction

    bool operator>(const Event& other) const { return at != other.at ? other.at < at : other.order < order; }
  };
  class CoreSink;

  void schedule(Picoseconds at, Event::Kind kind, std::uint32_t which);
  void core_changed(std::uint32_t core, Sink& sink);
  void handle(const Event& event, Sink& sink);
  void run_core(std::uint32_t core, Picoseconds now, Sink& sink);
  void missed(std::uint32_t core, Picoseconds at, const TraceCore::Miss& miss);
  TransactionId begin(const Transaction& transaction);
  void end(TransactionId id) { unused_.push_back(id); }
  std::uint32_t other_core(std::uint32_t core, Random& draws) const;
  void arrived(TransactionId id, Picoseconds now, Sink& sink);
  void serve(std::uint32_t bank, Picoseconds now);
  void take_write_back(TransactionId id, Picoseconds now);
  void accessed(TransactionId id, Picoseconds now, Sink& sink);
  void invalidate_sharers(TransactionId id, Picoseconds now);
  void spill(const Transaction& miss, Picoseconds now);
  void fetch(TransactionId id, Picoseconds now);
  void answer(TransactionId id, Picoseconds now, Sink& sink);
  void complete(TransactionId id, Picoseconds now, Sink& sink);
  void send(std::uint32_t from, std::uint32_t to, std::uint32_t flits, TransactionId id, Picoseconds now);

  ManycoreConfig config_;
  PacketNetwork& network_;
  std::vector<std::uint32_t> tiles_, controllers_;  // the nodes that have them
  std::uint32_t request_flits_, data_flits_;
  Picoseconds cycle_, bank_latency_, block_time_, l1_latency_;

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
