#include "platform/report/study_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "platform/report/page.h"
#include "platform/study/seeds.h"
#include "platform/study/study_report.h"

namespace asterism {
namespace {

using Json = nlohmann::ordered_json;

Json json_of_marks(const std::vector<Panel::Point>& marks) {
  Json all = Json::array();
  for (const Panel::Point& mark : marks) all.push_back({{"x", mark.x}, {"y", mark.y}});
  return all;
}

Json json_of_panel(const Panel& panel) {
  Json series = Json::array();
  for (const Panel::Series& each : panel.series) {
    Json points = Json::array();
    for (const Panel::Point& point : each.points)
      if (std::isfinite(point.x) && std::isfinite(point.y))
        points.push_back({{"x", point.x},
                          {"y", point.y},
                          {"doubt", point.doubt},
                          {"low", point.low},
                          {"high", point.high}});
    series.push_back({{"name", each.name},
                      {"points", std::move(points)},
                      {"published", json_of_marks(each.published)},
                      {"exact", json_of_marks(each.exact)}});
  }
  return {{"title", panel.title},           {"x_label", panel.x_label},
          {"y_label", panel.y_label},       {"kind", panel.kind == Panel::Kind::bars ? "bars" : "curves"},
          {"categories", panel.categories}, {"logarithmic", panel.is_logarithmic},
          {"interval", panel.interval},     {"series", std::move(series)}};
}

Json cell_of(const Cell& cell) {
  if (const auto* const number = std::get_if<double>(&cell)) return *number;
  if (const auto* const integer = std::get_if<std::uint64_t>(&cell)) return *integer;
  return to_text(cell);
}

// Every point that is done, with all keys and columns.
Json table_of(const Study& study, const PointRun& run) {
  Json heads = Json::array(), rows = Json::array();
  const auto with_unit = [](const std::string& name, std::string_view unit) {
    return unit.empty() ? name : fmt::format("{} ({})", name, unit);
  };
  for (const std::string& key : study.keys) heads.push_back(key);
  for (std::size_t c = 0; c < study.kind->columns.size(); ++c) {
    const Column& column = study.kind->columns[c];
    heads.push_back(with_unit(std::string(column.name), column.unit));
    if (has_half_widths(run, c)) heads.push_back(with_unit("\u00b1 95%", column.unit));
  }
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    if (!run.rows[i]) continue;
    Json row = Json::array();
    for (const Cell& cell : study.points[i].coordinates) row.push_back(cell_of(cell));
    for (std::size_t c = 0; c < run.rows[i]->size(); ++c) {
      row.push_back(cell_of((*run.rows[i])[c]));
      if (!has_half_widths(run, c)) continue;
      const auto half = half_width_of(run, i, c);
      row.push_back(half ? Json(*half) : Json(""));
    }
    rows.push_back(std::move(row));
  }
  return {{"title", ""}, {"heads", std::move(heads)}, {"rows", std::move(rows)}};
}

Json number_cell(double value) { return std::isnan(value) ? Json("none") : Json(value); }

Json verdict_cell(PaperComparison::Verdict verdict) {
  switch (verdict) {
    case PaperComparison::Verdict::holds:
      return "holds";
    case PaperComparison::Verdict::off:
      return {{"value", "off"}, {"mark", "off"}};
    case PaperComparison::Verdict::as_known:
      return "differs as known";
  }
  return "";
}

Json values_of(const PaperEntry& entry) {
  const bool has_intervals = std::ranges::any_of(
      entry.values, [](const PaperComparison& found) { return found.interval.has_value(); });
  Json heads{"value", "unit", "published", "measured"}, rows = Json::array();
  if (has_intervals) heads.push_back("95% interval");
  for (const char* head : {"difference", "class", "verdict"}) heads.push_back(head);
  for (std::size_t i = 0; i < entry.values.size(); ++i) {
    const PublishedValue& value = entry.published.values[i];
    const PaperComparison& found = entry.values[i];
    const double distance = distance_of(found.measured, value.published);
    Json row{value.what, value.unit, value.published, number_cell(found.measured)};
    if (has_intervals)
      row.push_back(
          found.interval ? fmt::format("{:.4g} to {:.4g}", found.interval->low, found.interval->high) : "");
    row.push_back(std::isnan(distance)
                      ? Json("")
                      : Json{{"value", distance}, {"text", fmt::format("{:+.1f}%", distance * 100)}});
    row.push_back(std::string(to_text(value.of_class)));
    row.push_back(verdict_cell(found.verdict));
    rows.push_back(std::move(row));
  }
  return {{"title", "Values"}, {"heads", std::move(heads)}, {"rows", std::move(rows)}};
}

Json claims_of(const PaperEntry& entry) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < entry.claims.size(); ++i) {
    std::string parts;
    for (const double part : entry.claimed[i])
      parts += fmt::format("{}{:.4g}", parts.empty() ? "" : " < ", part);
    rows.push_back({entry.published.claims[i].what, parts,
                    std::string(to_text(entry.published.claims[i].of_class)),
                    verdict_cell(entry.claims[i].verdict)});
  }
  return {
      {"title", "Orderings"}, {"heads", {"what", "measured", "class", "verdict"}}, {"rows", std::move(rows)}};
}

}  // namespace

Json json_of_panels(const std::vector<Panel>& panels) {
  Json all = Json::array();
  for (const Panel& panel : panels) all.push_back(json_of_panel(panel));
  return all;
}

std::string study_page(const Study& study, const PointRun& run) {
  const std::string text =
      fmt::format("{} of {} points. {}{}{}", run.done(), study.points.size(), fixed_keys(study),
                  study.seeds > 1 ? "; " : "", about_seeds(study, run));
  const Json part{{"title", std::string(study.kind->name)},
                  {"text", text},
                  {"panels", json_of_panels(panels_of(study, run))},
                  {"tables", {table_of(study, run)}}};
  return page_with(study.name, {{"title", study.name}, {"parts", {part}}});
}

std::string paper_page(const Paper& paper) {
  Json parts = Json::array();
  for (const PaperEntry& entry : paper.entries()) {
    Json tables = Json::array();
    if (!entry.values.empty()) tables.push_back(values_of(entry));
    if (!entry.claims.empty()) tables.push_back(claims_of(entry));
    parts.push_back({{"title", entry.id},
                     {"text", entry.published.title},
                     {"panels", json_of_panels(paper.panels_of(entry))},
                     {"tables", std::move(tables)}});
  }
  return page_with("Published and measured",
                   {{"title", "Published and measured"}, {"parts", std::move(parts)}});
}

}  // namespace asterism
