#pragma once

// CLI11's header is large; headers that only pass a command on need its name.
namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's spelling
class App;
}  // namespace CLI
