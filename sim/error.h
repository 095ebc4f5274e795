#pragma once

#include <stdexcept>
#include <string>

namespace hbmscope {

// The one error that a user's input or environment causes. It prints as a single line and ends the program
// with exit code 2. `input` names the option, key or file:line, `value` is what was given, `accepted` says
// what would have been taken.
class UserError : public std::runtime_error {
 public:
  UserError(std::string input, std::string value, std::string accepted);

  const std::string& input() const { return input_; }
  const std::string& value() const { return value_; }
  const std::string& accepted() const { return accepted_; }

 private:
  std::string input_;
  std::string value_;
  std::string accepted_;
};

// What keeps one point from being predicted. Its own type, so that a run of many points can go on.
class PointError : public UserError {
 public:
  using UserError::UserError;
};

// A count of one point that 64 bits do not hold.
class CountOverflow : public PointError {
 public:
  explicit CountOverflow(std::string count);  // "byte count"
};

}  // namespace hbmscope
