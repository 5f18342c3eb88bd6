#include "test_cluster.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "cluster/ring_program.h"

namespace {

constexpr std::uint32_t storage_node = 1000;
constexpr std::size_t queue_limit = 12;

TestCluster::Node& node_of_context(void* context) { return *static_cast<TestCluster::Node*>(context); }

std::vector<std::uint8_t> encode(const MessageHeader& header, const void* data, std::size_t bytes) {
  std::vector<std::uint8_t> frame(message_header_bytes + bytes);
  message_encode(&header, frame.data());
  if (bytes != 0) std::memcpy(frame.data() + message_header_bytes, data, bytes);
  return frame;
}

}  // namespace

TestCluster::TestCluster(const TestClusterConfig& config) : config_(config), random_(config.seed) {
  for (std::uint32_t number = 0; number < config_.ranks + config_.spares; ++number) {
    nodes_.push_back(std::make_unique<Node>());
    nodes_.back()->number = number;
    if (number < config_.ranks) node_of_rank_.push_back(number);
  }
  for (const auto& node : nodes_) {
    boot(*node);
    learn(*node);
  }
}

void TestCluster::boot(Node& node) {
  node.cluster = this;
  BuddyCalls calls = {};
  calls.context = &node;
  calls.free_frames = [](void* context, BuddyQueue queue) {
    const Node& n = node_of_context(context);
    const std::size_t limit = queue_limit + n.buddy.membership.ranks, waits = n.cluster->waiting(n, queue);
    return waits < limit ? limit - waits : 0;
  };
  calls.send = [](void* context, BuddyQueue queue, const MessageHeader* header, const void* data,
                  std::size_t bytes) {
    Node& n = node_of_context(context);
    n.cluster->send(n, queue, *header, data, bytes);
  };
  calls.membership = [](void* context, BuddyMembership* membership) {
    const Node& n = node_of_context(context);
    *membership = n.cluster->membership_of(n);
  };
  calls.now = [](void* context) { return ++node_of_context(context).now; };
  calls.mark = [](void*, BuddyMark, std::uint64_t) {};
  calls.resumed = [](void* context, std::uint64_t version) {
    Node& n = node_of_context(context);
    n.resumed_epoch = n.buddy.membership.epoch;
    ring_resume(&n.ring, version);
  };
  calls.dumped = calls.committed = [](void*, std::uint64_t) {};
  calls.application_message = [](void* context, const MessageHeader* header, const std::uint8_t* data,
                                 std::size_t bytes) {
    ring_handle_message(&node_of_context(context).ring, header, data, bytes);
  };
  calls.not_recoverable = [](void* context, std::uint64_t ranks) {
    Node& n = node_of_context(context);
    // The management accepts reports only from the current holder of a rank.
    if (n.buddy.membership.epoch == n.cluster->epoch_) n.cluster->not_recoverable_ = ranks;
  };
  calls.keep = [](void* context, BuddyCopyOf of, std::uint64_t version) {
    Node& n = node_of_context(context);
    const std::uint8_t* const data = buddy_copy_data(&n.buddy, of);
    if (of == buddy_protected && n.buddy.config.protected_later) {  // fails at its end, if it does
      EXPECT_FALSE(n.keeping) << "a second copy while the first one is being stored";
      n.keeping = version;
      n.keeping_is_durable = false;
      n.kept_at_begin.assign(data, data + n.buddy.bytes);
      return true;
    }
    if (n.ssd_fails[of]) {
      ++n.not_kept;
      return false;
    }
    n.ssd[of][version].assign(data, data + n.buddy.bytes);
    return true;
  };
  calls.recall = [](void* context, BuddyCopyOf of, std::uint64_t version) {
    Node& n = node_of_context(context);
    ++n.recalls[of];
    std::ranges::copy(n.ssd[of].at(version), buddy_copy_data(&n.buddy, of));
    return true;
  };
  calls.drop = [](void* context, BuddyCopyOf of, std::uint64_t version) {
    Node& n = node_of_context(context);
    if (of == buddy_protected && n.keeping == version) {
      n.dropped_when_durable += n.keeping_is_durable;
      n.keeping.reset();
    }
    n.ssd[of].erase(version);
  };
  buddy_initialize(&node.buddy, &config_.buddy, &calls);
  // After a power loss the contents of memory are random.
  node.words.assign(config_.words, 0xdead'dead'dead'deadu + random_.next());
  node.copies.assign(buddy_copy_bytes(&node.buddy, config_.words * 8) / 8, random_.next());
  node.keeping.reset();
  std::uint64_t* const words = config_.in_place ? node.copies.data() : node.words.data();
  buddy_protect(&node.buddy, words, config_.words * 8, node.copies.data());
  node.ring = {};
  node.ring.program.seed = config_.seed;
  node.ring.program.count = config_.words;
  node.ring.program.words = words;
  node.ring.buddy = &node.buddy;
  node.ring.steps = config_.steps;
}

void TestCluster::adopt(Node& node) {
  const BuddyMembership m = membership_of(node);
  for (const BuddyCopyOf of : {buddy_own, buddy_protected}) {
    while (node.ssd[of].size() > buddy_versions) node.ssd[of].erase(node.ssd[of].begin());
    for (const auto& [version, data] : node.ssd[of])
      if (m.rank != NO_RANK) buddy_adopt(&node.buddy, m.rank, m.ranks, of, version);
  }
}

// The SSD stores the copy, of which the node learns later, or cannot. The bytes must not have changed since
// it began. In between the copy is durable and not yet valid: it may be dropped, and a power loss may leave
// it.
bool TestCluster::end_keeping(Node& node) {
  if (!node.keeping || random_.below(3) != 0) return node.keeping.has_value();
  const std::uint64_t version = *node.keeping;
  const bool fails = node.ssd_fails[buddy_protected];
  if (!fails && !node.keeping_is_durable) {
    const std::uint8_t* const data = buddy_copy_data(&node.buddy, buddy_protected);
    EXPECT_TRUE(std::equal(node.kept_at_begin.begin(), node.kept_at_begin.end(), data)) << version;
    node.ssd[buddy_protected][version] = node.kept_at_begin;
    node.keeping_is_durable = true;
    return true;
  }
  node.not_kept += fails;
  node.keeping.reset();
  buddy_kept(&node.buddy, version, !fails);
  return true;
}

BuddyMembership TestCluster::membership_of(const Node& node) const {
  BuddyMembership m = {};
  m.epoch = epoch_;
  m.rank = NO_RANK;
  m.ranks = config_.ranks;
  m.has_storage = config_.buddy.global_every != 0;
  for (std::uint32_t rank = 0; rank < config_.ranks; ++rank)
    if (node_of_rank_[rank] == node.number) m.rank = rank;
  return m;
}

void TestCluster::learn(Node& node) {
  const BuddyMembership m = membership_of(node);
  buddy_set_membership(&node.buddy, &m);
}

std::size_t TestCluster::waiting(const Node& node, BuddyQueue queue) const {
  std::size_t frames = 0;
  for (const auto& [channel, waits] : channels_)
    if (channel.from == node.number && channel.queue == queue) frames += waits.size();
  return frames;
}

void TestCluster::send(Node& node, BuddyQueue queue, const MessageHeader& header, const void* data,
                       std::size_t bytes) {
  ++sent_[header.kind];
  if (unsigned& count = dropped_[header.kind]; count != 0) {
    --count;
    return;
  }
  const std::uint32_t to = header.to == STORAGE_RANK ? storage_node : node_of_rank_[header.to];
  if (!node.link_is_up || (to != storage_node && !is_reachable(to))) return;
  channels_[{node.number, to, queue}].push_back({header.kind, encode(header, data, bytes)});
}

bool TestCluster::deliver() {
  if (channels_.empty()) return false;
  auto channel = channels_.begin();
  std::advance(channel, static_cast<std::ptrdiff_t>(random_.below(channels_.size())));
  const std::uint32_t to = channel->first.to;
  const Frame frame = std::move(channel->second.front());
  channel->second.pop_front();
  if (channel->second.empty()) channels_.erase(channel);
  if (to == storage_node)
    handle_storage_message(frame.bytes);
  else
    buddy_receive(&nodes_[to]->buddy, frame.bytes.data(), frame.bytes.size());
  return true;
}

bool TestCluster::act(Node& node) {
  if (node.buddy.membership.epoch != epoch_ && random_.below(2) == 0) learn(node);
  const bool kept = end_keeping(node);
  const bool sent = buddy_progress(&node.buddy), held = buddy_holds_application(&node.buddy);
  const std::uint64_t before = node.ring.step;
  const bool moved = ring_advance(&node.ring, 1 + random_.below(config_.words));
  if (held && node.ring.step != before) ++node.steps_held;
  return kept || sent || moved || node.buddy.membership.epoch != epoch_;
}

bool TestCluster::step() {
  if (random_.below(2) == 0 && deliver()) return true;
  const std::uint64_t first = random_.below(nodes_.size());
  for (std::uint64_t i = 0; i < nodes_.size(); ++i) {
    Node& node = *nodes_[(first + i) % nodes_.size()];
    if (node.is_alive && act(node)) {
      finish();
      return true;
    }
  }
  return deliver();
}

void TestCluster::finish() {
  std::vector<std::uint64_t> results;
  for (std::uint32_t rank = 0; rank < config_.ranks; ++rank) {
    const Node& node = node_of(rank);
    if (!node.is_alive || node.buddy.membership.epoch != epoch_ || !buddy_is_running(&node.buddy) ||
        node.ring.activity != ring_finished)
      return;
    results.push_back(ring_program_result(&node.ring.program));
  }
  result_ = asterism::RingProgram::fold(results);
}

bool TestCluster::run(std::uint64_t at_most) {
  for (std::uint64_t i = 0; i < at_most && !is_over(); ++i) {
    if (step() || is_over()) continue;
    if (!undetected_) return false;
    detect_losses();
  }
  return is_over();
}

bool TestCluster::all_run() const {
  for (std::uint32_t rank = 0; rank < config_.ranks; ++rank)
    if (node_of(rank).buddy.membership.epoch != epoch_ || !buddy_is_running(&node_of(rank).buddy))
      return false;
  return !undetected_;
}

std::uint64_t TestCluster::expected() const {
  return asterism::RingProgram::expected(config_.seed, config_.ranks, config_.words, config_.steps);
}

// --- losses -----------------------------------------------------------------------------------------------

void TestCluster::lose_node(std::uint32_t number) {
  nodes_[number]->is_alive = false;
  std::erase_if(channels_, [&](const auto& c) { return c.first.from == number || c.first.to == number; });
  undetected_ = true;
}

void TestCluster::lose_memory(std::uint32_t number) {
  std::erase_if(channels_, [&](const auto& c) { return c.first.from == number; });
  for (auto& copies : nodes_[number]->ssd) copies.clear();
  boot(*nodes_[number]);
  learn(*nodes_[number]);
  undetected_ = true;
}

void TestCluster::lose_power(std::uint32_t number) {
  std::erase_if(channels_, [&](const auto& c) { return c.first.from == number; });
  boot(*nodes_[number]);
  adopt(*nodes_[number]);
  learn(*nodes_[number]);
  undetected_ = true;
}

void TestCluster::lose_link(std::uint32_t number) {
  nodes_[number]->link_is_up = false;
  std::erase_if(channels_, [&](const auto& c) { return c.first.from == number || c.first.to == number; });
  undetected_ = true;
}

void TestCluster::detect_losses() {
  undetected_ = false;
  for (std::uint32_t& holder : node_of_rank_) {
    if (is_reachable(holder)) continue;
    const auto spare = std::ranges::find_if(nodes_, [&](const auto& node) {
      return is_reachable(node->number) &&
             std::ranges::find(node_of_rank_, node->number) == node_of_rank_.end();
    });
    if (spare == nodes_.end()) {
      spares_ran_out_ = true;
      not_recoverable_ = 0;
      return;
    }
    holder = (*spare)->number;
  }
  for (const auto& node : nodes_) node->link_is_up = true;
  ++epoch_;
}

bool TestCluster::is_held(std::uint32_t rank, std::uint64_t version) const {
  const auto holds = [&](const BuddyCopy* copies) {
    return std::any_of(copies, copies + buddy_versions, [&](const BuddyCopy& copy) {
      return copy.version == version && copy.held == config_.words * 8 && !copy.is_being_kept;
    });
  };
  const Node &own = node_of(rank), &buddy = node_of((rank + 1) % config_.ranks);
  const auto stored = storage_.copies.find({rank, version});
  return (own.is_alive && own.buddy.membership.rank == rank && holds(own.buddy.own.versions)) ||
         (buddy.is_alive && buddy.buddy.membership.rank == (rank + 1) % config_.ranks &&
          holds(buddy.buddy.protected_copies.versions)) ||
         (stored != storage_.copies.end() && stored->second.is_whole());
}

std::uint64_t TestCluster::newest_recoverable() const {
  for (std::uint64_t version = config_.steps; version != 0; --version) {
    bool all = true;
    for (std::uint32_t rank = 0; rank < config_.ranks && all; ++rank) all = is_held(rank, version);
    if (all) return version;
  }
  return 0;
}

std::uint64_t TestCluster::ranks_without_a_copy() const {
  std::uint64_t ranks = 0;
  for (std::uint32_t rank = 0; rank < config_.ranks; ++rank) {
    bool any = false;
    for (std::uint64_t version = 1; version <= config_.steps && !any; ++version) any = is_held(rank, version);
    if (!any) ranks |= std::uint64_t{1} << rank;
  }
  return ranks;
}

// --- the global store -------------------------------------------------------------------------------------

void TestCluster::send_from_storage(MessageHeader header, const std::vector<std::uint8_t>& data) {
  header.epoch = storage_.epoch;
  header.from = STORAGE_RANK;
  ++sent_[header.kind];
  const std::uint32_t to = node_of_rank_[header.to];
  if (!is_reachable(to)) return;
  channels_[{storage_node, to, buddy_application_queue}].push_back(
      {header.kind, encode(header, data.data(), data.size())});
}

void TestCluster::handle_storage_message(const std::vector<std::uint8_t>& bytes) {
  MessageHeader h = {};
  if (!message_decode(bytes.data(), bytes.size(), &h)) return;
  if (storage_.epoch != epoch_) {
    storage_.epoch = epoch_;
    std::erase_if(storage_.copies, [](const auto& copy) { return !copy.second.is_whole(); });
  }
  if (h.epoch != storage_.epoch) return;
  const std::vector<std::uint8_t> data(bytes.begin() + message_header_bytes, bytes.end());
  MessageHeader answer = {};
  answer.to = h.from;
  answer.number = h.number;
  answer.owner = h.owner;
  if (h.kind == message_inventory) {
    std::vector<std::uint8_t> pairs;
    for (const auto& [key, copy] : storage_.copies) {
      if (!copy.is_whole()) continue;
      pairs.resize(pairs.size() + 16);
      message_put_u64(pairs.data() + pairs.size() - 16, key.first);
      message_put_u64(pairs.data() + pairs.size() - 8, key.second);
    }
    answer.kind = message_offer;
    answer.number = pairs.size() / 16;
    send_from_storage(answer, pairs);
  } else if (h.kind == message_fetch) {
    const auto found = storage_.copies.find({h.owner, h.number});
    if (found == storage_.copies.end()) return;
    const std::vector<std::uint8_t>& all = found->second.data;
    answer.kind = message_state;
    answer.total = all.size();
    for (std::size_t at = 0; at < all.size(); at += message_data_limit) {
      answer.offset = at;
      const std::size_t end = std::min<std::size_t>(all.size(), at + message_data_limit);
      send_from_storage(answer, {all.begin() + static_cast<std::ptrdiff_t>(at),
                                 all.begin() + static_cast<std::ptrdiff_t>(end)});
    }
  } else if (h.kind == message_global) {
    Storage::Copy& copy = storage_.copies[{h.owner, h.number}];
    if (!copy.data.empty() && copy.is_whole()) {  // incomplete copies are not stored again
      if (h.offset + data.size() != h.total) return;
    } else {
      if (h.offset == 0) copy = {h.total, {}};
      if (h.offset != copy.data.size()) return;
      copy.data.insert(copy.data.end(), data.begin(), data.end());
      if (!copy.is_whole()) return;
      keep_newest_in_storage();
    }
    answer.kind = message_global_stored;
    send_from_storage(answer, {});
  }
}

void TestCluster::keep_newest_in_storage() {
  for (std::uint64_t version = config_.steps; version != 0; --version) {
    bool all = true;
    for (std::uint64_t rank = 0; rank < config_.ranks && all; ++rank) {
      const auto found = storage_.copies.find({rank, version});
      all = found != storage_.copies.end() && found->second.is_whole();
    }
    if (!all) continue;
    std::erase_if(storage_.copies, [&](const auto& copy) { return copy.first.second < version; });
    return;
  }
}
