#include "reports/html.h"

#include <array>
#include <stdexcept>

#include "reports/page_files.h"
#include "sim/algorithms/algorithm.h"
#include "sim/record_fields.h"

namespace hbmscope {
namespace {

std::string_view page_file(std::string_view name) {
  for (const EmbeddedFile& file : page_files()) {
    if (file.name == name) return file.text;
  }
  throw std::logic_error("no page file named " + std::string(name));
}

// JSON has '<' only within strings, where "\u003c" means the same. Without any '<' the text can neither end
// its <script> element ("</script") nor make the HTML parser skip that end ("<!--<script").
std::string without_tags(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

// The columns of the CSV that the page offers: [csv name, group, name within the group's object] each.
std::string field_list() {
  std::string list = "[";
  for (const Field& field : record_fields()) {
    if (list.size() > 1) list += ',';
    list.append("[\"").append(field.csv_name).append("\",\"").append(to_string(field.group));
    list.append("\",\"").append(field.json_name).append("\"]");
  }
  return list + "]";
}

// Names of the unfused algorithms; none has anything to escape.
std::string unfused_list() {
  std::string list = "[";
  for (const Algorithm* algorithm : algorithms()) {
    if (!algorithm->unfused) continue;
    list.append(list.size() > 1 ? ",\"" : "\"").append(algorithm->name).append("\"");
  }
  return list + "]";
}

// The licences go before the script as a comment; "*/" in one of them would end it early.
std::string script() {
  const std::string_view licences = page_file("reports/page/dist/LICENSES");
  if (licences.find("*/") != std::string_view::npos) throw std::logic_error("a licence contains */");
  std::string text = "/*\n";
  return text.append(licences).append("*/\n").append(page_file("reports/page/dist/page.js"));
}

struct Replacement {
  std::string_view marker;
  std::string text;
};

}  // namespace

std::string html_report(std::string_view json) {
  std::string_view rest = page_file("reports/page/template.html");
  const std::array<Replacement, 5> replacements{
      {{"@@STYLE@@", std::string(page_file("reports/page/dist/page.css"))},
       {"@@DATA@@", without_tags(json)},
       {"@@FIELDS@@", field_list()},
       {"@@UNFUSED@@", unfused_list()},
       {"@@SCRIPT@@", script()}}};
  // One pass from front to back: a marker within what was put in stays as it is.
  std::string html;
  for (const Replacement& replacement : replacements) {
    const std::size_t at = rest.find(replacement.marker);
    if (at == std::string_view::npos) {
      throw std::logic_error("the page's template lacks " + std::string(replacement.marker));
    }
    html.append(rest.substr(0, at)).append(replacement.text);
    rest.remove_prefix(at + replacement.marker.size());
  }
  return html.append(rest);
}

}  // namespace hbmscope
