// Ranks that run the firmware's protocol together with traffic nodes in the cluster of models/cluster: they
// run one program with one protocol and have one result.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/random.h"
#include "cluster/traffic_cluster.h"

extern "C" {
#include "ring.h"
}

namespace {

using asterism::ClusterConfig;
using asterism::Frame;
using asterism::Loss;
using asterism::Management;
using asterism::NodeNumber;
using asterism::Picoseconds;
using asterism::SendQueue;
using asterism::TrafficCluster;
using namespace asterism::literals;

// A node with firmware as the other nodes see it: sw/apps/buddy_ring without its core.
class FirmwareNode final : public asterism::NetworkPort, public Management::Member {
 public:
  FirmwareNode(TrafficCluster& cluster, NodeNumber number, std::uint64_t seed)
      : cluster_(cluster), number_(number), seed_(seed) {
    cluster.attach(number, *this, *this);
    boot();
  }
  void lose(Loss loss) {
    if (loss != Loss::node && loss != Loss::memory) return;
    is_on_ = false;
    ++boots_;
    cluster_.network().clear(number_);
    if (loss == Loss::memory)
      cluster_.event_queue().after(20_us, [this] {
        boot();
        act();
      });
  }
  const Buddy& buddy() const { return buddy_; }

  void receive(Frame frame) override {
    if (!is_on_) return;
    waiting_.push_back(std::move(frame.payload));
    wake();
  }
  void sent(SendQueue) override { wake(); }
  void membership(const asterism::Membership&) override { wake(); }
  void run_ended() override { is_on_ = false; }
  Kind kind() const override { return Kind::firmware; }

 private:
  static FirmwareNode& of(void* context) { return *static_cast<FirmwareNode*>(context); }

  void boot() {
    const ClusterConfig& config = cluster_.config();
    is_on_ = true;
    waiting_.clear();
    words_.assign(config.program.words, 0x55);
    BuddyCalls calls = {};
    calls.context = this;
    calls.free_frames = [](void* context, BuddyQueue queue) {
      const std::size_t waits =
          of(context).cluster_.network().waiting(of(context).number_, static_cast<SendQueue>(queue));
      return waits < 100 ? 100 - waits : 0;
    };
    calls.send = [](void* context, BuddyQueue queue, const MessageHeader* header, const void* data,
                    std::size_t bytes) { of(context).send(queue, *header, data, bytes); };
    calls.membership = [](void* context, BuddyMembership* m) { *m = of(context).present(); };
    calls.now = [](void* context) { return of(context).cluster_.event_queue().now().count(); };
    calls.mark = [](void* context, BuddyMark mark, std::uint64_t number) {
      of(context).cluster_.management().mark(of(context).number_, static_cast<asterism::RankMark>(mark),
                                             number);
    };
    calls.resumed = [](void* context, std::uint64_t version) { ring_resume(&of(context).ring_, version); };
    calls.dumped = calls.committed = [](void*, std::uint64_t) {};
    calls.application_message = [](void* context, const MessageHeader* header, const std::uint8_t* data,
                                   std::size_t bytes) {
      ring_handle_message(&of(context).ring_, header, data, bytes);
    };
    calls.not_recoverable = [](void* context, std::uint64_t ranks) {
      of(context).cluster_.management().not_recoverable(of(context).number_, std::to_string(ranks));
    };
    BuddyConfig buddy = {};
    buddy.protocol = config.checkpoint.protocol == asterism::CheckpointProtocol::blocking
                         ? buddy_blocking
                         : buddy_semi_blocking;
    buddy.interval = config.checkpoint.interval;
    buddy.global_every = config.checkpoint.global_every;
    buddy.restart_from_beginning = config.checkpoint.restart_from_beginning;
    buddy_initialize(&buddy_, &buddy, &calls);
    copies_.assign(buddy_copy_bytes(&buddy_, config.program.words * 8) / 8, 0xaa);
    buddy_protect(&buddy_, words_.data(), words_.size() * 8, copies_.data());
    ring_ = {};
    ring_.program.seed = seed_;
    ring_.program.count = words_.size();
    ring_.program.words = words_.data();
    ring_.buddy = &buddy_;
    ring_.steps = config.program.steps;
    ring_.messages = config.program.messages;
    ring_.message_bytes = config.program.message_size.count();
    finished_epoch_ = 0;
  }

