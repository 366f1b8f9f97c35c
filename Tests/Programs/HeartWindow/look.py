"""Checks a screenshot of heart-window: compares the dots of its plot with the printed heart rates.

    look.py PICTURE OUTPUT

The plot has a grid with columns every 10 seconds and rows every 10 beats. The lowest row is the multiple of 10
below the lowest value; the highest row is the multiple of 10 above the highest value.
"""

import re
import struct
import sys
import zlib

DOT, GRID = (0xD0, 0x10, 0x40), 0xD8


def pixels(path):
    """Returns the rows of a PNG (8 or 16 bits per channel, not interlaced) as lists of (red, green, blue)."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "not a PNG"
    position, packed = 8, b""
    while position < len(data):
        length, kind = struct.unpack(">I4s", data[position:position + 8])
        body = data[position + 8:position + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed += body
        position += 12 + length
    assert depth in (8, 16) and colour in (2, 6) and not interlace, "unsupported kind of PNG"
    wide = depth // 8
    step = (3 if colour == 2 else 4) * wide
    raw, rows, above = zlib.decompress(packed), [], bytes(width * step)
    for start in range(0, height * (width * step + 1), width * step + 1):
        kind, line = raw[start], bytearray(raw[start + 1:start + 1 + width * step])
        for at in range(len(line)):
            left = line[at - step] if at >= step else 0
            up, corner = above[at], above[at - step] if at >= step else 0
            if kind == 1:
                guess = left
            elif kind == 2:
                guess = up
            elif kind == 3:
                guess = (left + up) // 2
            elif kind == 4:
                guess = min((left, up, corner), key=lambda value: abs(left + up - corner - value))
            else:
                guess = 0
            line[at] = (line[at] + guess) & 255
        rows.append([(line[x], line[x + wide], line[x + 2 * wide])
                     for x in range(0, len(line), step)])
        above = bytes(line)
    return rows


def run_centres(numbers):
    """Returns the centres of runs of consecutive numbers."""
    return weighted_run_centres({number: 1 for number in numbers})


def weighted_run_centres(weights):
    """Returns the weighted centres of runs of consecutive numbers."""
    runs = []
    for number in sorted(weights):
        if runs and number - runs[-1][-1] <= 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [sum(number * weights[number] for number in run) / sum(map(weights.get, run))
            for run in runs]


def darkness(pixel):
    """Returns the share of a grid line in a pixel, from 0 to 1; a line may cover two pixels in part."""
    red, green, blue = pixel
    return (255 - red) / (255 - GRID) if GRID <= red == green == blue < 250 else 0


def grid(rows):
    """Returns the positions of grid lines: rows in which more than half of the pixels belong to the grid."""
    found = {}
    for at, row in enumerate(rows):
        seen = [weight for weight in map(darkness, row) if weight]
        if len(seen) > len(row) / 2:
            found[at] = sum(seen) / len(seen)
    return weighted_run_centres(found)


def main(picture, output):
    with open(output, encoding="utf-8") as file:
        sent = [int(value) for value in re.findall(r"^heart rate (\d+)$", file.read(), re.M)]
    assert len(sent) >= 5, f"only {len(sent)} heart rates were printed"
    assert sent == list(range(sent[0], sent[0] + len(sent))), f"heart rates missing or out of order: {sent}"
    rows = pixels(picture)
    height, width = len(rows), len(rows[0])

    grid_rows = grid(rows)
    grid_columns = grid(zip(*rows))
    lower = (min(sent) - 1) // 10 * 10
    upper = max(sent) // 10 * 10 + 10
    values = list(range(upper, lower - 1, -10))
    assert len(grid_rows) == len(values), f"grid rows at {grid_rows}, expected one each for {values}"
    assert len(grid_columns) == 7, f"grid columns at {grid_columns}, expected 7 for one minute"

    # The line between the dots has another colour, so the dots do not merge.
    dots = []
    for x in run_centres({x for y in range(height) for x in range(width) if rows[y][x] == DOT}):
        near = [y for y in range(height) for at in (int(x), int(x) + 1) if rows[y][at] == DOT]
        dots.append((x, sum(near) / len(near)))
    assert len(dots) == len(sent), f"found {len(dots)} dots for {sent}"

    ten_beats = (grid_rows[-1] - grid_rows[0]) / (len(grid_rows) - 1)
    ten_seconds = (grid_columns[-1] - grid_columns[0]) / (len(grid_columns) - 1)
    for (x, y), value in zip(dots, sent):
        shown = lower + (grid_rows[-1] - y) / ten_beats * 10
        assert abs(shown - value) < 0.5, f"{value} is drawn at {shown:.2f}"
    # Single values may be late on a busy machine, but the series has one value per second.
    seconds = (dots[-1][0] - dots[0][0]) / ten_seconds * 10
    assert abs(seconds - (len(sent) - 1)) < 1.5, f"{len(sent)} values in {seconds:.1f} seconds"
    assert (grid_columns[-1] - dots[-1][0]) / ten_seconds * 10 < 5, "the last dot is not at the right edge"
    print(f"{len(dots)} dots, {sent[0]} to {sent[-1]}, in {seconds:.1f} seconds")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except AssertionError as failure:
        sys.exit(f"look.py: {failure}")
