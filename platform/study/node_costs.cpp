#include "platform/study/node_costs.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace asterism {
namespace {

constexpr double picoseconds_of_a_second = 1e12;

}  // namespace

NodeCosts::NodeCosts(const std::filesystem::path& stats) : file_(stats.string()) {
  std::ifstream in(stats);
  if (!in)
    throw std::filesystem::filesystem_error("cannot be opened", stats,
                                            std::error_code(errno, std::generic_category()));
  const auto whole = nlohmann::json::parse(in, nullptr, false);
  if (whole.is_discarded()) throw std::invalid_argument(file_ + ": expected a stats.json, this is no JSON");
  const nlohmann::json::json_pointer place("/node/checkpoint_costs");
  if (!whole.contains(place) || !whole[place].is_object())
    throw std::invalid_argument(
        file_ + ": node.checkpoint_costs: expected an object, as a run of several nodes leaves");
  costs_ = whole[place];
}

Seconds NodeCosts::time(const std::string& field, bool above_zero, const std::string& key) const {
  return Seconds(static_cast<double>(number(field, above_zero, key)) / picoseconds_of_a_second);
}

std::uint64_t NodeCosts::count(const std::string& field, const std::string& key) const {
  return number(field, true, key);
}

std::uint64_t NodeCosts::number(const std::string& field, bool above_zero, const std::string& key) const {
  const auto wrong = [&](const std::string& got) {
    return std::invalid_argument(
        fmt::format("{}: node.checkpoint_costs.{}: expected a whole number{}, {}; the key {} "
                    "gives it, too",
                    file_, field, above_zero ? " above 0" : "", got, key));
  };
  const auto value = costs_.find(field);
  if (value == costs_.end()) throw wrong("it is missing");
  if (!value->is_number_unsigned()) throw wrong("got " + value->dump());
  const auto number = value->get<std::uint64_t>();
  if (above_zero && number == 0) throw wrong("got 0");
  return number;
}

}  // namespace asterism
