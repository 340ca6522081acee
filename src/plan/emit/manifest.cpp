#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "plan/emit/device_names.h"
#include "plan/emit/split.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

Json names_json(const Graph& graph, std::span<const ValueId> ids) {
  Json list = Json::array();
  for (const ValueId id : ids) list.push_back(graph.value(id).name);
  return list;
}

/// Inputs that must be fed: those with a default may be left out, and are not another piece's.
std::vector<ValueId> fed_inputs(const Graph& graph) {
  std::vector<ValueId> ids(graph.inputs().begin(), graph.inputs().end());
  std::erase_if(ids, [&graph](ValueId id) { return graph.value(id).constant.has_value(); });
  return ids;
}

/// The piece that makes each tensor which leaves one.
std::map<std::string, std::size_t> makers(const std::vector<Piece>& pieces) {
  std::map<std::string, std::size_t> maker;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    for (const ValueId id : pieces[i].model.graph.outputs()) maker.emplace(pieces[i].model.graph.value(id).name, i);
  return maker;
}

/// Every tensor that enters or passes between pieces: which piece makes it (none for the caller's), who reads it.
Json moves(const Graph& whole, const std::vector<Piece>& pieces) {
  std::map<std::string, std::size_t> maker = makers(pieces);
  for (const ValueId id : whole.inputs()) maker.erase(whole.value(id).name);
  Json list = Json::array();
  std::map<std::string, std::size_t> entry_of;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Graph& graph = pieces[i].model.graph;
    for (const ValueId id : fed_inputs(graph)) {
      const Value& value = graph.value(id);
      const auto [entry, is_new] = entry_of.emplace(value.name, list.size());
      if (is_new) {
        const auto from = maker.find(value.name);
        const std::optional<std::uint64_t> bytes = byte_size(value.type);
        list.push_back({{"tensor", value.name},
                        {"type", text_of(value.type)},
                        {"bytes", bytes ? Json(*bytes) : Json()},
                        {"from", from == maker.end() ? Json() : Json(from->second)},
                        {"to", Json::array()}});
      }
      list[entry->second]["to"].push_back(i);
    }
  }
  return list;
}

}  // namespace

std::vector<std::string> piece_files(const std::vector<Piece>& pieces, const Machine& machine) {
  const std::vector<std::string> devices = plain_device_names(machine);
  std::vector<std::string> files;
  for (const Piece& piece : pieces)
    files.push_back(fmt::format("model.{}.{}.onnx", devices[piece.device.index()], files.size()));
  return files;
}

Json manifest(const Model& model, const Machine& machine, const std::vector<Piece>& pieces) {
  const std::vector<std::string> files = piece_files(pieces, machine);
  const std::map<std::string, std::size_t> maker = makers(pieces);
  Json list = Json::array();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Graph& graph = pieces[i].model.graph;
    list.push_back({{"file", files[i]},
                    {"device", machine.device(pieces[i].device).name},
                    {"stage", pieces[i].stage},
                    {"nodes", graph.node_count()},
                    {"inputs", names_json(graph, fed_inputs(graph))},
                    {"outputs", names_json(graph, graph.outputs())}});
  }
  Json outputs = Json::array();
  for (const ValueId id : model.graph.outputs())
    outputs.push_back({{"tensor", model.graph.value(id).name}, {"from", maker.at(model.graph.value(id).name)}});
  return {{"schema", "hone.split/1"},
          {"model", model.source},
          {"machine", machine.name},
          {"pieces", std::move(list)},
          {"tensors", moves(model.graph, pieces)},
          {"outputs", std::move(outputs)}};
}

}  // namespace hone
