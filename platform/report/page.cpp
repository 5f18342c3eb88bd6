#include "platform/report/page.h"

#include <fmt/format.h>

#include <boost/archive/iterators/base64_from_binary.hpp>
#include <boost/archive/iterators/transform_width.hpp>

#include "base/xml_text.h"

namespace asterism {

std::string script_json(const nlohmann::ordered_json& data) {
  std::string all;
  for (const char c : data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) {
    if (c == '<')
      all += "\\u003c";
    else
      all += c;
  }
  return all;
}

std::string page_with(const std::string& title, const nlohmann::ordered_json& data) {
  return fmt::format(R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
      content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'">
<title>{}</title>
<style>{}</style>
</head>
<body>
<main id="page"></main>
<script type="application/json" id="data">{}</script>
<script>/* uPlot
{}*/
{}</script>
<script>"use strict";
{}</script>
</body>
</html>
)",
                     xml_text(title), page_style, script_json(data), page_licence, page_plots, page_script);
}

std::string base64(std::string_view bytes) {
  using namespace boost::archive::iterators;
  using Digits = base64_from_binary<transform_width<std::string_view::const_iterator, 6, 8>>;
  std::string text(Digits(bytes.begin()), Digits(bytes.end()));
  return text.append((3 - bytes.size() % 3) % 3, '=');
}

}  // namespace asterism
