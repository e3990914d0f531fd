#!/usr/bin/env python3
"""How long keys and clicks wait while a large model is open: processor time of the main thread between two waits of the event
loop, around each of them. By hand, on Linux; needs root or perf_event_paranoid of -1, and perf, Xvfb and xdotool.

  answer.py SKINSCOPE MODEL [ACTION…]

ACTION: `key:NAME` as xdotool has it, or `click:X:Y` in pixels of a window of 1280x720. Without any: most keys, a walk over the
skin, turning, zooming, playing. `most` is the longest stretch of the main thread, `main` and `all` are sums over the main and
all threads, all in ms of processor time; on a software device `all` holds the drawing. It ends with resident memory.
"""
import json, os, re, signal, subprocess, sys, tempfile, time

program, model, *actions = sys.argv[1:]
scratch = tempfile.mkdtemp(prefix="skinscope-large-")
display = os.environ.get("LARGE_DISPLAY", ":77")
env = dict(os.environ, DISPLAY=display, XDG_CONFIG_HOME=scratch, XDG_RUNTIME_DIR=scratch)
os.makedirs(f"{scratch}/skinscope")
with open(f"{scratch}/skinscope/settings.json", "w") as file:
    json.dump({"size": [1280, 720]}, file)
server = subprocess.Popen(["Xvfb", display, "-screen", "0", "1280x720x24", "-nolisten", "tcp"], stderr=subprocess.DEVNULL)


def x(*words):
    done = subprocess.run(["xdotool", *map(str, words)], env=env, capture_output=True, text=True, timeout=30)
    return done.stdout.strip()


def wait_until(is_so, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end and not is_so():
        time.sleep(0.1)


wait_until(lambda: subprocess.run(["xdotool", "getdisplaygeometry"], env=env, capture_output=True).returncode == 0, 20)
app = subprocess.Popen([program, model], env=env, stderr=subprocess.DEVNULL)
events = ["sched:sched_stat_runtime", "syscalls:sys_enter_epoll_wait", "syscalls:sys_enter_epoll_pwait"]
trace = f"{scratch}/trace"
perf = ["perf", "record", "-q", "-k", "mono", "-t", str(app.pid), "-o", trace] + [w for e in events for w in ("-e", e)]
perf = subprocess.Popen(perf, stderr=subprocess.DEVNULL)


def all_ms():
    fields = open(f"/proc/{app.pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 10


def memory():
    text = open(f"/proc/{app.pid}/status").read()
    return [int(re.search(name + r":\s+(\d+)", text).group(1)) // 1024 for name in ("VmRSS", "VmHWM")]


def quiet(limit, seconds=0.25):
    """Until all threads together take little for so many seconds."""
    end, last, since = time.monotonic() + limit, all_ms(), time.monotonic()
    while time.monotonic() < end and time.monotonic() - since < seconds:
        time.sleep(0.05)
        now = all_ms()
        since = time.monotonic() if now - last > 12 else since
        last = now


marks = []


def act(name, deed, limit=12):
    start, before = time.monotonic(), all_ms()
    deed()
    quiet(limit)
    marks.append((name, start, time.monotonic(), all_ms() - before))


def walk(button=None):
    if button:
        x("mousedown", button)
    for i in range(20):
        x("mousemove", 600 + 8 * i, 340 + 3 * i)
    if button:
        x("mouseup", button)


def one(action):
    what, *rest = action.split(":")
    if what == "key":
        act(action, lambda: x("key", rest[0]))
    else:
        act(action, lambda: (x("mousemove", *rest), x("click", 1)))


window = ""
while not window and app.poll() is None:
    window, _ = x("search", "--onlyvisible", "--pid", app.pid).split("\n")[0], time.sleep(0.1)
x("windowfocus", window)
act("opening", lambda: wait_until(lambda: os.path.basename(model) in x("getwindowname", window), 240), 0)
for key in "w d b b n n F1 Escape space".split():
    act(f"early {key}", lambda: x("key", key), 1)
quiet(60, 3)
if actions:
    for action in actions:
        one(action)
else:
    one("click:120:133")
    keys = "w d i s c o v v o a a b b n n e e m m g g w f Home Next Prior h shift+h F1 Escape KP_1 KP_5 KP_5 ctrl+t ctrl+t ctrl+4 ctrl+4"
    for key in keys.split():
        one(f"key:{key}")
    act("walk over the skin", walk)
    act("turn", lambda: walk(1))
    act("zoom", lambda: [x("click", 4) for _ in range(5)])
    one("click:600:400")
    one("key:f")
    one("key:Escape")
    act("play 3 s", lambda: (x("key", "space"), time.sleep(3), x("key", "space")))
resident, most_resident = memory()
app.kill()
app.wait()
perf.send_signal(signal.SIGINT)
perf.wait()
server.terminate()
server.wait()
script = ["perf", "script", "-i", trace, "--ns", "-F", "time,event,trace"]
stretches, ran, begin = [], 0.0, None
for line in subprocess.run(script, capture_output=True, text=True).stdout.split("\n"):
    event = re.match(r"\s*(\d+\.\d+):\s+(\S+):\s*(.*)", line)
    if not event:
        continue
    at = float(event.group(1))
    runtime = re.search(r"runtime=(\d+)", event.group(3))
    if runtime:
        ran += int(runtime.group(1)) / 1e6
        begin = at if begin is None else begin
    else:
        if ran > 0.2:
            stretches.append((begin, at, ran))
        ran, begin = 0.0, at
print(f"{'':24} {'most':>6} {'main':>6} {'all':>6}")
for name, start, end, total in marks:
    during = [ran for first, last, ran in stretches if last > start and first < end]
    print(f"{name:24} {max(during, default=0):6.0f} {sum(during):6.0f} {total:6.0f}")
print(f"longest stretch {max((s[2] for s in stretches), default=0):.0f} ms; resident {resident} MiB, at most {most_resident}")
