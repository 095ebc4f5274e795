#include "reports/html.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "reports/page_files.h"
#include "sim/algorithms/algorithm.h"
#include "sim/record_fields.h"

namespace hbmscope {
namespace {

// What stands between the tag that carries this id and the end of its element.
std::string element(const std::string& html, const std::string& id) {
  const std::size_t tag = html.find("id=\"" + id + "\">");
  if (tag == std::string::npos) return "no element " + id;
  const std::size_t begin = html.find('>', tag) + 1;
  return html.substr(begin, html.find("</script>", begin) - begin);
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(HtmlReport, EmbedsTheDataAsItIs) {
  const std::string json =
      R"({"schema_version":1,"records":[{"prediction":{"io_bytes":18446744073709551615}}]})";
  EXPECT_EQ(element(html_report(json), "hbmscope-data"), json);
}

TEST(HtmlReport, DataCannotEndItsElement) {
  const std::string html = html_report(R"({"reason":"</script><!--<script> a < b"})");
  EXPECT_EQ(element(html, "hbmscope-data"),
            R"({"reason":"\u003c/script>\u003c!--\u003cscript> a \u003c b"})");
  EXPECT_EQ(count(html, "</script"), 4U);  // data, fields, unfused, page
  EXPECT_EQ(count(html, "<!--"), 0U);
}

TEST(HtmlReport, MarkersInTheDataStay) {
  const std::string json = R"({"reason":"@@SCRIPT@@ @@UNFUSED@@ @@FIELDS@@ @@DATA@@ @@STYLE@@"})";
  const std::string html = html_report(json);
  EXPECT_EQ(element(html, "hbmscope-data"), json);
  EXPECT_EQ(count(html, "@@"), count(json, "@@"));
}

TEST(HtmlReport, ListsEveryField) {
  const std::string fields = element(html_report("{}"), "hbmscope-fields");
  EXPECT_EQ(count(fields, "["), record_fields().size() + 1);
  EXPECT_NE(fields.find(R"(["pred_l2_read_bytes","prediction","l2_read_bytes"])"), std::string::npos);
}

// In the registry's order, for the page compares with the first of them.
TEST(HtmlReport, NamesTheUnfusedAlgorithms) {
  std::string names;
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->unfused) names += (names.empty() ? "\"" : ",\"") + std::string(algorithm->name) + "\"";
  }
  EXPECT_EQ(names.find("\"standard\","), 0U);
  EXPECT_EQ(element(html_report("{}"), "hbmscope-unfused"), "[" + names + "]");
}

TEST(HtmlReport, ForbidsTheNetworkAndNamesNoOtherFile) {
  const std::string html = html_report("{}");
  EXPECT_EQ(count(html, "content=\"default-src 'none'; "), 1U);
  EXPECT_EQ(count(html, " src="), 0U);
  EXPECT_EQ(count(html, "<link rel=\"stylesheet\""), 0U);
}

TEST(HtmlReport, CarriesTheLicencesOfItsScript) {
  const std::string html = html_report("{}");
  for (const char* package : {"d3-selection", "d3-scale", "d3-axis", "d3-shape", "d3-scale-chromatic"}) {
    EXPECT_NE(html.find(std::string("\n") + package + " "), std::string::npos) << package;
  }
  EXPECT_NE(html.find("Permission to use, copy, modify, and/or distribute this software"), std::string::npos);
}

// Text that would end the element it stands in.
TEST(PageFiles, DoNotEndTheirElements) {
  for (const EmbeddedFile& file : page_files()) {
    if (file.name == "reports/page/template.html") continue;
    EXPECT_FALSE(file.text.empty()) << file.name;
    EXPECT_EQ(count(file.text, "</s"), 0U) << file.name;
    EXPECT_EQ(count(file.text, "<!--"), 0U) << file.name;
  }
}

}  // namespace
}  // namespace hbmscope
