#include "platform/study/paper.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>
#include <tuple>

#include "platform/config/config.h"
#include "platform/config/nearest_name.h"
#include "platform/study/expression.h"
#include "platform/study/seeds.h"
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

std::string in_lower_case(std::string text) {
  for (char& letter : text)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return text;
}

// The first entries whose id or title contains a word: "training.reft.overhead, training.reft.node".
std::string entries_with(const std::string& word,
                         const std::vector<std::pair<std::string, std::string>>& all) {
  constexpr std::size_t most = 5;
  std::vector<std::string> found;
  if (word.size() > 1)
    for (const auto& [id, title] : all)
      if (in_lower_case(fmt::format("{} {}", id, title)).find(in_lower_case(word)) != std::string::npos)
        found.push_back(id);
  if (found.empty()) return "";
  const std::size_t more = found.size() - std::min(found.size(), most);
  found.resize(found.size() - more);
  return fmt::format("{}{}", fmt::join(found, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
}

// For "training.lama3" "training.llama3": the words that stand in its place in other ids.
std::string nearest_beginning(const std::string& wanted, const std::set<std::string>& all) {
  const std::size_t last = wanted.rfind('.');
  if (last == std::string::npos) return "";
  const std::string above = wanted.substr(0, last + 1);
  std::vector<std::string> words;
  for (const std::string& id : all)
    if (id.starts_with(above)) words.push_back(id.substr(last + 1, id.find('.', last + 1) - last - 1));
  const std::string nearest = nearest_name(wanted.substr(last + 1), words);
  const bool is_of_chapter = digits_of_chapter(above + nearest) == digits_of_chapter(wanted);
  return nearest.empty() || !is_of_chapter ? "" : above + nearest;
}

// A mistyped id may differ in a word, or in its number within the same chapter, but another chapter is about
// another subject. A word that is no id's beginning may be of an id or a title.
Diagnostic no_such_entry(const std::string& wanted, const std::set<std::string>& all,
                         const std::vector<std::pair<std::string, std::string>>& titles) {
  std::vector<std::string> candidates;
  for (const std::string& id : all)
    if (digits_of_chapter(id) == digits_of_chapter(wanted)) candidates.push_back(id);
  const std::string with_word = entries_with(wanted, titles);
  std::string nearest = with_word.empty() ? nearest_name(wanted, candidates) : "";
  if (with_word.empty() && nearest.empty()) nearest = nearest_beginning(wanted, all);
  const std::string hint = !with_word.empty() ? fmt::format("; with this word there are {}", with_word)
                           : nearest.empty()  ? "; `asterism list papers` prints all"
                                              : "";
  return {.origin = Origin::command_line(),
          .path = "",
          .problem = fmt::format("there is no paper entry \"{}\"{}", wanted, hint),
          .nearest = nearest};
}

// Points of one kind with the same keys are one.
std::string key_of(const Study& study, const SeededPoint& one) {
  return std::string(study.kind->name) + *one.config;
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

// The value of a term, and if random numbers decide on it, its 95% interval and their seeds.
struct TermValue {
  double value = std::nan("");
  std::optional<std::pair<double, double>> interval = {};
  std::set<std::uint64_t> seeds = {};
};

void add_seeds(TermValue& value, const Study::Point& point) {
  const auto config = nlohmann::json::parse(point.config);
  if (config.contains("seed")) value.seeds.insert(config["seed"].get<std::uint64_t>());
  for (const Study::Seed& further : point.further) value.seeds.insert(further.seed);
}

TermValue value_of_term(const PaperStudy& study, const ExpressionTerm& term) {
  if (!term.along.empty()) return {where_reached(study, term)};
  if (study.study.points.size() != 1 || !study.run.rows[0]) return {};
  const auto& [point, row] = std::tie(study.study.points[0], *study.run.rows[0]);
  TermValue value{.value = number_named(study.study, term.column, point, row).value_or(std::nan("")),
                  .interval = interval_named(study.study, study.run, term.column, 0)};
  if (value.interval) add_seeds(value, point);
  return value;
}

// Whether two values are equal, except for the rounding of sums of many values.
bool is_same(double a, double b) {
  return a == b || std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

// Collects the studies and columns that an entry refers to, and where. Invalid expressions are added to the
// problems.
class References {
 public:
  References(const ConfigDocument& document, std::size_t entry, Diagnostics& problems)
      : document_(document), prefix_(fmt::format("entries.{}.", entry)), problems_(problems) {}

  std::vector<PaperReference> of(const PublishedEntry& entry) {
    for (std::size_t i = 0; i < entry.values.size(); ++i)
      add(fmt::format("values.{}.measured", i), {entry.values[i].measured}, entry.values[i].of_class);
    for (std::size_t i = 0; i < entry.claims.size(); ++i)
      add(fmt::format("claims.{}.holds", i), parts_of_claim(entry.claims[i].holds), entry.claims[i].of_class);
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
  void add(const std::string& path, const std::vector<std::string>& expressions, PublishedClass of_class) {
    const std::size_t before = found_.size();
    const auto refuse = [&](const std::string& problem) {
      problems_.add(
          {.origin = document_.origin_of(prefix_ + path), .path = prefix_ + path, .problem = problem});
    };
    try {
      for (const std::string& expression : expressions)
        evaluate(expression, [&](const ExpressionTerm& term) {
          found_.push_back({prefix_ + path, term.study, {term.column}});
          if (!term.along.empty()) found_.back().columns.push_back(term.along);
          return 1.0;
        });
    } catch (const std::invalid_argument& error) {
      return refuse(error.what());
    }
    const bool is_arithmetic = of_class == PublishedClass::arithmetic;
    if (is_arithmetic && found_.size() != before) refuse("a study is no arithmetic: give it another class");
    if (!is_arithmetic && of_class != PublishedClass::known_mismatch && found_.size() == before)
      refuse("names no study: give it the class arithmetic");
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

// Whether the difference is as is known of it; false for none.
template <class Published>
bool is_within_band(const Published& published, double difference) {
  return published.band_low <= difference && difference <= published.band_high;
}

// By how much a part exceeds the next one, at the step at which that is most, as a share of the next one. NaN
// if a part has no value.
double excess(const std::vector<double>& parts) {
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const double step = distance_of(parts[i - 1], parts[i]);
    if (std::isnan(step)) return step;
    most = std::max(most, step);
  }
  return most;
}

}  // namespace

double distance_of(double measured, double published) {
  return published == 0 ? measured : (measured - published) / std::abs(published);
}

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

std::vector<std::pair<std::string, std::string>> Paper::list(const ConfigLibrary& library) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (const std::string& paper : library.list("published"))
    for (const PublishedEntry& entry : load_published(library, paper).entries)
      entries.emplace_back(paper + "." + entry.id, entry.title);
  return entries;
}

Paper::Paper(const ConfigLibrary& library, const std::vector<std::string>& ids,
             std::optional<PublishedClass> only)
    : only_(only) {
  const std::vector<std::pair<std::string, std::string>> titles = Paper::list(library);
  std::set<std::string> all;
  for (const auto& [id, title] : titles) all.insert(id);
  Diagnostics unknown;
  for (const std::string& wanted : ids)
    if (std::ranges::none_of(all, [&](const std::string& id) { return id.starts_with(wanted); }))
      unknown.add(no_such_entry(wanted, all, titles));
  if (!unknown.empty()) throw InputMissing(unknown);
  Diagnostics problems;
  for (const std::string& paper : library.list("published")) {
    ConfigDocument document = load_published_document(library, paper);
    const PublishedPaper published = read_config<PublishedPaper>(document, library);
    count_fits(paper, published, document, problems);
    for (std::size_t e = 0; e < published.entries.size(); ++e) {
      PublishedEntry entry = published.entries[e];
      if (!is_selected(paper + "." + entry.id, ids, all)) continue;
      if (only) {
        const auto is_other = [&](const auto& each) { return each.of_class != *only; };
        std::erase_if(entry.values, is_other);
        std::erase_if(entry.claims, is_other);
        entry.panels.clear();
        if (entry.values.empty() && entry.claims.empty()) continue;
      }
      References references(document, e, problems);
      std::set<std::string> studies;
      for (const PaperReference& reference : references.of(entry)) {
        use(library, paper, published, document, reference, problems);
        studies.insert(reference.study);
      }
      entries_.push_back({paper + "." + entry.id, entry, std::move(studies), {}, {}, {}});
    }
  }
  problems.throw_if_any();
  selected_ = entries_.size();
}

// Each fit with how many values and claims of the paper were used for it, and how many were held out.
void Paper::count_fits(const std::string& paper, const PublishedPaper& published,
                       const ConfigDocument& document, Diagnostics& problems) {
  for (const auto& [name, parameters] : published.fits)
    fits_.emplace(fmt::format("{}/{}", paper, name), PaperFit{parameters});
  for (std::size_t e = 0; e < published.entries.size(); ++e) {
    const auto count = [&](const char* list, const auto& all) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].fit.empty()) continue;
        const std::string path = fmt::format("entries.{}.{}.{}.fit", e, list, i);
        const auto fit = fits_.find(paper + "/" + all[i].fit);
        if (fit == fits_.end())
          problems.add({.origin = document.origin_of(path),
                        .path = path,
                        .problem = fmt::format("there is no fit \"{}\"", all[i].fit)});
        else
          ++(all[i].of_class == PublishedClass::calibrated ? fit->second.fitted : fit->second.held_out);
      }
    };
    count("values", published.entries[e].values);
    count("claims", published.entries[e].claims);
  }
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
  std::vector<StudyPoint*> points;
  // In the order of the entries, so that an interruption leaves most of the first ones complete.
  for (const PaperEntry& entry : entries_)
    for (const std::string& name : entry.studies)
      for (const SeededPoint& one : points_of(study(entry, name).study))
        if (index_.emplace(key_of(study(entry, name).study, one), points.size()).second)
          points.push_back(one.point);
  PointRunSettings of_paper = settings;
  if (settings.give_up)
    of_paper.give_up = [&](const PointRun& all) {
      take(all);
      settings.give_up(all);
    };
  const PointRun all = run_points(points, of_paper);
  take(all);
  return !all.interrupted;
}

