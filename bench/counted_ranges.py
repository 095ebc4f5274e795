"""Ranges that ncu counts by application replay, for eager_attention.py and sdpa_attention.py."""
import torch


def in_a_range(run):
    cudart = torch.cuda.cudart()
    torch.cuda.synchronize()
    cudart.cudaProfilerStart()
    run()
    torch.cuda.synchronize()
    cudart.cudaProfilerStop()


def count(run, sweep):
    sweep()
    in_a_range(run)
    in_a_range(sweep)
