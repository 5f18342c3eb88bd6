#include "tlm/alarm.h"

#include "tlm/time.h"

namespace asterism {

Alarm::Alarm(const char* name, std::function<void(Picoseconds)> ring)
    : ring_(std::move(ring)), event_(sc_core::sc_gen_unique_name("alarm_event")) {
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.dont_initialize();
  options.set_sensitivity(&event_);
  sc_core::sc_spawn(
      [this] {
        at_.reset();
        ring_(now());
      },
      sc_core::sc_gen_unique_name(name), &options);
}

void Alarm::arm(std::optional<Picoseconds> at) {
  if (at == at_) return;
  event_.cancel();
  at_ = at;
  if (!at) return;
  const Picoseconds t = now();
  event_.notify(to_sc_time(*at > t ? *at - t : Picoseconds(0)));
}

}  // namespace asterism
