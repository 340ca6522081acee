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

}  // namespace

Owned<CValue> to_value(const std::shared_ptr<const Library>& library, const Tensor& tensor) {
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

Datum to_datum(const std::shared_ptr<const Library>& library, const std::shared_ptr<CValue>& value) {
  if (value == nullptr) return {};
  int kind = 0;
  library->call(kValueKind, value.get(), &kind);
  if (kind != kTensorValue) fail("ONNX Runtime gave a value that is no tensor");
  const auto [type, dims] = type_of(library, value.get());
  if (type == ElementType::string) return strings_of(*library, value.get(), dims);
  void* bytes = nullptr;
  library->call(kTensorBytes, value.get(), &bytes);
  const std::size_t size =
      (static_cast<std::size_t>(element_count(dims)) * static_cast<std::size_t>(bit_width(type)) + 7) / 8;
  return Tensor::view(type, dims, {static_cast<const std::byte*>(bytes), size}, value);
}

}  // namespace hone::ort
