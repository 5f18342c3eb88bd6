// A traffic node: it does not run firmware, but computes its rank of the ring program, sends the messages
// that firmware would send, and takes part in checkpoints and recovery by the same protocol.
//
// In a step the node sends its halos, waits for those of its neighbours, and then computes for step_time. The
// program's further messages go to the two neighbours alternately. They are spread over that time; or a step
// has parts, in each of which the node computes, sends its messages at once, and waits for those of its
// neighbours. Copies take the bandwidth of memory or SSD.
//
// With a jitter, each part computes for a time of its own, uniform around the mean, so that ranks wait for
// the slowest of their neighbours. Without it, all ranks run in step.
//
// Not modelled: the slowdown of the computation by copies in memory.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cluster/buddy_protocol.h"
#include "cluster/event_queue.h"
#include "cluster/place_times.h"
#include "cluster/ring_program.h"

namespace asterism {

class TrafficNode final : public NetworkPort,
                          public Management::Member,
                          NodeServices,
                          BuddyProtocol::Program {
 public:
  struct Environment {
    EventQueue& event_queue;
    Network& network;
    Management& management;
  };
  struct Counts {
    // Frames dropped: of another epoch, for another rank, or of no known kind.
    std::uint64_t stale_frames = 0;
  };

  TrafficNode(const ClusterConfig& config, std::uint64_t seed, NodeNumber number, Environment around,
              BuddyMutant mutant);
  TrafficNode(const TrafficNode&) = delete;

  // The node suffers this loss: it is inactive until the next epoch, or for good if the node itself is lost.
  // Copies are lost with the memory or SSD that holds them.
  void lose(Loss loss);

  const BuddyProtocol& protocol() const { return protocol_; }
  std::span<const std::uint64_t> words() const {
    return program_ ? program_->words() : std::span<const std::uint64_t>();
  }
  std::uint64_t step() const { return step_; }
  bool has_rank() const { return protocol_.rank() != no_rank && !is_dead_; }
  const Counts& counts() const { return counts_; }
  // Sets the function that is called with rank and version when the node has its rank's state again.
  void on_restored(std::function<void(Rank, std::uint64_t)> action) { on_restored_ = std::move(action); }

  // NetworkPort
  void receive(Frame frame) override;
  void sent(SendQueue queue) override { protocol_.sent(queue); }
  // Management::Member
  void membership(const Membership& membership) override;
  void run_ended() override { protocol_.shut_down(); }

 private:
  struct Halo {
    std::uint64_t step = 0, word = 0;
    bool is_there = false;
  };

  // The further messages of a step that have come.
  struct Received {
    std::uint64_t step = 0, count = 0;
  };

  // NodeServices
  Picoseconds now() const override { return event_queue_.now(); }
  void send(Message message, std::span<const std::byte> data, SendQueue queue) override;
  std::size_t waiting(SendQueue queue) const override { return network_.waiting(number_, queue); }
  std::uint64_t frames_sent(SendQueue queue) const override { return network_.frames_sent(number_, queue); }
  void set_tickets(std::uint32_t application, std::uint32_t checkpoint) override {
    network_.set_tickets(number_, application, checkpoint);
  }
  Picoseconds occupy(CopyPlace place, CopyAccess access, Bytes size) override {
    return places_.occupy(now(), place, access, size);
  }
  void at(Picoseconds when, std::function<void()> action) override;
  void cancel_all() override;
  // BuddyProtocol::Program
  void begin_state() override;
  std::span<std::byte> state() override { return std::as_writable_bytes(program_->words()); }
  void run_from(std::uint64_t step) override;
  void stop() override {
    is_running_ = false;
    awaited_part_.reset();
  }
  void not_recoverable(std::string reason) override;
  void restored(std::uint64_t version) override;
  void mark(RankMark mark, std::uint64_t number) override { management_.mark(number_, mark, number); }

  NodeNumber node_of(Rank rank) const;
  void receive_halo(const Message& halo, std::span<const std::byte> data);
  void send_halos();
  void spread_extra(std::uint32_t index);
  void send_extra(std::uint32_t index);
  void receive_extra(const Message& message);
  void try_compute();
  void compute_part(std::uint32_t part);
  Picoseconds part_time(std::uint32_t part) const;
  void part_computed(std::uint32_t part);
  bool has_messages(std::uint32_t part) const;
  void try_next_part();
  void computed();

  const ClusterConfig& config_;
  const std::uint64_t seed_;
  const NodeNumber number_;
  const BuddyMutant mutant_;
  EventQueue& event_queue_;
  Network& network_;
  Management& management_;
  PlaceTimes places_;
  BuddyProtocol protocol_;

  Membership membership_;
  std::optional<RingProgram> program_;
  std::vector<std::byte> extra_;
  std::array<std::array<Halo, 2>, 2> halos_{};         // by side (0: from the left), by the step's parity
  std::array<std::array<Received, 2>, 2> received_{};  // the same
  std::optional<std::uint32_t> awaited_part_;          // whose messages the program waits for
  std::uint64_t step_ = 0;
  bool is_running_ = false, is_computing_ = false, is_dead_ = false;
  std::uint64_t generation_ = 0;  // actions that were scheduled in an older generation are cancelled

  Counts counts_;
  std::function<void(Rank, std::uint64_t)> on_restored_;
};

}  // namespace asterism
