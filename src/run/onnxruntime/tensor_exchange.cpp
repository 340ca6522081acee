#include "run/onnxruntime/tensor_exchange.h"

#include <vector>

namespace hone::ort {
namespace {

/// ONNX Runtime numbers element types as ONNX does, up to here; later ones were added in another order.
constexpr int kLastSharedNumber = static_cast<int>(ElementType::float4e2m1);

int number_of(ElementType type) {
  const int number = static_cast<int>(type);
  if (number < 1 || number > kLastSharedNumber) fail("ONNX Runtime has no tensors of {}", name_of(type));
  return number;
}

/// Type and dims of a tensor value.
std::pair<ElementType, Dims> type_of(const std::shared_ptr<const Library>& library, const CValue* value) {
  Owned<CTensorType> type(library, kReleaseTensorType);
  library->call(kTensorType, value, type.place());
  int element = 0;
  std::size_t rank = 0;
  library->call(kElementType, type.get(), &element);
  library->call(kRank, type.get(), &rank);
  if (element < 1 || element > kLastSharedNumber) fail("ONNX Runtime gave a tensor of an unknown type {}", element);
  Dims dims(rank);
  library->call(kDims, type.get(), dims.data(), rank);
  return {static_cast<ElementType>(element), dims};
}

Tensor strings_of(const Library& library, const CValue* value, const Dims& dims) {
  Tensor tensor = Tensor::zeros(ElementType::string, dims);
  std::size_t length = 0;
  library.call(kStringsLength, value, &length);
  std::string all(length, '\0');
  std::vector<std::size_t> offsets(tensor.count() + 1, length);
  library.call(kStringsContent, value, all.data(), length, offsets.data(), tensor.count());
  for (std::size_t i = 0; i < tensor.count(); ++i)
    tensor.write<std::string>()[i] = all.substr(offsets[i], offsets[i + 1] - offsets[i]);
  return tensor;
}

Owned<CValue> tensor_value(const std::shared_ptr<const Library>& library, const Tensor& tensor) {
  Owned<CValue> value(library, kReleaseValue);
  const int type = number_of(tensor.type());
  if (tensor.type() == ElementType::string) {
    CAllocator* allocator = nullptr;
    library->call(kDefaultAllocator, &allocator);
    library->call(kCreateTensor, allocator, tensor.dims().data(), tensor.rank(), type, value.place());
    std::vector<const char*> words;
    for (const std::string& word : tensor.strings()) words.push_back(word.c_str());
    library->call(kFillStrings, value.get(), words.data(), words.size());
    return value;
  }
  Owned<CMemory> memory(library, kReleaseMemory);
  library->call(kCreateCpuMemory, kArenaAllocator, kDefaultMemory, memory.place());
  // The library asks for memory it could write to; it only reads inputs.
  library->call(kWrapTensor, memory.get(), const_cast<std::byte*>(tensor.bytes().data()), tensor.bytes().size(),
                tensor.dims().data(), tensor.rank(), type, value.place());
  return value;
}

/// The library copies what it is given as parts, but not the bytes of tensors in them.
Owned<CValue> sequence_value(const std::shared_ptr<const Library>& library, const Sequence& sequence) {
  if (sequence.items.empty()) fail("ONNX Runtime cannot be given an empty sequence");
  std::vector<Owned<CValue>> parts;
  std::vector<const CValue*> pointers;
  for (const Datum& item : sequence.items) {
    parts.push_back(to_value(library, item));
    pointers.push_back(parts.back().get());
  }
  Owned<CValue> value(library, kReleaseValue);
  library->call(kCreateFromParts, pointers.data(), pointers.size(), kSequenceValue, value.place());
  return value;
}

Datum tensor_of(const std::shared_ptr<const Library>& library, const std::shared_ptr<CValue>& value) {
  const auto [type, dims] = type_of(library, value.get());
  if (type == ElementType::string) return strings_of(*library, value.get(), dims);
  void* bytes = nullptr;
  library->call(kTensorBytes, value.get(), &bytes);
  const std::size_t size =
      (static_cast<std::size_t>(element_count(dims)) * static_cast<std::size_t>(bit_width(type)) + 7) / 8;
  return Tensor::view(type, dims, {static_cast<const std::byte*>(bytes), size}, value);
}

/// Items of a sequence; keys and values of a map.
Sequence parts_of(const std::shared_ptr<const Library>& library, const CValue* value) {
  CAllocator* allocator = nullptr;
  library->call(kDefaultAllocator, &allocator);
  std::size_t count = 0;
  library->call(kPartCount, value, &count);
  Sequence sequence;
  for (std::size_t i = 0; i < count; ++i) {
    CValue* part = nullptr;
    library->call(kPart, value, static_cast<int>(i), allocator, &part);
    const std::shared_ptr<CValue> owned(part, [library](CValue* each) { library->release(kReleaseValue, each); });
    sequence.items.push_back(to_datum(library, owned));
  }
  return sequence;
}

}  // namespace

Owned<CValue> to_value(const std::shared_ptr<const Library>& library, const Datum& datum) {
  if (datum.is_sequence()) return sequence_value(library, datum.sequence());
  if (!datum.is_tensor()) fail("ONNX Runtime cannot be given an empty optional");
  return tensor_value(library, datum.tensor());
}

Datum aligned(const Datum& datum) {
  if (datum.is_tensor()) return datum.tensor().aligned();
  if (!datum.is_sequence()) return datum;
  Sequence sequence = datum.sequence();
  for (Datum& item : sequence.items) item = aligned(item);
  return sequence;
}

Datum to_datum(const std::shared_ptr<const Library>& library, const std::shared_ptr<CValue>& value) {
  if (value == nullptr) return {};
  int kind = 0;
  library->call(kValueKind, value.get(), &kind);
  if (kind == kTensorValue) return tensor_of(library, value);
  if (kind == kSequenceValue || kind == kMapValue) return parts_of(library, value.get());
  fail("ONNX Runtime gave a value that is neither a tensor nor a sequence or map");
}

}  // namespace hone::ort
