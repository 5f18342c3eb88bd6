#include "platform/command/graph_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "platform/command/converted_file.h"
#include "platform/command/option_checks.h"
#include "platform/host/output_file.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> extensions{".dot", ".svg", ".pdf", ".png"};

}  // namespace

std::string graph_formats() {
  return fmt::format("{} or {}", fmt::join(extensions.begin(), extensions.end() - 1, ", "),
                     extensions.back());
}

std::string mistake_in_graph_file(const std::string& file) {
  if (std::string mistake = mistake_in_value(file); !mistake.empty()) return mistake;
  if (std::ranges::count(extensions, fs::path(file).extension().string()) != 0) return "";
  return fmt::format("expected a file that ends in {}, got \"{}\"", graph_formats(), file);
}

void write_graph(const std::string& text, const fs::path& file, std::string_view option) {
  OutputFile output(file, option);
  const std::string extension = file.extension();
  const Converter dot{.words = {"dot", "-T" + (extension.empty() ? "" : extension.substr(1))},
                      .package = "graphviz"};
  output.finish(extension == ".dot" ? text : converted(text, dot, extension, option));
}

}  // namespace asterism
