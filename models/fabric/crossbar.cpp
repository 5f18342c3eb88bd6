#include "fabric/crossbar.h"

#include "tlm/time.h"

namespace asterism {

Crossbar::Crossbar(const sc_core::sc_module_name& name, const FabricConfig& config)
    : DecodingInterconnect(name), latency_(to_sc_time(config.latency)) {}

void Crossbar::travel(int, const Entry& entry, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  delay += latency_;
  at_target(entry, payload, delay);
}

}  // namespace asterism
