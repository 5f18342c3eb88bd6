// What only some devices of a node do: interfaces beside Device (tlm/device.h), which the node finds with
// Device::as<Role>().
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/timed.h"
#include "base/units.h"

namespace asterism {

class MemoryWrites;

// A serial line, whose characters a run shows and logs, and which may receive from the host.
class SerialLine {
 public:
  virtual ~SerialLine() = default;
  std::function<void(std::uint8_t character)> on_transmit;
  // Receives what comes from a descriptor of the host. During elaboration.
  virtual void receive_from(int descriptor) = 0;
  // Whether more may come from the host at any time.
  virtual bool waits_for_the_host() const = 0;
  // The text after which the next line of a script is typed; nullopt if there is none left.
  virtual std::optional<std::string> script_waits_for() const = 0;
};

// The interrupt controller of the cores. It owns its wires, which are low until something is bound to them.
class InterruptController {
 public:
  // A wire that several processes may drive in one delta cycle; the last value counts.
  using Wire = sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS>;

  virtual ~InterruptController() = default;
  virtual Wire& shared_line(unsigned spi) = 0;                 // from a device
  virtual Wire& private_line(unsigned core, unsigned id) = 0;  // from a core; id 16..31
  virtual Wire& irq(unsigned core) = 0;                        // to a core

  // Why no interrupt whatever would reach a core, as a clause with the register that firmware has not set: ""
  // if there is no such reason.
  virtual std::string why_none_reaches(unsigned core) const = 0;

  // The system registers of the CPU interface, if it has them: `code` as in an MRS instruction. Reading may
  // have side effects. nullopt and false: there is no such register to read, or to write.
  virtual std::optional<std::uint64_t> read_system_register(unsigned /*core*/, std::uint16_t /*code*/) {
    return std::nullopt;
  }
  virtual bool write_system_register(unsigned /*core*/, std::uint16_t /*code*/, std::uint64_t /*value*/) {
    return false;
  }
};

// A fault in memory that the guest requests. The numbers are those of the registers of the power controller.
struct FaultRequest {
  Address address;
  std::uint32_t kind, chip, bit;
  bool stuck;
};
enum class FaultOutcome : std::uint32_t { none, no_memory, no_such_place };

// An error that the decoder of a memory has found: of the first 8 bytes of the block that had one as the
// chips delivered them.
struct FoundError {
  Bytes offset;  // of these bytes within the memory
  bool is_corrected;
  std::uint64_t received;      // as delivered; the byte at `offset` is the lowest
  std::uint64_t wrong;         // the wrong bits of `received`
  std::uint8_t wrong_in_code;  // those of the 8 bits of the code that the chips deliver with them
};

// A memory behind ports of equal rank, whose addresses are offsets into it. Port 0 is that of the
// interconnect.
class NodeMemory {
 public:
  virtual ~NodeMemory() = default;
  virtual tlm::tlm_target_socket<>& port(unsigned index) = 0;
  // Loads contents in zero time, like a boot ROM.
  virtual void load(Bytes offset, std::span<const std::byte> contents) = 0;
  // Who observes and delays the writes to this memory. A further memory of a node has the list of the first.
  virtual MemoryWrites& writes() = 0;
  virtual void report_writes_to(MemoryWrites& writes) = 0;
  // Called before contents are read or written by other means than direct memory.
  std::function<void(AddressRange offsets, bool to_store)> before_access;
  // Whether a decoder finds errors at all, and what it calls for each of them, besides its own log.
  virtual bool has_decoder() const = 0;
  std::vector<std::function<void(const FoundError&)>> on_error;
  // Injects a fault now; `offset` is that of the address.
  virtual FaultOutcome inject(const FaultRequest& request, Bytes offset) = 0;
  // The number of the controller that has the block at this offset.
  virtual unsigned part_at(Bytes offset) const = 0;
  // Its failures in words, "" if there are none.
  virtual std::string summary() const = 0;
};

// Keeps a part of a memory across losses of power, when another device wants it to.
class MemoryKeeper {
 public:
  virtual ~MemoryKeeper() = default;
  // From now on it keeps these pages, and refuses commands of software. During elaboration.
  virtual void keep(AddressRange pages) = 0;
  // Both call `ended` when they have ended, unless a reset comes first: whether memory has what was saved
  // last, or may have anything because nothing was saved yet; and whether the present contents are durable.
  using Ended = std::function<void(bool ok)>;
  virtual void restore(Ended ended) = 0;
  virtual void save(Ended ended) = 0;
};

// Takes faults of one kind. They may be in any order; their times must not have passed.
template <class Fault>
class FaultTarget {
 public:
  virtual ~FaultTarget() = default;
  virtual void inject(const std::vector<Timed<Fault>>& faults) = 0;
};

// Firmware in the device's first range.
class Rom {
 public:
  virtual ~Rom() = default;
  // Fills the beginning of the device, before simulation begins.
  virtual void program(std::span<const std::byte> contents) = 0;
};

}  // namespace asterism
