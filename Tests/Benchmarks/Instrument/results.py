"""The results of the measurements, and the statistics derived from them."""
import json
import statistics


def median_or_nan(values):
    return statistics.median(values) if values else float("nan")


class Results:
    """Samples, instruction counts and refusals (reasons for a missing sample), by row and client."""

    def __init__(self):
        self.samples, self.instructions, self.refusals = {}, {}, {}
        self.rows = []  # Names, in the order of the measurement.
        self.about = {}

    def begin(self, row):
        if row not in self.rows:
            self.rows.append(row)

    def add(self, row, client, sample):
        self.begin(row)
        self.samples.setdefault(row, {}).setdefault(client, []).append(sample)

    def count(self, row, client, instructions):
        self.begin(row)
        self.instructions.setdefault(row, {})[client] = instructions

    def refuse(self, row, client, reason):
        self.begin(row)
        self.refusals.setdefault(row, {})[client] = reason

    def clients(self, row):
        found = []
        for kind in (self.samples, self.instructions, self.refusals):
            found += [client for client in kind.get(row, {}) if client not in found]
        return found

    def values(self, row, client, key):
        """Returns one value per round; `wall` and `cpu` are in microseconds per operation."""
        samples = self.samples.get(row, {}).get(client, [])
        if key in ("wall", "cpu"):
            return [sample[key] / sample["count"] * 1e6 for sample in samples]
        return [sample[key] for sample in samples if key in sample]

    def median(self, row, client, key):
        if key == "instructions":
            return self.instructions.get(row, {}).get(client, float("nan"))
        return median_or_nan(self.values(row, client, key))

    def least(self, row, client, key):
        return min(self.values(row, client, key), default=float("nan"))

    def most(self, row, client, key):
        return max(self.values(row, client, key), default=float("nan"))

    def ratio(self, row, client, base, key):
        """Returns the median of the ratios per round. A disturbance of a round affects both clients."""
        if key == "instructions":
            base_count = self.median(row, base, key)
            return self.median(row, client, key) / base_count if base_count else float("nan")
        pairs = zip(self.values(row, client, key), self.values(row, base, key))
        return median_or_nan([ours / theirs for ours, theirs in pairs if theirs])

    def merge(self, other):
        """Adds the rows of other results; replaces rows that exist in both, and counts by client."""
        self.rows += [row for row in other.rows if row not in self.rows]
        for ours, theirs in ((self.samples, other.samples), (self.refusals, other.refusals)):
            ours.update(theirs)
        for row, counts in other.instructions.items():
            self.instructions.setdefault(row, {}).update(counts)
        self.about = self.about or other.about
        return self

    def only(self, rows):
        """Returns the results of some rows."""
        part = Results()
        part.rows, part.about = rows, self.about
        for kind in ("samples", "refusals", "instructions"):
            whole = getattr(self, kind)
            setattr(part, kind, {row: whole[row] for row in rows if row in whole})
        return part

    def save(self, path):
        with open(path, "w") as file:
            json.dump(self.__dict__, file, indent=1)
            file.write("\n")

    def load(self, path):
        with open(path) as file:
            self.__dict__.update(json.load(file))
        return self
