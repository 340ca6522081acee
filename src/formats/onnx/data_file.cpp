#include "formats/onnx/data_file.h"

#include <algorithm>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/sentence.h"
#include "formats/onnx/external_data.h"
#include "formats/onnx/tensor_codec.h"

namespace hone::onnx {
namespace {

// SequenceProto: name 1, elem_type 2, tensor_values 3, sequence_values 5, optional_values 7.
// OptionalProto: name 1, elem_type 2, tensor_value 3, sequence_value 5, optional_value 7.
constexpr std::uint32_t kTensorItem = 3;
constexpr std::uint32_t kSequenceItem = 5;
constexpr int kMostNested = 16;

class DataReader {
 public:
  DataReader(std::shared_ptr<const MappedFile> file) : file_(std::move(file)), external_(file_->path().parent_path()) {}

  Datum read(Bytes message, const Type& type, int depth) {
    if (depth > kMostNested) fail("data is nested more than {} deep", kMostNested);
    if (type.kind == Type::Kind::sequence) return read_sequence(message, *type.inner, depth);
    if (type.kind == Type::Kind::optional) return read_optional(message, *type.inner, depth);
    const Tensor tensor = read_tensor(message, file_, external_).aligned();
    // NumPy has no bfloat16, so the published files hold its bits as uint16.
    const bool bits_only = type.element == ElementType::bfloat16 && tensor.type() == ElementType::uint16;
    if (!bits_only) return tensor;
    Tensor bits = Tensor::zeros(ElementType::bfloat16, tensor.dims());
    std::ranges::copy(tensor.bytes(), bits.write_bytes().begin());
    return bits;
  }

 private:
  Datum read_sequence(Bytes message, const Type& inner, int depth) {
    Sequence sequence{.items = {}, .element = inner.element};
    WireReader reader(message);
    while (const auto field = reader.next())
      if (field->number == kTensorItem || field->number == kSequenceItem)
        sequence.items.push_back(read(field->message(), inner, depth + 1));
    return sequence;
  }
  Datum read_optional(Bytes message, const Type& inner, int depth) {
    WireReader reader(message);
    while (const auto field = reader.next())
      if (field->number == kTensorItem || field->number == kSequenceItem)
        return read(field->message(), inner, depth + 1);
    return {};
  }

  std::shared_ptr<const MappedFile> file_;
  ExternalFiles external_;
};

}  // namespace

Datum read_data_file(const std::filesystem::path& path, const Type& type) {
  const auto file = MappedFile::open(path);
  return within(path.string(), [&] { return DataReader(file).read(file->bytes(), type, 0); });
}

}  // namespace hone::onnx
