// On the payload of a shown access whose memory type keeps it out of caches: those on the way let it pass to
// memory.
#pragma once

#include <tlm>

namespace asterism {

struct PastCaches : tlm::tlm_extension<PastCaches> {
  tlm::tlm_extension_base* clone() const override { return new PastCaches; }
  void copy_from(const tlm::tlm_extension_base&) override {}
};

}  // namespace asterism
