"""Joins what ncu counted in each range with the shapes that a program printed: scripts/record_pytorch.

    python3 bench/range_rows.py COLUMNS SHAPES NCU_CSV >rows.csv      COLUMNS: names of a shape's numbers, separated by commas
"""
import csv
import sys

METRICS = ["dram__bytes_read.sum", "dram__bytes_write.sum"]
COUNTED = ["dram_read_bytes", "dram_write_bytes", "sweep_read_bytes", "sweep_write_bytes"]


def fail(message):
    sys.exit(f"range_rows: {message}")


def read_shapes(path):
    with open(path) as file:
        return [line.strip().split(",") for line in file if line.strip()]


def read_ranges(path):
    """ncu's raw page: a header line, a line of units, then one line for each range; what is not CSV stands before it."""
    with open(path) as file:
        rows = [row for row in csv.reader(line for line in file if not line.startswith("==")) if row]
    start = next((i for i, row in enumerate(rows) if METRICS[0] in row), None)
    if start is None:
        fail("ncu reported no ranges")
    columns = [rows[start].index(metric) for metric in METRICS]
    for metric, column in zip(METRICS, columns):
        if rows[start + 1][column] not in ("byte", "bytes"):
            fail(f"ncu gave {metric} in '{rows[start + 1][column]}', expected byte")
    return [[round(float(row[column].replace(",", ""))) for column in columns] for row in rows[start + 2 :]
            if len(row) == len(rows[start])]


def main():
    shapes, ranges = read_shapes(sys.argv[2]), read_ranges(sys.argv[3])
    if len(ranges) != 2 * len(shapes):
        fail(f"ncu counted {len(ranges)} ranges of {len(shapes)} runs, expected two of each")
    pairs = [kernels + sweep for kernels, sweep in zip(ranges[::2], ranges[1::2])]
    empty = dict(zip(COUNTED, pairs[0]))
    print("an empty range: " + ", ".join(f"{name} {value}" for name, value in empty.items()), file=sys.stderr)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(sys.argv[1].split(",") + COUNTED)
    writer.writerows(shape + pair for shape, pair in list(zip(shapes, pairs))[1:])


main()
