// IDX files through gzip. The input's first byte says what is still to be compressed, so that the
// fuzzer need not find check sums: 1 the images, 2 the labels, 4 each in two members. The rest is
// as in idx.cpp.
#include <zlib.h>

#include "idx_pair.hpp"

namespace {

constexpr int gzip_window = 15 + 16;

struct Unzipped {
  std::string bytes;
  bool intact = true;
};

Bytef* writable(const char* bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes));  // zlib's next_in is not const
}

/// One gzip member at the front of `text`, which loses it.
bool unzip_member(std::string_view& text, std::string& out) {
  z_stream stream{};
  check(inflateInit2(&stream, gzip_window) == Z_OK, "zlib");
  stream.next_in = writable(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  int code = Z_OK;
  while (code == Z_OK) {
    char piece[4096];
    stream.next_out = writable(piece);
    stream.avail_out = sizeof piece;
    code = inflate(&stream, Z_NO_FLUSH);
    out.append(piece, sizeof piece - stream.avail_out);
  }
  text.remove_prefix(text.size() - stream.avail_in);
  inflateEnd(&stream);
  return code == Z_STREAM_END;
}

/// Members one behind the other; what is behind the last and no member is ignored. A file that
/// begins otherwise holds its bytes as they are.
Unzipped unzipped(std::string_view text) {
  const auto is_member = [&] { return text.starts_with("\x1F\x8B"); };
  if (!is_member()) return {std::string(text)};
  Unzipped whole;
  while (whole.intact && is_member()) whole.intact = unzip_member(text, whole.bytes);
  return whole;
}

std::string member(std::string_view text) {
  z_stream stream{};
  check(deflateInit2(&stream, 1, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) == Z_OK, "zlib");
  std::string out(deflateBound(&stream, text.size()), 0);
  stream.next_in = writable(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = writable(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  check(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zipped(std::string_view text, bool in_two) {
  if (!in_two) return member(text);
  return member(text.substr(0, text.size() / 2)) + member(text.substr(text.size() / 2));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const Pair pair(std::string_view(reinterpret_cast<const char*>(bytes) + 1, size - 1));
  const bool in_two = (bytes[0] & 4) != 0;
  std::string images(pair.images), labels(pair.labels);
  if ((bytes[0] & 1) != 0) images = zipped(images, in_two);
  if ((bytes[0] & 2) != 0) labels = zipped(labels, in_two);
  const Unzipped pixels = unzipped(images), answers = unzipped(labels);
  const MemoryFile image_file(images), label_file(labels);
  check_pair(image_file, label_file, pixels.bytes, answers.bytes, pixels.intact && answers.intact);
  return 0;
}
