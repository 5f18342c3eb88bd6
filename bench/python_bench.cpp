// Encoding by asterism.engines, as Python calls it, beside the same code from C++: the median of rounds that
// alternate, in processor time.
//
//   PYTHONPATH=build/release/python python_bench [--check]
//
// With --check the exit status is 1 when a figure misses its limit.
#include <fmt/format.h>
#include <pybind11/embed.h>
#include <pybind11/numpy.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ecc/page_codec.h"
#include "figures.h"

namespace asterism {
namespace {

namespace py = pybind11;

void compare(std::size_t bytes, double limit) {
  const py::module_ numpy = py::module_::import("numpy");
  const py::array_t<std::uint8_t> data = numpy.attr("arange")(bytes).attr("astype")("uint8");
  py::array_t<std::uint8_t> parity(static_cast<py::ssize_t>(bytes / 8));
  py::dict names;
  names["codec"] = py::module_::import("asterism.engines").attr("Codec")();
  names["data"] = data, names["parity"] = parity;
  py::exec("def encode(times):\n  for _ in range(times): codec.encode(data, parity)", names);
  const PageCodec codec(EccMode::normal);

  const std::size_t times = std::max<std::size_t>(1, 200'000'000 / bytes);
  std::vector<double> direct, python;
  for (int round = 0; round < 15; ++round) {
    const double begin = cpu_seconds();
    for (std::size_t i = 0; i < times; ++i)
      codec.encode({data.data(), bytes}, {parity.mutable_data(), bytes / 8});
    const double between = cpu_seconds();
    names["encode"](times);
    direct.push_back(between - begin), python.push_back(cpu_seconds() - between);
  }
  const double share = median(direct) / median(python);
  const double cost = (median(python) - median(direct)) / static_cast<double>(times);
  figures.add(fmt::format("encoding {} KiB in a call, of the speed from C++", bytes / 1024),
              fmt::format("{:.2f} ({:.2f} us a call more)", share, 1e6 * cost), share >= limit,
              limit == 0 ? "" : fmt::format(">= {:.1f}", limit));
}

void measure() {
  const py::scoped_interpreter interpreter;
  compare(4 << 10, 0);
  compare(64 << 10, 0);
  compare(1 << 20, 0.9);
  compare(64 << 20, 0.9);
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) { return asterism::bench_main(argc, argv, asterism::measure); }
