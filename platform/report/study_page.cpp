#include "platform/report/study_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "platform/report/changed_keys.h"
#include "platform/report/page.h"
#include "platform/study/best_points.h"
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

const char* word_of(Panel::Drawn drawn) {
  switch (drawn) {
    case Panel::Drawn::line_and_markers:
      break;
    case Panel::Drawn::line:
      return "line";
    case Panel::Drawn::markers:
      return "markers";
  }
  return "both";
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
                      {"drawn", word_of(each.drawn)},
                      {"points", std::move(points)},
                      {"published", json_of_marks(each.published)},
                      {"exact", json_of_marks(each.exact)}});
  }
  return {{"title", panel.title},
          {"x_label", panel.x_label},
          {"y_label", panel.y_label},
          {"kind", panel.kind == Panel::Kind::bars ? "bars" : "curves"},
          {"categories", panel.categories},
          {"logarithmic", panel.is_logarithmic},
          {"logarithmic_x", has_logarithmic_x(panel)},
          {"interval", panel.interval},
          {"series", std::move(series)}};
}

// A text stays in one line, and the row with it.
Json cell_of(const Cell& cell) {
  if (const auto* const number = std::get_if<double>(&cell)) return *number;
  if (const auto* const integer = std::get_if<std::uint64_t>(&cell)) return *integer;
  return {{"value", to_text(cell)}, {"mark", "line"}};
}

Json cell_of_key(const Cell& key) { return cell_of(number_of(key) ? key : Cell(text_of_key(key))); }

Json head_of(const Study& study, const PointRun& run, const Column& column) {
  return {{"text", label_of(study, run, column.name)}, {"meaning", column.meaning}};
}

// The best points of each size, with the swept keys and what the ranking follows from.
Json rankings_of(const Study& study, const PointRun& run) {
  constexpr std::size_t most = 10;
  const StudyKind& kind = *study.kind;
  std::vector<std::size_t> keys, columns;
  for (std::size_t k = 0; k < study.keys.size(); ++k)
    if (study.keys[k] != kind.best_for && std::ranges::count(study.swept, study.keys[k]) != 0)
      keys.push_back(k);
  for (std::size_t c = 0; c < kind.columns.size(); ++c) {
    const std::string_view name = kind.columns[c].name;
    if (name == kind.y || name == kind.beside.column || name == kind.state ||
        std::ranges::count(kind.advice, name) != 0)
      columns.push_back(c);
  }
  Json heads = Json::array({"rank"}), all = Json::array();
  for (const std::size_t k : keys) heads.push_back(study.keys[k]);
  for (const std::size_t c : columns) heads.push_back(head_of(study, run, kind.columns[c]));
  for (const BestPoints& best : best_choices(study, run)) {
    const std::size_t count = std::min(most, best.ranked.size());
    Json rows = Json::array();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t point = best.ranked[i];
      Json& row = rows.emplace_back(Json::array({i + 1}));
      for (const std::size_t k : keys) row.push_back(cell_of_key(study.points[point].coordinates[k]));
      for (const std::size_t c : columns)
        row.push_back(cell_of(in_unit((*run.rows[point])[c], shown_unit(study, run, c))));
    }
    const std::string title =
        count == best.ranked.size()
            ? fmt::format("All {} points with {}, the best first", count, best.size)
            : fmt::format("The best {} of {} points with {}", count, best.ranked.size(), best.size);
    all.push_back({{"title", title}, {"heads", heads}, {"rows", std::move(rows)}});
  }
  return all;
}

// Every point that is done, with all keys and the columns that have a value.
Json table_of(const Study& study, const PointRun& run) {
  std::vector<Json> rows(study.points.size());
  Json heads = Json::array(), done = Json::array();
  // `cell` is that of a point.
  const auto add = [&](const Json& head, const auto& cell) {
    heads.push_back(head);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (run.rows[i]) rows[i].push_back(cell(i));
  };
  for (std::size_t k = 0; k < study.keys.size(); ++k)
    add(study.keys[k], [&](std::size_t i) { return cell_of_key(study.points[i].coordinates[k]); });
  const auto any = [&](const auto& holds) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (run.rows[i] && holds(i)) return true;
    return false;
  };
  for (std::size_t c = 0; c < study.kind->columns.size(); ++c) {
    if (!any([&](std::size_t i) { return !to_text((*run.rows[i])[c]).empty(); })) continue;
    const ShownUnit unit = shown_unit(study, run, c);
    add(head_of(study, run, study.kind->columns[c]),
        [&](std::size_t i) { return cell_of(in_unit((*run.rows[i])[c], unit)); });
    if (!any([&](std::size_t i) { return half_width_of(run, i, c).value_or(0) > 0; })) continue;
    add(unit.name.empty() ? "\u00b1 95%" : fmt::format("\u00b1 95% ({})", unit.name), [&](std::size_t i) {
      const auto half = half_width_of(run, i, c);
      return half ? Json(*half / unit.size) : Json("");
    });
  }
  for (Json& row : rows)
    if (!row.is_null()) done.push_back(std::move(row));
  return {{"title", ""}, {"heads", std::move(heads)}, {"rows", std::move(done)}};
}

