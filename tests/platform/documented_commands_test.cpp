// The command lines of README.md and docs/ (with its folders) that are indented by four blanks: the test
// fails if one names a scenario, study, entry of a paper, key, value, kind of file, app or option of `run`
// that does not exist. It executes only `check`, `schema` and `list`; blocks in which a command begins with
// "$ " belong to the tests that execute them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>

#include "tests/platform/command.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

// Replaces the command: `run`, `sweep` and `study` become `check`, including the options that are keys. Of a
// swept list or range of a scenario only the first value is checked.
constexpr const char* validating_command = R"(
is_an_entry() {{
  '{0}' list papers | awk -v id="$1" 'index($0, id) == 1 {{ found = 1 }} END {{ exit !found }}'
}}
papers() {{
  set -- "$@" .
  while [ "$1" != . ]; do
    case $1 in
      --class|--json|--diff|--out|--report|--threads) shift 2 ;;
      --*) echo "no option $1"; return 64 ;;
      *) is_an_entry "$1" || {{ echo "no entry $1"; return 64; }}; shift ;;
    esac
  done
}}
asterism() {{
  verb=$1 sweep=; shift
  case $verb in
    run) folder=scenarios ;;
    sweep) folder=scenarios sweep=yes ;;
    study) folder=studies ;;
    check|schema) '{0}' "$verb" "$@"; return ;;
    list) '{0}' list "$1"; return ;;
    paper) papers "$@"; return ;;
    rtl|trace|new|plugin|fit|report|compare) return ;;
    *) echo "no verb $verb"; return 64 ;;
  esac
  set -- "$@" .
  while [ "$1" != . ]; do
    case $1 in
      --restore) return ;;
      --firmware) set -- "$@" "firmware=$2"; shift 2 ;;
      --until) set -- "$@" "until=$2"; shift 2 ;;
      --report) [ "$verb" = run ] || shift; shift ;;
      --quiet|--profile|--profile-lines|--timeline|--transactions|--check-idle|--no-skip|--serve|--serve=*) shift ;;
      --out|--gdb|--gdb-snapshots|--last-instructions|--live|--uart0|--log|--threads|--trace|--trace-from|--trace-to|--snapshot|--snapshot-at|--sample|--perfetto|--csv|--json|--svg|--pdf|--show|--jobs) shift 2 ;;
      --*) echo "no option $1"; return 64 ;;
      firmware=*/*) set -- "$@" "$1"; shift ;;
      firmware=*) [ -e "$ASTERISM_FIRMWARE/${{1#firmware=}}.elf" ] || {{ echo "no app $1"; return 66; }}
        set -- "$@" "$1"; shift ;;
      seeds=*) [ "$sweep" ] || set -- "$@" "$1"; shift ;;
      *=*[,:]*) value=$1; [ -z "$sweep" ] || value=${{1%%[,:]*}}; set -- "$@" "$value"; shift ;;
      *) set -- "$@" "$1"; shift ;;
    esac
  done
  shift
  file=$1; shift
  [ -e "$ASTERISM_CONFIGS/$folder/$file.json" ] && file=$ASTERISM_CONFIGS/$folder/$file.json
  [ "$file" = campaign ] || '{0}' check "$file" "$@"
}}
{1}
)";

struct Line {
  std::string page, command;
  int number = 0;
};

// Leaves out commands with placeholders such as FILE or "...", and with files that the reader must provide.
// An assignment to a variable, P='...', belongs to the command on the next line. Of the findings and the
// results of papers also commands in backquotes, one of a line.
std::vector<Line> commands_of(const fs::path& page) {
  static const std::regex not_literal(R"(\b(N|[A-Z]{3,})\b|\.\.\.|\bmy_)");
  static const std::regex assignment(R"(    [A-Za-z_]+='[^']*')");
  static const std::regex in_backquotes("`(asterism (?:run|study|paper) [^`]*)`");
  const bool is_of_results = page.parent_path().filename() != "docs" && page.filename() != "README.md";
  std::vector<Line> commands;
  std::ifstream in(page);
  int number = 0;
  std::string assigned;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (!line.starts_with("    asterism ")) {
      assigned = std::regex_match(line, assignment) ? line + "\n" : "";
      if (std::smatch found; is_of_results && std::regex_search(line, found, in_backquotes) &&
                             !std::regex_search(found.str(1), not_literal))
        commands.push_back({page.filename().string(), found.str(1), number});
      continue;
    }
    Line found{page.filename().string(), line.substr(4), number};
    while (found.command.ends_with('\\') && std::getline(in, line)) {
      ++number;
      found.command += "\n" + line;
    }
    if (!std::regex_search(found.command.substr(0, found.command.find(" # ")), not_literal))
      commands.push_back({found.page, assigned + found.command, found.number});
    assigned.clear();
  }
  return commands;
}

struct DocumentedCommandsTest : CommandTest {};

TEST_F(DocumentedCommandsTest, EachNamesWhatThereIs) {
  const fs::path tree = source_configs().parent_path();
  std::vector<fs::path> pages{tree / "README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(tree / "docs"))
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  std::ranges::sort(pages);
  std::size_t count = 0;
  for (const fs::path& page : pages)
    for (const Line& line : commands_of(page)) {
      ++count;
      const Ended ended = program("/bin/sh", {"-c", fmt::format(fmt::runtime(validating_command),
                                                                asterism_program.string(), line.command)});
      // The reader must provide input files such as traces, so a missing one is no mistake.
      const bool misses_app = ended.out.starts_with("no app");
      EXPECT_TRUE(ended.status == 0 || (ended.status == 66 && !misses_app))
          << line.page << ":" << line.number << ": " << line.command << "\n"
          << (ended.status == 64 || misses_app ? ended.out : "") << ended.err;
    }
  EXPECT_GT(count, 180u);
}

}  // namespace
}  // namespace asterism
