#include "sim/gemm_tiles.h"

#include "sim/config_file.h"
#include "sim/toml_reader.h"

namespace hbmscope {

std::span<const EmbeddedFile> embedded_gemm_tile_files();  // configs/kernels/eager.toml

namespace {

constexpr std::int64_t kLargestTile = std::int64_t{1} << 20;

GemmTile read_tile(TomlReader& reader) {
  return {reader.integer("rows", 1, kLargestTile), reader.integer("columns", 1, kLargestTile)};
}

GemmTiles read_tiles(TomlReader reader) {
  GemmTiles read;
  read.name = reader.text("name");
  read.full_name = reader.text("full_name");
  read.fewest_tiles = reader.integer("fewest_tiles", 1, kLargestTile);
  read.counted_on = read_counted_on(reader.table("counted_on"));
  TomlReader source = reader.table("source");  // for those who read the file
  for (const std::string_view key : {"tiles", "traffic"}) source.text(key);
  source.finish();
  for (const toml::node& node : reader.tables("scores")) {
    TomlReader tile = reader.element(node, "scores");
    read.scores.push_back(read_tile(tile));
    tile.finish();
  }
  for (const toml::node& node : reader.tables("output")) {
    TomlReader tile = reader.element(node, "output");
    read.outputs[tile.integer("head_dim", 1, kLargestTile)].push_back(read_tile(tile));
    tile.finish();
  }
  reader.finish();
  return read;
}

}  // namespace

GemmTiles parse_gemm_tiles(std::string_view toml_text, std::string_view origin) {
  const std::string file(origin);
  const toml::table table = parse_toml(toml_text, file);
  return read_tiles({table, file, ""});
}

const GemmTiles& eager_tiles() {
  static const GemmTiles tiles = [] {
    const ConfigText config = find_config("--variant", embedded_gemm_tile_files(), "eager");
    return parse_gemm_tiles(config.text, config.origin);
  }();
  return tiles;
}

}  // namespace hbmscope
