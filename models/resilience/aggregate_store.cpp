#include "resilience/aggregate_store.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <queue>
#include <stdexcept>
#include <vector>

#include "base/fields.h"

namespace asterism {

static_assert(member_count<AggregateStore>() == 25);
void describe(Fields& f, AggregateStore& s) {
  const auto size = within(1_B, Bytes(1'000'000'000'000'000));
  const auto bandwidth = within(Bandwidth(1), 1'000'000_GBps);
  f("store", s.kind, "The devices that checkpoints go to.", one_of<StoreKind>());
  f("x", s.fp_cores,
    "The number of FP cores of a node. One core hashes and stores alternately, more of them hash while one "
    "stores, and with 0 each node writes to its own disk.",
    at_most(1023));
  f("y", s.cores, "The number of cores of a node. The program computes on y - x of them.", within(1, 1024));
  f("one_core", s.one_core,
    "What a single FP core does in turn if it looks for duplicates. Further cores hash.", one_of<OneCore>());
  f("nodes", s.nodes, "The number of nodes. Each has an SSD, a disk and a NIC.", within(1, 100'000));
  f("clients", s.clients,
    "The number of processes that compute and write. They are dealt out to the nodes in turn.",
    within(1, 1'000'000));
  f("benefactors", s.benefactors,
    "The number of benefactors, which store. They are dealt out in the same way.", within(1, 100'000));
  f("checkpoint", s.checkpoint, "The size of the checkpoint of a client.", size);
  f("chunk", s.chunk, "The size of the pieces in which it is written.", size);
  f("buffers", s.buffers,
    "The number of chunks of a client under way. With fewer of them, servers are idle more often.",
    within(1, 4096));
  f("capacity", s.capacity, "The capacity of a benefactor. Without it, 32 GB of an SSD or 1 GB of memory.",
    size);
  f("duplicates", s.duplicates,
    "The share of chunks that are found to be stored already. Without it, none are looked for.",
    within(0.0, 1.0));
  f("drain", s.drain,
    "Whether benefactors move chunks to the disks of their nodes. Otherwise the store must hold the whole "
    "checkpoint.");
  f("drain_from", s.drain_from, "The share of its capacity from which a benefactor drains.",
    within(0.0, 1.0));
  f("copy", s.copy,
    "The bandwidth from the processes of a node into the store, and into the memory of a benefactor.",
    bandwidth);
  f("hash", s.hash, "The bandwidth of a core that looks for duplicates.", bandwidth);
  f("ssd", s.ssd, "The bandwidth of the SSD of a node.", bandwidth);
  f("ssd_read", s.ssd_read, "The bandwidth at which it is read when chunks are drained from it.", bandwidth);
  f("hdd", s.disk, "The bandwidth of the disk of a node.", bandwidth);
  f("nic", s.nic, "The bandwidth of the NIC of a node.", bandwidth);
  f("memory", s.memory,
    "The bandwidth of the memory of a node, which all passes of chunks through it share. Without it, memory "
    "is no limit.",
    bandwidth);
  f("checkpoints", s.checkpoints,
    "The number of checkpoints, one after the other. Each replaces the one before, as far as that is still "
    "in the store.",
    within(1, 100'000));
  f("pause", s.pause, "How long the program computes between two of them. Benefactors drain meanwhile.",
    at_most(long_duration(31'536'000)));
  f("traffic", s.traffic,
    "The bytes that the program on a node moves to and from memory in a pause. The pause becomes longer if "
    "memory cannot move what is drained beside them.",
    at_most(Bytes(1'000'000'000'000'000)));
  f("drain_every", s.drain_every,
    "k: every k-th checkpoint is drained as a whole, in the pauses. With 0 benefactors drain for space only.",
    at_most(100'000));
  f.check([&] { return s.checkpoints > 1 || (s.pause == LongDuration() && s.traffic == Bytes()); },
          "checkpoints", "is 2 or more if pause or traffic is given");
  f.check([&] { return s.memory || s.traffic == Bytes(); }, "traffic", "is 0 unless memory is given");
  f.check([&] { return s.fp_cores < s.cores; }, "x", "leaves a core to compute: is below y");
}

Bytes AggregateStore::benefactor_capacity() const {
  return capacity.value_or(Bytes((kind == StoreKind::memory ? 1 : 32) * 1'000'000'000ull));
}

namespace {

enum class Stage : std::uint8_t { copied, hashed, sent, stored, drained, resumed };

struct Chunk {
  std::uint32_t client = 0;
  std::uint32_t index = 0;  // in the client's checkpoint
  std::uint32_t benefactor = 0;
  Bytes size = {};
};

struct Event {
  Seconds at;
  std::uint64_t order;  // of those at the same time
  Stage stage;
  Chunk chunk;
  bool operator>(const Event& b) const { return at != b.at ? at > b.at : order > b.order; }
};

// Serves one chunk at a time, in the order of the calls, which are made in the order of time.
struct Server {
  Seconds free;
  Seconds finish(Seconds now, Seconds takes) { return free = std::max(free, now) + takes; }
};

struct Client {
  Bytes left;                // not begun
  std::uint32_t begun = 0;   // chunks of this checkpoint
  std::uint64_t hashed = 0;  // chunks
};

// Where the newest chunk of this index of a client is.
struct Place {
  std::uint32_t benefactor = 0, checkpoint = 0;  // in which it was written; 0: it is in no benefactor
};

struct Stored {
  Chunk chunk;
  std::uint32_t checkpoint = 0;
};

struct Benefactor {
  std::uint32_t node = 0;
  Bytes used;                   // with the chunks on their way here
  std::deque<Stored> stored;    // the oldest first; those that have been replaced are still in the list
  std::deque<Stored> selected;  // of checkpoints that are drained as a whole
  bool draining = false;
  Server store;  // a disk of its own, or memory
};

class Simulation {
 public:
  explicit Simulation(const AggregateStore& store)
      : s_(store),
        copy_(s_.nodes),
        hash_(s_.nodes),
        write_(s_.nodes),
        nic_(s_.nodes),
        disk_(s_.nodes),
        memory_(s_.nodes),
        moved_(s_.nodes),
        clients_(s_.clients),
        benefactors_(s_.fp_cores == 0 ? s_.nodes : s_.benefactors) {
    for (std::uint32_t i = 0; i < benefactors_.size(); ++i) benefactors_[i].node = i % s_.nodes;
    if (s_.checkpoints > 1) places_.resize(std::size_t{s_.clients} * chunks_of_a_client());
  }

  StoreResult run() {
    begin_checkpoint();
    while (!ended_) {
      if (events_.empty()) throw std::logic_error("chunks wait for room that nobody makes");
      const Event event = events_.top();
      events_.pop();
      now_ = event.at;
      handle(event);
    }
    const auto bytes_of_one = static_cast<double>((s_.checkpoint * s_.clients).count());
    result_.bytes_per_second = s_.checkpoints * bytes_of_one / result_.time.count();
    result_.last_bytes_per_second = bytes_of_one / (now_ - began_).count();
    return result_;
  }

 private:
  static Seconds takes(Bytes size, Bandwidth bandwidth) {
    return Seconds(static_cast<double>(size.count()) / static_cast<double>(bandwidth.count()));
  }
  // When a server of a node is done with the chunk, which also passes the node's memory so many times.
  Seconds finish(Server& server, Seconds time, std::uint32_t node, Bytes size, unsigned passes) {
    const Seconds done = server.finish(now_, time);
    if (!s_.memory) return done;
    moved_[node] = moved_[node] + size * passes;
    return std::max(done, memory_[node].finish(now_, takes(size * passes, *s_.memory)));
  }
  std::uint32_t node_of(std::uint32_t client) const { return client % s_.nodes; }
  bool has_fp_cores() const { return s_.fp_cores > 0; }
  void at(Seconds time, Stage stage, const Chunk& chunk) { events_.push({time, order_++, stage, chunk}); }

  std::size_t chunks_of_a_client() const {
    return (s_.checkpoint.count() + s_.chunk.count() - 1) / s_.chunk.count();
  }
  // Where the chunk of this index is; nothing if there is one checkpoint only, so that none is replaced.
  Place* place_of(const Chunk& chunk) {
    return places_.empty() ? nullptr : &places_[chunk.client * chunks_of_a_client() + chunk.index];
  }
  bool is_selected(std::uint32_t checkpoint) const {
    return s_.drain_every > 0 && checkpoint > 0 && checkpoint % s_.drain_every == 0;
  }

  void begin_checkpoint() {
    ++checkpoint_;
    began_ = now_;
    done_ = Bytes();
    is_pause_ = false;
    for (Client& client : clients_) {
      client.left = s_.checkpoint;
      client.begun = 0;
    }
    for (std::uint32_t client = 0; client < s_.clients; ++client)
      for (std::uint32_t i = 0; i < s_.buffers; ++i) begin(client);
  }

  void begin(std::uint32_t client) {
    Client& c = clients_[client];
    if (c.left == Bytes()) return;
    const Bytes size = std::min(s_.chunk, c.left);
    c.left = c.left - size;
    const Chunk chunk{client, c.begun++, 0, size};
    // Without a store nothing is copied into it.
    if (!has_fp_cores()) return place(chunk);
    hashes_first() ? hash(chunk) : copy(chunk);
  }

  bool hashes_first() const { return s_.duplicates && s_.one_core == OneCore::hashes_and_copies; }
  void copy(const Chunk& chunk) {
    const std::uint32_t node = node_of(chunk.client);
    at(finish(copy_[node], takes(chunk.size, s_.copy), node, chunk.size, 2), Stage::copied, chunk);
  }
  void hash(const Chunk& chunk) {
    const std::uint32_t node = node_of(chunk.client);
    const Seconds time = takes(chunk.size, s_.hash) / std::max(1u, s_.fp_cores - 1);
    at(finish(hashing_core(node), time, node, chunk.size, 1), Stage::hashed, chunk);
  }

  void handle(const Event& event) {
    const Chunk& chunk = event.chunk;
    switch (event.stage) {
      case Stage::copied:
        return s_.duplicates && !hashes_first() ? hash(chunk) : place(chunk);
      case Stage::hashed:
        if (is_duplicate(chunk.client)) {
          ++result_.duplicates;
          return done(chunk);
        }
        return hashes_first() ? copy(chunk) : place(chunk);
      case Stage::sent:
        return store(chunk);
      case Stage::stored:
        result_.written = result_.written + chunk.size;
        if (keeps())
          (is_selected(checkpoint_) ? benefactors_[chunk.benefactor].selected
                                    : benefactors_[chunk.benefactor].stored)
              .push_back({chunk, checkpoint_});
        drain(chunk.benefactor);
        return done(chunk);
      case Stage::drained:
        return drained(chunk);
      case Stage::resumed:
        return resume();
    }
  }

  // Of several cores, all but one hash.
  Server& hashing_core(std::uint32_t node) {
    if (s_.fp_cores > 1) return hash_[node];
    return s_.one_core == OneCore::hashes_and_stores ? write_[node] : copy_[node];
  }

  // Whether chunk i of a client is a duplicate: floor((i + 1) d) - floor(i d) is 1.
  bool is_duplicate(std::uint32_t client) {
    const auto i = static_cast<double>(clients_[client].hashed++);
    return std::floor((i + 1) * *s_.duplicates + 1e-9) > std::floor(i * *s_.duplicates + 1e-9);
  }

  bool keeps() const { return s_.kind != StoreKind::disk; }  // what is on a disk is drained
  bool has_space(const Benefactor& b, Bytes size) const {
    return !keeps() || b.used + size <= s_.benefactor_capacity();
  }

  // The benefactor, or nothing if all are full.
  Benefactor* choose(const Chunk& chunk) {
    const std::uint32_t node = node_of(chunk.client);
    Benefactor* best = nullptr;
    for (std::uint32_t i = node; i < benefactors_.size(); i += s_.nodes)
      if (has_space(benefactors_[i], chunk.size) && (!best || benefactors_[i].used < best->used))
        best = &benefactors_[i];
    for (std::uint32_t i = 0; !best && i < benefactors_.size(); ++i) {
      Benefactor& other = benefactors_[next_++ % benefactors_.size()];
      if (has_space(other, chunk.size)) best = &other;
    }
    return best;
  }

  void place(Chunk chunk) {
    if (replaces(chunk)) return send(chunk, benefactors_[place_of(chunk)->benefactor]);
    if (!waiting_.empty() || !try_place(chunk)) {
      waiting_.push_back(chunk);
      ++result_.waits;
      for (std::uint32_t i = 0; i < benefactors_.size(); ++i) drain(i);
    }
  }

  // Whether the chunk before is in a benefactor, from which it need not be drained first.
  bool replaces(const Chunk& chunk) {
    const Place* const before = place_of(chunk);
    return keeps() && before && before->checkpoint > 0 && !is_selected(before->checkpoint);
  }

  bool try_place(const Chunk& chunk) {
    Benefactor* benefactor = choose(chunk);
    if (!benefactor) return false;
    benefactor->used = benefactor->used + chunk.size;
    send(chunk, *benefactor);
    return true;
  }

  // To a benefactor that has space for the chunk.
  void send(Chunk chunk, Benefactor& benefactor) {
    chunk.benefactor = static_cast<std::uint32_t>(&benefactor - benefactors_.data());
    if (Place* const place = place_of(chunk)) *place = {chunk.benefactor, checkpoint_};
    const std::uint32_t node = node_of(chunk.client);
    if (benefactor.node == node) {
      store(chunk);
    } else {
      result_.remote = result_.remote + chunk.size;
      at(finish(nic_[node], takes(chunk.size, s_.nic), node, chunk.size, 1), Stage::sent, chunk);
    }
  }

  void store(const Chunk& chunk) {
    Benefactor& b = benefactors_[chunk.benefactor];
    const unsigned received = node_of(chunk.client) == b.node ? 0 : 1;
    const auto finish_at = [&](Server& server, Bandwidth bandwidth, unsigned passes) {
      at(finish(server, takes(chunk.size, bandwidth), b.node, chunk.size, received + passes), Stage::stored,
         chunk);
    };
    switch (s_.kind) {
      case StoreKind::ssd:
        return finish_at(write_[b.node], s_.ssd, 1);
      case StoreKind::memory:
        return finish_at(b.store, s_.copy, 2);
      case StoreKind::disk:
        return finish_at(has_fp_cores() ? write_[b.node] : disk_[b.node], s_.disk, 1);
    }
  }

  void done(const Chunk& chunk) {
    done_ = done_ + chunk.size;
    begin(chunk.client);
    if (done_ == s_.checkpoint * s_.clients) end_checkpoint();
  }

  void end_checkpoint() {
    result_.time += now_ - began_;
    if (checkpoint_ == s_.checkpoints) {
      ended_ = true;
      return;
    }
    is_pause_ = true;
    pause_began_ = now_;
    std::ranges::fill(moved_, Bytes());
    for (std::uint32_t i = 0; i < benefactors_.size(); ++i) drain(i);
    at(now_ + seconds(s_.pause), Stage::resumed, {});
  }

  // The pause ends when the memory of every node has moved what the program and the benefactors wanted.
  void resume() {
    if (s_.memory) {
      const Bytes most = s_.traffic + *std::ranges::max_element(moved_);
      const Seconds end = pause_began_ + takes(most, *s_.memory);
      if (end > now_) return at(end, Stage::resumed, {});
    }
    result_.paused = std::max(result_.paused, now_ - pause_began_);
    begin_checkpoint();
  }

  // The oldest chunk that is to be drained; nothing if none is there.
  std::optional<Stored> take_oldest(Benefactor& b) {
    for (std::deque<Stored>* list : {&b.selected, &b.stored})
      while (!list->empty()) {
        const Stored oldest = list->front();
        list->pop_front();
        Place* const place = place_of(oldest.chunk);
        const bool is_newest = !place || place->checkpoint == oldest.checkpoint;
        if (is_newest && place) place->checkpoint = 0;
        if (is_newest || list == &b.selected) return oldest;
      }
    return std::nullopt;
  }

  void drain(std::uint32_t benefactor) {
    Benefactor& b = benefactors_[benefactor];
    const bool due = !waiting_.empty() || (is_pause_ && !b.selected.empty()) ||
                     static_cast<double>(b.used.count()) >=
                         s_.drain_from * static_cast<double>(s_.benefactor_capacity().count());
    if (!s_.drain || b.draining || !due) return;
    const std::optional<Stored> oldest = take_oldest(b);
    if (!oldest) return;
    b.draining = true;
    const Bytes size = oldest->chunk.size;
    const bool is_ssd = s_.kind == StoreKind::ssd;
    Seconds moved = finish(disk_[b.node], takes(size, s_.disk), b.node, size, is_ssd ? 2 : 1);
    if (is_ssd) moved = std::max(moved, write_[b.node].finish(now_, takes(size, s_.ssd_read)));
    at(moved, Stage::drained, {0, 0, benefactor, size});
  }

  void drained(const Chunk& chunk) {
    Benefactor& b = benefactors_[chunk.benefactor];
    b.draining = false;
    b.used = b.used - chunk.size;
    result_.drained = result_.drained + chunk.size;
    while (!waiting_.empty() && try_place(waiting_.front())) waiting_.pop_front();
    drain(chunk.benefactor);
  }

  AggregateStore s_;
  std::vector<Server> copy_, hash_, write_, nic_, disk_, memory_;  // of the nodes
  std::vector<Bytes> moved_;                                       // by the memory of a node, in this pause
  std::vector<Client> clients_;
  std::vector<Benefactor> benefactors_;
  std::vector<Place> places_;  // of the chunks of the first client, then of the next one
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::deque<Chunk> waiting_;  // for space
  std::uint64_t order_ = 0;
  std::uint32_t next_ = 0;        // benefactor of another node
  std::uint32_t checkpoint_ = 0;  // from 1
  bool is_pause_ = false, ended_ = false;
  Seconds now_, began_, pause_began_;
  Bytes done_;  // of this checkpoint
  StoreResult result_;
};

void refuse_unless(bool holds, const char* rule) {
  if (!holds) throw std::invalid_argument(rule);
}

}  // namespace

void check_aggregate_store(const AggregateStore& s) {
  refuse_unless(s.nodes > 0 && s.cores > 0 && s.clients > 0 && s.buffers > 0,
                "a store has nodes, cores, clients and buffers");
  refuse_unless(s.fp_cores < s.cores, "a node has more cores than FP cores: the others compute");
  refuse_unless(s.clients <= std::uint64_t{s.nodes} * (s.cores - s.fp_cores),
                "there are no more clients than cores that compute");
  refuse_unless(s.fp_cores > 0 || s.kind == StoreKind::disk,
                "without FP cores a node writes to its own disk");
  refuse_unless(s.fp_cores > 0 || !s.duplicates, "without FP cores nothing looks for duplicates");
  refuse_unless(s.fp_cores == 0 || s.benefactors > 0, "an aggregate store has benefactors");
  refuse_unless(s.checkpoint > Bytes() && s.chunk > Bytes(), "checkpoints and chunks have a size");
  refuse_unless(s.checkpoints > 0, "there is at least one checkpoint");
  refuse_unless(s.drain || s.drain_every == 0, "no checkpoint is selected to be drained without draining");
  refuse_unless(s.duplicates.value_or(0) >= 0 && s.duplicates.value_or(0) <= 1,
                "a share of duplicates is within 0 and 1");
  refuse_unless(s.drain_from >= 0 && s.drain_from <= 1, "a share of the capacity is within 0 and 1");
  for (const Bandwidth bandwidth :
       {s.copy, s.hash, s.ssd, s.ssd_read, s.disk, s.nic, s.memory.value_or(1_MBps)})
    refuse_unless(bandwidth > Bandwidth(), "a server has a bandwidth");
  if (s.kind == StoreKind::disk) return;
  const std::uint64_t chunks = s.benefactor_capacity() / s.chunk,  // that a benefactor holds
      whole = (s.checkpoint.count() + s.chunk.count() - 1) / s.chunk.count();
  refuse_unless(chunks > 0, "a benefactor holds at least one chunk");
  refuse_unless(s.drain || whole * s.clients <= chunks * s.benefactors,
                "without draining, the benefactors together hold the checkpoint");
}

StoreResult checkpoint_into(const AggregateStore& store) {
  check_aggregate_store(store);
  return Simulation(store).run();
}

}  // namespace asterism
