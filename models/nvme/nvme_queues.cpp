#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "nvme/nvme_controller.h"

namespace asterism {
namespace {

constexpr std::uint32_t enabled_bit = 1;
constexpr unsigned shutdown_under_way = 1, shutdown_complete = 2;  // CSTS.SHST

std::uint32_t shutdown_of(std::uint32_t configuration) { return configuration >> 14 & 3; }

std::string opcode_text(bool is_admin, std::uint8_t opcode) {
  const auto text = [opcode](auto kind) {
    for (const auto& known : enum_names(kind))
      if (known.value == static_cast<decltype(kind)>(opcode)) return std::string(known.name);
    return std::string("unknown");
  };
  return fmt::format("{} ({:02x}h)", is_admin ? text(nvme::AdminOpcode{}) : text(nvme::Opcode{}), opcode);
}

bool has_blocks(std::uint8_t opcode) {
  const auto known = static_cast<nvme::Opcode>(opcode);
  return known == nvme::Opcode::read || known == nvme::Opcode::write || known == nvme::Opcode::write_zeroes;
}

bool makes_or_deletes_queue(std::uint8_t opcode) {
  using Opcode = nvme::AdminOpcode;
  const auto known = static_cast<Opcode>(opcode);
  return known == Opcode::create_submission_queue || known == Opcode::create_completion_queue ||
         known == Opcode::delete_submission_queue || known == Opcode::delete_completion_queue;
}

// A driver learns from these answers to admin commands what the controller has: Linux does when it probes it.
bool is_answer_to_question(std::uint8_t opcode, nvme::Status status) {
  if (makes_or_deletes_queue(opcode)) return false;
  switch (status) {
    case nvme::Status::invalid_opcode:
    case nvme::Status::invalid_field:
    case nvme::Status::invalid_namespace:
    case nvme::Status::invalid_log_page:
    case nvme::Status::feature_not_saveable:
    case nvme::Status::event_limit_exceeded:
      return true;
    default:
      return false;
  }
}

}  // namespace

NvmeController::NvmeController(const NvmeConfig& config, const FlashPart& part, FlashImage& image,
                               const Memory& memory, NvmeController::Sink& sink, std::string_view serial)
    : config_(config),
      memory_(memory),
      sink_(sink),
      serial_(serial),
      disk_(config, part, image, static_cast<NvmeDisk::Sink&>(*this)),
      write_cache_(config.write_cache) {}

// ---- registers ----

std::uint64_t NvmeController::capabilities() const {
  constexpr std::uint64_t contiguous_queues = 1u << 16, nvm_commands = std::uint64_t{1} << 37;
  constexpr std::uint64_t timeout = 60;  // of 500 ms: flash is read back after a power failure
  return (nvme::max_entries - 1) | contiguous_queues | timeout << 24 | nvm_commands;
}

std::uint32_t NvmeController::status() const {
  const bool is_ready = enabled_ && disk_.is_ready() && !failed_;
  return (is_ready ? 1u : 0u) | (failed_ ? 2u : 0u) | shutdown_ << 2;
}

void NvmeController::configure(Picoseconds now, std::uint32_t value, const Setup& setup) {
  const std::uint32_t before = std::exchange(configuration_, value);
  if ((value & enabled_bit) && !(before & enabled_bit)) enable(now, value, setup);
  if (!(value & enabled_bit) && (before & enabled_bit)) disable();
  if (shutdown_of(value) != 0 && shutdown_of(before) == 0) shut_down(now);
  if (shutdown_of(value) == 0 && shutdown_of(before) != 0) shutdown_ = 0;
}

void NvmeController::enable(Picoseconds now, std::uint32_t value, const Setup& setup) {
  shutdown_ = 0;
  enabled_ = true;
  setup_ = setup;
  const std::uint32_t submissions = (setup.attributes & 0xFFF) + 1;
  const std::uint32_t completions = (setup.attributes >> 16 & 0xFFF) + 1;
  const auto is_aligned = [](Address at) { return at.value() % nvme::memory_page.count() == 0; };
  if ((value >> 4 & 7) != 0) return fail("CC.CSS names a command set that the controller does not have");
  if ((value >> 7 & 15) != 0) return fail("CC.MPS asks for memory pages that are not of 4 KiB");
  if ((value >> 11 & 7) != 0) return fail("CC.AMS asks for an arbitration that the controller does not have");
  if (submissions < 2 || completions < 2) return fail("AQA describes an admin queue with one entry");
  if (!is_aligned(setup.submission) || !is_aligned(setup.completion))
    return fail("ASQ or ACQ is no multiple of 4 KiB");
  submission_[0] = {.base = setup.submission, .entries = submissions};
  completion_[0] = {.base = setup.completion, .entries = completions, .interrupts = true, .users = 1};
  fetch(now);
}

void NvmeController::disable() {
  drop_commands();
  enabled_ = failed_ = false;
  shutdown_ = 0;
  mask_ = 0;
  submission_.clear();
  completion_.clear();
  event_.reset();
  features_.clear();
  write_cache_ = config_.write_cache;
  last_fetched_ = 0;
  link_in_free_ = link_out_free_ = {};
  update_interrupt();
}

void NvmeController::shut_down(Picoseconds now) {
  shutdown_ = shutdown_under_way;
  disk_.persist(now, shutdown_bit | ++shutdowns_);
}

void NvmeController::set_mask(std::uint32_t mask) {
  mask_ = mask;
  update_interrupt();
}

// What was under way ends without an answer. The cache of the disk goes on to flash.
void NvmeController::fail(const std::string& why) {
  if (failed_) return;
  ++count_.fatal;
  sink_.warn(why + ": CSTS.CFS is set, and nothing is done until CC.EN is cleared");
  failed_ = true;
  drop_commands();
}

void NvmeController::drop_commands() {
  for (MemoryPort* each : memory_) each->abandon();
  events_.clear();
  commands_.clear();
  identifiers_.clear();
  event_requests_.clear();
  fetching_ = false;
}

// ---- submission ----

void NvmeController::ring(Picoseconds now, unsigned doorbell, std::uint32_t value) {
  if (!enabled_ || failed_)
    return sink_.warn("a doorbell is written while the controller is not ready: ignored");
  const unsigned number = doorbell / 2;
  const bool is_completion = doorbell % 2 == 1;
  const char* const kind = is_completion ? "completion" : "submission";
  if (!(is_completion ? completion_.contains(number) : submission_.contains(number)))
    return bad_doorbell(now, false, fmt::format("there is no {} queue {}", kind, number));
  if (is_completion) {
    CompletionQueue& queue = completion_[number];
    const std::uint64_t freed = (value + queue.entries - queue.consumed % queue.entries) % queue.entries;
    if (value >= queue.entries || freed > queue.posted - queue.consumed)
      return bad_doorbell(now, true, fmt::format("{} is no head of completion queue {}", value, number));
    queue.consumed += freed;
    queue.visible = std::max(queue.visible, queue.consumed);  // a driver may see it before the access ends
    update_interrupt();
    return post(now, number);
  }
  SubmissionQueue& queue = submission_[number];
  if (value >= queue.entries)
    return bad_doorbell(now, true, fmt::format("{} is no tail of submission queue {}", value, number));
  queue.tail = value;
  fetch(now);
}

void NvmeController::bad_doorbell(Picoseconds now, bool is_value, const std::string& why) {
  ++count_.bad_doorbells;
  sink_.warn(fmt::format("a doorbell is ignored: {}", why));
  constexpr std::uint32_t error_log = 1u << 16;
  const std::uint32_t event = error_log | (is_value ? 1u : 0u) << 8;
  if (event_requests_.empty()) {
    event_ = event;
    return;
  }
  const Id id = event_requests_.front();
  event_requests_.pop_front();
  end(now, id, Status::success, event);
}

void NvmeController::fetch(Picoseconds now) {
  if (fetching_ || failed_ || !disk_.is_ready() || submission_.empty()) return;
  const auto is_due = [](const SubmissionQueue& queue) {
    return queue.head != queue.tail && !queue.deleted_by;
  };
  auto at = submission_.upper_bound(last_fetched_);
  for (std::size_t i = 0; i <= submission_.size(); ++i, ++at) {
    if (at == submission_.end()) at = submission_.begin();
    if (is_due(at->second)) break;
    if (i == submission_.size()) return;
  }
  const unsigned number = last_fetched_ = at->first;
  const SubmissionQueue& queue = at->second;
  fetching_ = true;
  port(Part::commands)
      .read(now, queue.base + nvme::submission_size * queue.head, nvme::submission_size,
            [this, number](const AccessEnd& end) {
              nvme::SubmissionEntry entry;
              if (end.ok) std::memcpy(entry.bytes.data(), end.data.data(), entry.bytes.size());
              later(end.at, [this, number, entry, ok = end.ok](Picoseconds at_end) {
                fetching_ = false;
                if (!ok) return fail(fmt::format("memory does not answer at submission queue {}", number));
                fetched(at_end, number, entry);
              });
            });
}

void NvmeController::fetched(Picoseconds now, unsigned number, const nvme::SubmissionEntry& entry) {
  const auto found = submission_.find(number);
  if (found != submission_.end() && !found->second.deleted_by) {
    SubmissionQueue& queue = found->second;
    queue.head = (queue.head + 1) % queue.entries;
    ++queue.in_flight;
    ++count_.commands;
    const Id id = next_id_++;
    Command& command = commands_[id];
    command.entry = entry;
    command.queue = number;
    const bool is_new = identifiers_.emplace(number, entry.identifier()).second;
    later(now + config_.latency, [this, id, is_new](Picoseconds at) {
      if (!is_new) return end(at, id, Status::identifier_conflict);
      execute(at, id);
    });
  }
  fetch(now);
}

// ---- completion ----

void NvmeController::end(Picoseconds now, Id id, Status status, std::uint32_t result) {
  const Command& command = commands_.at(id);
  const unsigned number = command.queue;
  SubmissionQueue& queue = submission_[number];
  if (status != Status::success) {
    ++count_.errors;
    report_failure(command, status);
  }
  if (status != Status::identifier_conflict) identifiers_.erase({number, command.entry.identifier()});
  const unsigned completion = queue.completion;
  completion_[completion].waiting.push_back({number, command.entry.identifier(), status, result});
  commands_.erase(id);
  --queue.in_flight;
  post(now, completion);
  end_deletion(now, number);
}

void NvmeController::report_failure(const Command& command, Status status) {
  const nvme::SubmissionEntry& entry = command.entry;
  const bool is_admin = command.queue == 0;
  std::string text = fmt::format("queue {}, command {}, {}", command.queue, entry.identifier(),
                                 opcode_text(is_admin, entry.opcode()));
  if (!is_admin && has_blocks(entry.opcode()))
    text += fmt::format(", LBA {:#x}, {} block{}", entry.first_block(), entry.blocks(),
                        entry.blocks() == 1 ? "" : "s");
  text += fmt::format(": {} ({:#05x})", to_text(status), static_cast<unsigned>(status));
  if (command.unanswered)
    text +=
        fmt::format(", as memory does not answer at {:#x}, or has poison there", command.unanswered->value());
  if (status == Status::lba_out_of_range) text += fmt::format(": the disk has {} blocks", disk_.blocks());
  if (is_admin && is_answer_to_question(entry.opcode(), status)) return sink_.note(text);
  sink_.warn(text);
}

void NvmeController::post(Picoseconds now, unsigned number) {
  CompletionQueue& queue = completion_[number];
  while (!queue.waiting.empty() && queue.posted - queue.consumed + 1 < queue.entries) {
    const CompletionQueue::Entry entry = queue.waiting.front();
    queue.waiting.pop_front();
    const auto submission = submission_.find(entry.queue);
    const auto head = submission == submission_.end() ? 0 : submission->second.head;
    const auto bytes = nvme::completion_entry(entry.result, static_cast<std::uint16_t>(head),
                                              static_cast<std::uint16_t>(entry.queue), entry.identifier,
                                              queue.posted / queue.entries % 2 == 0, entry.status);
    const Address place = queue.base + nvme::completion_size * (queue.posted % queue.entries);
    ++queue.posted;
    port(Part::completions).write(now, place, bytes, [this, number, n = queue.posted](const AccessEnd& end) {
      later(end.at, [this, number, n, ok = end.ok](Picoseconds) {
        const auto found = completion_.find(number);
        if (found == completion_.end()) return;
        if (!ok) return fail(fmt::format("memory does not answer at completion queue {}", number));
        CompletionQueue& changed = found->second;
        changed.visible = std::max(changed.visible, n);
        update_interrupt();
        if (changed.interrupts && changed.consumed != changed.visible) sink_.message(changed.vector);
      });
    });
  }
}

void NvmeController::update_interrupt() {
  bool level = false;
  for (const auto& [number, queue] : completion_)
    level |= queue.interrupts && queue.consumed != queue.visible;
  level &= (mask_ & 1) == 0;
  if (level != std::exchange(level_, level)) sink_.interrupt_changed(level);
}

std::uint32_t NvmeController::waiting_vectors() const {
  std::uint32_t vectors = 0;
  for (const auto& [number, queue] : completion_)
    if (queue.interrupts && queue.consumed != queue.visible) vectors |= std::uint32_t{1} << queue.vector;
  return vectors;
}

void NvmeController::end_deletion(Picoseconds now, unsigned number) {
  const auto found = submission_.find(number);
  if (found == submission_.end() || !found->second.deleted_by || found->second.in_flight != 0) return;
  const Id by = *found->second.deleted_by;
  --completion_[found->second.completion].users;
  submission_.erase(found);
  end(now, by, Status::success);
}

// ---- the engine ----

std::optional<Picoseconds> NvmeController::next_event() const {
  const auto next = disk_.next_event();
  return events_.empty() ? next : earlier(next, events_.begin()->first);
}

void NvmeController::advance_to(Picoseconds now) {
  for (auto t = next_event(); t && *t <= now; t = next_event()) {
    if (!events_.empty() && events_.begin()->first <= *t) {
      const Act act = std::move(events_.extract(events_.begin()).mapped());
      act(*t);
    } else {
      disk_.advance_to(*t);
    }
  }
}

void NvmeController::power_up(Picoseconds now) {
  if (!std::exchange(powered_, true)) ++count_.power_cycles;
  disk_.power_up(now);
}

void NvmeController::ready(Picoseconds at) { fetch(at); }

void NvmeController::reset(Reset kind) {
  if (kind != Reset::warm && std::exchange(powered_, false) && shutdown_ != shutdown_complete)
    ++count_.unsafe_shutdowns;
  configuration_ = 0;
  disable();
  disk_.reset(kind);
}

void NvmeController::report(Statistics& statistics, Picoseconds now) const {
  statistics.add("commands", count_.commands);
  statistics.add("admin_commands", count_.admin);
  statistics.add("reads", count_.reads);
  statistics.add("writes", count_.writes);
  statistics.add("flushes", count_.flushes);
  statistics.add("read", count_.read);
  statistics.add("written", count_.written);
  statistics.add("errors", count_.errors);
  statistics.add("fatal_errors", count_.fatal);
  statistics.add("bad_doorbells", count_.bad_doorbells);
  disk_.report(statistics.group("disk"), now);
}

}  // namespace asterism
