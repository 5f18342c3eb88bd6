#include "platform/command/manual_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace asterism {
namespace {

using nlohmann::json;

// A minus of code is one that can be copied; a line must not begin like a request.
std::string escaped(std::string_view text, bool is_code) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += is_code ? "\\-" : "-";
        break;
      case '\'':
        out += is_code ? "\\(aq" : "'";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '~':
        out += "\\(ti";
        break;
      case '^':
        out += "\\(ha";
        break;
      default:
        out += c;
    }
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string bold(std::string_view code) { return "\\fB" + escaped(code, true) + "\\fR"; }
std::string italic(std::string_view name) { return "\\fI" + escaped(name, true) + "\\fR"; }

// Code, emphasis and links of one paragraph. A delimiter without its counterpart is a character as any other.
std::string inline_text(std::string_view text) {
  std::string out, plain;
  const auto flush = [&] {
    out += escaped(plain, false);
    plain.clear();
  };
  const auto closed_by = [&](std::string_view mark, std::size_t from) { return text.find(mark, from); };
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      plain += text[i + 1];
      i += 2;
      continue;
    }
    if (const std::size_t end = closed_by("`", i + 1); text[i] == '`' && end != text.npos) {
      flush();
      out += bold(text.substr(i + 1, end - i - 1));
      i = end + 1;
      continue;
    }
    if (const std::size_t end = closed_by("**", i + 2);
        text.substr(i).starts_with("**") && end != text.npos) {
      flush();
      out += bold(text.substr(i + 2, end - i - 2));
      i = end + 2;
      continue;
    }
    const std::size_t middle = closed_by("](", i + 1), end = closed_by(")", middle);
    if (text[i] == '[' && middle != text.npos && end != text.npos && closed_by("[", i + 1) > middle) {
      flush();
      out += inline_text(text.substr(i + 1, middle - i - 1));
      i = end + 1;
      continue;
    }
    plain += text[i++];
  }
  flush();
  return out;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  return lines;
}

// | a | b | -> {"a", "b"}. An escaped line is no border of cells.
std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells(1);
  for (std::size_t i = 1; i < row.size(); ++i)
    if (row[i] == '|')
      cells.emplace_back();
    else
      cells.back() += row.compare(i, 2, "\\|") == 0 ? row[++i] : row[i];
  cells.pop_back();
  for (std::string& cell : cells) {
    cell.erase(0, cell.find_first_not_of(' '));
    cell.erase(cell.find_last_not_of(' ') + 1);
  }
  return cells;
}

std::string definition(const std::string& term, const std::string& text) {
  return ".TP\n" + term + "\n" + text + "\n";
}

// A command that is longer than a line of 80 columns continues as in a shell.
std::vector<std::string> broken(std::string line) {
  constexpr std::size_t columns = 80 - 7 - 4;  // without the margins of a page and of a block
  std::vector<std::string> lines;
  while (line.size() > columns) {
    const std::size_t end = line.rfind(' ', columns - 2);
    if (end == line.npos || line.find_first_not_of(' ') > end) break;
    lines.push_back(line.substr(0, end) + " \\");
    line.replace(0, end + 1, "    ");
  }
  lines.push_back(line);
  return lines;
}

// The blocks of Markdown, one after the other.
class Converter {
 public:
  explicit Converter(std::string_view markdown) : lines_(lines_of(markdown)) {}

  std::string run() {
    while (at_ < lines_.size()) {
      const std::string& line = lines_[at_];
      if (line.empty()) {
        ++at_;
        continue;
      }
      if (line.starts_with("#")) {
        heading();
        continue;
      }
      if (line.starts_with("    "))
        code();
      else if (line.starts_with("|"))
        table();
      else
        paragraph();
      begins_section_ = false;
    }
    return std::move(out_);
  }

