// A page of a report: one HTML file that contains all it needs, opens without a network, and requests nothing
// from anywhere, which its content security policy enforces.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace asterism {

// The parts of the page, from platform/report/page/. uPlot draws the curves; its licence goes with it.
extern const std::string_view page_style, page_plots, page_script, page_licence;
extern const std::string_view page_plots_version;  // of uPlot

// `data` is what main.js shows.
std::string page_with(const std::string& title, const nlohmann::ordered_json& data);

// JSON within an element of a page: no `<`, so that no text can end the element. Invalid UTF-8, which a guest
// may have written, is replaced.
std::string script_json(const nlohmann::ordered_json& data);

std::string base64(std::string_view bytes);

}  // namespace asterism
