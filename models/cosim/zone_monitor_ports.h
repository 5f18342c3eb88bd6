// The ports of a block of the contract `zone_monitor`: an operation of the zone monitor of a channel, and its
// answer.
#pragma once

#include <cstdint>
#include <string>

#include "base/enum_names.h"
#include "cosim/rtl_library.h"
#include "zone_monitor/zone_monitor.h"

namespace asterism {

struct ZoneMonitorOperation {
  enum class Kind : std::uint8_t {
    track,
    write,
    expose,
    begin,
    preserve,
    refresh,
    complete
  };  // in the numbering of the block
  Kind kind = Kind::write;
  std::uint32_t zone = 0;  // for write, expose and preserve
  bool flag = false;       // for track: writes are noted
};
constexpr auto enum_names(ZoneMonitorOperation::Kind) {
  using enum ZoneMonitorOperation::Kind;
  return std::to_array<EnumName<ZoneMonitorOperation::Kind>>(
      {{track, "track", "starts or stops noting writes"},
       {write, "write", "checks a write to a zone"},
       {expose, "expose", "adds a zone to the next snapshot"},
       {begin, "begin", "the present memory is the snapshot"},
       {preserve, "preserve", "a zone has been copied"},
       {refresh, "refresh", "the cache drops what it has of the snapshot"},
       {complete, "complete", "the snapshot is preserved"}});
}

struct ZoneMonitorAnswer {
  ZoneMonitor::Answer answer = ZoneMonitor::Answer::proceed;  // for write
  std::uint32_t sectors = 0;                                  // for write and begin
  bool complete = true;                                       // no snapshot is open
  bool operator==(const ZoneMonitorAnswer&) const = default;
};

// The text of an operation: "write 0x12", "track, on"; of an answer: "first stall, 2 sectors; open".
std::string to_text(const ZoneMonitorOperation& operation);
std::string to_text(const ZoneMonitorOperation& operation, const ZoneMonitorAnswer& answer);

class ZoneMonitorPorts {
 public:
  // Throws RtlError for a block of another contract, or one whose ports are not those of the contract.
  explicit ZoneMonitorPorts(const RtlInstance& instance);

  // Sets the inputs of the next cycle.
  void ask(const ZoneMonitorOperation& operation);
  void ask_nothing() { in_valid_.set(0); }

  // Valid after settle(). answer() throws RtlError for an answer that does not exist.
  bool answers() const { return out_valid_.is_set(); }
  ZoneMonitorAnswer answer() const;

 private:
  std::string name_;
  RtlPort in_valid_, operation_, zone_, flag_;
  RtlPort out_valid_, answer_, sectors_, complete_;
};

}  // namespace asterism
