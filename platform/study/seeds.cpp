#include "platform/study/seeds.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/confidence.h"
#include "platform/study/study_report.h"

namespace asterism {
namespace {

struct Mean {
  Cell cell;
  std::optional<double> half_width;  // of a number
};

// "3 ok, 2 saturated"; "1, 2, 3" if all differ; "1 ... 9", the first and the last one, of many.
std::string all_of(const std::vector<Cell>& cells) {
  constexpr std::size_t most = 3;
  std::vector<std::pair<std::string, int>> counts;
  for (const Cell& cell : cells) {
    const std::string text = to_text(cell);
    auto at = std::ranges::find(counts, text, &std::pair<std::string, int>::first);
    if (at == counts.end()) at = counts.insert(at, {text, 0});
    ++at->second;
  }
  if (counts.size() > most) return counts.front().first + " ... " + counts.back().first;
  std::string all;
  for (const auto& [text, count] : counts)
    all += fmt::format("{}{}{}", all.empty() ? "" : ", ",
                       counts.size() == cells.size() ? "" : fmt::format("{} ", count),
                       text.empty() ? "without" : text);
  return all;
}

Mean mean_of(const std::vector<Cell>& cells, bool is_label) {
  std::vector<double> numbers;
  numbers.reserve(cells.size());
  for (const Cell& cell : cells)
    if (const auto number = number_of(cell); number && !is_label) numbers.push_back(*number);
  const bool is_number = numbers.size() == cells.size();
  if (std::ranges::all_of(cells, [&](const Cell& cell) { return cell == cells.front(); }))
    return {cells.front(), is_number ? std::optional(0.0) : std::nullopt};
  if (!is_number) return {numbers.empty() ? Cell(all_of(cells)) : Cell(), std::nullopt};
  const auto count = static_cast<double>(numbers.size());
  double mean = 0, squares = 0;
  for (const double number : numbers) mean += number / count;
  for (const double number : numbers) squares += (number - mean) * (number - mean);
  return {mean, half_width(0.95, squares, count)};
}

// Whether two rows are different results of a point.
bool differs(const Study& study, const std::vector<Cell>& row, const std::vector<Cell>& other) {
  for (std::size_t c = 0; c < row.size(); ++c)
    if (!study.kind->columns[c].is_label && row[c] != other[c]) return true;
  return false;
}

}  // namespace

std::vector<SeededPoint> points_of(const Study& study) {
  std::vector<SeededPoint> all;
  for (const Study::Point& point : study.points) {
    all.push_back({point.point.get(), &point.config});
    for (const Study::Seed& further : point.further) all.push_back({further.point.get(), &further.config});
  }
  return all;
}

PointRun mean_over_seeds(const Study& study, PointRun&& all) {
  if (study.seeds == 1) return std::move(all);
  PointRun run(study.points.size());
  run.interrupted = all.interrupted;
  run.host_seconds = all.host_seconds;
  run.threads = all.threads;
  run.ranks = all.ranks;
  run.seed_rows.resize(study.points.size());
  run.half_widths.resize(study.points.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    const std::size_t seeds = 1 + study.points[i].further.size();
    run.details[i] = std::move(all.details[at]);
    std::vector<std::vector<Cell>>& rows = run.seed_rows[i];
    for (std::size_t s = at; s < at + seeds; ++s) {
      if (all.rows[s]) rows.push_back(std::move(*all.rows[s]));
      run.partial[i] = static_cast<char>(run.partial[i] | all.partial[s]);
      if (run.crashes[i].empty() && !all.crashes[s].empty())
        run.crashes[i] = seeds == 1 ? all.crashes[s]
                                    : fmt::format("with seed {}: {}",
                                                  s == at ? seed_of(study.points[i])
                                                          : study.points[i].further[s - at - 1].seed,
                                                  all.crashes[s]);
    }
    at += seeds;
    if (rows.size() < seeds) continue;
    std::vector<Cell>& mean = run.rows[i].emplace();
    for (std::size_t c = 0; c < rows.front().size(); ++c) {
      std::vector<Cell> cells;
      cells.reserve(rows.size());
      for (const std::vector<Cell>& row : rows) cells.push_back(row[c]);
      auto [cell, half] = mean_of(cells, study.kind->columns[c].is_label);
      mean.push_back(std::move(cell));
      run.half_widths[i].push_back(half);
    }
  }
  return run;
}

PointRun run_all_seeds(const Study& study, const std::vector<StudyPoint*>& points,
                       const PointRunSettings& settings) {
  PointRunSettings of_seeds = settings;
  if (settings.give_up)  // takes the results of the points that are done
    of_seeds.give_up = [&](const PointRun& run) { settings.give_up(mean_over_seeds(study, PointRun(run))); };
  bool is_told = study.points.size() < 2 || study.points.front().further.empty();
  of_seeds.watch = [&](const PointRun& run) -> std::string {
    const std::size_t seeds = 1 + study.points.front().further.size();
    if (is_told ||
        std::ranges::any_of(run.rows.begin(), run.rows.begin() + static_cast<std::ptrdiff_t>(seeds),
                            [](const auto& row) { return !row; }))
      return "";
    is_told = true;
    for (std::size_t s = 1; s < seeds; ++s)
      if (differs(study, *run.rows[s], *run.rows[0])) return "";
    return fmt::format(
        "asterism: the {} seeds of the first point give the same results; if nothing in the "
        "study is random, leave out seeds={}",
        study.seeds, study.seeds);
  };
  return mean_over_seeds(study, run_points(points, of_seeds));
}

std::string about_seeds(const Study& study, const PointRun& run) {
  const auto has_several = [](const auto& rows) { return rows.size() > 1; };
  if (study.seeds == 1 || std::ranges::none_of(run.seed_rows, has_several)) return "";
  const bool depends = std::ranges::any_of(run.seed_rows, [&](const std::vector<std::vector<Cell>>& rows) {
    return std::ranges::any_of(rows, [&](const auto& row) { return differs(study, row, rows.front()); });
  });
  return depends
             ? fmt::format("each value is the mean of {} seeds, +- half of its 95% interval (Student's t)",
                           study.seeds)
             : fmt::format("no result depends on the seed: all {} are equal", study.seeds);
}

}  // namespace asterism
