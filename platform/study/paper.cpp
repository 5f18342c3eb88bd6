#include "platform/study/paper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <tuple>

#include "base/wrapped_text.h"
#include "platform/config/config.h"
#include "platform/config/nearest_name.h"
#include "platform/study/expression.h"
#include "platform/study/figure.h"
#include "platform/study/study_report.h"

namespace asterism {
namespace {

constexpr double to_the_last_digit = 0.005;  // the last of three published digits

// Whether the published number, which has digits after the point, is the measured one after rounding: 0.6 for
// 0.628.
bool rounds_to(double measured, double published) {
  const std::string digits = fmt::format("{}", published);
  const std::size_t point = digits.find('.');
  if (point == std::string::npos || digits.find('e') != std::string::npos) return false;
  const double half = 0.5 * std::pow(10.0, -static_cast<double>(digits.size() - point - 1));
  return std::abs(measured - published) <= half * (1 + 1e-9);
}

bool is_selected(const std::string& id, const std::vector<std::string>& ids,
                 const std::set<std::string>& all) {
  return ids.empty() || std::ranges::any_of(ids, [&](const std::string& wanted) {
           return id == wanted || (!all.contains(wanted) && id.starts_with(wanted));
         });
}

Study load_study(const std::string& command, const ConfigLibrary& library) {
  std::istringstream words(command);
  std::string name;
  words >> name;
  ConfigDocument document = ConfigDocument::load(library.locate("studies", name));
  for (std::string override; words >> override;) document.apply_override(override);
  return read_study(std::move(document), name, library);
}

// The digits of paper and chapter: "20175" for "abeyratne2017.fig5.14". The digits before the last point
// count if the number has two parts.
std::string digits_of_chapter(const std::string& id) {
  const std::size_t paper = id.find('.'), last = id.rfind('.');
  std::string digits;
  for (std::size_t i = 0; i < last && paper != last && last != std::string::npos; ++i)
    if (id[i] >= '0' && id[i] <= '9') digits += id[i];
  return digits;
}

// A mistyped id may differ in a word, or in its number within the same chapter, but another chapter is about
// another subject.
Diagnostic no_such_entry(const std::string& wanted, const std::set<std::string>& all) {
  std::vector<std::string> candidates;
  for (const std::string& id : all)
    if (digits_of_chapter(id) == digits_of_chapter(wanted)) candidates.push_back(id);
  const std::string nearest = nearest_name(wanted, candidates);
  return {.origin = Origin::command_line(),
          .path = "",
          .problem = fmt::format("there is no paper entry \"{}\"{}", wanted,
                                 nearest.empty() ? "; `asterism list papers` prints all" : ""),
          .nearest = nearest};
}

// The value of a study's column, along its points, where another column reaches a value.
double where_reached(const PaperStudy& study, const ExpressionTerm& term) {
  std::optional<std::pair<double, double>> before;
  for (std::size_t i = 0; i < study.study.points.size(); ++i) {
    if (!study.run.rows[i]) continue;  // it has crashed
    const auto along = number_named(study.study, term.along, study.study.points[i], *study.run.rows[i]);
    const auto value = number_named(study.study, term.column, study.study.points[i], *study.run.rows[i]);
    if (!along || !value) continue;
    if (*along == term.reaches) return *value;
    if (before && (before->first < term.reaches) != (*along < term.reaches)) {
      const double share = (term.reaches - before->first) / (*along - before->first);
      return before->second + share * (*value - before->second);
    }
    before = {*along, *value};
  }
  return std::nan("");
}

std::string number(double value, int digits = 4) {
  if (std::isnan(value)) return "none";
  return std::abs(value) >= 10'000 ? fmt::format("{:.{}f}", value, digits - 4)
                                   : fmt::format("{:.{}g}", value, digits);
}

// Whether two values are equal, except for the rounding of sums of many values.
bool is_same(double a, double b) {
  return a == b || std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

// The parts with as many digits as are needed to distinguish neighbours that differ.
std::string chain_of(const std::vector<double>& parts) {
  const auto looks_equal = [](double a, double b, int digits) {
    return !is_same(a, b) && number(a, digits) == number(b, digits);
  };
  int digits = 4;
  for (std::size_t i = 1; i < parts.size(); ++i)
    while (digits < 17 && looks_equal(parts[i - 1], parts[i], digits)) ++digits;
  std::string chain;
  for (const double part : parts) chain += (chain.empty() ? "" : " < ") + number(part, digits);
  return chain;
}

constexpr std::size_t name_width = 30, number_width = 9;  // lines of 80 columns

std::string percent(double share) {
  return std::isnan(share) ? "-" : fmt::format("{:.1f}%", share * 100 + 0.0);
}

std::string class_text(PublishedClass of_class, double tolerance) {
  if (of_class == PublishedClass::known_mismatch) return "known mismatch";
  if (of_class == PublishedClass::exact) return "exact";
  return fmt::format("{} {:.3g}%", to_text(of_class), tolerance * 100);
}

std::string verdict_text(PaperComparison::Verdict verdict) {
  return verdict == PaperComparison::Verdict::off     ? "OFF"
         : verdict == PaperComparison::Verdict::holds ? "ok"
                                                      : "-";
}

// Collects the studies and columns that an entry refers to, and where. Invalid expressions are added to the
// problems.
class References {
 public:
  References(const ConfigDocument& document, std::size_t entry, Diagnostics& problems)
      : document_(document), prefix_(fmt::format("entries.{}.", entry)), problems_(problems) {}

  std::vector<PaperReference> of(const PublishedEntry& entry) {
    for (std::size_t i = 0; i < entry.values.size(); ++i)
      add(fmt::format("values.{}.measured", i), entry.values[i].measured);
    for (std::size_t i = 0; i < entry.claims.size(); ++i)
      for (const std::string& part : parts_of_claim(entry.claims[i].holds))
        add(fmt::format("claims.{}.holds", i), part);
    for (std::size_t i = 0; i < entry.panels.size(); ++i) {
      const PublishedPanel& panel = entry.panels[i];
      for (std::size_t s = 0; s < panel.series.size(); ++s) {
        found_.push_back(
            {prefix_ + fmt::format("panels.{}.series.{}.study", i, s), panel.series[s].study, {panel.y}});
        if (!panel.x.empty()) found_.back().columns.push_back(panel.x);
      }
    }
    return std::move(found_);
  }

 private:
  void add(const std::string& path, const std::string& expression) {
    try {
      evaluate(expression, [&](const ExpressionTerm& term) {
        found_.push_back({prefix_ + path, term.study, {term.column}});
        if (!term.along.empty()) found_.back().columns.push_back(term.along);
        return 1.0;
      });
    } catch (const std::invalid_argument& error) {
      problems_.add(
          {.origin = document_.origin_of(prefix_ + path), .path = prefix_ + path, .problem = error.what()});
    }
  }

  const ConfigDocument& document_;
  std::string prefix_;
  Diagnostics& problems_;
  std::vector<PaperReference> found_;
};

bool is_rising(const std::vector<double>& parts) {
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (!(parts[i - 1] < parts[i]) || is_same(parts[i - 1], parts[i])) return false;
  return true;
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

double distance_of(double measured, double published) {
  return published == 0 ? measured : (measured - published) / std::abs(published);
}

// Whether the value differs as is known of it; false for none.
bool is_within_band(const PublishedValue& value, double measured) {
  if (!value.band) return true;
  const double distance = distance_of(measured, value.published);
  return value.band->low <= distance && distance <= value.band->high;
}

}  // namespace

bool PaperEntry::off() const {
  const auto is_off = [](const PaperComparison& comparison) {
    return comparison.verdict == PaperComparison::Verdict::off;
  };
  return std::ranges::any_of(values, is_off) || std::ranges::any_of(claims, is_off);
}

std::vector<std::string> Paper::ids(const ConfigLibrary& library) {
  std::vector<std::string> ids;
  for (const std::string& paper : library.list("published"))
    for (const PublishedEntry& entry : load_published(library, paper).entries)
      ids.push_back(paper + "." + entry.id);
  return ids;
}

std::vector<std::string> Paper::list(const ConfigLibrary& library) {
  std::vector<std::string> lines;
  for (const std::string& paper : library.list("published"))
    for (const PublishedEntry& entry : load_published(library, paper).entries)
      lines.push_back(wrapped(paper + "." + entry.id, entry.title, 25));
  return lines;
}

Paper::Paper(const ConfigLibrary& library, const std::vector<std::string>& ids) {
  const std::vector<std::string> known = Paper::ids(library);
  const std::set<std::string> all(known.begin(), known.end());
  Diagnostics unknown;
  for (const std::string& wanted : ids)
    if (std::ranges::none_of(all, [&](const std::string& id) { return id.starts_with(wanted); }))
      unknown.add(no_such_entry(wanted, all));
  if (!unknown.empty()) throw InputMissing(unknown);
  Diagnostics problems;
  for (const std::string& paper : library.list("published")) {
    ConfigDocument document = load_published_document(library, paper);
    const PublishedPaper published = read_config<PublishedPaper>(document, library);
    for (std::size_t e = 0; e < published.entries.size(); ++e) {
      const PublishedEntry& entry = published.entries[e];
      if (!is_selected(paper + "." + entry.id, ids, all)) continue;
      References references(document, e, problems);
      for (const PaperReference& reference : references.of(entry))
        use(library, paper, published, document, reference, problems);
      entries_.push_back({paper + "." + entry.id, entry, {}, {}, {}});
    }
  }
  problems.throw_if_any();
}

// Loads the study of a reference, once, and checks that it has the columns.
void Paper::use(const ConfigLibrary& library, const std::string& paper, const PublishedPaper& published,
                const ConfigDocument& document, const PaperReference& reference, Diagnostics& problems) {
  const auto refuse = [&](const std::string& path, const std::string& problem) {
    problems.add({.origin = document.origin_of(path), .path = path, .problem = problem});
  };
  const auto command = published.studies.find(reference.study);
  if (command == published.studies.end())
    return refuse(reference.path, fmt::format("there is no study \"{}\"", reference.study));
  const std::string name = paper + "/" + reference.study;
  if (!studies_.contains(name)) {
    try {
      studies_.emplace(name, PaperStudy{command->second, load_study(command->second, library)});
    } catch (const ConfigError& error) {
      return refuse("studies." + reference.study, error.what());
    }
  }
  const Study& study = studies_.at(name).study;
  for (const std::string& column : reference.columns)
    if (std::ranges::count(study.kind->columns, column, &Column::name) +
            std::ranges::count(study.keys, column) ==
        0)
      refuse(reference.path, fmt::format("study \"{}\" has no column \"{}\"", reference.study, column));
}

bool Paper::run(const PointRunSettings& settings) {
  std::map<std::string, std::size_t> index;  // of a point's kind and config
  std::vector<StudyPoint*> points;
  const auto key = [](const Study& study, std::size_t i) {
    return std::string(study.kind->name) + study.points[i].config;
  };
  for (auto& [name, study] : studies_)
    for (std::size_t i = 0; i < study.study.points.size(); ++i)
      if (index.emplace(key(study.study, i), points.size()).second)
        points.push_back(study.study.points[i].point.get());
  const PointRun all = run_points(points, settings);
  points_ = points.size();
  host_seconds_ = all.host_seconds;
  if (all.interrupted) return false;
  for (auto& [name, study] : studies_)
    for (std::size_t i = 0; i < study.study.points.size(); ++i) {
      const std::size_t at = index.at(key(study.study, i));
      study.run.rows.push_back(all.rows[at]);
      if (!all.crashes[at].empty())
        crashes_.push_back(
            fmt::format("{}: {}", name_of_point(study.study, study.study.points[i]), all.crashes[at]));
    }
  for (PaperEntry& entry : entries_) compare(entry);
  return true;
}

const PaperStudy& Paper::study(const PaperEntry& entry, const std::string& name) const {
  return studies_.at(entry.id.substr(0, entry.id.find('.')) + "/" + name);
}

double Paper::value_of(const std::string& paper, const std::string& expression) const {
  return evaluate(expression, [&](const ExpressionTerm& term) {
    const PaperStudy& found = studies_.at(paper + "/" + term.study);
    if (!term.along.empty()) return where_reached(found, term);
    if (found.study.points.size() != 1 || !found.run.rows[0]) return std::nan("");
    return number_named(found.study, term.column, found.study.points[0], *found.run.rows[0])
        .value_or(std::nan(""));
  });
}

void Paper::compare(PaperEntry& entry) const {
  using enum PaperComparison::Verdict;
  const std::string paper = entry.id.substr(0, entry.id.find('.'));
  const auto verdict = [](PublishedClass of_class, bool good, bool is_as_known) {
    if (of_class != PublishedClass::known_mismatch) return good ? holds : off;
    return is_as_known ? known_mismatch : off;
  };
  for (const PublishedValue& value : entry.published.values) {
    const double measured = value_of(paper, value.measured);
    const bool exact = value.of_class == PublishedClass::exact;
    const double most = exact ? to_the_last_digit : value.tolerance;
    const bool near = std::abs(distance_of(measured, value.published)) <= most;  // false for none
    const bool good = near || (exact && rounds_to(measured, value.published));
    entry.values.push_back({measured, verdict(value.of_class, good, is_within_band(value, measured))});
  }
  for (const PublishedClaim& claim : entry.published.claims) {
    std::vector<double> parts;
    for (const std::string& part : parts_of_claim(claim.holds)) parts.push_back(value_of(paper, part));
    entry.claims.push_back({0, verdict(claim.of_class, is_rising(parts), true)});
    entry.claimed.push_back(std::move(parts));
  }
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
                        number(measured), percent(distance_of(measured, value.published)),
                        class_text(value.of_class, value.tolerance), verdict_text(entry.values[i].verdict));
    if (value.band)
      text += fmt::format("      band: {} to {}\n", percent(value.band->low), percent(value.band->high));
    if (!value.note.empty()) text += wrapped(value.note, 6);
  }
  for (std::size_t i = 0; i < entry.claims.size(); ++i) {
    const PublishedClaim& claim = entry.published.claims[i];
    const auto verdict = entry.claims[i].verdict;
    text += wrapped(fmt::format("{}: {}",
                                verdict == PaperComparison::Verdict::holds ? "holds"
                                : verdict == PaperComparison::Verdict::off ? "DOES NOT HOLD"
                                                                           : "known mismatch",
                                claim.what),
                    2);
    std::string chain = chain_of(entry.claimed[i]);
    if (verdict == PaperComparison::Verdict::known_mismatch)
      chain += is_rising(entry.claimed[i]) ? " holds here" : " does not hold here";
    text += wrapped(chain, 6);
    if (!claim.note.empty()) text += wrapped(claim.note, 6);
  }
  return text;
}

std::string Paper::to_csv(const PaperEntry& entry) const {
  std::string text =
      "id,what,unit,published,measured,distance,class,tolerance,band_low,band_high,verdict,source\n";
  const auto add = [&](const std::vector<std::string>& fields) {
    for (const std::string& field : fields) text += csv_field(field) + ",";
    text.back() = '\n';
  };
  const auto shortest = [](double value) { return std::isnan(value) ? "" : fmt::format("{}", value); };
  for (std::size_t i = 0; i < entry.values.size(); ++i) {
    const PublishedValue& value = entry.published.values[i];
    const double measured = entry.values[i].measured;
    add({entry.id, value.what, value.unit, shortest(value.published), shortest(measured),
         shortest(distance_of(measured, value.published)), std::string(asterism::to_text(value.of_class)),
         shortest(value.tolerance), value.band ? shortest(value.band->low) : "",
         value.band ? shortest(value.band->high) : "", verdict_text(entry.values[i].verdict), value.source});
  }
  for (std::size_t i = 0; i < entry.claims.size(); ++i) {
    const PublishedClaim& claim = entry.published.claims[i];
    std::string chain;
    for (const double part : entry.claimed[i]) chain += (chain.empty() ? "" : " < ") + shortest(part);
    add({entry.id, claim.what, "", "", chain, "", std::string(asterism::to_text(claim.of_class)), "", "", "",
         verdict_text(entry.claims[i].verdict), claim.source});
  }
  return text;
}

std::string Paper::to_svg(const PaperEntry& entry) const {
  std::vector<Panel> panels;
  for (const PublishedPanel& published : entry.published.panels) {
    Panel panel{.title = published.title, .x_label = published.x_label, .y_label = published.y_label};
    panel.kind = published.x.empty() ? Panel::Kind::bars : Panel::Kind::curves;
    for (const PublishedSeries& series : published.series) {
      const PaperStudy& found = study(entry, series.study);
      const bool bar = published.x.empty();
      Panel::Series& drawn = series_named(panel, !bar || !series.group.empty() ? series.label : "", bar);
      for (std::size_t i = 0; i < found.study.points.size(); ++i) {
        if (!found.run.rows[i]) continue;
        const auto& [point, row] = std::tie(found.study.points[i], *found.run.rows[i]);
        const auto x = number_named(found.study, published.x, point, row),
                   y = number_named(found.study, published.y, point, row);
        const double place = bar ? place_of_bar(panel, series) : 0;
        if (y && (x || bar))
          drawn.points.push_back({x.value_or(place), *y, doubt_about(found.study, point, row)});
      }
    }
    panels.push_back(std::move(panel));
  }
  return panels.empty() ? "" : asterism::to_svg(entry.id, panels, entry.published.title);
}

}  // namespace asterism
