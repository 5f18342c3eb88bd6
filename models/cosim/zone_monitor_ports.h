// The ports of a block of the contract `zone_monitor`: an operation of the zone monitor of a channel, and its answer.
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
  };  // as the block counts them
  Kind kind = Kind::write;
  std::uint32_t zone = 0;  // of write, expose and preserve
  bool flag = false;       // of track: writes are noted
};
constexpr auto enum_names(ZoneMonitorOperation::Kind) {
  using enum ZoneMonitorOperation::Kind;
  return std::to_array<EnumName<ZoneMonitorOperation::Kind>>(
      {{track, "track", "writes are noted or not any more"},
       {write, "write", "a write to a zone is checked"},
       {expose, "expose", "a zone belongs to the snapshot to come"},
       {begin, "begin", "the memory as it is is the snapshot"},
       {preserve, "preserve", "a zone is out of the reach of writes"},
       {refresh, "refresh", "the cache drops what it has of the snapshot"},
       {complete, "complete", "the snapshot is preserved"}});
}

struct ZoneMonitorAnswer {
  ZoneMonitor::Answer answer = ZoneMonitor::Answer::proceed;  // of write
  std::uint32_t sectors = 0;                                  // of write and begin
  bool complete = true;                                       // no snapshot is open
  bool operator==(const ZoneMonitorAnswer&) const = default;
};

// The operation's own words: "write 0x12", "track, on"; the answer's: "first stall, 2 sectors; open".
std::string to_text(const ZoneMonitorOperation& operation);
std::string to_text(const ZoneMonitorOperation& operation, const ZoneMonitorAnswer& answer);

class ZoneMonitorPorts {
 public:
  // Throws RtlError for a block of another contract, or one whose ports are not those of the contract.
  explicit ZoneMonitorPorts(const RtlInstance& instance);

  // The inputs of the cycle to come.
  void ask(const ZoneMonitorOperation& operation);
  void ask_nothing() { in_valid_.set(0); }

  // After settle(). answer() throws RtlError for an answer that there is not.
  bool answers() const { return out_valid_.is_set(); }
  ZoneMonitorAnswer answer() const;

 private:
  std::string name_;
  RtlPort in_valid_, operation_, zone_, flag_;
  RtlPort out_valid_, answer_, sectors_, complete_;
};

}  // namespace asterism
