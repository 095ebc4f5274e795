#pragma once

#include <fstream>
#include <string>
#include <string_view>

namespace hbmscope {

// A CSV file of raw measurements, or nothing where none are wanted. Every row is in the file at once: what
// was written before a measurement failed shows why.
class EvidenceFile {
 public:
  // `folder` is empty where no evidence is wanted. Throws UserError (--evidence) if the file cannot be
  // written.
  EvidenceFile(const std::string& folder, std::string_view name, std::string_view header);

  // Throws UserError (--evidence) if it cannot be written.
  void row(std::string_view text);

 private:
  std::string path_;
  std::ofstream file_;
};

// Creates the folder if it is not there. Throws UserError (--evidence).
void make_evidence_folder(const std::string& folder);

}  // namespace hbmscope
