"""Ratios of our kernels' times to PyTorch's, from a folder of torch.N.json and ours.N.json (scripts/compare_speed).

flash2 is compared with the FlashAttention-2 back end at the same shape and mask, best tile. The launches of
standard attention are compared with what bounds them: HBM bytes at the rate of a copy, and executed FLOPs at the rate
of FlashAttention-2 (full mask, same head dim). A ratio is ours / theirs in speed for flash2 (floor) and
time / bound for the launches (ceiling).
"""
import csv
import glob
import json
import re
import statistics
import sys

FLASH2_FLOOR = 0.95
SOFTMAX_CEILING = 1.2
GEMM_CEILING = 1.5
HEADER = ["kernel", "head_dim", "mask", "tile", "time_us", "compared_with", "compared_us", "ratio", "limit", "holds"]
NAME = re.compile(r"(?P<algorithm>[^/]+)/b4_h16_n4096_d(?P<d>\d+)_bf16_(?P<mask>\w+)/(?P<tile>\d+x\d+)"
                  r"(/(?P<launch>[^/]+))?/manual_time")


def read_rounds(folder, name):
    paths = sorted(glob.glob(f"{folder}/{name}.*.json"))
    if not paths:
        sys.exit(f"speed_ratios: no {name}.*.json in {folder}")
    rounds = []
    for path in paths:
        with open(path) as file:
            rounds.append(json.load(file))
    return rounds


def torch_times_s(rounds):
    return {name: statistics.median(r["times_s"][name] for r in rounds) for name in rounds[0]["times_s"]}


def our_kernels(rounds):
    """One dict per benchmark: the parts of its name, its median time and its counts."""
    kernels = {}
    for benchmark in (b for r in rounds for b in r["benchmarks"]):
        if benchmark.get("error_occurred"):
            sys.exit(f"speed_ratios: {benchmark['name']}: {benchmark['error_message']}")
        parts = NAME.fullmatch(benchmark["name"]).groupdict()
        kernel = kernels.setdefault(benchmark["name"], {**parts, "times_us": []})
        kernel["times_us"].append(benchmark["real_time"])
        kernel["flops"] = benchmark["executed_FLOP"]
        kernel["bytes"] = benchmark["HBM_compulsory_bytes"]
    for kernel in kernels.values():
        kernel["time_us"] = statistics.median(kernel["times_us"])
    return list(kernels.values())


def best_tiles(kernels):
    """Of each kernel, shape and mask the fastest tile."""
    best = {}
    for kernel in kernels:
        key = (kernel["algorithm"], kernel["launch"], kernel["d"], kernel["mask"])
        if key not in best or kernel["time_us"] < best[key]["time_us"]:
            best[key] = kernel
    return best.values()


def compare(kernel, torch_s, copy_bytes_per_s):
    """(what it is compared with, its time in us, ratio, limit, whether it holds); None where nothing is."""
    d, mask = kernel["d"], kernel["mask"]
    if kernel["algorithm"] == "flash2_mma":
        theirs_us = torch_s[f"fa2/d{d}/{mask}"] * 1e6
        ratio = theirs_us / kernel["time_us"]
        return "FlashAttention-2 of PyTorch", theirs_us, ratio, FLASH2_FLOOR, ratio >= FLASH2_FLOOR
    if kernel["algorithm"] != "standard_mma" or kernel["launch"] is None:
        return None
    copy_us = kernel["bytes"] / copy_bytes_per_s * 1e6
    if "softmax" in kernel["launch"]:
        name, bound_us, limit = "HBM bytes at copy rate", copy_us, SOFTMAX_CEILING
    else:
        fa2_flops_per_s = 4 * 4 * 16 * 4096**2 * int(d) / torch_s[f"fa2/d{d}/full"]
        flops_us = kernel["flops"] / fa2_flops_per_s * 1e6
        name = "HBM bytes at copy rate" if copy_us > flops_us else "FLOPs at FlashAttention-2's rate"
        bound_us, limit = max(copy_us, flops_us), GEMM_CEILING
    ratio = kernel["time_us"] / bound_us
    return name, bound_us, ratio, limit, ratio <= limit


def main():
    folder = sys.argv[1]
    rounds = read_rounds(folder, "torch")
    torch_s = torch_times_s(rounds)
    copy_bytes_per_s = rounds[0]["copy_bytes"] / torch_s["copy"]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(HEADER)
    all_hold = True
    for kernel in best_tiles(our_kernels(read_rounds(folder, "ours"))):
        row = [kernel["launch"] or kernel["algorithm"], kernel["d"], kernel["mask"], kernel["tile"],
               f"{kernel['time_us']:.1f}"]
        compared = compare(kernel, torch_s, copy_bytes_per_s)
        if compared is None:
            writer.writerow([*row, *[""] * 5])
            continue
        name, compared_us, ratio, limit, holds = compared
        all_hold &= holds
        writer.writerow([*row, name, f"{compared_us:.1f}", f"{ratio:.3f}", limit, int(holds)])
    for name, time_s in torch_s.items():
        writer.writerow([f"PyTorch {rounds[0]['torch']} {name}", *[""] * 3, f"{time_s * 1e6:.1f}", *[""] * 5])
    sys.exit(0 if all_hold else 1)


main()
