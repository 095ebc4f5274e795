#pragma once

#include <string_view>

#include "cli/axis.h"
#include "cli/point_list.h"

namespace hbmscope {

inline constexpr NumberRange kSizes{1, kLargestSize};

// What the options whose values are words put into the axes. Each throws UserError (the option) for an empty
// list or item and for a word that is not accepted.
void parse_directions(std::string_view option, std::string_view text, PointAxes& axes);
void parse_dtypes(std::string_view option, std::string_view text, PointAxes& axes);
void parse_orders(std::string_view option, std::string_view text, PointAxes& axes);
void parse_kv_walks(std::string_view option, std::string_view text, PointAxes& axes);
void parse_l2_modes(std::string_view option, std::string_view text, PointAxes& axes);
void parse_cache_states(std::string_view option, std::string_view text, PointAxes& axes);
void parse_masks(std::string_view option, std::string_view text, PointAxes& axes);
void parse_gpus(std::string_view option, std::string_view text, PointAxes& axes);
// Every kind of layer that a model has.
void parse_models(std::string_view option, std::string_view text, PointAxes& axes);
// "l2.capacity=50MiB,100MiB", added to those that are there; what the GPUs take of it is seen when they are
// changed (changed_gpus).
void parse_setting(std::string_view option, std::string_view text, PointAxes& axes);
void parse_algorithms(std::string_view option, std::string_view text, PointAxes& axes);
// What --algorithm stands for without a word of its own: the algorithms that alone have one of the variants,
// "flash2" for "fa2,mma"; `otherwise` if every one of them is of several algorithms, or of none.
std::string algorithms_of_variants(std::string_view variants, std::string_view otherwise);
// Of the algorithms that are there; an implementation without a variant means the first one.
void parse_variants(std::string_view option, std::string_view text, PointAxes& axes);

// What --dtype and --mask say replaces what the models say; layers that then do not differ count once.
void replace_in_layers(PointAxes& axes);

}  // namespace hbmscope