 private:
  void heading() {
    const std::string& line = lines_[at_++];
    begins_section_ = true;
    out_ += ".SS " + inline_text(line.substr(line.find_first_not_of("# "))) + "\n";
  }
  void code() {
    new_paragraph();
    out_ += ".RS 4\n.nf\n";
    for (; at_ < lines_.size() && lines_[at_].starts_with("    "); ++at_)
      for (const std::string& line : broken(lines_[at_].substr(4))) out_ += escaped(line, true) + "\n";
    out_ += ".fi\n.RE\n";
  }
  void table() {
    const bool is_of_options = cells_of(lines_[at_]).front() == "option";
    at_ += 2;
    for (; at_ < lines_.size() && lines_[at_].starts_with("|"); ++at_) {
      const auto cells = cells_of(lines_[at_]);
      if (!is_of_options) out_ += definition(inline_text(cells.at(0)), inline_text(cells.at(1)));
    }
  }
  void paragraph() {
    const bool is_item = lines_[at_].starts_with("- ");
    std::string text = lines_[at_++].substr(is_item ? 2 : 0);
    const auto continues = [&] {
      const std::string& line = lines_[at_];
      return !line.empty() && !line.starts_with("|") && !line.starts_with("- ");
    };
    for (; at_ < lines_.size() && continues(); ++at_)
      text += " " + lines_[at_].substr(lines_[at_].find_first_not_of(' '));
    if (is_item)
      out_ += ".IP \\(bu 2\n";
    else
      new_paragraph();
    out_ += inline_text(text) + "\n";
  }
  // The first one below a heading begins by itself.
  void new_paragraph() {
    if (!begins_section_) out_ += ".PP\n";
  }

  std::vector<std::string> lines_;
  std::size_t at_ = 0;
  bool begins_section_ = true;
  std::string out_;
};

// The text below the heading of level 2 that has this word, up to the next one.
std::optional<std::string> section_of(std::string_view page, const std::string& word) {
  std::optional<std::string> text;
  for (const std::string& line : lines_of(page)) {
    if (line.starts_with("## ")) {
      if (text) break;
      if (line.find(word) != line.npos) text.emplace();
    } else if (text) {
      *text += line + "\n";
    }
  }
  return text;
}

// What is between the title and the first section.
std::string_view introduction_of(std::string_view page) {
  const std::size_t begin = page.find('\n'), end = page.find("\n## ");
  return page.substr(begin + 1, end - begin);
}

std::string needed_section(std::string_view page, const std::string& word) {
  const auto text = section_of(page, word);
  if (!text) throw std::invalid_argument(fmt::format("docs/command.md has no section {}", word));
  return man_of_markdown(*text);
}

std::string list_of(const json& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + bold(name.get<std::string>());
  return text;
}

// "N:INT in [1 - 64]" is a value N with bounds.
std::string entry(const json& option, bool is_argument) {
  std::string value = option.value("value", ""), bounds;
  if (const std::size_t at = value.find(":INT in ["); at != value.npos) {
    bounds = " Allowed: " + value.substr(at + 9, value.size() - at - 10) + ".";
    value.erase(at);
  }
  const std::string name = option.at("name");
  std::string heading = is_argument ? italic(name) : bold(name);
  if (!value.empty()) heading += " " + italic(value);
  std::string text = inline_text(option.at("description").get<std::string>());
  text += (text.ends_with('.') ? "" : ".") + bounds;
  if (const auto& needs = option.at("needs"); !needs.empty()) text += " Only with " + list_of(needs) + ".";
  if (const auto& others = option.at("excludes"); !others.empty())
    text += " Not together with " + list_of(others) + ".";
  return definition(heading, text);
}

std::string synopsis(const std::string& name, const json& verb) {
  if (!verb.at("verbs").empty()) {
    std::string lines;
    for (const json& each : verb.at("verbs"))
      lines +=
          (lines.empty() ? "" : ".br\n") + synopsis(name + " " + each.at("name").get<std::string>(), each);
    return lines;
  }
  std::string line = bold(name) + " [" + italic("OPTIONS") + "]";
  for (const json& argument : verb.at("arguments")) {
    const std::string word = italic(argument.at("name").get<std::string>());
    const std::string many = word + (argument.at("repeats").get<bool>() ? "..." : "");
    line += argument.at("required").get<bool>() ? " " + many : " [" + many + "]";
  }
  return line + "\n";
}

