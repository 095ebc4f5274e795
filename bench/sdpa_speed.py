"""Times PyTorch's scaled_dot_product_attention and a device-to-device copy the way bench_kernels times our kernels.

CUDA events around one call, from an L2 that a read-only sweep has cleaned, median of the repeats. Writes one JSON
object: {"torch": ..., "times_s": {"fa2/d64/full": ..., "cudnn/d64/full": ..., "copy": ...}, "copy_bytes": ...}.
Shape: batch 4, 16 heads, N = 4096, bf16. Needs a GPU and PyTorch with the FlashAttention and cuDNN back ends.
"""
import json
import statistics
import sys

import torch
import torch.nn.functional as functional
from torch.nn.attention import SDPBackend, sdpa_kernel

BATCH, HEADS, SEQLEN = 4, 16, 4096
HEAD_DIMS = (64, 128)
BACKENDS = {"fa2": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}
REPEATS = 30
COPY_ELEMENTS = 1 << 30


def median_time_s(run, sweep):
    times_ms = []
    for repeat in range(REPEATS + 3):
        sweep.sum()  # reads every byte, writes none: the L2 is left clean
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        run()
        end.record()
        torch.cuda.synchronize()
        if repeat >= 3:
            times_ms.append(begin.elapsed_time(end))
    return statistics.median(times_ms) / 1e3


def attention_times_s(sweep):
    times_s = {}
    for head_dim in HEAD_DIMS:
        q, k, v = (torch.randn(BATCH, HEADS, SEQLEN, head_dim, device="cuda", dtype=torch.bfloat16) for _ in range(3))
        for mask in ("full", "causal"):
            for name, backend in BACKENDS.items():
                with sdpa_kernel(backend):
                    times_s[f"{name}/d{head_dim}/{mask}"] = median_time_s(
                        lambda: functional.scaled_dot_product_attention(q, k, v, is_causal=mask == "causal"), sweep)
    return times_s


def main():
    torch.manual_seed(1)
    sweep = torch.zeros(256 << 20, device="cuda", dtype=torch.uint8)
    times_s = attention_times_s(sweep)
    source = torch.zeros(COPY_ELEMENTS, device="cuda", dtype=torch.bfloat16)
    target = torch.zeros_like(source)
    times_s["copy"] = median_time_s(lambda: target.copy_(source), sweep)
    copy_bytes = 2 * source.numel() * source.element_size()  # read and written
    json.dump({"torch": torch.__version__, "gpu": torch.cuda.get_device_name(), "times_s": times_s,
               "copy_bytes": copy_bytes}, sys.stdout)


main()
