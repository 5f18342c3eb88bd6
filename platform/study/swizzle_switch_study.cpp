// The costs of a Swizzle-Switch by its radix (models/swizzle_switch/switch_technology.h). Nothing is
// simulated.
#include "platform/config/config.h"
#include "platform/study/study_kind.h"
#include "swizzle_switch/switch_technology.h"

namespace asterism {
namespace {

struct SwizzleSwitchStudy {
  std::string technology = "swizzle_switch_15nm";
  std::uint32_t channel_width = 128;
  std::uint32_t radix = 64;
};
static_assert(member_count<SwizzleSwitchStudy>() == 3);
void describe(Fields& f, SwizzleSwitchStudy& c) {
  f("technology", c.technology, "Clock, energy and area by radix: a file in configs/technologies.",
    names_file("technologies"));
  f("channel_width", c.channel_width, "The number of bits of a flit. A wider switch is slower and larger.",
    within(8, 4096));
  f("radix", c.radix,
    "The number of ports, each an input and an output. A switch with more ports is slower and larger.",
    within(1, 4096));
}

class SwizzleSwitchPoint final : public StudyPointOf<SwizzleSwitchStudy> {
 public:
  void prepare(const ConfigLibrary& library) override {
    technology_ = load_config<SwitchTechnology>(library, "technologies", config_.technology);
    try {
      technology_.period(config_.radix, config_.channel_width);
    } catch (const std::invalid_argument& error) {
      throw StudyMistake("radix", error.what());
    }
  }
  std::vector<Cell> run(const std::stop_token&) override {
    const unsigned radix = config_.radix, bits = config_.channel_width;
    const double gigahertz = 1000 / static_cast<double>(technology_.period(radix, bits).count());
    const double energy = technology_.switch_picojoules(radix, bits);  // of a flit
    const double idle = technology_.static_watts(radix, bits);
    return {gigahertz, energy / bits, radix * gigahertz * energy / 1000, idle,
            static_cast<double>(technology_.area(radix, bits).count()) / 1e6};
  }

 private:
  SwitchTechnology technology_;
};

const RegisteredStudy swizzle_switch_study{
    {.name = "swizzle_switch",
     .meaning = "What a Swizzle-Switch costs by its radix: clock, energy, power, area",
     .coordinates = {"channel_width", "radix"},
     .columns = {{"frequency_ghz", "frequency", "GHz", "The frequency of the clock that it reaches", 3},
                 {"energy_pj_per_bit", "energy", "pJ/bit", "The energy of a bit from an input to an output",
                  4},
                 {"full_load_w", "full load", "W",
                  "The power of the switch if every output passes a flit in each cycle", 3},
                 {"static_w", "static", "W", "Clocking and leakage of the router", 3},
                 {"area_mm2", "area", "mm2", "The area of the router with its buffers", 4}},
     .x = "radix",
     .y = "frequency_ghz",
     .x_key = "radix",
     .bars = {"frequency_ghz", "energy_pj_per_bit"},
     .make = make_study_point<SwizzleSwitchPoint>}};

}  // namespace
}  // namespace asterism
