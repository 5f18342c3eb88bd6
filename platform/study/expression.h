// Arithmetic over the results of studies, for the key `measured` of a published value:
//
//   latency_ns(mesh)                                  the column of a study of one point; with seeds=N the
//                                                     mean over its seeds
//   accepted_packets_per_ns(mesh_curve, power_w=30)   the column where another column reaches a value, along
//                                                     the points of a study; between two points on the line
//                                                     through them
//   power_w(superstarx) / power_w(mesh) - 1           numbers, + - * /, parentheses
//   geometric_mean(slowdown(mcf), slowdown(lbm), ...) of expressions above 0; mean(...), max(...) of any
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace asterism {

struct ExpressionTerm {
  std::string column, study;
  std::string along = {};  // column; "" for a study of one point
  double reaches = 0;
};

// Throws std::invalid_argument that says where the text is not an expression. `value` gives the value of a
// term.
double evaluate(std::string_view expression, const std::function<double(const ExpressionTerm&)>& value);

// The expressions of "a < b < c".
std::vector<std::string> parts_of_claim(std::string_view claim);

}  // namespace asterism
