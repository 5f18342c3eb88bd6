// All writes to the memory of a node: who may delay them, and who observes them.
//
//   memory.writes()            the list of a memory controller, which reports the writes of all its ports. A
//                              further memory reports to the list of the first: report_writes_to()
//   add(observer)              is notified of every write that comes to a port
//   protect(tracker, range)    asks the tracker before each write to the range, and reports the write to it
//   attach(stores), attach(caches)   masters that write past the ports, which is also reported to trackers
//
// A master on a port needs to know nothing of this. Where a page may not be written yet, the thread of the
// writer waits.
//
// Cores store directly to memory (DMI) and keep dirty bits: they ask before the first store to a page in an
// interval of tracking, and a tracker collects the lines that were stored to. With models of caches, memory
// is written when a cache writes a line back: the write-back asks and is reported. The stored data are in
// memory earlier than that, so that a tracker can save the contents of a page before they change.
//
// A tracker may itself write to memory to copy protected pages, and a protected page may be written only
// when it has been copied. Two trackers would wait for each other if each wrote to pages that the other one
// protects: can_track() says whether pages may be protected.
//
// Addresses are physical. A reset of the memory ends all waits; the writes that waited must not happen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <systemc>
#include <vector>

#include "base/page_lines.h"
#include "base/units.h"
#include "tlm/initiator_extension.h"

namespace asterism {

// A write, or the part of one that lies in one page.
struct MemoryWrite {
  PageLines lines;
  unsigned master = InitiatorExtension::unknown_master;

  // The smallest range of whole lines with all of it.
  AddressRange range() const;
};

class WriteObserver {
 public:
  virtual ~WriteObserver() = default;
  // Called at the instant of a write, before memory changes.
  virtual void written(const MemoryWrite& write) = 0;
};

// An observer that may delay writes: it protects pages until it has copied them.
class WriteTracker : public WriteObserver {
 public:
  // Whether the page may be written now, without any effect of the question.
  virtual bool is_write_allowed(Address page) const = 0;
  // A write that is not allowed wants to happen. True: it may be allowed now. False: MemoryWrites::retry()
  // follows when it may be tried again.
  virtual bool try_write(const PageLines& lines) = 0;
  // The contents of a page that may not be written are about to change, before its write is reported.
  virtual void save_contents(Address /*page*/) {}
  virtual bool has_saved_contents(Address /*page*/) const { return false; }
  // A core stores directly to a page, for the first time since it was collected (DirectStores). For a record
  // of what happened: the write itself is collected or reported later.
  virtual void store_begins(Picoseconds /*at*/, Address /*page*/, std::string_view /*core*/) {}
  // MemoryWrites::flush() may have a better result now.
  virtual void flush_again() {}
  // Whether the page is protected, and the memory to which protected pages are copied.
  virtual bool protects(Address /*page*/) const { return false; }
  virtual AddressRange copies_to() const { return {Address(0), Bytes(0)}; }
};

// Masters that store directly to memory.
class DirectStores {
 public:
  virtual ~DirectStores() = default;
  // From now on, they ask MemoryWrites::before_store() before the first store to a page of this range since
  // it was collected. An empty range ends that.
  virtual void ask_before_stores(AddressRange range) = 0;
  // The lines of the range that were stored to since the last call. A page may be listed more than once.
  virtual std::vector<PageLines> collect(AddressRange range) = 0;
};

// Caches between such masters and memory.
class WriteBackCaches {
 public:
  virtual ~WriteBackCaches() = default;
  // The lines that were stored to and not written back, in ascending order.
  virtual std::vector<Address> dirty() = 0;
  // Whether a core is about to write this line back. It asks for and reports the write itself, and calls
  // MemoryWrites::flushed() then.
  virtual bool is_waiting(Address line) const = 0;
  // Makes these lines clean at once, and writes them to memory one after the other. MemoryWrites::flushed()
  // is called after the last one.
  virtual void flush(const std::vector<Address>& lines) = 0;
  virtual bool is_flushing() const = 0;
};

class MemoryWrites {
 public:
  MemoryWrites() = default;
  MemoryWrites(const MemoryWrites&) = delete;

  // ---- for those that observe ----

  void add(WriteObserver& observer) { observers_.push_back(&observer); }
  // An empty range ends the protection. Writers that wait try again.
  void protect(WriteTracker& tracker, AddressRange range);
  // Whether a tracker may protect these pages and copy them to this memory. False also gives the index of
  // the page to which another one copies; nullopt: another one protects a page of `copies_to`.
  struct Answer {
    bool is_possible = true;
    std::optional<std::size_t> page = {};
  };
  Answer can_track(const WriteTracker& by, std::span<const Address> pages, AddressRange copies_to) const;
  // The lines of the range that were stored to directly and have not been collected yet. They are reported to
  // all other trackers. Nothing with caches, whose write-backs are reported.
  std::vector<PageLines> collect(AddressRange range, const WriteTracker& by);
  bool are_stores_collected() const { return stores_ && !caches_; }
  // Writes back the lines of caches, except those that cores are about to write back and those in pages that
  // may not be written yet, and reports them.
  struct Flush {
    bool is_complete = true;  // no line is left in a page of this tracker, and no earlier flush is under way
    bool has_begun = false;   // lines are being written back: WriteTracker::flush_again() follows
  };
  Flush flush(const WriteTracker& by);
  // A write that was not allowed may be tried again.
  void retry();

  // ---- for those that write ----

  bool is_allowed(Address page) const;
  // Blocks the calling thread until the page may be written. False: a reset came first.
  bool wait_until_allowed(const PageLines& lines);
  // Called after that, and before memory changes.
  void report(const MemoryWrite& write);

  void attach(DirectStores& stores) { stores_ = &stores; }
  void attach(WriteBackCaches& caches) { caches_ = &caches; }
  // Whether a page may be stored to directly now.
  bool is_store_allowed(Address page) const;
  // Blocks the calling thread until it may be.
  void before_store(const PageLines& lines);
  // It may, and will be at this time, by this core.
  void store_begins(Picoseconds at, Address page, std::string_view core);
  void flushed();  // see WriteBackCaches

  // The memory is reset.
  void reset();

 private:
  struct Protected {
    WriteTracker* tracker;
    AddressRange range;
  };
  // The first tracker that does not allow a write; nullptr: there is none.
  WriteTracker* blocking(Address page) const;
  // Asks the trackers that do not allow a write, one after the other.
  bool may_write(const PageLines& lines);

  std::vector<WriteObserver*> observers_;
  std::vector<Protected> trackers_;
  DirectStores* stores_ = nullptr;
  WriteBackCaches* caches_ = nullptr;
  sc_core::sc_event retry_;
  std::uint64_t resets_ = 0;
};

}  // namespace asterism
