// A page for a browser of a fault campaign: how many faults had which outcome, by their kind and time, how
// much longer the runs took, and a table of all faults, which sorts, with the command that repeats each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"

namespace asterism {

struct CampaignOnPage {
  struct Outcome {
    std::string name, meaning;
    bool is_bad = false;
    bool is_late = false;  // the run had ended before the fault: it has no part in the shares
  };
  struct Trial {
    int line = 0;  // in the list of faults
    std::string kind;
    Picoseconds at;  // the fault
    std::size_t outcome = 0;
    std::string ended;  // as in stats.json
    Picoseconds end;
    bool has_same_end = false;  // as the run without a fault
    std::uint64_t firmware_status = 0;
    double host_seconds = 0;
    std::string again;   // the command that repeats the run
    std::string folder;  // beside the page, if it was kept: "runs/line3"
  };
  std::string name;
  Picoseconds from, good_end;  // of the snapshot; of the run without a fault
  std::vector<Outcome> outcomes;
  std::size_t faults = 0;
  std::vector<Trial> trials;  // fewer than faults if the campaign was interrupted
};

std::string campaign_page(const CampaignOnPage& campaign);

}  // namespace asterism
