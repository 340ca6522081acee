#include "zoo/builder.h"
#include "zoo/registry.h"

// Vision transformer (Dosovitskiy et al., 2020).

namespace hone::zoo {
namespace {

/// [batch, 1 + patches, width]: a class token and the patches, with positions added.
ValueId embed_patches(Builder& b, const Settings& s) {
  const std::int64_t size = s["resolution"], patch = s["patch"], width = s["hidden"];
  const ValueId image = b.input("image", {s["batch"], 3, size, size});
  const ValueId patches = b.conv("patches", image, width, Window::square(patch, patch), Bias::present);
  const ValueId rows = b.transpose(b.reshape(patches, {0, 0, -1}), {0, 2, 1});
  const ValueId token = b.expand(b.weight("class_token", {1, 1, width}, {.spread = 0.03}), {s["batch"], 1, width});
  const ValueId all = b.concat({token, rows}, 1);
  return b.add(all, b.weight("positions", {1, b.dim(all, 1), width}, {.spread = 0.03}));
}

void vit(Builder& b, const Settings& s) {
  ValueId x = embed_patches(b, s);
  for (std::int64_t i = 0; i < s["layers"]; ++i) {
    const auto layer = b.scope(fmt::format("layer{}", i));
    const ValueId first = b.layer_norm("norm1", x, 1e-6);
    x = b.add(x, b.attention("attention", first, first, {s["heads"]}));
    const ValueId inner = b.gelu(b.linear("expand", b.layer_norm("norm2", x, 1e-6), s["feed_forward"]));
    x = b.add(x, b.linear("contract", inner, s["hidden"]));
  }
  const ValueId token = b.squeeze(b.slice(b.layer_norm("final_norm", x, 1e-6), 1, 0, 1), {1});
  b.predict_classes(b.linear("head", token, s["classes"]));
}

const ZooFamily vit_family({{"vit",
                             "ViT-B/16: a transformer over image patches",
                             {batch_parameter(),
                              {"resolution", 224, "pixels a side"},
                              {"patch", 16, "pixels a side of a patch"},
                              depth_parameter("layers", 12, "encoder blocks"),
                              {"hidden", 768, "width"},
                              {"heads", 12, "attention heads"},
                              {"feed_forward", 3072, "width inside the feed-forward part"},
                              {"classes", 1000, "classes"}},
                             vit}});

}  // namespace
}  // namespace hone::zoo
