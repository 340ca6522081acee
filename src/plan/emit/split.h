#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "graph/ir/model.h"
#include "plan/emit/placement.h"
#include "plan/machine/machine.h"

namespace hone {

/// A part of a model that runs on one device at a stretch: everything of one device and stage. It keeps the names of
/// the whole, holds the weights it reads itself, and reads what other pieces make as inputs.
struct Piece {
  Model model;
  DeviceId device;
  std::uint32_t stage = 0;
};

/// Cuts a model into pieces that, run one after another with each output handed to the inputs of its name, compute what
/// the whole does. A piece reads from pieces of earlier stages only, so those of one stage can run at the same time.
/// What no output needs is in no piece. Types must have been inferred; throws InputError naming a tensor between pieces
/// whose type is not known.
std::vector<Piece> split(const Model& model, const Placement& placement);

/// One sentence about the first way in which pieces fail to compute what the model does; nothing when they do. Goes by
/// names alone: whatever a piece makes, it makes as the model does, from what came before.
std::optional<std::string> check_pieces(const Model& model, const std::vector<Piece>& pieces);

/// The pieces' file names, in order: `model.p100-0.0.onnx`.
std::vector<std::string> piece_files(const std::vector<Piece>& pieces, const Machine& machine);

/// What a program needs to run the pieces: files in order with device, stage and signature, and for every tensor that
/// enters or passes between pieces where it comes from and goes to.
nlohmann::ordered_json manifest(const Model& model, const Machine& machine, const std::vector<Piece>& pieces);

}  // namespace hone
