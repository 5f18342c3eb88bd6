// asterism_manual_pages docs/command.md VERSION DATE FOLDER: writes the man pages of the command, whose
// --help-json is standard input, to FOLDER/*.1.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "platform/command/manual_page.h"

namespace {

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(file.string() + " cannot be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_pages(char** arguments) {
  const std::filesystem::path folder = arguments[4];
  const std::string page = contents(arguments[1]);
  const auto command = nlohmann::json::parse(std::cin);
  std::filesystem::create_directories(folder);
  for (const auto& [name, text] : asterism::manual_pages({command, page, arguments[2], arguments[3]})) {
    std::ofstream out(folder / (name + ".1"), std::ios::binary);
    out << text;
    if (!out.flush()) throw std::runtime_error((folder / name).string() + ".1 cannot be written");
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 5) {
    std::fputs("usage: asterism_manual_pages docs/command.md VERSION DATE FOLDER <HELP.json\n", stderr);
    return 64;
  }
  write_pages(argv);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "asterism_manual_pages: %s\n", error.what());
  return 65;
}
