#include "platform/instruments/run_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/xml_text.h"
#include "platform/host/human_time.h"

namespace asterism {
namespace {

// "node1" for "node1.core0" and "node1.dimm_ssd"; "node" for the cores of a single node, whose names have no
// node.
std::string_view node_prefix(std::string_view name) {
  const std::size_t dot = name.find('.');
  return dot == std::string_view::npos ? std::string_view("node") : name.substr(0, dot);
}

// The number that an event has under this name.
std::optional<std::uint64_t> number(std::initializer_list<EventLog::Detail> details, std::string_view name) {
  for (const auto& [key, value] : details)
    if (const auto* count = std::get_if<std::uint64_t>(&value); count && key == name) return *count;
  return std::nullopt;
}
bool says(std::initializer_list<EventLog::Detail> details, std::string_view name, std::string_view text) {
  return std::ranges::any_of(details, [&](const EventLog::Detail& detail) {
    const auto* value = std::get_if<std::string>(&detail.second);
    return value && detail.first == name && *value == text;
  });
}

}  // namespace

// ---- during the run ----

std::size_t RunTimeline::add_core(const std::string& name, Activity activity) {
  cores_.push_back({.name = name, .node = node_of(node_prefix(name)), .activity = activity});
  return cores_.size() - 1;
}

std::size_t RunTimeline::node_of(std::string_view name) {
  const auto found = std::ranges::find(nodes_, name, &Node::name);
  if (found == nodes_.end()) nodes_.push_back({.name = std::string(name)});
  return static_cast<std::size_t>(std::ranges::find(nodes_, name, &Node::name) - nodes_.begin());
}

void RunTimeline::set(std::size_t core, Activity activity, Picoseconds at) {
  charge(cores_[core], at);
  cores_[core].activity = activity;
}

std::optional<std::size_t> RunTimeline::share_of(const Core& core) const {
  const Node& node = nodes_[core.node];
  const auto is = [](State state) { return static_cast<std::size_t>(state); };
  switch (core.activity) {
    case Activity::off:
      return node.has_power && !node.is_lost ? std::nullopt : std::optional(is(State::fault));
    case Activity::locked_up:
      return is(State::fault);
    case Activity::blocked:
      return is(State::checkpoint);
    case Activity::waiting:
      if (node.checkpoints != 0) return is(State::checkpoint);
      return node.is_recovering ? static_cast<std::size_t>(maybe_stall) : is(State::stall);
    case Activity::running:
      return node.is_recovering ? static_cast<std::size_t>(maybe_compute) : is(State::compute);
  }
  return std::nullopt;
}

template <class F>
void RunTimeline::spread(Picoseconds from, Picoseconds to, F f) {
  widen_to(to);
  while (from < to) {
    const std::uint64_t column = from / width_;
    const Picoseconds end = std::min(to, width_ * (column + 1));
    f(static_cast<std::size_t>(column), (end - from).count());
    from = end;
  }
}

void RunTimeline::charge(Core& core, Picoseconds to) {
  const Picoseconds from = std::exchange(core.since, std::max(core.since, to));
  const auto share = share_of(core);
  if (!share) return;
  spread(from, to, [&](std::size_t column, std::uint64_t time) {
    if (core.columns.size() <= column) core.columns.resize(column + 1, Column{});
    core.columns[column][*share] += time;
  });
}

void RunTimeline::charge(std::size_t index, Picoseconds to) {
  for (Core& core : cores_)
    if (core.node == index) charge(core, to);
  Node& node = nodes_[index];
  const Picoseconds from = std::exchange(node.since, std::max(node.since, to));
  if (node.checkpoints == 0) return;
  spread(from, to, [&](std::size_t column, std::uint64_t time) {
    if (node.in_progress.size() <= column) node.in_progress.resize(column + 1);
    node.in_progress[column] += time;
  });
}

// Doubles the width of the columns by combining pairs of columns.
void RunTimeline::widen_to(Picoseconds at) {
  while (at > width_ * max_columns) {
    width_ = width_ * 2;
    for (Core& core : cores_) {
      for (std::size_t i = 0; i < core.columns.size(); ++i) {
        const Column column = std::exchange(core.columns[i], Column{});
        for (std::size_t share = 0; share < shares; ++share) core.columns[i / 2][share] += column[share];
      }
      core.columns.resize((core.columns.size() + 1) / 2);
      core.undecided /= 2;
    }
    for (Node& node : nodes_) {
      for (std::size_t i = 0; i < node.in_progress.size(); ++i)
        node.in_progress[i / 2] += std::exchange(node.in_progress[i], 0);
      node.in_progress.resize((node.in_progress.size() + 1) / 2);
    }
  }
}

void RunTimeline::begin_recovery(std::size_t index, Picoseconds at) {
  if (std::exchange(nodes_[index].is_recovering, true)) return;
  for (Core& core : cores_)
    if (core.node == index) core.undecided = static_cast<std::size_t>(at / width_);
}

void RunTimeline::end_recovery(std::size_t index, bool recovered) {
  if (!std::exchange(nodes_[index].is_recovering, false)) return;
  const auto is = [](State state) { return static_cast<std::size_t>(state); };
  for (Core& core : cores_) {
    if (core.node != index) continue;
    for (std::size_t i = core.undecided; i < core.columns.size(); ++i) {
      Column& column = core.columns[i];
      column[is(recovered ? State::recovery : State::compute)] += std::exchange(column[maybe_compute], 0);
      column[is(recovered ? State::recovery : State::stall)] += std::exchange(column[maybe_stall], 0);
    }
  }
}

void RunTimeline::record(Picoseconds at, std::string_view source, std::string_view kind,
                         std::initializer_list<Detail> details) {
  const auto named = [&](std::string_view detail) {
    const auto node = number(details, detail);
    return std::ranges::find(nodes_, node ? fmt::format("node{}", *node) : "", &Node::name);
  };
  if (kind == "node_loss" || kind == "rank_moved") {
    const bool is_lost = kind == "node_loss";
    const auto node = named(is_lost ? "node" : "to_node");
    if (node == nodes_.end()) return;
    const auto index = static_cast<std::size_t>(node - nodes_.begin());
    charge(index, at);
    if (!is_lost) return begin_recovery(index, at);
    node->is_lost |= says(details, "lost", "node");
    return mark(*node, at, kind);
  }
  const bool is_of_all = source == "cluster" && (kind == "rollback" || kind == "recovery");
  for (std::size_t node = 0; node < nodes_.size(); ++node)
    if (is_of_all || nodes_[node].name == node_prefix(source)) event_occurred(node, at, kind);
}

void RunTimeline::event_occurred(std::size_t index, Picoseconds at, std::string_view kind) {
  Node& node = nodes_[index];
  charge(index, at);
  if (kind == "checkpoint_begin") {
    end_recovery(index, false);
    ++node.checkpoints;
  } else if (kind == "checkpoint_commit" || kind == "checkpoint_failed") {
    if (node.checkpoints != 0) --node.checkpoints;
  } else if (kind == "power_lost") {
    end_recovery(index, false);
    node.checkpoints = 0;  // checkpoints in progress are lost, without an event
    node.has_power = false;
    mark(node, at, kind);
  } else if (kind == "power_restored") {
    node.has_power = true;
    begin_recovery(index, at);
  } else if (kind == "warm_reset") {
    node.checkpoints = 0;
    begin_recovery(index, at);
  } else if (kind == "uncorrectable_error" || kind == "gpu_lost" || kind == "gpu_zone_contained") {
    begin_recovery(index, at);
    mark(node, at, kind);
  } else if (kind == "rollback") {
    begin_recovery(index, at);
  } else if (kind == "memory_fault" || kind == "flash_fault" || kind == "gpu_memory_fault" ||
             kind == "gpu_clock") {
    mark(node, at, kind);
  } else if (kind == "restore" || kind == "recovery") {
    end_recovery(index, true);
  }
}

// Events of one kind that the picture cannot separate are drawn as one.
void RunTimeline::mark(Node& node, Picoseconds at, std::string_view kind) {
  const auto is_there = [&](const Mark& mark) {
    return mark.kind == kind && mark.at / width_ == at / width_;
  };
  widen_to(at);
  if (std::ranges::none_of(node.marks, is_there)) node.marks.push_back({at, std::string(kind)});
}

void RunTimeline::finish(Picoseconds at) {
  end_ = at;
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    charge(node, at);
    end_recovery(node, false);
  }
}

