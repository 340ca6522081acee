#pragma once

#include <cstdint>
#include <string_view>

namespace hone::hlo {

/// How an opcode is treated: what it costs, what it moves and what its shapes must satisfy.
enum class OpKind : std::uint8_t {
  unknown,  // an opcode of a newer XLA: kept, costed by its bytes alone
  parameter,
  constant,
  tuple,
  element_of_tuple,
  forward,  // hands its operands on and keeps an order: optimization-barrier, domain, add-dependency
  token,    // after-all: order without data
  bitcast,
  reshape,
  elementwise,
  copy,
  movement,    // reads all, writes all, computes nothing: transpose, broadcast, concatenate, pad, ...
  produce,     // writes without reading: iota, rng, partition-id
  slice_read,  // reads only what it writes: slice, dynamic-slice, gather
  update_slice,
  scatter,
  reduce,
  reduce_window,
  select_and_scatter,
  map,
  sort,
  dot,
  convolution,
  batch_norm,
  fft,
  cholesky,
  triangular_solve,
  collective,
  collective_start,
  async_start,
  async_update,
  async_done,
  call,
  fusion,
  while_loop,
  conditional,
  custom_call,
  exchange,  // talks to the host or another program: infeed, outfeed, send, recv
};

/// One row of the opcode table.
struct OpcodeEntry {
  std::string_view name;
  OpKind kind = OpKind::unknown;
  int min_operands = 0;
  int max_operands = -1;         // negative: any number
  double flops_per_element = 0;  // of the output; for kinds whose flops need no more than that
};

/// The row of an opcode; the row of unknown opcodes when XLA has grown one this version does not know.
const OpcodeEntry& opcode_named(std::string_view name);

}  // namespace hone::hlo
