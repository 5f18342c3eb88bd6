#include "platform/report/page.h"

#include <fmt/format.h>

#include <boost/beast/core/detail/base64.hpp>

namespace asterism {
namespace {

std::string escaped(std::string_view text) {
  std::string all;
  for (const char c : text) {
    if (c == '&')
      all += "&amp;";
    else if (c == '<')
      all += "&lt;";
    else
      all += c;
  }
  return all;
}

// JSON within an element of a page: no `<`, so that no text can end the element. Invalid UTF-8, which a guest
// may have written, is replaced.
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

}  // namespace

std::string page_with(const std::string& title, const nlohmann::ordered_json& data) {
  return fmt::format(R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'">
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
                     escaped(title), page_style, script_json(data), page_licence, page_plots, page_script);
}

std::string base64(std::string_view bytes) {
  namespace codec = boost::beast::detail::base64;
  std::string text(codec::encoded_size(bytes.size()), '\0');
  text.resize(codec::encode(text.data(), bytes.data(), bytes.size()));
  return text;
}

}  // namespace asterism
