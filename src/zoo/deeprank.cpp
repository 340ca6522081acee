#include "zoo/builder.h"
#include "zoo/registry.h"

// A deep ranking model: embeddings of categorical features and dense features of each document through a perceptron.

namespace hone::zoo {
namespace {

void deeprank(Builder& b, const Settings& s) {
  const std::int64_t batch = s["batch"], documents = s["documents"], features = s["features"];
  const ValueId ids = b.input("feature_ids", {batch, documents, features}, ElementType::int64);
  std::vector<ValueId> parts;
  std::int64_t index = 0;
  for (const ValueId column : b.split_evenly(ids, 2, features)) {
    const auto place = b.scope(fmt::format("feature{}", index++));
    parts.push_back(b.embedding("embedding", b.squeeze(column, {2}), s["vocabulary"], s["width"]));
  }
  const ValueId dense = b.input("dense", {batch, documents, s["dense_features"]});
  parts.push_back(b.relu(b.linear("dense", dense, s["width"])));
  ValueId x = b.concat(parts, 2);
  for (std::int64_t i = 0; i < s["layers"]; ++i)
    x = b.relu(b.layer_norm(fmt::format("norm{}", i), b.linear(fmt::format("hidden{}", i), x, s["hidden"])));
  b.predict_values(b.softmax(b.squeeze(b.linear("score", x, 1), {2})));
}

const ZooFamily deeprank_family(
    {{"deeprank",
      "Deep ranking: embedded features of each document through a perceptron, softmax over documents",
      {batch_parameter(),
       {"documents", 20, "documents a query"},
       {"features", 26, "categorical features a document"},
       {"dense_features", 13, "numbers a document"},
       {"vocabulary", 10000, "values of a categorical feature"},
       {"width", 32, "of an embedding"},
       depth_parameter("layers", 4, "hidden layers"),
       {"hidden", 512, "width of a hidden layer"}},
      deeprank}});

}  // namespace
}  // namespace hone::zoo
