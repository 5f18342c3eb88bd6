// A host without cores, for tests and studies: a controller, a memory from address 0 on that answers after
// `latency`, and a driver that does what the specification asks of one. It advances the time itself.
#pragma once

#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "nvme/nvme_controller.h"

namespace asterism {

class NvmeHost final : private NvmeController::Sink {
 public:
  struct Completion {
    std::uint16_t identifier = 0;
    nvme::Status status = nvme::Status::success;
    std::uint32_t result = 0;
    std::uint16_t head = 0;
  };
  static constexpr std::uint64_t buffers = 0x20'0000;  // what is before this address is for queues

  NvmeHost(const NvmeConfig& config, const FlashPart& part, FlashImage& image, Bytes memory)
      : memory_(memory.count()), controller_(config, part, image, ports(), *this, "host") {}

  NvmeController& controller() { return controller_; }
  const NvmeController& controller() const { return controller_; }
  Picoseconds now() const { return now_; }
  Picoseconds latency = 100_ns;
  std::vector<std::string> warnings;
  bool line = false;

  // One event; false: there is none.
  bool step() {
    const auto next = controller_.next_event();
    if (next) controller_.advance_to(now_ = *next);
    return next.has_value();
  }
  void run() {
    while (step()) continue;
  }
  void wait_until(Picoseconds time) {
    controller_.advance_to(time);
    now_ = time;
  }

  void power_up() {
    controller_.power_up(now_);
    is_on_ = true;
  }
  void fail_power() { reset(Reset::power_loss); }
  void reset(Reset kind) {
    controller_.reset(kind);
    queues_.clear();
    is_on_ = false;
  }
  // Enables the controller, with admin queues of `entries`, and waits until it is ready.
  bool enable(std::uint32_t entries = 16) {
    queues_.clear();
    make_queue(0, entries);
    controller_.configure(now_, 4u << 20 | 6u << 16 | 1,
                          {(entries - 1) << 16 | (entries - 1), submission_of(0), completion_of(0)});
    while ((controller_.status() & 3) == 0 && step()) continue;
    return (controller_.status() & 3) == 1;
  }
  void disable() { controller_.configure(now_, 0, {}); }
  // Power, controller and `count` pairs of I/O queues.
  void start(unsigned count = 1, std::uint32_t entries = 64) {
    if (!is_on_) power_up();
    enable();
    for (unsigned queue = 1; queue <= count; ++queue) create_queues(queue, entries);
  }
  void create_queues(unsigned queue, std::uint32_t entries) {
    make_queue(queue, entries);
    nvme::SubmissionEntry entry = admin(nvme::AdminOpcode::create_completion_queue, completion_of(queue));
    set_word(entry, 10, (entries - 1) << 16 | queue);
    set_word(entry, 11, 3);
    call(0, entry);
    entry = admin(nvme::AdminOpcode::create_submission_queue, submission_of(queue));
    set_word(entry, 10, (entries - 1) << 16 | queue);
    set_word(entry, 11, queue << 16 | 1);
    call(0, entry);
  }

  static nvme::SubmissionEntry admin(nvme::AdminOpcode opcode, Address prp1 = {}) {
    nvme::SubmissionEntry entry;
    set_word(entry, 0, static_cast<std::uint32_t>(opcode));
    nvme::put<std::uint64_t>(entry.bytes, 24, prp1.value());
    return entry;
  }
  static nvme::SubmissionEntry io(nvme::Opcode opcode, std::uint64_t first = 0, std::uint32_t blocks = 1,
                                  Address prp1 = {}, Address prp2 = {}, bool force_unit_access = false) {
    nvme::SubmissionEntry entry;
    set_word(entry, 0, static_cast<std::uint32_t>(opcode));
    set_word(entry, 1, 1);
    nvme::put<std::uint64_t>(entry.bytes, 24, prp1.value());
    nvme::put<std::uint64_t>(entry.bytes, 32, prp2.value());
    nvme::put<std::uint64_t>(entry.bytes, 40, first);
    set_word(entry, 12, (blocks - 1) | (force_unit_access ? 1u << 30 : 0));
    return entry;
  }
  static void set_word(nvme::SubmissionEntry& entry, unsigned number, std::uint32_t value) {
    nvme::put<std::uint32_t>(entry.bytes, std::size_t{4} * number, value);
  }

