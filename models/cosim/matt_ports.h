// The ports of a block of the contract `matt`: an operation of the tracking table, and its answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/enum_names.h"
#include "cosim/rtl_library.h"
#include "matt/matt.h"

namespace asterism {

struct MattOperation {
  enum class Kind : std::uint8_t {
    track,
    mark,
    write,
    peek,
    begin_phase,
    next,
    take,
    copied
  };  // in the numbering of the block
  Kind kind = Kind::peek;
  std::uint32_t page = 0;   // for all operations except begin_phase and next
  std::uint64_t lines = 0;  // for write
  bool flag = false;        // for track: the page is tracked; for next: include candidates
};
constexpr auto enum_names(MattOperation::Kind) {
  using enum MattOperation::Kind;
  return std::to_array<EnumName<MattOperation::Kind>>(
      {{track, "track", "starts or stops tracking a page"},
       {mark, "mark", "marks a page as modified"},
       {write, "write", "writes to a page"},
       {peek, "peek", "returns whether a write would be ready"},
       {begin_phase, "begin_phase", "ends the phase"},
       {next, "next", "returns the next page to copy"},
       {take, "take", "takes this page to copy"},
       {copied, "copied", "a page was copied"}});
}

struct MattAnswer {
  bool yes = false;  // write and peek: ready; next and take: there is a choice; copied: a write has waited
  std::optional<Matt::Choice> choice = {};
  Matt::Work work = {};
  bool operator==(const MattAnswer&) const = default;
};

// The text of an operation: "write 0x12, lines 0x8", "next, candidates too"; of an answer: "ready", "page
// 0x12, ...".
std::string to_text(const MattOperation& operation);
std::string to_text(const MattOperation& operation, const MattAnswer& answer);

class MattPorts {
 public:
  // Throws RtlError for a block of another contract, or one whose ports are not those of the contract.
  explicit MattPorts(const RtlInstance& instance);

  // Sets the inputs of the next cycle.
  void ask(const MattOperation& operation);
  void ask_nothing() { in_valid_.set(0); }

  // Valid after settle(). answer() throws RtlError for a reason that does not exist.
  bool answers() const { return out_valid_.is_set(); }
  MattAnswer answer(MattOperation::Kind kind) const;

 private:
  std::string name_;
  RtlPort in_valid_, operation_, in_page_, in_lines_, flag_;
  RtlPort out_valid_, answer_, out_page_, out_lines_, phase_, reason_, pending_, candidates_;
};

}  // namespace asterism
