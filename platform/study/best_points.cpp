#include "platform/study/best_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <variant>

#include "base/wrapped_text.h"
#include "platform/study/study_report.h"

namespace asterism {
namespace {

double value_of(const Study& study, const PointRun& run, std::size_t point) {
  return *number_named(study, ranking_column(study, run, point), study.points[point], *run.rows[point]);
}

// "goodput 91.20 %"
std::string spelled(const Column& column, const Cell& cell) {
  const auto* const number = std::get_if<double>(&cell);
  const std::string text = number ? fmt::format("{:.{}f}", *number, column.places) : to_text(cell);
  return fmt::format("{} {}{}{}", column.heading, text, column.unit == "%" || column.unit.empty() ? "" : " ",
                     column.unit);
}

}  // namespace

std::string_view ranking_column(const Study& study, const PointRun& run, std::size_t point) {
  const StudyKind& kind = *study.kind;
  const auto& [keys, row] = std::tie(study.points[point], *run.rows[point]);
  const bool is_doubtful = !doubt_about(study, keys, row).empty();
  return is_doubtful && number_named(study, kind.beside.column, keys, row) ? kind.beside.column : kind.y;
}

std::vector<BestPoints> best_points(const Study& study, const PointRun& run) {
  const StudyKind& kind = *study.kind;
  const auto is_size = [&](const std::string& key) { return key == kind.best_for; };
  std::vector<BestPoints> all;
  if (kind.best_for.empty() || std::ranges::all_of(study.swept, is_size)) return all;
  const auto key = static_cast<std::size_t>(std::ranges::find_if(study.keys, is_size) - study.keys.begin());
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    if (!run.rows[i] || !number_named(study, kind.y, study.points[i], *run.rows[i])) continue;
    const std::string size = fmt::format("{}={}", kind.best_for, to_text(study.points[i].coordinates[key]));
    auto at = std::ranges::find(all, size, &BestPoints::size);
    if (at == all.end()) at = all.insert(at, {size, {}});
    at->ranked.push_back(i);
  }
  for (BestPoints& best : all)
    std::ranges::stable_sort(best.ranked, std::ranges::greater(),
                             [&](std::size_t point) { return value_of(study, run, point); });
  return all;
}

std::vector<BestPoints> best_choices(const Study& study, const PointRun& run) {
  std::vector<BestPoints> all = best_points(study, run);
  std::erase_if(all, [](const BestPoints& best) { return best.ranked.size() < 2; });
  return all;
}

std::string best_text(const Study& study, const PointRun& run) {
  constexpr std::size_t most = 10;
  const StudyKind& kind = *study.kind;
  const std::vector<BestPoints> all = best_choices(study, run);
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), most); ++i) {
    const BestPoints& best = all[i];
    const std::size_t first = best.ranked.front();
    std::string line = fmt::format("best of {} with {}: {}", best.ranked.size(), best.size,
                                   swept_keys_of(study, study.points[first], {kind.best_for}));
    const std::string_view by = ranking_column(study, run, first);
    std::string_view separator = ": ";
    for (std::size_t c = 0; c < kind.columns.size(); ++c) {
      const Column& column = kind.columns[c];
      const Cell& cell = (*run.rows[first])[c];
      const bool is_advice = std::ranges::count(kind.advice, column.name) != 0;
      if ((column.name != by && !is_advice) || std::holds_alternative<std::monostate>(cell)) continue;
      line += fmt::format("{}{}", separator, spelled(column, cell));
      separator = ", ";
    }
    text += wrapped(line, 0);
  }
  if (all.size() > most)
    text += fmt::format("... the best of {} more value{} of {}; --report FILE has all of them\n",
                        all.size() - most, all.size() - most == 1 ? "" : "s", kind.best_for);
  return text;
}

bool is_ranked_only(const Study& study, const PointRun& run) {
  constexpr std::size_t most_points = 12, most_keys = 2;
  return run.done() > most_points && study.swept.size() > most_keys && !best_choices(study, run).empty();
}

}  // namespace asterism
