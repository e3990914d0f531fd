"""What each look costs a frame, as a ratio to the studio.

    python3 benches/looks.py PROGRAM MODEL [ROUNDS=5] [FRAMES=90]

Plays the first clip of the model with `view --benchmark` in a window of 640 x 360 pixels, which needs a display. The looks take turns in
every round. Prints a line for each: the median ratio of the processor time of a frame to that of the studio in the same round, and the
least and largest.
"""

import json
import statistics
import subprocess
import sys


def looks(program):
    """The ids of all looks, as the help of the program has them."""
    text = subprocess.run([program, "help", "view"], capture_output=True, text=True, check=True).stdout
    after = text.split("--look <NAME>")[1].split("--tone-map")[0]
    return [line.strip()[2:].split(":")[0] for line in after.splitlines() if line.strip().startswith("- ")]


def cost(program, model, look, frames):
    """The processor time of a frame, milliseconds."""
    command = [program, "view", model, "--benchmark", str(frames), "--size", "640x360", "--msaa", "off", "--look", look, "--json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["cpu_ms_per_frame"]


def main():
    program, model, *numbers = sys.argv[1:]
    rounds, frames = [int(number) for number in numbers] + [5, 90][len(numbers):]
    ratios = {look: [] for look in looks(program)}
    for _ in range(rounds):
        studio = cost(program, model, "studio", frames)
        for look, found in ratios.items():
            found.append(cost(program, model, look, frames) / studio)
    for look, found in ratios.items():
        print(f"{look:14} {statistics.median(found):.2f} ({min(found):.2f} to {max(found):.2f})")


if __name__ == "__main__":
    main()
