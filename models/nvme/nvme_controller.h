// An NVM Express controller, revision 1.4, with the NVM command set: registers as values, queues in the
// host's memory, and one namespace of logical blocks of 4 KiB (nvme/nvme_disk.h).
//
// A doorbell makes the controller fetch the entries of a submission queue, one at a time, from all queues
// in turn. A command takes `latency`, its data pass the link in their direction, and are read from or
// written to memory by PRP. Commands are executed side by side and end in any order. An entry of the
// completion queue is written when there is room. The interrupt line is high while a queue with interrupts
// enabled has entries that the driver has not consumed (pin-based interrupts, section 7.5.1), unless it is
// masked. With MSI-X each entry that becomes visible is a message of the vector of its queue.
//
// A write ends when the cache has its data; with Force Unit Access, or while the volatile write cache is
// disabled, when they are durable. Flush ends when all writes that have ended before are durable, and so does
// a shutdown notification (CC.SHN). One logical block is written atomically, also if the power fails.
//
// What a driver does wrong is answered with the status of the specification. A queue in memory that does not
// answer is a fatal error (CSTS.CFS): then nothing is done until CC.EN is cleared. A bad doorbell is reported
// by an asynchronous event. All three are reported to Sink::warn. A command by which a driver asks what the
// controller can do is answered alike, and reported to Sink::note.
//
// reset: every kind does what CC.EN = 0 does: queues and commands are dropped. Power loss and a cold reset
// lose the cache.
// CSTS.RDY is set once flash has been read back.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/engine.h"
#include "base/memory_port.h"
#include "base/statistics.h"
#include "nvme/nvme_commands.h"
#include "nvme/nvme_disk.h"

namespace asterism {

class NvmeController final : private NvmeDisk::Sink {
 public:
  // What accesses memory; those of one kind take place one after the other.
  enum class Part { commands, lists, data_from_memory, data_to_memory, completions };
  static constexpr std::size_t parts = 5;
  using Memory = std::array<MemoryPort*, parts>;
  struct Sink {
    virtual ~Sink() = default;
    virtual void interrupt_changed(bool level) = 0;
    // A completion queue with this vector has an entry: what MSI-X makes a message of.
    virtual void message(unsigned /*vector*/) {}
    virtual void warn(const std::string& what) = 0;
    virtual void note(const std::string& /*what*/) {}
  };
  struct Setup {
    std::uint32_t attributes = 0;    // AQA
    Address submission, completion;  // ASQ, ACQ
  };
  static constexpr unsigned max_queues = 16;  // pairs for I/O
  static constexpr unsigned doorbells = 2 * (max_queues + 1);

  NvmeController(const NvmeConfig& config, const FlashPart& part, FlashImage& image, const Memory& memory,
                 Sink& sink, std::string_view serial);

  // Registers.
  std::uint64_t capabilities() const;
  static constexpr std::uint32_t version = 0x0001'0400;
  std::uint32_t status() const;                                              // CSTS
  void configure(Picoseconds now, std::uint32_t value, const Setup& setup);  // CC
  void ring(Picoseconds now, unsigned doorbell, std::uint32_t value);
  std::uint32_t mask() const { return mask_; }
  void set_mask(std::uint32_t mask);  // INTMS, INTMC
  // The vectors, as bits, whose completion queues have entries that the driver has not consumed.
  std::uint32_t waiting_vectors() const;

  void power_up(Picoseconds now);
  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now);
  void reset(Reset kind);
  void report(Statistics& statistics, Picoseconds now = NandArray::all_begun) const;
  void record_in(ActivityLog& activity, const std::string& name) { disk_.record_in(activity, name); }

  std::optional<FlashAddress> inject(const FlashFailure& failure) { return disk_.inject(failure); }

  const NvmeDisk& disk() const { return disk_; }

 private:
  using Status = nvme::Status;
  using Id = std::uint64_t;  // of a command
  // A tag of the disk is the number of a command, and the first block of a part of it.
  static constexpr unsigned part_bits = 8;
  // That of a shutdown notification has this bit, and its number: one before a reset may end after it.
  static constexpr NvmeDisk::Tag shutdown_bit = NvmeDisk::Tag{1} << 63;
  using Act = std::function<void(Picoseconds)>;

