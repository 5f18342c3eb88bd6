// Traffic traces: which node sends how much to which node, and when.
//
// Text form: one packet per line, its fields separated by blanks or tabs. Empty lines and text after a '#'
// are skipped.
//
//   # source destination created size [injected delivered routers]
//   3 17 12.5ns 64B
//   3 4 12600 64            no unit: picoseconds, bytes
//
// `created` never decreases. The three further fields, which the record of a simulation has (DeliveryRecord),
// describe the delivery of the packet: the times at which its head left the source and its tail reached the
// destination, and how many routers it passed; "-" for each if it was not delivered. Readers may ignore them,
// so that a record can be used as a trace again.
//
// Binary form: little-endian. Eight bytes "asttrace", 32 bits version (1), 32 bits size of a record (24);
// then records of 64 bits created in ps, 32 bits source, 32 bits destination, 32 bits size in bytes, 32 bits
// 0. It has half the size and takes a tenth of the time to read, but has no further fields.
//
// A packet becomes size / channel width flits, rounded up.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/trace_lines.h"
#include "base/units.h"
#include "fabric/topology/topology.h"
#include "fabric/traffic/packet_source.h"

namespace asterism {

struct TraceRecord {
  NodeId source = 0, destination = 0;
  Picoseconds created;
  Bytes size;  // 1 byte to 4 GiB - 1
  bool operator==(const TraceRecord&) const = default;
};

enum class TraceForm { text, binary };

// Reads either form, which it recognises by the first bytes. The trace is read as a stream and is not kept in
// memory.
class TraceReader {
 public:
  // `name` is used in messages. Nodes are those below `nodes`.
  TraceReader(std::istream& in, std::string name, NodeId nodes = ~NodeId{0});

  // nullopt at the end. Throws TraceError.
  std::optional<TraceRecord> next();

  TraceForm form() const { return form_; }

 private:
  std::optional<TraceRecord> next_of_text();
  std::optional<TraceRecord> next_of_binary();
  TraceRecord parse(std::string_view line) const;
  void check(const TraceRecord& record) const;
  [[noreturn]] void refuse(const std::string& problem) const;

  std::istream& in_;
  std::string name_;
  NodeId nodes_;
  TraceForm form_ = TraceForm::text;
  std::uint64_t position_ = 0;  // line or packet, from 1
  Picoseconds last_;
};

// Throws std::invalid_argument for a record that a reader would refuse, TraceError if the stream fails.
class TraceWriter {
 public:
  TraceWriter(std::ostream& out, TraceForm form);
  void write(const TraceRecord& record);

 private:
  std::ostream& out_;
  TraceForm form_;
  Picoseconds last_;
};

// Copies all packets of one stream into the other and returns their number. Throws TraceError.
std::uint64_t convert_trace(std::istream& in, const std::string& name, std::ostream& out, TraceForm form);

// The packets of a trace, as a source for a fabric.
class TraceSource final : public PacketSource {
 public:
  // Throws TraceError if the file cannot be read or is not a trace.
  TraceSource(const std::filesystem::path& file, const Topology& topology);
  TraceSource(std::unique_ptr<std::istream> in, std::string name, const Topology& topology);

  std::optional<TimedPacket> next() override;

 private:
  std::unique_ptr<std::istream> in_;
  TraceReader reader_;
  unsigned channel_bits_;
};

// Writes the delivery of every packet, in the text form, in the order of creation: a packet is written once
// all packets before it have been delivered.
class DeliveryRecord {
 public:
  // The file must not exist yet: a record overwrites nothing. Throws TraceError.
  DeliveryRecord(const std::filesystem::path& file, unsigned channel_bits);
  DeliveryRecord(std::ostream& out, unsigned channel_bits);

  // Call it in the order of creation.
  void created(const Packet& packet, Picoseconds time);
  // `position` counts the calls of created(), from 0.
  void delivered(std::uint64_t position, const Delivery& delivery);
  // Writes the remaining packets as not delivered. Throws TraceError if the stream has failed.
  void finish();

 private:
  struct Entry {
    Packet packet;
    Picoseconds created;
    std::optional<Delivery> delivery;
  };
  void write_heading();
  void write(const Entry& entry);

  std::ofstream file_;
  std::ostream& out_;
  unsigned channel_bits_;
  std::uint64_t first_ = 0;  // the position of the front
  std::deque<Entry> entries_;
};

}  // namespace asterism