  BuddyMembership present() {
    const asterism::Membership& m = cluster_.management().membership();
    return {m.epoch, m.rank_of(number_), m.ranks(), cluster_.config().has_storage()};
  }

  void send(BuddyQueue queue, const MessageHeader& header, const void* data, std::size_t bytes) {
    Frame frame;
    frame.source = number_;
    frame.destination = header.to == STORAGE_RANK
                            ? cluster_.config().storage_node()
                            : cluster_.management().membership().node_of_rank[header.to];
    frame.payload.resize(message_header_bytes + bytes);
    message_encode(&header, reinterpret_cast<std::uint8_t*>(frame.payload.data()));
    if (bytes != 0) std::memcpy(frame.payload.data() + message_header_bytes, data, bytes);
    cluster_.network().send(std::move(frame), static_cast<SendQueue>(queue));
  }

  // Wakes the node later, and once, like an interrupt.
  void wake() {
    if (is_awake_ || !is_on_) return;
    is_awake_ = true;
    cluster_.event_queue().after(100_ns, [this, boot = boots_] {
      is_awake_ = false;
      if (boot == boots_) act();
    });
  }

  void act() {
    if (!is_on_ || cluster_.management().membership().epoch == 0) return;
    const BuddyMembership m = present();
    buddy_set_membership(&buddy_, &m);
    std::vector<std::vector<std::byte>> frames;
    frames.swap(waiting_);
    for (const auto& frame : frames)
      buddy_receive(&buddy_, reinterpret_cast<const std::uint8_t*>(frame.data()), frame.size());
    const bool sent = buddy_progress(&buddy_), moved = ring_advance(&ring_, 512);
    if (ring_.activity == ring_finished && buddy_is_running(&buddy_) && finished_epoch_ != m.epoch) {
      finished_epoch_ = m.epoch;
      cluster_.management().finished(number_, ring_program_result(&ring_.program));
    }
    if (moved || sent || !waiting_.empty())
      cluster_.event_queue().after(ring_.activity == ring_computing ? 15_us : 1_us, [this, boot = boots_] {
        if (boot == boots_) wake();
      });
  }

