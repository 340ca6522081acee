#include "base/text_file.h"

#include <string>

#include "base/error.h"
#include "base/mapped_file.h"

#ifdef HONE_WITH_ZLIB
#include <zlib.h>
#endif
#ifdef HONE_WITH_LZMA
#include <lzma.h>
#endif

namespace hone {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 30;  // a small archive must not fill the memory
constexpr std::size_t kChunk = std::size_t{1} << 20;

/// What a step of unpacking came to.
enum class Step { more, done, damaged };

/// Runs `unpack(into, size, produced)` until it is done.
template <class Unpack>
std::string unpack_all(const std::filesystem::path& path, Unpack unpack) {
  std::string text;
  for (std::size_t filled = 0;;) {
    text.resize(filled + kChunk);
    std::size_t left = kChunk;
    const Step step = unpack(reinterpret_cast<unsigned char*>(text.data() + filled), left);
    filled += kChunk - left;
    if (step == Step::damaged || (step == Step::more && left == kChunk))
      fail("{}: damaged or cut off archive", path.string());
    text.resize(filled);
    if (step == Step::done) return text;
    if (filled > kMaxBytes) fail("{}: unpacks to more than {} bytes", path.string(), kMaxBytes);
  }
}

#ifdef HONE_WITH_ZLIB
std::string unpack_gzip(std::string_view packed, const std::filesystem::path& path) {
  constexpr int kGzipWindow = 15 + 16;
  z_stream stream{};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) fail("{}: cannot start to unpack", path.string());
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  return unpack_all(path, [&](unsigned char* into, std::size_t& left) {
    stream.next_out = into;
    stream.avail_out = static_cast<uInt>(left);
    const int code = inflate(&stream, Z_NO_FLUSH);
    left = stream.avail_out;
    return code == Z_STREAM_END ? Step::done : code == Z_OK ? Step::more : Step::damaged;
  });
}
#else
std::string unpack_gzip(std::string_view, const std::filesystem::path& path) {
  fail("{}: is packed with gzip, and this build cannot unpack it", path.string());
}
#endif

#ifdef HONE_WITH_LZMA
std::string unpack_xz(std::string_view packed, const std::filesystem::path& path) {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kMaxBytes, 0) != LZMA_OK) fail("{}: cannot start to unpack", path.string());
  const std::unique_ptr<lzma_stream, void (*)(lzma_stream*)> end(&stream, lzma_end);
  stream.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  return unpack_all(path, [&](unsigned char* into, std::size_t& left) {
    stream.next_out = into;
    stream.avail_out = left;
    const lzma_ret code = lzma_code(&stream, LZMA_RUN);
    left = stream.avail_out;
    return code == LZMA_STREAM_END ? Step::done : code == LZMA_OK ? Step::more : Step::damaged;
  });
}
#else
std::string unpack_xz(std::string_view, const std::filesystem::path& path) {
  fail("{}: is packed with xz, and this build cannot unpack it", path.string());
}
#endif

}  // namespace

TextFile read_text_file(const std::filesystem::path& path) {
  auto file = MappedFile::open(path);
  const std::string_view bytes(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  const bool is_gzip = bytes.starts_with("\x1f\x8b");
  const bool is_xz =
      bytes.starts_with(std::string_view("\xfd"
                                         "7zXZ\0",
                                         6));
  if (!is_gzip && !is_xz) return {.owner = std::move(file), .text = bytes};
  if (bytes.size() > kMaxBytes) fail("{}: archive of more than {} bytes", path.string(), kMaxBytes);
  auto text = std::make_shared<const std::string>(is_gzip ? unpack_gzip(bytes, path) : unpack_xz(bytes, path));
  const std::string_view view = *text;
  return {.owner = std::move(text), .text = view};
}

}  // namespace hone