  bool has_room(unsigned queue) const {
    const Queue& q = queues_.at(queue);
    return (q.tail + 1) % q.entries != q.submission_head;
  }
  // Writes the entry and rings; returns the identifier of the command.
  std::uint16_t submit(unsigned queue, nvme::SubmissionEntry entry, bool rings = true) {
    Queue& q = queues_.at(queue);
    const std::uint16_t identifier = q.next_identifier++;
    nvme::put<std::uint16_t>(entry.bytes, 2, identifier);
    const std::uint64_t place = submission_of(queue).value() + 64 * std::uint64_t{q.tail};
    std::memcpy(memory_.data() + place, entry.bytes.data(), entry.bytes.size());
    q.tail = (q.tail + 1) % q.entries;
    if (rings) ring(queue);
    return identifier;
  }
  void ring(unsigned queue) { controller_.ring(now_, 2 * queue, queues_.at(queue).tail); }
  // The next entry of the completion queue, if there is one.
  std::optional<Completion> take(unsigned queue) {
    Queue& q = queues_.at(queue);
    const std::uint64_t place = completion_of(queue).value() + 16 * std::uint64_t{q.head};
    const auto status = get<std::uint16_t>(place + 14);
    if ((status & 1) != (q.phase ? 1 : 0)) return std::nullopt;
    if (++q.head == q.entries) {
      q.head = 0;
      q.phase = !q.phase;
    }
    q.submission_head = get<std::uint16_t>(place + 8);
    Completion completion{get<std::uint16_t>(place + 12), static_cast<nvme::Status>(status >> 1 & 0x7FF),
                          get<std::uint32_t>(place), get<std::uint16_t>(place + 8)};
    controller_.ring(now_, 2 * queue + 1, q.head);
    return completion;
  }
  // Submits one command and waits for its end, which comes before any other of the queue.
  std::optional<Completion> call(unsigned queue, const nvme::SubmissionEntry& entry) {
    submit(queue, entry);
    for (;;) {
      if (auto completion = take(queue)) return completion;
      if (!step()) return std::nullopt;
    }
  }

  template <class T>
  T get(std::uint64_t at) const {
    T value;
    std::memcpy(&value, memory_.data() + at, sizeof value);
    return value;
  }
  template <class T>
  void set(std::uint64_t at, T value) {
    std::memcpy(memory_.data() + at, &value, sizeof value);
  }
  std::span<std::byte> bytes(std::uint64_t at, std::size_t size) {
    return std::span(memory_).subspan(at, size);
  }

  static Address submission_of(unsigned queue) { return Address(0x1'0000 * (2 * std::uint64_t{queue})); }
  static Address completion_of(unsigned queue) { return Address(0x1'0000 * (2 * std::uint64_t{queue} + 1)); }

 private:
  struct Queue {
    std::uint32_t entries = 0, tail = 0, head = 0, submission_head = 0;
    bool phase = true;
    std::uint16_t next_identifier = 0;
  };
  class Port final : public MemoryPort {
   public:
    explicit Port(NvmeHost& host) : host_(host) {}
    void read(Picoseconds now, Address first, Bytes size, OnAccessEnd ended) override {
      const bool ok = host_.has(first, size);
      ended({now + host_.latency, ok,
             ok ? std::span<const std::byte>(host_.bytes(first.value(), size.count()))
                : std::span<const std::byte>()});
    }
    void write(Picoseconds now, Address first, std::span<const std::byte> data, OnAccessEnd ended) override {
      const bool ok = host_.has(first, Bytes(data.size()));
      if (ok && !data.empty()) std::memcpy(host_.memory_.data() + first.value(), data.data(), data.size());
      ended({now + host_.latency, ok});
    }

   private:
    NvmeHost& host_;
  };

  NvmeController::Memory ports() {
    NvmeController::Memory all;
    all.fill(&port_);
    return all;
  }
  bool has(Address first, Bytes size) const {
    return AddressRange{Address(0), Bytes(memory_.size())}.contains(first, size);
  }
  void make_queue(unsigned queue, std::uint32_t entries) {
    queues_[queue] = {.entries = entries};
    std::ranges::fill(bytes(completion_of(queue).value(), std::size_t{16} * entries), std::byte{0});
  }
  void interrupt_changed(bool level) override { line = level; }
  void warn(const std::string& what) override { warnings.push_back(what); }

  std::vector<std::byte> memory_;
  Port port_{*this};
  std::map<unsigned, Queue> queues_;
  Picoseconds now_;
  bool is_on_ = false;
  NvmeController controller_;
};

}  // namespace asterism
