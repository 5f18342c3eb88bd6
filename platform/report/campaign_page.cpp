#include "platform/report/campaign_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "ecc/fault_coverage.h"
#include "platform/host/human_time.h"
#include "platform/report/page.h"
#include "platform/report/study_page.h"

namespace asterism {
namespace {

using Json = nlohmann::ordered_json;
using Trial = CampaignOnPage::Trial;

struct TimeUnit {
  const char* name;
  double size;  // picoseconds
  double of(Picoseconds time) const { return static_cast<double>(time.count()) / size; }
};

// The largest unit of which the largest time has at least one.
TimeUnit unit_for(double picoseconds) {
  for (const TimeUnit& unit : {TimeUnit{"s", 1e12}, {"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}})
    if (picoseconds >= unit.size) return unit;
  return {"ps", 1};
}

std::string percent_of(std::uint64_t part, std::uint64_t all) {
  return fmt::format("{:.3g}%", 100.0 * static_cast<double>(part) / static_cast<double>(all));
}

// "0.4% to 9.1%"
std::string interval_of_share(std::uint64_t part, std::uint64_t all) {
  const Interval interval = confidence_interval(part, all);
  return fmt::format("{:.3g}% to {:.3g}%", 100 * interval.low, 100 * interval.high);
}

// A cell that sorts as a time and is shown as one.
Json time_cell(Picoseconds time) { return {{"value", time.count()}, {"text", human_time(time)}}; }

class Page {
 public:
  explicit Page(const CampaignOnPage& campaign)
      : campaign_(campaign), counts_(campaign.outcomes.size()), trials_(campaign.trials) {
    std::ranges::stable_sort(trials_, {}, &Trial::at);
    for (const Trial& trial : trials_) ++counts_[trial.outcome];
    if (!trials_.empty()) unit_ = unit_for(static_cast<double>(trials_.back().at.count()));
  }

  std::string text() const {
    const Json part{{"title", "Faults and their outcomes"},
                    {"text", what_happened()},
                    {"panels", json_of_panels({by_kind(), over_time(), costs()})},
                    {"tables", {outcomes(), all_faults()}}};
    const std::string title = campaign_.name + ", faults";
    return page_with(title, {{"title", title}, {"parts", {part}}});
  }

 private:
  std::string what_happened() const {
    const std::uint64_t injected = this->injected(), late = trials_.size() - injected;
    std::uint64_t bad = 0;
    for (const Trial& trial : trials_) bad += campaign_.outcomes[trial.outcome].is_bad ? 1 : 0;
    std::string text = fmt::format(
        "{} of {} faults were injected into {}, each into a run of its own from a snapshot at {}. Without a "
        "fault it ends at {}.",
        injected, campaign_.faults, campaign_.name, human_time(campaign_.from),
        human_time(campaign_.good_end));
    if (injected > 0)
      text += fmt::format(" {} ({}, 95% interval {}) were silent, hung or crashed.", bad,
                          percent_of(bad, injected), interval_of_share(bad, injected));
    if (late > 0)
      text += fmt::format(" {} would have occurred after the end and {} not counted in shares.", late,
                          late == 1 ? "is" : "are");
    return text;
  }
  std::uint64_t injected() const {
    return static_cast<std::uint64_t>(std::ranges::count_if(
        trials_, [&](const Trial& trial) { return !campaign_.outcomes[trial.outcome].is_late; }));
  }

  // A series for each outcome that occurred, in their order.
  std::vector<Panel::Series> series_of_outcomes() const {
    std::vector<Panel::Series> series;
    for (std::size_t o = 0; o < counts_.size(); ++o)
      if (counts_[o] > 0) series.push_back({campaign_.outcomes[o].name, {}});
    return series;
  }
  Panel::Series& series_of(Panel& panel, const Trial& trial) const {
    return *std::ranges::find(panel.series, campaign_.outcomes[trial.outcome].name, &Panel::Series::name);
  }

  Panel by_kind() const {
    Panel panel{.title = "By kind of the fault",
                .x_label = "kind",
                .y_label = "faults",
                .kind = Panel::Kind::bars,
                .series = series_of_outcomes()};
    for (const Trial& trial : trials_) {
      auto kind = std::ranges::find(panel.categories, trial.kind);
      if (kind == panel.categories.end()) kind = panel.categories.insert(kind, trial.kind);
      const auto place = static_cast<double>(kind - panel.categories.begin());
      auto& bars = series_of(panel, trial).points;
      auto bar = std::ranges::find(bars, place, &Panel::Point::x);
      if (bar == bars.end()) bar = bars.insert(bar, {place, 0});
      ++bar->y;
    }
    return panel;
  }

  // How many faults had an outcome up to a time: a curve is steep where they are many.
  Panel over_time() const {
    Panel panel{.title = "By time of the fault",
                .x_label = fmt::format("time of the fault ({})", unit_.name),
                .y_label = "faults up to this time",
                .series = series_of_outcomes()};
    for (const Trial& trial : trials_) {
      auto& points = series_of(panel, trial).points;
      points.push_back({unit_.of(trial.at), static_cast<double>(points.size() + 1)});
    }
    return panel;
  }

  Panel costs() const {
    double greatest = 0;
    for (const Trial& trial : trials_)
      if (trial.has_same_end) greatest = std::max(greatest, std::abs(delay_of(trial)));
    const TimeUnit unit = unit_for(greatest);
    Panel panel{.title = "How much longer runs with the same end took",
                .x_label = fmt::format("time of the fault ({})", unit_.name),
                .y_label = fmt::format("longer ({})", unit.name),
                .series = series_of_outcomes()};
    for (const Trial& trial : trials_)
      if (trial.has_same_end)
        series_of(panel, trial).points.push_back({unit_.of(trial.at), delay_of(trial) / unit.size});
    std::erase_if(panel.series, [](const Panel::Series& series) { return series.points.empty(); });
    return panel;
  }
  double delay_of(const Trial& trial) const {
    return static_cast<double>(trial.end.count()) - static_cast<double>(campaign_.good_end.count());
  }

  Json outcomes() const {
    const std::uint64_t all = injected();
    Json rows = Json::array();
    for (std::size_t o = 0; o < counts_.size(); ++o) {
      const auto& [name, meaning, is_bad, is_late] = campaign_.outcomes[o];
      Json row{is_bad && counts_[o] > 0 ? Json{{"value", name}, {"mark", "off"}} : Json(name), counts_[o]};
      const bool has_share = !is_late && all > 0;
      row.push_back(has_share ? Json(100.0 * static_cast<double>(counts_[o]) / static_cast<double>(all))
                              : Json(""));
      row.push_back(has_share ? interval_of_share(counts_[o], all) : "");
      row.push_back(meaning);
      rows.push_back(std::move(row));
    }
    return {{"title", "Outcomes"},
            {"heads", {"outcome", "faults", "share (%)", "95% interval (Wilson)", "meaning"}},
            {"rows", std::move(rows)}};
  }

  Json all_faults() const {
    Json rows = Json::array();
    for (const Trial& trial : campaign_.trials) {
      const CampaignOnPage::Outcome& outcome = campaign_.outcomes[trial.outcome];
      const bool has_ended = !trial.ended.empty();
      Json line{{"value", trial.line}};
      if (!trial.folder.empty()) line["link"] = trial.folder + "/";
      rows.push_back({line, time_cell(trial.at), trial.kind,
                      outcome.is_bad ? Json{{"value", outcome.name}, {"mark", "off"}} : Json(outcome.name),
                      trial.ended, has_ended ? time_cell(trial.end) : Json(""),
                      has_ended ? Json{{"value", delay_of(trial)}, {"text", delay_text(trial)}} : Json(""),
                      has_ended ? Json(trial.firmware_status) : Json(""), trial.host_seconds,
                      Json{{"value", trial.again}, {"mark", "code"}}});
    }
    return {{"title", "Faults"},
            {"find", "Find a kind, an outcome or a fault"},
            {"heads",
             {"line", "time", "kind", "outcome", "ended", "end", "longer", "firmware status", "host (s)",
              "to repeat it"}},
            {"rows", std::move(rows)}};
  }
  std::string delay_text(const Trial& trial) const {
    const bool is_longer = trial.end >= campaign_.good_end;
    return (is_longer ? "+" : "-") +
           human_time(is_longer ? trial.end - campaign_.good_end : campaign_.good_end - trial.end);
  }

  const CampaignOnPage& campaign_;
  std::vector<std::uint64_t> counts_;  // by outcome
  std::vector<Trial> trials_;          // by time
  TimeUnit unit_{"ps", 1};
};

}  // namespace

std::string campaign_page(const CampaignOnPage& campaign) { return Page(campaign).text(); }

}  // namespace asterism