Picoseconds RunTimeline::time_in(std::size_t core, State state) const {
  Picoseconds sum;
  for (const Column& column : cores_[core].columns)
    sum += Picoseconds(column[static_cast<std::size_t>(state)]);
  return sum;
}

// ---- the picture ----

namespace {

struct Look {
  const char* name;
  const char* colour;
};
// Okabe and Ito's colours, which colour-blind readers can distinguish; in the order of RunTimeline::State,
// from below.
constexpr Look looks[RunTimeline::states] = {{"compute", "#0072b2"},
                                             {"stall", "#cfcfcf"},
                                             {"checkpoint", "#e69f00"},
                                             {"recovery", "#009e73"},
                                             {"fault", "#d55e00"}};
constexpr double plot_width = 1000, letter = 7.2, strip_height = 8, mark_text = 13, lowest_label = 13;

constexpr std::size_t mark_rows = 2;

// A unit of time, and a step in this unit that divides the axis into at most ten parts.
struct TimeAxis {
  const char* unit = "ps";
  std::uint64_t size = 1, step = 1;  // picoseconds

  explicit TimeAxis(std::uint64_t end) {
    constexpr std::pair<std::uint64_t, const char*> units[] = {
        {1'000'000'000'000, "s"}, {1'000'000'000, "ms"}, {1'000'000, "us"}, {1'000, "ns"}, {1, "ps"}};
    for (const auto& [size_of_unit, name] : units)
      if (end >= 2 * size_of_unit || size_of_unit == 1) {
        unit = name, size = size_of_unit;
        break;
      }
    std::uint64_t power = 1;
    while (power * 10 * 10 < end) power *= 10;
    step = power;
    for (const std::uint64_t factor : {2u, 5u, 10u})
      if (end / step > 10) step = power * factor;
  }
  std::string text(std::uint64_t at) const {
    std::string number = fmt::format("{}.{:012}", at / size, at % size * (1'000'000'000'000 / size));
    number.erase(number.find_last_not_of('0') + 1);
    if (number.back() == '.') number.pop_back();
    return number;
  }
};

}  // namespace

