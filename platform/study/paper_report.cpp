// What `asterism paper` prints and writes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "base/wrapped_text.h"
#include "platform/study/expression.h"
#include "platform/study/figure.h"
#include "platform/study/paper.h"
#include "platform/study/study_report.h"

namespace asterism {
namespace {

using Verdict = PaperComparison::Verdict;

constexpr std::size_t name_width = 30, number_width = 9;  // lines of 80 columns

std::string number(double value, int digits = 4) {
  if (std::isnan(value)) return "none";
  return std::abs(value) >= 10'000 ? fmt::format("{:.{}f}", value, digits - 4)
                                   : fmt::format("{:.{}g}", value, digits);
}

// The parts with as many digits as are needed to distinguish neighbours that differ by more than the rounding
// of sums.
std::string chain_of(const std::vector<double>& parts) {
  const auto looks_equal = [](double a, double b, int digits) {
    return std::abs(a - b) > 1e-9 * std::max(std::abs(a), std::abs(b)) &&
           number(a, digits) == number(b, digits);
  };
  int digits = 4;
  for (std::size_t i = 1; i < parts.size(); ++i)
    while (digits < 17 && looks_equal(parts[i - 1], parts[i], digits)) ++digits;
  std::string chain;
  for (const double part : parts) chain += (chain.empty() ? "" : " < ") + number(part, digits);
  return chain;
}

std::string percent(double share) {
  return std::isnan(share) ? "-" : fmt::format("{:.1f}%", share * 100 + 0.0);
}

std::string class_text(const PublishedValue& value) {
  return value.tolerance > 0 ? fmt::format("{} {:.3g}%", name_of(value.of_class), value.tolerance * 100)
                             : name_of(value.of_class);
}

std::string verdict_text(Verdict verdict) {
  return verdict == Verdict::off ? "OFF" : verdict == Verdict::holds ? "ok" : "-";
}

// "paper, -85.0% to -80.0%": whose a mismatch is, and what is expected.
template <class Published>
std::string expected_of(const Published& published) {
  std::string text = published.of_class == PublishedClass::known_mismatch
                         ? fmt::format("{}; ", asterism::to_text(published.cause))
                         : "";
  return text + fmt::format("expected {} to {}", percent(published.band_low), percent(published.band_high));
}

// "95% interval 80.59 to 80.81, seed 1"
std::string interval_text(const PaperInterval& interval) {
  return fmt::format("95% interval {:.6g} to {:.6g}{}{}", interval.low, interval.high,
                     interval.seeds.empty()       ? ""
                     : interval.seeds.size() == 1 ? ", seed "
                                                  : ", seeds ",
                     fmt::join(interval.seeds, " "));
}

// The series of a name, to which several studies may belong if `shared`; each curve is a series of its own.
Panel::Series& series_named(Panel& panel, const std::string& name, bool shared) {
  const auto found = std::ranges::find(panel.series, name, &Panel::Series::name);
  if (shared && found != panel.series.end()) return *found;
  return panel.series.emplace_back(Panel::Series{name, {}});
}

// The place of a bar on the axis: its own, or that of its group.
double place_of_bar(Panel& panel, const PublishedSeries& series) {
  const std::string& name = series.group.empty() ? series.label : series.group;
  auto at = std::ranges::find(panel.categories, name);
  if (series.group.empty() || at == panel.categories.end())
    at = panel.categories.insert(panel.categories.end(), name);
  return static_cast<double>(at - panel.categories.begin());
}

// The term that is the whole expression; nothing for any other one.
std::optional<ExpressionTerm> only_term(const std::string& expression) {
  std::vector<ExpressionTerm> terms;
  evaluate(expression, [&](const ExpressionTerm& term) {
    terms.push_back(term);
    return 1.0;
  });
  const bool is_whole = terms.size() == 1 && expression.starts_with(terms[0].column + "(") &&
                        expression.find(')') == expression.size() - 1;
  return is_whole ? std::optional(terms[0]) : std::nullopt;
}

// Whether the only point of a study is one of a curve: their keys are equal but for those that sweep along
// it.
bool is_of_curve(const Study& one, const Study& curve) {
  if (one.kind != curve.kind || one.points.size() != 1 || curve.points.empty()) return false;
  const auto others = [&](const Study::Point& point) {
    nlohmann::json keys = nlohmann::json::parse(point.config).flatten();
    for (std::string path : curve.swept) {
      std::ranges::replace(path, '.', '/');
      keys.erase("/" + path);
    }
    return keys;
  };
  return others(one.points[0]) == others(curve.points[0]);
}

// What values and claims have in common.
template <class Published>
void add_class(nlohmann::ordered_json& json, const Published& published, const PaperComparison& compared) {
  json["class"] = asterism::to_text(published.of_class);
  if (!published.fit.empty()) json["fit"] = published.fit;
  if (published.of_class == PublishedClass::known_mismatch)
    json["cause"] = asterism::to_text(published.cause);
  if (has_band(published.of_class)) json["band"] = {published.band_low, published.band_high};
  json["verdict"] = compared.verdict == Verdict::holds ? "holds"
                    : compared.verdict == Verdict::off ? "off"
                                                       : "as_known";
  json["stated_in"] = published.source;
  if (!published.note.empty()) json["note"] = published.note;
}

nlohmann::ordered_json number_or_null(double value) {
  return std::isnan(value) ? nlohmann::ordered_json() : nlohmann::ordered_json(value);
}

std::string csv_number(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

template <class Published>
std::vector<std::string> csv_of_class(const Published& published, const PaperEntry& entry,
                                      const std::string& tolerance, const std::string& tolerance_from,
                                      const PaperComparison& compared) {
  const auto& interval = compared.interval;
  const bool is_mismatch = published.of_class == PublishedClass::known_mismatch;
  return {std::string(asterism::to_text(published.of_class)),
          tolerance,
          published.fit,
          is_mismatch ? std::string(asterism::to_text(published.cause)) : "",
          has_band(published.of_class) ? csv_number(published.band_low) : "",
          has_band(published.of_class) ? csv_number(published.band_high) : "",
          verdict_text(compared.verdict),
          published.source,
          interval ? csv_number(interval->low) : "",
          interval ? csv_number(interval->high) : "",
          interval ? fmt::format("{}", fmt::join(interval->seeds, " ")) : "",
          tolerance_from,
          published.note,
          entry.published.note};
}

// Published values beside measured ones, a panel for each unit that several values have.
std::vector<Panel> panels_of_values(const PaperEntry& entry) {
  std::vector<Panel> panels;
  for (std::size_t i = 0; i < entry.values.size(); ++i) {
    const PublishedValue& value = entry.published.values[i];
    const double measured = entry.values[i].measured;
    if (!std::isfinite(measured)) continue;
    const std::string label = value.unit.empty() ? "value" : fmt::format("value ({})", value.unit);
    auto panel = std::ranges::find(panels, label, &Panel::y_label);
    if (panel == panels.end())
      panel = panels.insert(panel, Panel{.title = "",
                                         .x_label = "",
                                         .y_label = label,
                                         .kind = Panel::Kind::bars,
                                         .series = {{"published", {}}, {"measured", {}}}});
    Panel::Point bar{static_cast<double>(panel->categories.size()), measured};
    if (const auto& interval = entry.values[i].interval)
      std::tie(bar.low, bar.high) = std::pair(interval->low, interval->high);
    panel->categories.push_back(value.what);
    panel->series[0].points.push_back({bar.x, value.published});
    panel->series[1].points.push_back(std::move(bar));
  }
  std::erase_if(panels, [](const Panel& panel) { return panel.categories.size() < 2; });
  for (Panel& panel : panels) {
    double least = std::numeric_limits<double>::max(), greatest = 0;
    for (const Panel::Series& series : panel.series)
      for (const Panel::Point& point : series.points)
        least = std::min(least, point.y), greatest = std::max(greatest, point.y);
    panel.is_logarithmic = least > 0 && greatest > 100 * least;
  }
  return panels;
}

// What a tolerance follows from; nothing for a value that is compared to its digits or by a band.
std::string tolerance_source(const PublishedValue& value) {
  return value.tolerance > 0 ? std::string(asterism::to_text(value.tolerance_from)) : "";
}

// Held and all, of each class.
struct Counts {
  std::map<PublishedClass, std::pair<unsigned, unsigned>> of;

  template <class Published>
  void add(const std::vector<Published>& published, const std::vector<PaperComparison>& compared) {
    for (std::size_t i = 0; i < published.size(); ++i) {
      auto& [good, all] = of[published[i].of_class];
      ++all;
      good += compared[i].verdict != Verdict::off ? 1 : 0;
    }
  }
  std::string text(PublishedClass of_class) const {
    const auto found = of.find(of_class);
    return found == of.end() ? "" : fmt::format("{}/{}", found->second.first, found->second.second);
  }
};

}  // namespace

std::string name_of(PublishedClass of_class) {
  std::string name{asterism::to_text(of_class)};
  std::ranges::replace(name, '_', ' ');
  return name;
}

std::string expected_text(const PublishedValue& value) { return expected_of(value); }
std::string expected_text(const PublishedClaim& claim) { return expected_of(claim); }

std::vector<std::string> Paper::fits_of(const PaperEntry& entry) const {
  std::set<std::string> names;
  for (const PublishedValue& value : entry.published.values)
    if (!value.fit.empty()) names.insert(value.fit);
  for (const PublishedClaim& claim : entry.published.claims)
    if (!claim.fit.empty()) names.insert(claim.fit);
  std::vector<std::string> texts;
  for (const std::string& name : names) {
    const PaperFit& fit = fits_.at(entry.id.substr(0, entry.id.find('.')) + "/" + name);
    texts.push_back(fmt::format("fitted: {} (to {} value{}, {} held out)", fit.parameters, fit.fitted,
                                fit.fitted == 1 ? "" : "s",
                                fit.held_out == 0 ? "none" : std::to_string(fit.held_out)));
  }
  return texts;
}

std::string Paper::to_text(const PaperEntry& entry) const {
  std::string text = wrapped(entry.id + "  " + entry.published.title, 0);
  if (!entry.published.note.empty()) text += wrapped(entry.published.note, 2);
  if (!entry.values.empty())
    text += fmt::format("  {:<30}{:>9} {:>9}{:>9} {}\n", "", "published", "measured", "distance", "class");
  for (std::size_t i = 0; i < entry.values.size(); ++i) {
    const PublishedValue& value = entry.published.values[i];
    const std::string what = value.unit.empty() ? value.what : fmt::format("{} ({})", value.what, value.unit);
    const double measured = entry.values[i].measured;
    // A long name may use the space before its number, which is short.
    const std::size_t width =
        name_width + number_width - 1 - std::min(what.size(), name_width + number_width - 1);
    text += fmt::format("  {} {:>{}} {:>9}{:>9} {:<15} {}\n", what, number(value.published), width,
                        number(measured), percent(distance_of(measured, value.published)), class_text(value),
                        verdict_text(entry.values[i].verdict));
    if (entry.values[i].interval) text += wrapped(interval_text(*entry.values[i].interval), 6);
    if (has_band(value.of_class)) text += wrapped(expected_text(value), 6);
    if (!value.note.empty()) text += wrapped(value.note, 6);
  }
  for (std::size_t i = 0; i < entry.claims.size(); ++i) {
    const PublishedClaim& claim = entry.published.claims[i];
    const Verdict verdict = entry.claims[i].verdict;
    text += wrapped(fmt::format("{}{}: {}",
                                verdict == Verdict::holds ? "holds, "
                                : verdict == Verdict::off ? "DOES NOT HOLD, "
                                                          : "",
                                name_of(claim.of_class), claim.what),
                    2);
    text += wrapped(chain_of(entry.claimed[i]), 6);
    if (has_band(claim.of_class))
      text += wrapped(
          fmt::format("{}; an excess of {}", expected_text(claim), percent(entry.claims[i].measured)), 6);
    if (!claim.note.empty()) text += wrapped(claim.note, 6);
  }
  for (const std::string& fit : fits_of(entry)) text += wrapped(fit, 2);
  return text;
}

std::string Paper::to_csv(const PaperEntry& entry) const {
  std::string text =
      "id,what,unit,published,measured,distance,class,tolerance,fit,cause,band_low,band_high,verdict,"
      "source,interval_low,interval_high,seeds,tolerance_from,note,entry_note\n";
  const auto add = [&](std::vector<std::string> fields, const std::vector<std::string>& of_class) {
    fields.insert(fields.end(), of_class.begin(), of_class.end());
    for (const std::string& field : fields) text += csv_field(field) + ",";
    text.back() = '\n';
  };
  for (std::size_t i = 0; i < entry.values.size(); ++i) {
    const PublishedValue& value = entry.published.values[i];
    const double measured = entry.values[i].measured;
    add({entry.id, value.what, value.unit, csv_number(value.published), csv_number(measured),
         csv_number(distance_of(measured, value.published))},
        csv_of_class(value, entry, csv_number(value.tolerance), tolerance_source(value), entry.values[i]));
  }
  for (std::size_t i = 0; i < entry.claims.size(); ++i) {
    const PublishedClaim& claim = entry.published.claims[i];
    std::string chain;
    for (const double part : entry.claimed[i]) chain += (chain.empty() ? "" : " < ") + csv_number(part);
    add({entry.id, claim.what, "", "", chain,
         has_band(claim.of_class) ? csv_number(entry.claims[i].measured) : ""},
        csv_of_class(claim, entry, "", "", entry.claims[i]));
  }
  return text;
}

nlohmann::ordered_json Paper::to_json(const PaperEntry& entry) const {
  nlohmann::ordered_json json{{"id", entry.id}, {"title", entry.published.title}};
  if (!entry.published.note.empty()) json["note"] = entry.published.note;
  json["values"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < entry.values.size(); ++i) {
    const PublishedValue& value = entry.published.values[i];
    const double measured = entry.values[i].measured;
    nlohmann::ordered_json one{{"what", value.what},
                               {"unit", value.unit},
                               {"published", value.published},
                               {"measured", number_or_null(measured)},
                               {"distance", number_or_null(distance_of(measured, value.published))},
                               {"tolerance", value.tolerance},
                               {"tolerance_from", asterism::to_text(value.tolerance_from)}};
    if (const auto& interval = entry.values[i].interval) {
      one["interval"] = {interval->low, interval->high};
      one["seeds"] = interval->seeds;
    }
    add_class(one, value, entry.values[i]);
    json["values"].push_back(one);
  }
  json["claims"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < entry.claims.size(); ++i) {
    const PublishedClaim& claim = entry.published.claims[i];
    nlohmann::ordered_json one{{"what", claim.what}, {"parts", nlohmann::ordered_json::array()}};
    for (const double part : entry.claimed[i]) one["parts"].push_back(number_or_null(part));
    one["excess"] = number_or_null(entry.claims[i].measured);
    add_class(one, claim, entry.claims[i]);
    json["claims"].push_back(one);
  }
  return json;
}

nlohmann::ordered_json Paper::to_json() const {
  nlohmann::ordered_json json{{"fits", nlohmann::ordered_json::object()},
                              {"entries", nlohmann::ordered_json::array()}};
  for (const auto& [name, fit] : fits_)
    json["fits"][name] = {{"parameters", fit.parameters}, {"fitted", fit.fitted}, {"held_out", fit.held_out}};
  for (const PaperEntry& entry : entries_) json["entries"].push_back(to_json(entry));
  return json;
}

// The x of a published value that is a y of a series; nothing for other values.
std::optional<double> Paper::place_of_value(const PaperEntry& entry, const PublishedValue& value,
                                            const PublishedPanel& panel,
                                            const PublishedSeries& series) const {
  const auto term = only_term(value.measured);
  if (!term || term->column != panel.y) return std::nullopt;
  if (!term->along.empty())
    return term->study == series.study && term->along == panel.x ? std::optional(term->reaches)
                                                                 : std::nullopt;
  const PaperStudy& of = study(entry, term->study);
  if (!is_of_curve(of.study, study(entry, series.study).study) || !of.run.rows[0]) return std::nullopt;
  return panel.x.empty() ? 0 : number_named(of.study, panel.x, of.study.points[0], *of.run.rows[0]);
}

std::vector<Panel> Paper::panels_of(const PaperEntry& entry) const {
  if (entry.published.panels.empty()) return panels_of_values(entry);
  std::vector<Panel> panels;
  for (const PublishedPanel& published : entry.published.panels) {
    Panel panel{.title = published.title, .x_label = published.x_label, .y_label = published.y_label};
    panel.kind = published.x.empty() ? Panel::Kind::bars : Panel::Kind::curves;
    for (const PublishedSeries& series : published.series) {
      const PaperStudy& found = study(entry, series.study);
      const bool bar = published.x.empty();
      double place = 0;
      Panel::Series& drawn = series_named(panel, !bar || !series.group.empty() ? series.label : "", bar);
      for (std::size_t i = 0; i < found.study.points.size(); ++i) {
        if (!found.run.rows[i]) continue;
        const auto& [point, row] = std::tie(found.study.points[i], *found.run.rows[i]);
        const auto x = number_named(found.study, published.x, point, row),
                   y = number_named(found.study, published.y, point, row);
        if (bar) place = place_of_bar(panel, series);
        if (!y || !(x || bar)) continue;
        Panel::Point& at = drawn.points.emplace_back(
            Panel::Point{x.value_or(place), *y, doubt_about(found.study, point, row)});
        if (const auto interval = interval_named(found.study, found.run, published.y, i))
          std::tie(at.low, at.high) = *interval;
      }
      for (const PublishedValue& value : entry.published.values)
        if (const auto x = place_of_value(entry, value, published, series))
          drawn.published.push_back({bar ? place : *x, value.published});
    }
    panels.push_back(std::move(panel));
  }
  return panels;
}

std::string Paper::to_svg(const PaperEntry& entry) const {
  const std::vector<Panel> panels = panels_of(entry);
  return panels.empty() ? "" : asterism::to_svg(entry.id, panels, entry.published.title);
}

std::string Paper::summary() const {
  if (entries_.empty() && only_)
    return fmt::format("nothing of these entries is of the class {}\n", name_of(*only_));
  constexpr auto classes = enum_names(PublishedClass{});
  std::vector<std::string> papers;
  std::map<std::string, std::array<Counts, 2>> counts;  // of values, and of claims
  for (const PaperEntry& entry : entries_) {
    const std::string paper = entry.id.substr(0, entry.id.find('.'));
    if (!counts.contains(paper)) papers.push_back(paper);
    counts[paper][0].add(entry.published.values, entry.values);
    counts[paper][1].add(entry.published.claims, entry.claims);
  }
  std::string text = fmt::format("{:<17}", "hold, of");
  for (const std::string& paper : papers) text += fmt::format(" {:>13}", paper);
  text += "\n";
  const std::array<const char*, 2> kinds{"values", "orderings"};
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    std::string lines;
    for (const auto& each : classes) {
      std::string line;
      for (const std::string& paper : papers)
        line += fmt::format(" {:>13}", counts[paper][kind].text(each.value));
      if (line.find('/') != std::string::npos)
        lines += fmt::format("  {:<15}{}\n", name_of(each.value), line);
    }
    if (!lines.empty()) text += std::string(kinds[kind]) + "\n" + lines;
  }
  return text;
}

bool Paper::is_written_by_json(const nlohmann::json& json) {
  const auto has_text = [](const nlohmann::json& object, const char* key) {
    return object.is_object() && object.contains(key) && object[key].is_string();
  };
  const auto has_list = [](const nlohmann::json& object, const char* key, const auto& is_right) {
    return object.is_object() && object.contains(key) && object[key].is_array() &&
           std::ranges::all_of(object[key], is_right);
  };
  const auto is_compared = [&](const nlohmann::json& one) {
    return has_text(one, "what") && has_text(one, "class");
  };
  return has_list(json, "entries", [&](const nlohmann::json& entry) {
    return has_text(entry, "id") && has_list(entry, "values", is_compared) &&
           has_list(entry, "claims", is_compared);
  });
}

std::vector<std::string> Paper::changes_since(const nlohmann::json& before) const {
  using Key = std::tuple<std::string, std::string, std::string>;  // entry, values or claims, what
  const auto collect = [](const auto& papers) {
    std::map<Key, nlohmann::json> all;
    for (const auto& entry : papers.at("entries"))
      for (const char* kind : {"values", "claims"})
        for (const auto& each : entry.at(kind))
          all[{entry.at("id").template get<std::string>(), kind,
               each.at("what").template get<std::string>()}] = nlohmann::json(each);
    return all;
  };
  const std::map<Key, nlohmann::json> old = collect(before), now = collect(to_json());
  std::vector<std::string> changes;
  const auto name_of_key = [](const Key& key) {
    return fmt::format("{}, {}", std::get<0>(key), std::get<2>(key));
  };
  const auto shown = [](const nlohmann::json& value) {
    return value.is_number()   ? number(value.get<double>())
           : value.is_string() ? value.get<std::string>()
                               : value.dump();
  };
  for (const auto& [key, value] : now) {
    const auto was = old.find(key);
    if (was == old.end()) {
      changes.push_back(name_of_key(key) + ": new");
      continue;
    }
    for (const char* what : {"published", "measured", "parts", "class", "cause", "tolerance", "verdict"}) {
      const nlohmann::json one = was->second.value(what, nlohmann::json()),
                           other = value.value(what, nlohmann::json());
      if (one != other)
        changes.push_back(fmt::format("{}: {} {} -> {}", name_of_key(key), what, shown(one), shown(other)));
    }
  }
  std::set<std::string> entries;
  for (const PaperEntry& entry : entries_) entries.insert(entry.id);
  const auto is_selected = [&](const nlohmann::json& value) {
    return !only_ || value.at("class") == asterism::to_text(*only_);
  };
  for (const auto& [key, value] : old)
    if (!now.contains(key) && entries.contains(std::get<0>(key)) && is_selected(value))
      changes.push_back(name_of_key(key) + ": gone");
  return changes;
}

}  // namespace asterism
