#include "cluster_scale/cluster_text.h"

#include <fmt/format.h>

#include <charconv>
#include <istream>
#include <ostream>
#include <sstream>
#include <type_traits>

namespace asterism {
namespace {

// Every member once, for the writer and the reader.
template <class Setup, class Visit>
void members_of_setup(Setup& s, const Visit& visit) {
  visit("nodes", s.nodes), visit("nodes_per_switch", s.nodes_per_switch), visit("spares", s.spares);
  visit("spare_return", s.spare_return), visit("topology", s.topology), visit("buddies", s.buddies);
  visit("shape", s.shape), visit("link", s.link), visit("trunk", s.trunk);
  visit("oversubscription", s.oversubscription), visit("global_links", s.global_links);
  visit("latency", s.latency), visit("io_switches", s.io_switches), visit("file_system", s.file_system);
  visit("state", s.state), visit("dump", s.dump), visit("overlap", s.overlap), visit("overhead", s.overhead);
  visit("restart", s.restart), visit("drain", s.drain), visit("copies", s.copies);
  visit("group", s.group), visit("replicas", s.replicas);
  visit("iteration", s.iteration), visit("iterations", s.iterations), visit("interval", s.interval);
  visit("checkpoint", s.checkpoint), visit("global_every", s.global_every), visit("rates", s.rates);
  visit("detection", s.detection), visit("lifetimes", s.shape_of_lifetimes);
  visit("new_machine", s.new_machine), visit("check_every", s.check_every), visit("check", s.check);
  visit("burst_nodes", s.burst_nodes), visit("burst_place", s.burst_place);
  visit("slowdown", s.slowdown), visit("slow_found", s.slow_found);
  visit("placed", s.placed), visit("seed", s.seed), visit("runs", s.runs), visit("give_up", s.give_up);
}

template <class Result, class Visit>
void members_of_result(Result& r, const Visit& visit) {
  visit("seed", r.seed), visit("finished", r.finished), visit("time", r.time), visit("work", r.work);
  visit("rework", r.rework), visit("dump", r.dump), visit("blocked", r.blocked),
      visit("overhead", r.overhead);
  visit("restart", r.restart), visit("spare_wait", r.spare_wait), visit("overlap", r.overlap);
  visit("lost_work", r.lost_work), visit("failures", r.failures), visit("recoveries", r.recoveries);
  visit("checkpoints", r.checkpoints), visit("given_up", r.given_up), visit("late", r.late);
  visit("global_copies", r.global_copies), visit("global_given_up", r.global_given_up);
  visit("repairs", r.repairs), visit("network_bytes", r.network_bytes);
  visit("detection", r.detection), visit("lost", r.lost), visit("check", r.check), visit("slow", r.slow);
  visit("wrong", r.wrong);
}

struct Writer {
  std::ostream& out;

  template <class T>
  void operator()(const char* name, const T& value) const {
    out << name;
    put(value);
    out << '\n';
  }

 private:
  template <class T>
  requires std::is_arithmetic_v<T>
  void put(T value) const { out << fmt::format(" {}", value); }
  void put(bool value) const { out << (value ? " 1" : " 0"); }
  template <class T>
  requires std::is_enum_v<T>
  void put(T value) const { put(static_cast<unsigned>(value)); }
  void put(Seconds value) const { put(value.count()); }
  void put(Rate value) const { put(value.per_second()); }
  template <class Unit>
  void put(Quantity<Unit> value) const {
    put(value.count());
  }
  template <class T, std::size_t size>
  void put(const std::array<T, size>& values) const {
    for (const T& value : values) put(value);
  }
  void put(const std::vector<PlacedFailure>& values) const {
    put(values.size());
    for (const PlacedFailure& value : values) put(value.at), put(value.kind), put(value.node);
  }
};

class Reader {
 public:
  explicit Reader(std::istream& in) : in_(in) {}

  template <class T>
  void operator()(const char* name, T& value) const {
    std::string line;
    if (!std::getline(in_, line)) throw std::invalid_argument(std::string("no line for ") + name);
    std::istringstream words(line);
    std::string first, rest;
    words >> first;
    if (first != name) throw std::invalid_argument(std::string(name) + ": expected in the line: " + line);
    take(words, value);
    if (!words || words >> rest)
      throw std::invalid_argument(std::string(name) + ": the value cannot be read in the line: " + line);
  }

 private:
  template <class T>
  requires std::is_arithmetic_v<T>
  static void take(std::istream& words, T& value) {
    std::string word;
    words >> word;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) words.setstate(std::ios::failbit);
  }
  static void take(std::istream& words, bool& value) {
    unsigned number = 0;
    take(words, number);
    value = number != 0;
  }
  template <class T>
  requires std::is_enum_v<T>
  static void take(std::istream& words, T& value) {
    std::size_t number = 0;
    take(words, number);
    if (number >= enum_names(T{}).size()) return words.setstate(std::ios::failbit);
    value = static_cast<T>(number);
  }
  static void take(std::istream& words, Seconds& value) {
    double number = 0;
    take(words, number);
    value = Seconds(number);
  }
  static void take(std::istream& words, Rate& value) {
    double number = 0;
    take(words, number);
    value = Rate(number);
  }
  template <class Unit>
  static void take(std::istream& words, Quantity<Unit>& value) {
    std::uint64_t number = 0;
    take(words, number);
    value = Quantity<Unit>(number);
  }
  template <class T, std::size_t size>
  static void take(std::istream& words, std::array<T, size>& values) {
    for (T& value : values) take(words, value);
  }
  static void take(std::istream& words, std::vector<PlacedFailure>& values) {
    std::size_t count = 0;
    take(words, count);
    values.clear();
    for (std::size_t i = 0; i < count && words; ++i) {
      PlacedFailure& value = values.emplace_back();
      take(words, value.at), take(words, value.kind), take(words, value.node);
    }
  }

  std::istream& in_;
};

constexpr const char* end_line = "end\n";

void read_end(std::istream& in) {
  std::string line;
  if (!std::getline(in, line) || line != "end") throw std::invalid_argument("no end after the last member");
}

}  // namespace

void write_text(std::ostream& out, const ClusterSetup& setup) {
  members_of_setup(setup, Writer{out});
  out << end_line;
}

void write_text(std::ostream& out, const ClusterResult& result) {
  members_of_result(result, Writer{out});
  out << end_line;
}

std::optional<ClusterSetup> read_setup(std::istream& in) {
  if (in.peek() == std::istream::traits_type::eof()) return std::nullopt;
  ClusterSetup setup;
  members_of_setup(setup, Reader(in));
  read_end(in);
  return setup;
}

std::optional<ClusterResult> read_result(std::istream& in) {
  if (in.peek() == std::istream::traits_type::eof()) return std::nullopt;
  ClusterResult result;
  members_of_result(result, Reader(in));
  read_end(in);
  return result;
}

}  // namespace asterism