// Gives the studies the results of their points, and compares the entries.
void Paper::take(const PointRun& all) {
  points_ = all.interrupted ? all.done() : all.rows.size();
  host_seconds_ = all.host_seconds;
  for (auto& [name, study] : studies_) {
    const std::vector<SeededPoint> ones = points_of(study.study);
    PointRun of_seeds(ones.size());
    for (std::size_t i = 0; i < ones.size(); ++i) {
      const std::size_t at = index_.at(key_of(study.study, ones[i]));
      if (!all.partial[at]) of_seeds.rows[i] = all.rows[at];
      of_seeds.crashes[i] = all.crashes[at];
    }
    study.run = mean_over_seeds(study.study, std::move(of_seeds));
    for (std::size_t i = 0; i < study.study.points.size(); ++i)
      if (!study.run.crashes[i].empty())
        crashes_.push_back(
            fmt::format("{}: {}", name_of_point(study.study, study.study.points[i]), study.run.crashes[i]));
  }
  if (all.interrupted) std::erase_if(entries_, [&](const PaperEntry& entry) { return !is_done(entry); });
  for (PaperEntry& entry : entries_) compare(entry);
}

bool Paper::is_done(const PaperEntry& entry) const {
  return std::ranges::all_of(entry.studies, [&](const std::string& name) {
    const PointRun& run = study(entry, name).run;
    for (std::size_t i = 0; i < run.rows.size(); ++i)
      if (!run.rows[i] && run.crashes[i].empty()) return false;
    return true;
  });
}