// Draws the lanes of each node one below the other: a strip with checkpoints and failures, then the cores.
class RunTimeline::Picture {
 public:
  explicit Picture(const RunTimeline& timeline)
      : t_(timeline), end_(std::max<std::uint64_t>(timeline.end_.count(), 1)), axis_(end_) {
    std::size_t longest = 0;
    for (const Core& core : t_.cores_) longest = std::max(longest, core.name.size());
    left_ = 16 + letter * static_cast<double>(longest);
    const double fitting = 900 / static_cast<double>(std::max<std::size_t>(t_.cores_.size(), 1));
    pitch_ = std::clamp(fitting, 2.0, 24.0);
    lane_ = pitch_ >= 12 ? pitch_ - 4 : pitch_ >= 4 ? pitch_ - 1 : pitch_;
  }

  std::string text(const std::string& title) {
    double y = 44;
    for (std::size_t node = 0; node < t_.nodes_.size(); ++node) y = add_node(node, y);
    const double plot_end = y;
    std::string svg = axis(plot_end) + body_ + legend(plot_end + 58);
    const double height = plot_end + 58 + 34, width = left_ + plot_width + 24;
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
        "{0:.0f} "
        "{1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
        "fill=\"white\"/>\n<text x=\"{2:.0f}\" y=\"24\" font-size=\"15\">{3}</text>\n{4}</svg>\n",
        width, height, left_, xml_text(title), svg);
  }

 private:
  double x_of(std::uint64_t at) const {
    return left_ + static_cast<double>(at) / static_cast<double>(end_) * plot_width;
  }
  // The length of a column; the last one ends with the run.
  std::uint64_t length_of(std::size_t column) const {
    const std::uint64_t first = column * t_.width_.count();
    return std::min(first + t_.width_.count(), end_) - first;
  }
  std::string box(std::size_t from, std::size_t to, double y, double height) const {
    const double x = x_of(from * t_.width_.count()),
                 x_end = x_of(std::min<std::uint64_t>(to * t_.width_.count(), end_));
    return fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h-{:.1f}z", x, y, x_end - x, height, x_end - x);
  }

  double add_node(std::size_t index, double y) {
    const Node& node = t_.nodes_[index];
    const bool has_cores = std::ranges::any_of(t_.cores_, [&](const Core& c) { return c.node == index; });
    if (!has_cores) return y;
    const double top = y;
    y += mark_text * static_cast<double>(std::min(node.marks.size(), mark_rows));
    body_ += strip(node, y);
    const double strip_at = y;
    y += strip_height + 4;
    for (const Core& core : t_.cores_) {
      if (core.node != index) continue;
      body_ += lane(core, y);
      if (y - last_label_ >= lowest_label) {
        body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", left_ - 6,
                             y + lane_ / 2 + 4, xml_text(core.name));
        last_label_ = y;
      }
      y += pitch_;
    }
    body_ += marks(node, top, strip_at, y);
    return y + 10;
  }

  // Draws the columns in which a checkpoint was in progress for at least half of the time.
  std::string strip(const Node& node, double y) const {
    std::string path;
    const auto is_under_way = [&](std::size_t i) { return 2 * node.in_progress[i] >= length_of(i); };
    for (std::size_t i = 0; i < node.in_progress.size();) {
      std::size_t end = i + 1;
      while (end < node.in_progress.size() && is_under_way(end) == is_under_way(i)) ++end;
      if (is_under_way(i) || node.in_progress[i] != 0)
        path += box(i, is_under_way(i) ? end : i + 1, y + 2, strip_height - 3);
      i = is_under_way(i) ? end : i + 1;
    }
    return path.empty()
               ? ""
               : fmt::format("<path fill=\"{}\" opacity=\"0.7\" d=\"{}\"/>\n", looks[2].colour, path);
  }

  // The states of a column, stacked from below, in steps of a fraction of a pixel.
  using Stack = std::array<int, states + 1>;
  Stack stack(const Core& core, std::size_t column, int steps) const {
    Stack heights{};
    std::uint64_t sum = 0;
    for (std::size_t state = 0; state < states; ++state) {
      sum += core.columns[column][state];
      heights[state + 1] = static_cast<int>(
          scale(std::min(sum, length_of(column)), static_cast<std::uint64_t>(steps), length_of(column)));
    }
    return heights;
  }
  std::string lane(const Core& core, double y) const {
    const int steps = lane_ >= 8 ? 32 : static_cast<int>(lane_);
    std::array<std::string, states> paths;
    for (std::size_t i = 0; i < core.columns.size() && i * t_.width_.count() < end_;) {
      const Stack heights = stack(core, i, steps);
      std::size_t end = i + 1;
      while (end < core.columns.size() && end * t_.width_.count() < end_ &&
             stack(core, end, steps) == heights)
        ++end;
      for (std::size_t state = 0; state < states; ++state)
        if (heights[state + 1] > heights[state])
          paths[state] += box(i, end, y + lane_ * (1 - static_cast<double>(heights[state + 1]) / steps),
                              lane_ * (heights[state + 1] - heights[state]) / steps);
      i = end;
    }
    std::string svg = fmt::format("<g><title>{}</title>\n", xml_text(core.name));
    for (std::size_t state = 0; state < states; ++state)
      if (!paths[state].empty())
        svg += fmt::format("<path fill=\"{}\" d=\"{}\"/>\n", looks[state].colour, paths[state]);
    return svg + "</g>\n";
  }

  // Draws each failure as a line through the cores, with the kind of the event as text if there is space.
  std::string marks(const Node& node, double top, double strip_at, double bottom) const {
    std::string svg;
    std::array<double, mark_rows> free_from{};
    for (const Mark& mark : node.marks) {
      const double x = x_of(std::min(mark.at.count(), end_));
      svg += fmt::format(
          "<path stroke=\"{0}\" fill=\"{0}\" d=\"M{1:.1f} {2:.1f}V{3:.1f}M{1:.1f} {4:.1f}l-4 "
          "-6h8z\"><title>{5} at "
          "{6}</title></path>\n",
          looks[4].colour, x, strip_at, bottom - 2, strip_at + 6, mark.kind, human_time(mark.at));
      const std::string text = fmt::format("{} {}", mark.kind, human_time(mark.at));
      const double width = letter * static_cast<double>(text.size()),
                   at = std::min(x, left_ + plot_width - width);
      const auto row = std::ranges::find_if(free_from, [at](double from) { return at >= from; });
      if (row == free_from.end()) continue;
      const double y = top + 9 + mark_text * static_cast<double>(row - free_from.begin());
      svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\">{}</text>\n", at, y, looks[4].colour,
                         text);
      *row = at + width + letter;
    }
    return svg;
  }

  std::string axis(double bottom) const {
    std::string svg;
    for (std::uint64_t at = 0; at <= end_; at += axis_.step)
      svg += fmt::format(
          "<path stroke=\"#e0e0e0\" d=\"M{0:.1f} 40V{1:.1f}\"/>\n<text x=\"{0:.1f}\" y=\"{2:.1f}\" "
          "text-anchor=\"middle\">{3}</text>\n",
          x_of(at), bottom, bottom + 16, axis_.text(at));
    return svg +
           fmt::format(
               "<path stroke=\"black\" d=\"M{0:.1f} {1:.1f}h{2:.0f}\"/>\n<text x=\"{3:.1f}\" y=\"{4:.1f}\" "
               "text-anchor=\"middle\">simulated time ({5})</text>\n",
               left_, bottom, plot_width, left_ + plot_width / 2, bottom + 34, axis_.unit);
  }

  // The legend gives the share of all cores' time for each state.
  std::string legend(double y) const {
    std::string svg;
    double x = left_;
    std::uint64_t rest = 10'000;
    const auto entry = [&](const char* name, const char* colour, std::uint64_t share) {
      svg += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" fill=\"{}\" stroke=\"#808080\" "
          "stroke-width=\"0.5\"/>\n<text x=\"{:.1f}\" y=\"{:.1f}\">{} {}.{}%</text>\n",
          x, y, colour, x + 18, y + 10.5, name, share / 100, share / 10 % 10);
      x += 150;
    };
    for (std::size_t state = 0; state < states; ++state) {
      std::uint64_t sum = 0;
      for (std::size_t core = 0; core < t_.cores_.size(); ++core)
        sum += scale(t_.time_in(core, static_cast<State>(state)).count(), 10'000, end_);
      const std::uint64_t share = t_.cores_.empty() ? 0 : sum / t_.cores_.size();
      rest -= std::min(rest, share);
      entry(looks[state].name, looks[state].colour, share);
    }
    entry("off", "white", rest);
    return svg;
  }

  const RunTimeline& t_;
  const std::uint64_t end_;
  const TimeAxis axis_;
  double left_ = 0, pitch_ = 0, lane_ = 0, last_label_ = -1000;
  std::string body_;
};

std::string RunTimeline::to_svg(const std::string& title) const { return Picture(*this).text(title); }

}  // namespace asterism
