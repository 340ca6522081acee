#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/error.h"
#include "clean/clean.h"
#include "ir/verify.h"
#include "onnx/read.h"
#include "onnx/wire.h"
#include "onnx/write.h"
#include "ops/infer.h"

namespace {

using namespace hone;

/// Memory of its own for every model, so that reading past it is noticed.
Model read_copy(std::span<const std::byte> bytes, const std::string& source) {
  const std::shared_ptr<std::byte[]> copy(new std::byte[bytes.size()]);
  std::ranges::copy(bytes, copy.get());
  return onnx::read({copy.get(), bytes.size()}, copy, source, "no such folder");
}

}  // namespace

/// Bytes are either refused with an InputError or give a valid model, which is written the same once it has been
/// written, whose types can be inferred and which can be cleaned (evaluating what is constant), or not with an
/// InputError, and is valid and can be written afterwards.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Model model;
  try {
    model = read_copy(std::as_bytes(std::span(data, size)), "fuzz");
  } catch (const InputError&) {
    return 0;
  }
  const std::string written = onnx::encode(model);
  const std::string again = onnx::encode(read_copy(onnx::as_bytes(written), "written"));
  HONE_CHECK(written == again);
  const auto before = verify(model);
  try {
    clean(model);
  } catch (const InputError&) {
    return 0;
  }
  if (before) return 0;  // a file may break promises that hone only needs for what it changes
  const auto after = verify(model);
  HONE_CHECK(!after, "{}", *after);
  read_copy(onnx::as_bytes(onnx::encode(model)), "cleaned");
  return 0;
}
