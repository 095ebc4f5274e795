"""PyTorch's eager attention (matmul, softmax, matmul; bf16) at 14 shapes, for counting under ncu: see scripts/record_pytorch.

Between cudaProfilerStart and cudaProfilerStop stand the three kernels, from an L2 that a read-only sweep has cleaned, and
then, as a range of its own, the same sweep, which evicts what they left dirty. All tensors lie in one arena at random
multiples of 4 KiB that differ from run to run. The first pair of ranges is empty but for the sweep: what the profiler itself
moves. Prints a line for every pair, in their order: batch,heads,seqlen,head_dim,run, with 0 for the shape of the empty one.
"""
import random
import sys

import torch

from counted_ranges import count

# batch, heads, N, head dim. S, of batch x heads x N^2 elements, takes 0.5 MiB to 2 GiB.
SHAPES = [(1, 1, 512, 64), (1, 4, 512, 64), (1, 16, 512, 64), (1, 8, 1024, 64), (1, 12, 1024, 64), (1, 16, 1024, 128),
          (1, 5, 2048, 128), (1, 8, 2048, 64), (1, 16, 2048, 128), (1, 2, 8192, 128), (4, 16, 2048, 128),
          (2, 12, 4096, 64), (1, 32, 4096, 128), (64, 16, 1024, 64)]
STEP = 4096
LARGEST_GAP = 4096  # steps before each tensor
SWEEP_BYTES = 256 << 20


def elements(dims):
    return dims[0] * dims[1] * dims[2]


def tensors_of(shape):
    """Name and dimensions of all that the three kernels touch; the heads of all sequences are one dimension."""
    batch, heads, seqlen, head_dim = shape
    planes = batch * heads
    inputs = dict.fromkeys("qkv", (planes, seqlen, head_dim))
    return {**inputs, "s": (planes, seqlen, seqlen), "p": (planes, seqlen, seqlen), "o": (planes, seqlen, head_dim)}


def place(arena, shape):
    """The tensors of a shape in the arena, in a random order and at random distances."""
    tensors = list(tensors_of(shape).items())
    random.shuffle(tensors)
    placed, begin = {}, 0
    for name, dims in tensors:
        begin += random.randrange(LARGEST_GAP) * STEP
        end = begin + 2 * elements(dims)
        placed[name] = arena[begin:end].view(torch.bfloat16).view(dims)
        begin = -(-end // STEP) * STEP
    return placed


def attend(t):
    torch.bmm(t["q"], t["k"].transpose(1, 2), out=t["s"])
    torch.ops.aten._softmax.out(t["s"], -1, False, out=t["p"])
    torch.bmm(t["p"], t["v"], out=t["o"])


def main():
    runs = int(sys.argv[1])
    random.seed(1)
    torch.manual_seed(1)
    largest = max(sum(2 * elements(dims) for dims in tensors_of(shape).values()) for shape in SHAPES)
    arena = torch.zeros(largest + 6 * (LARGEST_GAP + 1) * STEP, device="cuda", dtype=torch.uint8)
    swept = torch.zeros(SWEEP_BYTES // 4, device="cuda", dtype=torch.float32)
    total = torch.zeros((), device="cuda")

    def sweep():
        torch.sum(swept, 0, out=total)  # reads every byte; only its sums are written

    count(lambda: None, sweep)
    print("0,0,0,0,0", flush=True)
    for shape in SHAPES:
        for run in range(runs):
            tensors = place(arena, shape)
            for name in "qkv":
                tensors[name].normal_()
            attend(tensors)  # loads the kernels
            count(lambda: attend(tensors), sweep)
            print(*shape, run, sep=",", flush=True)


main()