  struct SubmissionQueue {
    Address base;
    std::uint32_t entries = 0, head = 0, tail = 0;
    unsigned completion = 0;
    std::uint32_t in_flight = 0;
    std::optional<Id> deleted_by = {};
  };
  struct CompletionQueue {
    Address base;
    std::uint32_t entries = 0;
    bool interrupts = false;
    unsigned vector = 0;
    unsigned users = 0;  // submission queues
    struct Entry {
      unsigned queue;
      std::uint16_t identifier;
      Status status;
      std::uint32_t result;
    };
    std::deque<Entry> waiting = {};
    // Since the queue was created, the entries that are on the way to memory or there, that are there for
    // certain, and that the driver has consumed.
    std::uint64_t posted = 0, visible = 0, consumed = 0;
  };
  struct Command {
    nvme::SubmissionEntry entry;
    unsigned queue = 0;
    Status status = Status::success;
    std::uint32_t result = 0;
    Bytes size;                        // of its data
    std::vector<AddressRange> places;  // of them in memory
    std::vector<std::byte> data;
    std::uint64_t next_block = 0;  // of a write or read: the next one to be given to the disk
    std::uint64_t end_block = 0;
    std::uint32_t parts = 0;                 // under way in the disk
    Act then;                                // when the data have been transferred
    std::optional<Address> unanswered = {};  // where memory did not answer, or returned poison
  };

  void later(Picoseconds at, Act act) { events_.emplace(at, std::move(act)); }
  MemoryPort& port(Part part) { return *memory_[static_cast<std::size_t>(part)]; }
  void fail(const std::string& why);

  // Queues: nvme_queues.cpp.
  void enable(Picoseconds now, std::uint32_t value, const Setup& setup);
  void disable();
  void drop_commands();
  void shut_down(Picoseconds now);
  void bad_doorbell(Picoseconds now, bool is_value, const std::string& why);
  void fetch(Picoseconds now);
  void fetched(Picoseconds now, unsigned queue, const nvme::SubmissionEntry& entry);
  void end(Picoseconds now, Id id, Status status, std::uint32_t result = 0);
  void report_failure(const Command& command, Status status);
  void fail_transfer(Id id, Address place);
  void post(Picoseconds now, unsigned queue);
  void update_interrupt();
  void end_deletion(Picoseconds now, unsigned queue);

  // Commands: nvme_io.cpp.
  void execute(Picoseconds now, Id id);
  void execute_io(Picoseconds now, Id id);
  void read(Picoseconds now, Id id);
  void write(Picoseconds now, Id id);
  void zero(Picoseconds now, Id id);
  void give_parts(Picoseconds now, Id id);
  void persist(Picoseconds now, Id id);
  void manage_dataset(Picoseconds now, Id id);
  void find_places(Picoseconds now, Id id, Act then);
  void read_list(Picoseconds now, Id id, Address list, Bytes left);
  void from_memory(Picoseconds now, Id id, Act then);
  void to_memory(Picoseconds now, Id id);
  Command& command(Id id) { return commands_.at(id); }

  // The admin queue: nvme_admin.cpp.
  void execute_admin(Picoseconds now, Id id);
  void create_completion_queue(Picoseconds now, Id id);
  void create_submission_queue(Picoseconds now, Id id);
  void delete_completion_queue(Picoseconds now, Id id);
  void delete_submission_queue(Picoseconds now, Id id);
  void identify(Picoseconds now, Id id);
  void get_log_page(Picoseconds now, Id id);
  void set_features(Picoseconds now, Id id);
  void get_features(Picoseconds now, Id id);
  void request_event(Picoseconds now, Id id);
  std::vector<std::byte> controller_data() const;
  std::vector<std::byte> namespace_data() const;
  std::vector<std::byte> health_data() const;

  void ready(Picoseconds at) override;
  void accepted(Picoseconds at, NvmeDisk::Tag tag, bool ok) override;
  void durable(Picoseconds at, NvmeDisk::Tag tag, bool ok) override;
  void read_done(Picoseconds at, NvmeDisk::Tag tag, bool ok, std::span<const std::byte> data) override;

  const NvmeConfig config_;
  const Memory memory_;
  Sink& sink_;
  const std::string serial_;
  NvmeDisk disk_;

  std::uint32_t configuration_ = 0;
  Setup setup_;
  bool powered_ = false, enabled_ = false, failed_ = false, level_ = false;
  unsigned shutdown_ = 0;        // CSTS.SHST
  std::uint64_t shutdowns_ = 0;  // notifications
  std::uint32_t mask_ = 0;
  std::map<unsigned, SubmissionQueue> submission_;
  std::map<unsigned, CompletionQueue> completion_;
  bool fetching_ = false;
  unsigned last_fetched_ = 0;
  std::map<Id, Command> commands_;
  std::set<std::pair<unsigned, std::uint16_t>> identifiers_;
  Id next_id_ = 1;
  bool write_cache_ = true;
  std::map<unsigned, std::uint32_t> features_;
  std::deque<Id> event_requests_;
  std::optional<std::uint32_t> event_;  // not reported yet
  Picoseconds link_in_free_, link_out_free_;
  std::multimap<Picoseconds, Act> events_;

  struct Counters {
    std::uint64_t commands = 0, admin = 0, reads = 0, writes = 0, flushes = 0, errors = 0, fatal = 0,
                  bad_doorbells = 0;
    Bytes read, written;
    std::uint64_t power_cycles = 0, unsafe_shutdowns = 0;  // since the model was built
  } count_;
};

}  // namespace asterism