Json keys_of(const Study& study) {
  Json config = Json::parse(study.expanded), rows = Json::array();
  config.erase("kind");
  for (const Json& key : changed_keys(config, study.kind->make()->config()))
    rows.push_back({key["path"], key["value"], key["otherwise"]});
  return {{"title", ""}, {"heads", {"key", "value", "default"}}, {"rows", std::move(rows)}};
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

std::string_view meaning_of(ToleranceSource source) {
  for (const auto& each : enum_names(source))
    if (each.value == source) return each.meaning;
  return to_text(source);
}

// What an agreement depends on, beside the class: the tolerance and what it follows from, or the band.
std::string asserted(const PublishedValue& value) {
  if (has_band(value.of_class)) return expected_text(value);
  if (value.tolerance == 0) return "to the last digit";
  return fmt::format("within {:.3g}%: {}", value.tolerance * 100, meaning_of(value.tolerance_from));
}

std::string asserted(const PublishedClaim& claim) {
  return has_band(claim.of_class) ? expected_text(claim) : "holds";
}

// The last column has the notes, if there is one.
void add_notes(Json& heads, Json& rows, const auto& published) {
  if (std::ranges::all_of(published, [](const auto& each) { return each.note.empty(); })) return;
  heads.push_back("note");
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(published[i].note);
}

Json values_of(const PaperEntry& entry) {
  const bool has_intervals = std::ranges::any_of(
      entry.values, [](const PaperComparison& found) { return found.interval.has_value(); });
  Json heads{"value", "unit", "published", "measured"}, rows = Json::array();
  if (has_intervals) heads.push_back("95% interval");
  for (const char* head : {"difference", "class", "asserted", "verdict", "stated in"}) heads.push_back(head);
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
    row.push_back(name_of(value.of_class));
    row.push_back(asserted(value));
    row.push_back(verdict_cell(found.verdict));
    row.push_back(value.source);
    rows.push_back(std::move(row));
  }
  add_notes(heads, rows, entry.published.values);
  return {{"title", "Values"}, {"heads", std::move(heads)}, {"rows", std::move(rows)}};
}

Json claims_of(const PaperEntry& entry) {
  Json heads{"what", "measured", "class", "asserted", "verdict", "stated in"}, rows = Json::array();
  for (std::size_t i = 0; i < entry.claims.size(); ++i) {
    std::string parts;
    for (const double part : entry.claimed[i])
      parts += fmt::format("{}{:.4g}", parts.empty() ? "" : " < ", part);
    const PublishedClaim& claim = entry.published.claims[i];
    rows.push_back({claim.what, parts, name_of(claim.of_class), asserted(claim),
                    verdict_cell(entry.claims[i].verdict), claim.source});
  }
  add_notes(heads, rows, entry.published.claims);
  return {{"title", "Orderings"}, {"heads", std::move(heads)}, {"rows", std::move(rows)}};
}

}  // namespace

Json json_of_panels(const std::vector<Panel>& panels) {
  Json all = Json::array();
  for (const Panel& panel : panels) all.push_back(json_of_panel(panel));
  return all;
}

std::string study_page(const Study& study, const PointRun& run) {
  const std::string_view kind = study.kind->name;
  const std::string text = fmt::format(
      "{}{} of {} points. {}{}{}", kind == study.name ? "" : fmt::format("Kind {}. ", kind), run.done(),
      study.points.size(), fixed_keys(study), study.seeds > 1 ? "; " : "", about_seeds(study, run));
  const Json none = Json::array();
  const bool has_figure = !is_ranked_only(study, run);
  const Json figure{{"title", has_figure ? "Figure" : "Best points"},
                    {"text", text},
                    {"panels", has_figure ? json_of_panels(panels_of(study, run)) : none},
                    {"tables", rankings_of(study, run)}};
  const auto section = [&](const char* title, const Json& table) {
    return Json{{"title", title}, {"panels", none}, {"tables", Json::array({table})}};
  };
  Json parts{figure, section("Points", table_of(study, run))};
  if (const Json keys = keys_of(study); !keys["rows"].empty())
    parts.push_back(section("Keys that differ from their defaults", keys));
  return page_with(study.name, {{"title", study.name}, {"parts", std::move(parts)}});
}

std::string paper_page(const Paper& paper) {
  Json parts = Json::array();
  for (const PaperEntry& entry : paper.entries()) {
    Json tables = Json::array();
    if (!entry.values.empty()) tables.push_back(values_of(entry));
    if (!entry.claims.empty()) tables.push_back(claims_of(entry));
    std::string text = entry.published.title + ".";
    if (!entry.published.note.empty()) text += " " + entry.published.note;
    for (const std::string& fit : paper.fits_of(entry)) text += fmt::format(" {}{}.", "F", fit.substr(1));
    parts.push_back({{"title", entry.id},
                     {"text", text},
                     {"panels", json_of_panels(paper.panels_of(entry))},
                     {"tables", std::move(tables)}});
  }
  return page_with("Published and measured",
                   {{"title", "Published and measured"}, {"parts", std::move(parts)}});
}

}  // namespace asterism