const PaperStudy& Paper::study(const PaperEntry& entry, const std::string& name) const {
  return studies_.at(entry.id.substr(0, entry.id.find('.')) + "/" + name);
}

double Paper::value_of(const std::string& paper, const std::string& expression) const {
  return evaluate(expression, [&](const ExpressionTerm& term) {
    return value_of_term(studies_.at(paper + "/" + term.study), term).value;
  });
}

std::optional<PaperInterval> Paper::interval_of(const std::string& paper,
                                                const std::string& expression) const {
  using Term = std::pair<std::string, std::string>;  // study, column
  std::map<Term, TermValue> random;
  const auto value_with = [&](const Term& changed, double value) {
    return evaluate(expression, [&](const ExpressionTerm& term) {
      const TermValue found = value_of_term(studies_.at(paper + "/" + term.study), term);
      const Term one{term.study, term.column};
      if (!found.interval) return found.value;
      random.emplace(one, found);
      return one == changed ? value : found.value;
    });
  };
  const double value = value_with({}, 0);
  if (random.empty() || std::isnan(value)) return std::nullopt;
  double below = 0, above = 0;  // sums of squares
  PaperInterval interval;
  for (const auto& [term, found] : std::map(random)) {
    const double one = value_with(term, found.interval->first) - value,
                 other = value_with(term, found.interval->second) - value;
    const double down = std::min({one, other, 0.0}), up = std::max({one, other, 0.0});
    below += down * down;
    above += up * up;
    interval.seeds.insert(found.seeds.begin(), found.seeds.end());
  }
  interval.low = value - std::sqrt(below);
  interval.high = value + std::sqrt(above);
  return interval;
}

void Paper::compare(PaperEntry& entry) const {
  using enum PaperComparison::Verdict;
  const std::string paper = entry.id.substr(0, entry.id.find('.'));
  for (const PublishedValue& value : entry.published.values) {
    const double measured = value_of(paper, value.measured);
    const double distance = distance_of(measured, value.published);
    const double most = value.tolerance > 0 ? value.tolerance : to_the_last_digit;
    const bool near = std::abs(distance) <= most;  // false for none
    const bool good = near || (value.tolerance == 0 && rounds_to(measured, value.published));
    entry.values.push_back(
        {measured,
         has_band(value.of_class) ? (is_within_band(value, distance) ? as_known : off) : (good ? holds : off),
         std::isnan(measured) ? std::nullopt : interval_of(paper, value.measured)});
  }
  for (const PublishedClaim& claim : entry.published.claims) {
    std::vector<double> parts;
    for (const std::string& part : parts_of_claim(claim.holds)) parts.push_back(value_of(paper, part));
    const double most = excess(parts);
    entry.claims.push_back({most,
                            has_band(claim.of_class) ? (is_within_band(claim, most) ? as_known : off)
                                                     : (is_rising(parts) ? holds : off),
                            {}});
    entry.claimed.push_back(std::move(parts));
  }
}

}  // namespace asterism
