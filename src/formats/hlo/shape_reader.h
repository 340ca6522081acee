#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/hlo/cursor.h"
#include "formats/hlo/module.h"

namespace hone::hlo {

/// Reads shapes such as `f32[2,<=3]{1,0:T(8,128)}` and `(s32[], (f32[4]{0}))` into a table where the same text is the
/// same shape.
class ShapeReader {
 public:
  ShapeReader(Cursor& cursor, std::vector<Shape>& shapes) : cursor_(cursor), shapes_(shapes) {}

  ShapeId read();

 private:
  ShapeId read_nested(int depth);
  ShapeId remember(std::size_t begin, Shape shape);
  Shape read_tuple(int depth);
  Shape read_array(int depth);
  Dimension read_dimension();

  Cursor& cursor_;
  std::vector<Shape>& shapes_;
  std::unordered_map<std::string_view, ShapeId> by_text_;
};

}  // namespace hone::hlo
