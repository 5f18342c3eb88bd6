#include "platform/report/run_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <sstream>

#include "platform/host/human_time.h"

namespace asterism {
namespace {

using Json = nlohmann::ordered_json;

std::string shown(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

// A number that the first run does not have, or that is 0 there, changes by more than any per cent.
double size_of(const RunComparison::Difference& difference) {
  return difference.change ? std::abs(*difference.change) : std::numeric_limits<double>::infinity();
}

// What differs, in the order of the first tree; what only the second one has comes behind.
std::vector<RunComparison::Difference> differences(const Json& first, const Json& second,
                                                   std::size_t* equal = nullptr) {
  std::vector<RunComparison::Difference> all;
  std::map<std::string, Json> others;
  const std::vector<FlatValue> of_second = flattened(second);
  for (const FlatValue& each : of_second) others.emplace(each.path, each.value);
  for (const FlatValue& each : flattened(first)) {
    const auto other = others.find(each.path);
    if (other == others.end()) {
      all.push_back({each.path, each.value, std::nullopt});
      continue;
    }
    if (other->second == each.value) {
      if (equal) ++*equal;
    } else {
      RunComparison::Difference difference{each.path, each.value, other->second};
      if (each.value.is_number() && other->second.is_number() && each.value.get<double>() != 0)
        difference.change = other->second.get<double>() / each.value.get<double>() - 1;
      all.push_back(std::move(difference));
    }
    others.erase(other);
  }
  for (const FlatValue& each : of_second)
    if (others.contains(each.path)) all.push_back({each.path, std::nullopt, each.value});
  return all;
}

void compare_events(const RunFolder& first, const RunFolder& second, RunComparison& to) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> counts;
  for (const RecordedEvent& event : first.events) ++counts[event.kind].first;
  for (const RecordedEvent& event : second.events) ++counts[event.kind].second;
  for (const auto& [kind, count] : counts)
    if (count.first != count.second) to.events.push_back({kind, count.first, count.second});
  if (first.events == second.events) return;
  const auto differs = std::ranges::mismatch(first.events, second.events);
  to.equal_events = static_cast<std::size_t>(differs.in1 - first.events.begin());
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// What the guest has written: serial lines, the console, and files by semihosting.
std::set<std::string> output_of(const RunFolder& run) {
  std::set<std::string> names;
  for (const std::string& name : run.files_below(""))
    if (name.starts_with("files/") || (name.ends_with(".log") && name.find('/') == std::string::npos))
      names.insert(name);
  return names;
}

void compare_output(const RunFolder& first, const RunFolder& second, RunComparison& to) {
  std::set<std::string> names = output_of(first);
  names.merge(output_of(second));
  for (const std::string& name : names)
    if (first.text_of(name) != second.text_of(name)) to.files.push_back(name);
  if (std::ranges::count(to.files, "console.log") == 0) return;
  const auto lines = lines_of(first.text_of("console.log")), others = lines_of(second.text_of("console.log"));
  to.console_line = static_cast<std::size_t>(std::ranges::mismatch(lines, others).in1 - lines.begin()) + 1;
}

// The numbers of units, from the first to the last.
class NumbersOfUnits {
 public:
  explicit NumbersOfUnits(const PageMap::Area& area, const std::string& name) {
    const auto counts = std::ranges::find(area.counts, name, &PageMap::Counts::name);
    if (counts != area.counts.end()) runs_ = counts->runs;
  }
  struct Stretch {
    std::uint64_t value, end;  // the unit at which the next number begins
  };
  // From a unit on that is not below the last one asked for.
  Stretch from(std::uint64_t unit) {
    while (!runs_.empty() && runs_.front().first + runs_.front().length <= unit) runs_ = runs_.subspan(1);
    if (runs_.empty()) return {0, ~std::uint64_t{0}};
    const auto& [first, length, value] = runs_.front();
    return unit < first ? Stretch{0, first} : Stretch{value, first + length};
  }

 private:
  std::span<const PageMap::Counts::Run> runs_;
};

std::string unit_in(const PageMap::Area& area, std::uint64_t unit) {
  if (area.kind == PageMap::Kind::pages) return fmt::format("{:#x}", (area.first + area.unit * unit).value());
  if (area.group == 0) return fmt::format("block {}", unit);
  return fmt::format("block {} of plane {}", unit % area.group, unit / area.group);
}

void compare_numbers(const PageMap::Area& first, const PageMap::Area& second, const std::string& name,
                     RunComparison& to) {
  RunComparison::PageDifference difference{.area = first.name, .number = name};
  NumbersOfUnits one(first, name), other(second, name);
  const std::uint64_t units = std::max(first.units, second.units);
  for (std::uint64_t unit = 0; unit < units;) {
    const auto a = one.from(unit), b = other.from(unit);
    const std::uint64_t end = std::min({a.end, b.end, units});
    if (a.value != b.value) {
      if (difference.units == 0)
        difference.first_unit = unit_in(first, unit), difference.first = a.value, difference.second = b.value;
      difference.units += end - unit;
    }
    unit = end;
  }
  if (difference.units != 0) to.pages.push_back(std::move(difference));
}

void compare_pages(const RunFolder& first, const RunFolder& second, RunComparison& to) {
  const auto map = first.page_map(), other = second.page_map();
  to.have_pages = map && other;
  if (!to.have_pages) return;
  for (const PageMap::Area& area : map->areas) {
    const auto same = std::ranges::find(other->areas, area.name, &PageMap::Area::name);
    if (same == other->areas.end()) continue;  // its key and its statistics differ
    std::set<std::string> names;
    for (const auto* each : {&area, &*same})
      for (const PageMap::Counts& counts : each->counts) names.insert(counts.name);
    for (const std::string& name : names) compare_numbers(area, *same, name, to);
  }
}

// On two lines if it is longer than a terminal is wide.
std::string line_of(const std::string& name, const std::string& values) {
  const std::string line = fmt::format("  {:<40} {}\n", name, values);
  return line.size() <= 81 ? line : fmt::format("  {}\n      {}\n", name, values);
}

// With two digits at least of a small change, which otherwise would look like none.
std::string percent_text(double change) {
  const double size = std::abs(change);
  if (size < 0.0001) return fmt::format("  {:+.2g}%", change * 100);
  return fmt::format("  {:+.{}f}%", change * 100, size < 0.1 ? 2 : 0);
}

std::string line_of(const RunComparison::Difference& difference) {
  const auto value = [](const std::optional<Json>& of_run) { return of_run ? shown(*of_run) : "-"; };
  return line_of(difference.path, fmt::format("{} -> {}{}", value(difference.first), value(difference.second),
                                              difference.change ? percent_text(*difference.change) : ""));
}

std::string event_at(const RunFolder& run, std::size_t index) {
  if (index >= run.events.size()) return "none";
  const RecordedEvent& event = run.events[index];
  std::string text = fmt::format("{} {} {}", human_time(event.at), event.source, event.kind);
  for (const auto& [name, value] : event.details.items()) text += fmt::format(" {}={}", name, shown(value));
  return text;
}

std::string text_of_events(const RunComparison& comparison, const RunFolder& first, const RunFolder& second) {
  const std::size_t equal = *comparison.equal_events;
  std::string text =
      fmt::format("events     {} and {}; {}\n", first.events.size(), second.events.size(),
                  equal == 0 ? "the first ones differ:" : fmt::format("after {} that are the same:", equal));
  text += fmt::format("  first      {}\n  second     {}\n", event_at(first, equal), event_at(second, equal));
  for (const auto& [kind, one, other] : comparison.events)
    text += fmt::format("  {:<40} {} -> {}\n", kind, one, other);
  return text;
}

std::string text_of_pages(const RunComparison& comparison) {
  std::string text = "pages      differ:\n";
  for (const auto& each : comparison.pages)
    text += line_of(each.area + " " + each.number, fmt::format("{}, the first is {}: {} -> {}", each.units,
                                                               each.first_unit, each.first, each.second));
  return text;
}

std::string text_of_output(const RunComparison& comparison, const RunFolder& first, const RunFolder& second) {
  std::string text = "output     differs: " + fmt::format("{}\n", fmt::join(comparison.files, ", "));
  if (!comparison.console_line) return text;
  const std::size_t number = *comparison.console_line;
  text += fmt::format("  console.log from line {} on:\n", number);
  for (const auto& [run, name] : {std::pair(&first, "first"), {&second, "second"}}) {
    const auto lines = lines_of(run->text_of("console.log"));
    text += fmt::format("  {:<10} {}\n", name, number <= lines.size() ? lines[number - 1] : "(has ended)");
  }
  return text;
}

}  // namespace

void RunComparison::leave_out(double least) {
  left_out += std::erase_if(
      stats, [&](const Difference& each) { return each.change && std::abs(*each.change) < least; });
}

RunComparison compare(const RunFolder& first, const RunFolder& second) {
  RunComparison comparison;
  comparison.keys = differences(first.scenario, second.scenario);
  comparison.stats = differences(first.stats, second.stats, &comparison.equal_stats);
  std::ranges::stable_sort(comparison.stats, std::greater(), size_of);
  compare_events(first, second, comparison);
  compare_output(first, second, comparison);
  compare_pages(first, second, comparison);
  return comparison;
}

Json to_json(const RunComparison& comparison) {
  const auto list = [](const std::vector<RunComparison::Difference>& differences) {
    Json all = Json::array();
    for (const auto& each : differences) {
      Json one{{"path", each.path},
               {"first", each.first.value_or(nullptr)},
               {"second", each.second.value_or(nullptr)}};
      if (each.change) one["change"] = *each.change;
      all.push_back(std::move(one));
    }
    return all;
  };
  Json json{{"equal", comparison.is_equal()},  {"keys", list(comparison.keys)},
            {"stats", list(comparison.stats)}, {"equal_stats", comparison.equal_stats},
            {"events", Json::array()},         {"files", comparison.files}};
  for (const auto& [kind, first, second] : comparison.events)
    json["events"].push_back({{"kind", kind}, {"first", first}, {"second", second}});
  if (comparison.have_pages) json["pages"] = Json::array();
  for (const auto& each : comparison.pages)
    json["pages"].push_back({{"area", each.area},
                             {"number", each.number},
                             {"units", each.units},
                             {"first_unit", each.first_unit},
                             {"first", each.first},
                             {"second", each.second}});
  if (comparison.equal_events) json["equal_events"] = *comparison.equal_events;
  if (comparison.console_line) json["console_line"] = *comparison.console_line;
  return json;
}

std::string to_text(const RunComparison& comparison, const RunFolder& first, const RunFolder& second) {
  if (comparison.is_equal()) return "the runs do not differ: the same keys, statistics, events and output\n";
  std::string text = fmt::format("first      {}\nsecond     {}\n", first.path.string(), second.path.string());
  const auto section = [&](const char* name, const std::string& what) {
    text += fmt::format("{:<10} {}\n", name, what);
  };
  section("keys",
          comparison.keys.empty() ? "are the same" : fmt::format("{} differ", comparison.keys.size()));
  for (const auto& each : comparison.keys) text += line_of(each);
  if (comparison.stats.empty() && comparison.left_out == 0) {
    section("statistics", "are the same");
  } else {
    section(
        "statistics",
        fmt::format("{} of {} differ{}", comparison.stats.size(),
                    comparison.stats.size() + comparison.equal_stats + comparison.left_out,
                    comparison.left_out == 0 ? "" : fmt::format(", and {} by less", comparison.left_out)));
    for (const auto& each : comparison.stats) text += line_of(each);
  }
  if (comparison.equal_events)
    text += text_of_events(comparison, first, second);
  else
    section("events", "are the same");
  if (comparison.files.empty())
    section("output", "is the same");
  else
    text += text_of_output(comparison, first, second);
  if (!comparison.pages.empty())
    text += text_of_pages(comparison);
  else if (comparison.have_pages)
    section("pages", "are the same");
  return text;
}

}  // namespace asterism