  TrafficCluster& cluster_;
  const NodeNumber number_;
  const std::uint64_t seed_;
  bool is_on_ = true, is_awake_ = false;
  unsigned boots_ = 0;
  std::vector<std::vector<std::byte>> waiting_;
  std::vector<std::uint64_t> words_, copies_;
  Buddy buddy_ = {};
  Ring ring_ = {};
  std::uint32_t finished_epoch_ = 0;
};

struct Mixed {
  Mixed(const ClusterConfig& config, std::uint64_t seed) : cluster(config, seed, events) {
    for (NodeNumber node = 0; node < config.storage_node(); ++node)
      if (config.is_firmware(node)) firmware.push_back(std::make_unique<FirmwareNode>(cluster, node, seed));
    cluster.on_loss([this, &config](NodeNumber node, Loss loss) {
      firmware[node < config.firmware_nodes ? node : node - config.nodes + config.firmware_nodes]->lose(loss);
    });
    expected =
        asterism::RingProgram::expected(seed, config.nodes, config.program.words, config.program.steps);
  }
  std::optional<Management::Outcome> run() {
    cluster.begin();
    return cluster.run(Picoseconds(2'000'000'000'000));
  }
  // Whether a node holds a valid copy of a rank's version.
  bool holds(NodeNumber node, std::uint32_t rank, std::uint64_t version) const {
    if (const asterism::TrafficNode* traffic = cluster.node(node))
      return traffic->protocol().copies().find_valid(rank, version) != nullptr;
    const ClusterConfig& config = cluster.config();
    const FirmwareNode& n =
        *firmware[node < config.firmware_nodes ? node : node - config.nodes + config.firmware_nodes];
    const auto is_it = [&](const BuddyCopy& copy) {
      return copy.version == version && copy.held == n.buddy().bytes;
    };
    const bool is_own = n.buddy().membership.rank == rank;
    return std::ranges::any_of((is_own ? n.buddy().own : n.buddy().protected_copies).versions, is_it);
  }
  bool is_recoverable(std::uint64_t version) const {
    const asterism::Membership& m = cluster.management().membership();
    for (std::uint32_t rank = 0; rank < m.ranks(); ++rank)
      if (!holds(m.node_of_rank[rank], rank, version) &&
          !holds(m.node_of_rank[m.buddy_of(rank)], rank, version) &&
          !(cluster.storage() && cluster.storage()->copies().find_valid(rank, version)))
        return false;
    return true;
  }
  asterism::NoEventLog events;
  TrafficCluster cluster;
  std::vector<std::unique_ptr<FirmwareNode>> firmware;
  std::uint64_t expected = 0;
};

ClusterConfig random_config(asterism::Random& random) {
  ClusterConfig c;
  c.nodes = static_cast<std::uint32_t>(2 + random.below(5));
  c.firmware_nodes = static_cast<std::uint32_t>(1 + random.below(c.nodes));
  c.firmware_spares = 2;
  c.spares = 2;
  c.program.words = 1 + random.below(1500);
  c.program.steps = 12 + random.below(30);
  c.program.step_time = 40_us;
  c.program.messages = static_cast<std::uint32_t>(random.below(2) * random.below(20));
  c.checkpoint.interval = 1 + random.below(8);
  c.checkpoint.protocol = random.below(2) == 0 ? asterism::CheckpointProtocol::blocking
                                               : asterism::CheckpointProtocol::semi_blocking;
  c.checkpoint.global_every = static_cast<std::uint32_t>(random.below(3));
  c.checkpoint.restart_from_beginning = false;
  c.detection = 200_us;
  return c;
}

TEST(MixedClusterTest, ComputesOneProgram) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    asterism::Random random(seed);
    const ClusterConfig config = random_config(random);
    Mixed mixed(config, seed);
    const auto outcome = mixed.run();
    ASSERT_TRUE(outcome) << "seed " << seed << ": the run hangs";
    ASSERT_TRUE(outcome->finished) << "seed " << seed << ": " << outcome->reason;
    EXPECT_EQ(outcome->result, mixed.expected) << "seed " << seed;
    for (NodeNumber node = 0; node < config.firmware_nodes; ++node)
      EXPECT_EQ(mixed.firmware[node]->buddy().counts.checkpoints,
                (config.program.steps - 1) / config.checkpoint.interval)
          << "seed " << seed;
  }
}

std::uint64_t figure(const Mixed& mixed, const std::string& name) {
  asterism::Statistics all;
  mixed.cluster.report(all);
  mixed.cluster.report_costs(all);
  for (const auto& [key, value] : all.entries())
    if (key == name) return std::get<std::uint64_t>(value);
  throw std::out_of_range(name);
}

