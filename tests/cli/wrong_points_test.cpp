// Options of points that are not accepted: one line on standard error that names option, value and what is
// taken; exit code 2; no file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/refused.h"

namespace hbmscope::testing {
namespace {

using ::testing::IsEmpty;

struct WrongPoint {
  std::vector<std::string> arguments;
  std::string words;
};

class WrongPoints : public ::testing::TestWithParam<WrongPoint> {};

TEST_P(WrongPoints, AreRefusedBeforeAnyFileIsThere) {
  const Workspace workspace;
  for (const char* command : {"predict", "sweep", "validate"}) {
    std::vector<std::string> arguments{command, "--csv", "x.csv", "--json", "x.json", "--html", "x.html"};
    arguments.insert(arguments.end(), GetParam().arguments.begin(), GetParam().arguments.end());
    expect_refused(workspace.run(arguments), GetParam().words);
    EXPECT_THAT(workspace.files(), IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Options, WrongPoints,
    ::testing::Values(
        WrongPoint{{"--gpu", "b1000"}, "--gpu: 'b1000' is not accepted; expected one of a10, a100-40"},
        WrongPoint{{"--gpu", "none.toml"}, "--gpu"},
        WrongPoint{{"--gpu", "h200+sms=0"}, "--gpu: 'sms=0' is not accepted; expected a whole number"},
        WrongPoint{{"--gpu", "h200+"}, "--gpu: expected KEY=VALUE"},
        WrongPoint{{"--model", "llama9"}, "--model: 'llama9' is not accepted; expected one of gemma2-9b"},
        WrongPoint{{"--model", "none.toml"},
                   "--model: 'none.toml' is not accepted; expected a readable file"},
        WrongPoint{{"--model", "llama3-8b", "--heads", "8"},
                   "--model: 'llama3-8b' is not accepted; expected either --model or --heads, not both"},
        WrongPoint{{"--model", "llama3-8b", "--head-dim-v", "8"},
                   "--model: 'llama3-8b' is not accepted; expected either --model or --head-dim-v"},
        WrongPoint{{"--set", "l3.capacity=1MiB"},
                   "--set: 'l3.capacity=1MiB' is not accepted; expected KEY=VALUE, KEY one of sms, clock"},
        WrongPoint{{"--set", "l2.capacity"}, "--set: 'l2.capacity' is not accepted; expected KEY=VALUE"},
        WrongPoint{{"--set", "l2.capacity=1MiB,"}, "--set: '1MiB,' is not accepted"},
        WrongPoint{{"--set", "hbm.bandwidth=8TB"},
                   "--set: 'hbm.bandwidth=8TB' is not accepted; expected a rate from 1MB/s"},
        WrongPoint{{"--set", "sms=66", "--set", "sms=67"},
                   "--set: 'sms=67' is not accepted; expected sms to"},
        WrongPoint{{"--algorithm", "flash9"},
                   "--algorithm: 'flash9' is not accepted; expected one of standard"},
        WrongPoint{{"--algorithm", "flash2", "--variant", "wgmma9"}, "--variant: 'wgmma9' is not accepted"},
        WrongPoint{{"--variant", "wgmma9"}, "--variant: 'wgmma9' is not accepted; expected one of mma"},
        WrongPoint{{"--algorithm", "standard", "--variant", "fa2"},
                   "--variant: 'fa2' is not accepted; expected one of mma, paper, cublas"},
        WrongPoint{
            {"--variant", "fa2,wgmma9"},
            "--variant: 'wgmma9' is not accepted; expected one of mma, paper, fa2, cudnn, fa3 (of flash2)"},
        WrongPoint{{"--variant", "fa2,autograd"},
                   "--variant: 'autograd' is not accepted; expected one of mma, paper, fa2, cudnn, fa3 (of "
                   "flash2); it is one of --algorithm standard or flash1"},
        WrongPoint{{"--variant", "fa2", "--br", "64,128"},
                   "--br: '64' is not accepted; expected 128: --variant fa2 implies it"},
        WrongPoint{{"--variant", "fa2", "--head-dim", "64,128", "--bc", "128"},
                   "--bc: '128' is not accepted; expected 64: --variant fa2 implies it"},
        WrongPoint{{"--variant", "fa2", "--stages", "2"},
                   "--stages: '2' is not accepted; expected 1: --variant fa2 implies it"},
        WrongPoint{{"--variant", "fa2", "--kv-walk", "up"},
                   "--kv-walk: 'up' is not accepted; expected down: --variant fa2 implies it"},
        WrongPoint{{"--variant", "cudnn", "--order", "head-fastest"},
                   "--order: 'head-fastest' is not accepted; expected q-fastest: --variant cudnn implies it"},
        WrongPoint{{"--variant", "fa2", "--splits", "2"}, "--splits: '2' is not accepted; expected 1"},
        WrongPoint{{"--variant", "fa2", "--direction", "backward"},
                   "--direction: 'backward' is not accepted; expected forward"},
        WrongPoint{{"--variant", "fa2", "--head-dim", "64,96"},
                   "--head-dim: '96' is not accepted; expected 64 or 128"},
        WrongPoint{{"--dtype", "int4"}, "--dtype: 'int4' is not accepted; expected bf16"},
        WrongPoint{{"--mask", "causal,band"}, "--mask: 'band' is not accepted"},
        WrongPoint{{"--mask", "window"}, "--mask: 'window' is not accepted"},
        WrongPoint{{"--mask", "window:0"}, "--mask window: '0' is not accepted"},
        WrongPoint{{"--causal", "--mask", "full"}, "--causal: expected either"},
        WrongPoint{{"--direction", "up"}, "--direction: 'up' is not accepted; expected forward, backward"},
        WrongPoint{{"--l2", "exact"}, "--l2: 'exact' is not accepted; expected none"},
        WrongPoint{{"--splits", "4"}, "--splits: '4' is not accepted; expected 1: standard mma"},
        WrongPoint{{"--splits", "1,2"}, "--splits: '2' is not accepted; expected 1: standard mma"},
        WrongPoint{{"--algorithm", "flash1", "--order", "q-fastest,head-fastest"},
                   "--order: 'head-fastest' is not accepted; expected q-fastest: flash1 mma"},
        WrongPoint{{"--order", "zigzag"}, "--order: 'zigzag'"},
        WrongPoint{{"--cache-state", "hot"}, "--cache-state: 'hot'"},
        WrongPoint{{"--seqlen", "0"}, "--seqlen: '0' is not accepted; expected a whole number from 1"},
        WrongPoint{{"--seqlen", "-1"}, "--seqlen: '-1' is not accepted"},
        WrongPoint{{"--seqlen", "4611686018427387904"}, "--seqlen: '4611686018427387904' is not accepted"},
        WrongPoint{{"--batch", "1.5"}, "--batch: '1.5' is not accepted"},
        WrongPoint{{"--heads", "many"}, "--heads: 'many' is not accepted"},
        WrongPoint{{"--head-dim", ""}, "--head-dim: an empty value is not accepted"},
        WrongPoint{{"--br", "64,"}, "--br: '64,' is not accepted"},
        WrongPoint{{"--bc", "128..64+16"}, "--bc: '128..64+16' is not accepted; expected lo..hi"},
        WrongPoint{{"--stages", "x"}, "--stages: 'x' is not accepted"},
        WrongPoint{{"--placements", "0"}, "--placements: '0' is not accepted"},
        WrongPoint{{"--heads", "16", "--kv-heads", "3"},
                   "--kv-heads: '3' is not accepted; expected a divisor"},
        WrongPoint{{"--tokens", "1000", "--seqlen", "512"}, "--tokens: '1000' is not accepted"},
        WrongPoint{{"--tokens", "512", "--batch", "1"}, "--tokens: '512' is not accepted; expected either"},
        WrongPoint{{"--seqlen", "1..100000+1", "--br", "1..10000+1"}, "axes: expected at most"},
        WrongPoint{{"--seqlen", "64\n65"}, "--seqlen: '64\\x0a65' is not accepted"},
        WrongPoint{{"compile"}, ""}, WrongPoint{{"--bogus", "1"}, ""}, WrongPoint{{"extra"}, ""},
        WrongPoint{{"--seqlen"}, "--seqlen: expected"},
        WrongPoint{{"--seqlen", "1", "--seqlen", "2"}, "--seqlen: expected one value"},
        WrongPoint{{"--color", "pink"}, "--color: 'pink' is not accepted"}));

}  // namespace
}  // namespace hbmscope::testing
