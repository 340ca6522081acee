#include "formats/hlo/opcode.h"

#include <unordered_map>

namespace hone::hlo {
namespace {

using enum OpKind;

// One flop an element for everything elementwise, as XLA's own cost analysis counts; it counts transcendental functions
// apart, here they are one flop too.
// clang-format off
constexpr OpcodeEntry kTable[] = {
    {"parameter", parameter, 0, 0},            {"constant", constant, 0, 0},
    {"tuple", tuple},                          {"get-tuple-element", element_of_tuple, 1, 1},
    {"optimization-barrier", forward, 1, 1},   {"opt-barrier", forward, 1, 1},
    {"domain", forward, 1, 1},                 {"add-dependency", forward, 2, 2},
    {"after-all", token},                      {"bitcast", bitcast, 1, 1},
    {"reshape", reshape, 1, 1},                {"dynamic-reshape", movement, 1},

    {"abs", elementwise, 1, 1, 1},             {"cbrt", elementwise, 1, 1, 1},
    {"ceil", elementwise, 1, 1, 1},            {"convert", elementwise, 1, 1, 1},
    {"bitcast-convert", movement, 1, 1},       {"stochastic-convert", elementwise, 2, 2, 1},
    {"cosine", elementwise, 1, 1, 1},          {"count-leading-zeros", elementwise, 1, 1, 1},
    {"erf", elementwise, 1, 1, 1},             {"exponential", elementwise, 1, 1, 1},
    {"exponential-minus-one", elementwise, 1, 1, 1}, {"floor", elementwise, 1, 1, 1},
    {"imag", elementwise, 1, 1, 1},            {"is-finite", elementwise, 1, 1, 1},
    {"log", elementwise, 1, 1, 1},             {"log-plus-one", elementwise, 1, 1, 1},
    {"logistic", elementwise, 1, 1, 1},        {"negate", elementwise, 1, 1, 1},
    {"not", elementwise, 1, 1, 1},             {"popcnt", elementwise, 1, 1, 1},
    {"real", elementwise, 1, 1, 1},            {"reduce-precision", elementwise, 1, 1, 1},
    {"round-nearest-afz", elementwise, 1, 1, 1}, {"round-nearest-even", elementwise, 1, 1, 1},
    {"rsqrt", elementwise, 1, 1, 1},           {"sign", elementwise, 1, 1, 1},
    {"sine", elementwise, 1, 1, 1},            {"sqrt", elementwise, 1, 1, 1},
    {"tan", elementwise, 1, 1, 1},             {"tanh", elementwise, 1, 1, 1},
    {"acos", elementwise, 1, 1, 1},            {"acosh", elementwise, 1, 1, 1},
    {"asin", elementwise, 1, 1, 1},            {"asinh", elementwise, 1, 1, 1},
    {"atanh", elementwise, 1, 1, 1},           {"cosh", elementwise, 1, 1, 1},
    {"sinh", elementwise, 1, 1, 1},
    {"add", elementwise, 2, 2, 1},             {"and", elementwise, 2, 2, 1},
    {"atan2", elementwise, 2, 2, 1},           {"compare", elementwise, 2, 2, 1},
    {"complex", elementwise, 2, 2, 1},         {"divide", elementwise, 2, 2, 1},
    {"maximum", elementwise, 2, 2, 1},         {"minimum", elementwise, 2, 2, 1},
    {"multiply", elementwise, 2, 2, 1},        {"or", elementwise, 2, 2, 1},
    {"power", elementwise, 2, 2, 1},           {"remainder", elementwise, 2, 2, 1},
    {"shift-left", elementwise, 2, 2, 1},      {"shift-right-arithmetic", elementwise, 2, 2, 1},
    {"shift-right-logical", elementwise, 2, 2, 1}, {"subtract", elementwise, 2, 2, 1},
    {"xor", elementwise, 2, 2, 1},             {"clamp", elementwise, 3, 3, 1},
    {"select", elementwise, 3, 3, 1},

    {"copy", copy, 1, 1},                      {"broadcast", movement, 1, 1},
    {"concatenate", movement, 1},              {"dynamic-pad", movement, 2},
    {"pad", movement, 2, 2},                   {"reverse", movement, 1, 1},
    {"transpose", movement, 1, 1},             {"slice", slice_read, 1, 1},
    {"dynamic-slice", slice_read, 1},          {"gather", slice_read, 2, 2},
    {"dynamic-update-slice", update_slice, 2}, {"scatter", scatter, 3},
    {"get-dimension-size", produce, 1, 1},     {"set-dimension-size", bitcast, 2, 2},
    {"iota", produce, 0, 0},                   {"partition-id", produce, 0, 0},
    {"replica-id", produce, 0, 0},             {"rng", produce, 2, -1, 1},
    {"rng-bit-generator", produce, 1, 1, 1},   {"rng-get-and-update-state", produce, 0, 0},

    {"reduce", reduce, 2},                     {"reduce-window", reduce_window, 2},
    {"select-and-scatter", select_and_scatter, 3, 3},
    {"map", map, 1},                           {"sort", sort, 1},
    {"topk", sort, 1, 1},                      {"dot", dot, 2},
    {"ragged-dot", dot, 3, 3},                 {"scaled-dot", dot, 4, 4},
    {"convolution", convolution, 2, 2},        {"batch-norm-training", batch_norm, 3, 3, 8},
    {"batch-norm-inference", batch_norm, 5, 5, 4}, {"batch-norm-grad", batch_norm, 5, 5, 10},
    {"fft", fft, 1, 1},                        {"cholesky", cholesky, 1, 1},
    {"triangular-solve", triangular_solve, 2, 2},

    {"all-gather", collective, 1},             {"all-reduce", collective, 1},
    {"all-to-all", collective, 1},             {"collective-broadcast", collective, 1},
    {"collective-permute", collective, 1},     {"ragged-all-to-all", collective, 6, 6},
    {"reduce-scatter", collective, 1},
    {"all-gather-start", collective_start, 1}, {"all-reduce-start", collective_start, 1},
    {"collective-permute-start", collective_start, 1},
    {"all-gather-done", async_done, 1, 1},     {"all-reduce-done", async_done, 1, 1},
    {"collective-permute-done", async_done, 1, 1},
    {"async-start", async_start},              {"async-update", async_update, 1, 1},
    {"async-done", async_done, 1, 1},          {"copy-start", async_start, 1, 1},
    {"copy-done", async_done, 1, 1},

    {"call", call},                            {"fusion", fusion},
    {"while", while_loop, 1, 1},               {"conditional", conditional, 1},
    {"custom-call", custom_call},
    {"infeed", exchange, 1, 1},                {"outfeed", exchange, 2, 2},
    {"send", exchange, 2, 2},                  {"send-done", exchange, 1, 1},
    {"recv", exchange, 1, 1},                  {"recv-done", exchange, 1, 1},
};
// clang-format on

constexpr OpcodeEntry kAsyncRows[] = {
    {"start", async_start}, {"update", async_update, 1, 1}, {"done", async_done, 1, 1}};

std::unordered_map<std::string_view, const OpcodeEntry*> index_table() {
  std::unordered_map<std::string_view, const OpcodeEntry*> rows;
  for (const OpcodeEntry& entry : kTable) rows.emplace(entry.name, &entry);
  return rows;
}

}  // namespace

const OpcodeEntry& opcode_named(std::string_view name) {
  static const auto rows = index_table();
  static constexpr OpcodeEntry kUnknown{"", unknown};
  if (const auto found = rows.find(name); found != rows.end()) return *found->second;
  // `fusion-start`, `reduce-scatter-done`: async-start and its kin, written with the opcode they wrap.
  const std::size_t dash = name.rfind('-');
  if (dash == std::string_view::npos || !rows.contains(name.substr(0, dash))) return kUnknown;
  for (const OpcodeEntry& entry : kAsyncRows)
    if (entry.name == name.substr(dash + 1)) return entry;
  return kUnknown;
}

}  // namespace hone::hlo