std::string arguments_and_options(const json& verb, const char* heading) {
  std::string text;
  if (!verb.at("arguments").empty()) text += fmt::format("{} ARGUMENTS\n", heading);
  for (const json& argument : verb.at("arguments")) text += entry(argument, true);
  text += fmt::format("{} OPTIONS\n", heading);
  for (const json& option : verb.at("options")) text += entry(option, false);
  return text;
}

std::string as_title(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return escaped(text, true);
}

std::string in_lower_case(std::string text) {
  text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
  return text;
}

// Names and keys are neither hyphenated nor stretched.
std::string head(const ManualSources& sources, const std::string& name, const std::string& description) {
  return fmt::format(
      ".TH {} 1 {} \"asterism {}\" \"Asterism\"\n.nh\n.ad l\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n",
      as_title(name), sources.date, sources.version, escaped(name, true), escaped(description, false));
}

std::string references(const json& command, const std::string& besides) {
  std::string text;
  const auto add = [&](const std::string& name) {
    if (name != besides) text += (text.empty() ? "" : ",\n") + bold(name) + "(1)";
  };
  add("asterism");
  for (const json& verb : command.at("verbs")) add("asterism-" + verb.at("name").get<std::string>());
  return ".SH SEE ALSO\n" + text +
         "\n.PP\nThe pages of Markdown that are named here are in the folder \\fIshare/asterism/docs\\fR "
         "of the installation.\n";
}

std::string common_sections(const ManualSources& sources) {
  std::string text;
  for (const auto& [title, heading] : {std::pair("EXIT STATUS", "Exit status"),
                                       std::pair("ENVIRONMENT", "Environment"), std::pair("FILES", "Files")})
    text += fmt::format(".SH {}\n{}", title, needed_section(sources.page, heading));
  return text;
}

std::string page_of_verb(const ManualSources& sources, const json& verb) {
  const std::string name = verb.at("name"), page = "asterism-" + name;
  std::string text = head(sources, page, in_lower_case(verb.at("description")));
  text += synopsis("asterism " + name, verb) + ".SH DESCRIPTION\n" +
          needed_section(sources.page, fmt::format("`{}`", name));
  if (verb.at("verbs").empty()) {
    text += arguments_and_options(verb, ".SH");
  } else {
    for (const json& each : verb.at("verbs"))
      text += fmt::format(".SH ASTERISM {} {}\n{}.\n", as_title(name),
                          as_title(each.at("name").get<std::string>()),
                          inline_text(each.at("description").get<std::string>())) +
              arguments_and_options(each, ".SS");
  }
  return text + common_sections(sources) + references(sources.command, page);
}

// "Asterism: a virtual platform" describes itself without its name.
std::string page_of_command(const ManualSources& sources) {
  const std::string description = sources.command.at("description");
  std::string text = head(sources, "asterism", description.substr(description.find(": ") + 2));
  text += bold("asterism") + " " + italic("VERB") + " [" + italic("OPTIONS") + "] ...\n" +
          ".SH DESCRIPTION\n" + man_of_markdown(introduction_of(sources.page)) + ".SH VERBS\n";
  for (const json& verb : sources.command.at("verbs"))
    text += definition(bold("asterism-" + verb.at("name").get<std::string>()) + "(1)",
                       inline_text(verb.at("description").get<std::string>()) + ".");
  return text + ".SH OVERRIDES\n" + needed_section(sources.page, "Overrides") +
         arguments_and_options(sources.command, ".SH") + common_sections(sources) +
         references(sources.command, "asterism");
}

}  // namespace

std::string man_of_markdown(std::string_view markdown) { return Converter(markdown).run(); }

std::map<std::string, std::string> manual_pages(const ManualSources& sources) {
  std::map<std::string, std::string> pages{{"asterism", page_of_command(sources)}};
  for (const json& verb : sources.command.at("verbs"))
    pages["asterism-" + verb.at("name").get<std::string>()] = page_of_verb(sources, verb);
  return pages;
}

}  // namespace asterism
