"""PyTorch's fused attention (scaled_dot_product_attention by FlashAttention-2 and by cuDNN, bf16, forward) at the 16 shapes of
tests/data/sdpa_h200.csv, for counting under ncu: see scripts/record_pytorch.

Between cudaProfilerStart and cudaProfilerStop stands one call, from an L2 that a read-only sweep has cleaned, and then, as a
range of its own, the same sweep, which evicts what the call left dirty. Q, K and V lie in one arena at random multiples of
4 KiB that differ from run to run; O, which the call allocates, lies behind a piece of memory of random size. The first pair of
ranges is empty but for the sweep. Prints a line for every pair, in their order:
backend,batch,heads,kv_heads,seqlen_q,seqlen_kv,head_dim,causal,run, with 0 for the shape of the empty one.
"""
import random
import sys

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from counted_ranges import count

BACKENDS = {"flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}
# batch, heads, KV heads, N of Q, N of K and V, head dim; each without and with a causal mask, but for decoding.
SHAPES = [(4, 16, 16, 1024, 1024, 64), (4, 16, 16, 4096, 4096, 128), (1, 16, 16, 16384, 16384, 128),
          (1, 32, 8, 8192, 8192, 128), (1, 16, 16, 24576, 24576, 128), (1, 4, 4, 65536, 65536, 128),
          (2, 16, 2, 20480, 20480, 64), (32, 32, 8, 1, 4096, 128), (8, 64, 8, 1, 32768, 128)]
STEP = 4096
LARGEST_GAP = 4096  # steps before each tensor
SWEEP_BYTES = 256 << 20


def sizes_of(shape):
    batch, heads, kv_heads, seqlen_q, seqlen_kv, head_dim = shape
    return [(batch, heads, seqlen_q, head_dim), (batch, kv_heads, seqlen_kv, head_dim), (batch, kv_heads, seqlen_kv, head_dim)]


def bytes_of(dims):
    return 2 * dims[0] * dims[1] * dims[2] * dims[3]


def place(arena, shape):
    """Q, K and V in the arena, at random distances."""
    placed, begin = [], 0
    for dims in sizes_of(shape):
        begin += random.randrange(LARGEST_GAP) * STEP
        end = begin + bytes_of(dims)
        placed.append(arena[begin:end].view(torch.bfloat16).view(dims))
        begin = -(-end // STEP) * STEP
    return placed


def main():
    runs = int(sys.argv[1])
    random.seed(1)
    torch.manual_seed(1)
    largest = max(sum(bytes_of(dims) for dims in sizes_of(shape)) for shape in SHAPES)
    arena = torch.zeros(largest + 3 * (LARGEST_GAP + 1) * STEP, device="cuda", dtype=torch.uint8)
    swept = torch.zeros(SWEEP_BYTES // 4, device="cuda", dtype=torch.float32)
    total = torch.zeros((), device="cuda")

    def sweep():
        torch.sum(swept, 0, out=total)  # reads every byte; only its sums are written

    count(lambda: None, sweep)
    print("0,0,0,0,0,0,0,0,0", flush=True)
    for backend, kernel in BACKENDS.items():
        for shape in SHAPES:
            for causal in (False, True) if shape[3] > 1 else (False,):
                for run in range(runs):
                    q, k, v = place(arena, shape)
                    for tensor in (q, k, v):
                        tensor.normal_()
                    torch.cuda.empty_cache()
                    gap = torch.empty(random.randrange(1, LARGEST_GAP) * STEP, device="cuda", dtype=torch.uint8)

                    def attend():
                        with sdpa_kernel(kernel):
                            return scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=shape[1] != shape[2])

                    attend()  # loads the kernels, and has memory for O
                    count(attend, sweep)
                    del gap
                    print(backend, *shape, int(causal), run, sep=",", flush=True)


main()
