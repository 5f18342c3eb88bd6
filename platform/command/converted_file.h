// A text in another format, which a program that is not part of Asterism makes of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace asterism {

struct Converter {
  std::vector<std::string> words;  // the program and its options, before "-o RESULT SOURCE"
  std::string package;             // of Debian, that has the program
};

// The contents of the file with this extension that the program makes. Throws InputMissing with the name of
// the option if the program is not installed, and ConfigError if it fails.
std::string converted(const std::string& text, const Converter& converter, const std::string& extension,
                      std::string_view option);

// An SVG as PDF, by librsvg: fonts are embedded, and equal pictures are equal bytes. The date in it is
// SOURCE_DATE_EPOCH, or 0.
std::string pdf_of(const std::string& svg);
// Throws InputMissing now, and not when a study has ended, if pdf_of() cannot work.
void require_pdf();

}  // namespace asterism
