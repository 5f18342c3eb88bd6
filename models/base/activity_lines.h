// What blocks report of their activity (base/activity_log.h), as lines of text for tests:
// "node.dimm_ssd.die0 program 1000-2000 block=1 flow 3", with times in nanoseconds.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/activity_log.h"

namespace asterism {

class ActivityLines final : public EventLog, public ActivityLog {
 public:
  std::vector<std::string> lines;

  // The lines of a track, or of all below a name that ends in a dot.
  std::vector<std::string> of(const std::string& track) const {
    std::vector<std::string> found;
    for (const std::string& line : lines)
      if (line.starts_with(track.ends_with('.') ? track : track + " ")) found.push_back(line);
    return found;
  }

  void record(Picoseconds, std::string_view, std::string_view, std::initializer_list<Detail>) override {}
  ActivityLog* activity_log() override { return this; }
  Track track(std::string_view path) override {
    for (Track i = 0; i < tracks_.size(); ++i)
      if (tracks_[i] == path) return i;
    tracks_.emplace_back(path);
    return static_cast<Track>(tracks_.size() - 1);
  }
  Flow new_flow() override { return ++flows_; }
  void interval(Track track, Picoseconds begin, Picoseconds end, std::string_view what, Details details,
                std::span<const Flow> flows) override {
    add(track, what, nanoseconds(begin) + "-" + nanoseconds(end), details, flows);
  }
  void instant(Track track, Picoseconds at, std::string_view what, Details details,
               std::span<const Flow> flows) override {
    add(track, what, nanoseconds(at), details, flows);
  }

 private:
  static std::string nanoseconds(Picoseconds time) { return std::to_string(time.count() / 1000); }
  void add(Track track, std::string_view what, const std::string& when, Details details,
           std::span<const Flow> flows) {
    std::string line = tracks_.at(track) + " " + std::string(what) + " " + when;
    for (const auto& [name, value] : details) {
      const auto* const number = std::get_if<std::uint64_t>(&value);
      line +=
          " " + std::string(name) + "=" + (number ? std::to_string(*number) : std::get<std::string>(value));
    }
    for (const Flow flow : flows) line += " flow " + std::to_string(flow);
    lines.push_back(line);
  }

  std::vector<std::string> tracks_;
  Flow flows_ = 0;
};

}  // namespace asterism
