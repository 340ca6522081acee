#include "zoo/builder.h"
#include "zoo/registry.h"

// SqueezeNet 1.1 (Iandola et al., 2016).

namespace hone::zoo {
namespace {

/// 1x1 squeeze, then 1x1 and 3x3 expansions side by side.
ValueId fire(Builder& b, std::string_view name, ValueId x, std::int64_t squeezed, std::int64_t expanded) {
  const auto place = b.scope(name);
  const ValueId s = b.relu(b.conv("squeeze", x, squeezed, Window::square(1), Bias::present));
  const ValueId left = b.relu(b.conv("expand1x1", s, expanded, Window::square(1), Bias::present));
  const ValueId right = b.relu(b.conv("expand3x3", s, expanded, Window::square(3, 1, 1), Bias::present));
  return b.concat({left, right}, 1);
}

void squeezenet(Builder& b, const Settings& s) {
  const std::int64_t size = s["resolution"];
  ValueId x = b.input("image", {s["batch"], 3, size, size});
  x = b.relu(b.conv("stem", x, 64, Window::square(3, 2), Bias::present));
  x = b.pool("MaxPool", x, Window::square(3, 2));
  x = fire(b, "fire2", x, 16, 64);
  x = fire(b, "fire3", x, 16, 64);
  x = b.pool("MaxPool", x, Window::square(3, 2));
  x = fire(b, "fire4", x, 32, 128);
  x = fire(b, "fire5", x, 32, 128);
  x = b.pool("MaxPool", x, Window::square(3, 2));
  x = fire(b, "fire6", x, 48, 192);
  x = fire(b, "fire7", x, 48, 192);
  x = fire(b, "fire8", x, 64, 256);
  x = fire(b, "fire9", x, 64, 256);
  x = b.relu(b.conv("classifier", x, s["classes"], Window::square(1), Bias::present));
  b.predict_classes(b.reshape(b.global_average_pool(x), {0, -1}));
}

const ZooFamily squeezenet_family({{
    .name = "squeezenet",
    .description = "SqueezeNet 1.1: fire modules of squeeze and two expansions",
    .parameters = {batch_parameter(), {"resolution", 224, "pixels a side"}, {"classes", 1000, "classes"}},
    .build = squeezenet,
}});

}  // namespace
}  // namespace hone::zoo