// All ranks run firmware, so that its marks are the only measurements.
TEST(MixedClusterTest, MeasuresTheMarksOfFirmware) {
  ClusterConfig config;
  config.nodes = config.firmware_nodes = 3;
  config.firmware_spares = 1;
  config.program.words = 1024;
  config.program.steps = 45;
  config.checkpoint.interval = 10;
  config.checkpoint.global_every = 2;
  config.detection = 200_us;
  Mixed plain(config, 7);
  ASSERT_TRUE(plain.run());
  EXPECT_EQ(figure(plain, "steps"), 3u * 45);
  EXPECT_EQ(figure(plain, "lost_steps"), 0u);
  EXPECT_EQ(figure(plain, "dumps"), 3u * 4);
  EXPECT_EQ(figure(plain, "commits"), 3u * 4);
  EXPECT_EQ(figure(plain, "restart_ps"), 0u);
  EXPECT_GT(figure(plain, "overlap_ps"), (2_us).count());  // the time of a message to the buddy and back
  EXPECT_GT(figure(plain, "drain_bytes_per_second"), 0u);
  Mixed faulted(config, 7);
  faulted.cluster.inject({.at = plain.cluster.event_queue().now() - 100_us, .node = 1});
  const auto outcome = faulted.run();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->result, faulted.expected);
  EXPECT_EQ(faulted.cluster.announcements().recoveries(), 1u);
  EXPECT_GT(figure(faulted, "restart_ps"), (200_us).count());
  EXPECT_LT(figure(faulted, "restart_ps"), (1_ms).count());
  EXPECT_EQ(figure(faulted, "steps"), 3u * 45 + figure(faulted, "lost_steps"));
  EXPECT_GT(figure(faulted, "lost_steps"), 0u);
}

TEST(MixedClusterTest, ContinuesAfterTheLossOfAnyNode) {
  unsigned rolled_back = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    asterism::Random random(seed);
    ClusterConfig config = random_config(random);
    config.checkpoint.restart_from_beginning = true;
    Mixed mixed(config, seed);
    const NodeNumber node = static_cast<NodeNumber>(random.below(config.nodes));
    const Loss kinds[] = {Loss::node, Loss::link, Loss::memory};
    const Loss loss = kinds[random.below(std::size(kinds))];
    mixed.cluster.inject({.at = 100_us + Picoseconds(random.below(1'000'000'000)),
                          .node = node,
                          .loss = loss,
                          .restore_after = loss == Loss::link ? 300_us : Picoseconds()});
    const auto outcome = mixed.run();
    ASSERT_TRUE(outcome) << "seed " << seed << ": the run hangs";
    ASSERT_TRUE(outcome->finished) << "seed " << seed << ": " << outcome->reason;
    EXPECT_EQ(outcome->result, mixed.expected) << "seed " << seed;
    if (mixed.cluster.management().membership().epoch > 1) ++rolled_back;
  }
  EXPECT_GT(rolled_back, 100u);
}

TEST(MixedClusterTest, EndsWithTheResultOrAsNotRecoverable) {
  unsigned finished = 0, lost = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    asterism::Random random(seed);
    const ClusterConfig config = random_config(random);
    Mixed mixed(config, seed);
    const std::uint64_t losses = 1 + random.below(3);
    for (std::uint64_t i = 0; i < losses; ++i) {
      const Loss kinds[] = {Loss::node, Loss::link, Loss::memory, Loss::ssd, Loss::gpu};
      const Loss loss = kinds[random.below(std::size(kinds))];
      mixed.cluster.inject({.at = 100_us + Picoseconds(random.below(1'500'000'000)),
                            .node = static_cast<NodeNumber>(random.below(config.nodes)),
                            .loss = loss,
                            .restore_after = loss == Loss::link ? 300_us : Picoseconds()});
    }
    const auto outcome = mixed.run();
    ASSERT_TRUE(outcome) << "seed " << seed << ": the run hangs";
    if (outcome->finished) {
      EXPECT_EQ(outcome->result, mixed.expected) << "seed " << seed;
      ++finished;
    } else {
      ++lost;
      if (outcome->reason.starts_with("no spare")) continue;
      for (std::uint64_t version = 1; version <= config.program.steps; ++version)
        ASSERT_FALSE(mixed.is_recoverable(version)) << "seed " << seed << ": " << outcome->reason;
    }
  }
  EXPECT_GT(finished, 200u);
  EXPECT_GT(lost, 10u);
}

}  // namespace
