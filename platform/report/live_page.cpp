#include "platform/report/live_page.h"

#include <fmt/format.h>

#include "base/xml_text.h"

namespace asterism {

std::string live_page(const LivePage& page) {
  const nlohmann::ordered_json data{
      {"title", page.title},
      {"live", {{"token", page.token}, {"control", page.control}, {"report", page.report}}}};
  return fmt::format(R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{0}</title>
<link rel="stylesheet" href="page.css?token={1}">
</head>
<body>
<main id="page"></main>
<script type="application/json" id="data">{2}</script>
<script src="plots.js?token={1}"></script>
<script src="page.js?token={1}"></script>
</body>
</html>
)",
                     xml_text(page.title), page.token, script_json(data));
}

}  // namespace asterism
