// Standard input: JSON as the JSON writer makes it. Standard output: the report.
#include <iostream>
#include <iterator>
#include <string>

#include "reports/html.h"

int main() {
  const std::string json(std::istreambuf_iterator<char>(std::cin), {});
  std::cout << hbmscope::html_report(json);
  return std::cout.good() ? 0 : 1;
}
