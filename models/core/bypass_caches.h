// Marks the payload of a monitored access whose memory type keeps it out of caches. Caches on its way pass it
// on to memory.
#pragma once

#include <tlm>

namespace asterism {

struct BypassCaches : tlm::tlm_extension<BypassCaches> {
  tlm::tlm_extension_base* clone() const override { return new BypassCaches; }
  void copy_from(const tlm::tlm_extension_base&) override {}
};

}  // namespace asterism
