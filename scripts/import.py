#!/usr/bin/env python3
"""import.py FOLDER [--clone] [--kernels N] [--part K/N] [-- options of dataset import]
: kernels of other people's repositories as launches that are ready to be measured.

data/import/repositories.tsv lists repository, commit and licence. FOLDER/checkouts/OWNER+NAME
holds each of them at that commit (--clone gets those that are missing, by git). The files with
most variety are taken: at most N kernels of a repository (default 130), drawn by the hash of the
path. FOLDER/selected/ gets links to them and to the headers that they include, and a
compile_commands.json with the folders in which these are found; headers that only a build makes
are empty, PyTorch's and those of CUDA's samples are the stand-ins that the front end has for them. Then `warpwise dataset import` reads all of it.
Nothing of these repositories becomes a part of this one: rows, features and hashes are kept."""
import hashlib
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADERS = ('.h', '.hpp', '.cuh', '.hh', '.inl', '.inc', '.hxx', '.ipp', '.def', '.tpp')
# Copies of other projects, and tests of a framework that need its build.
LEAVE = re.compile(r'/(third_party|3rdparty|thirdparty|external|extern|vendor|deps|'
                   r'submodules|cub|thrust|cutlass)/')
INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
TORCH = re.compile(r'(ATen|torch|c10|THC|pybind11)/|helper_(cuda|functions|image|string|timer)\.h$')
SHIM = os.path.join(HERE, 'src/front/shim/cuda')
STANDARD = b'#include <cstdio>\n#include <stdexcept>\n#include <string>\n#include <vector>\n'
MOST_FOLDERS = 24
MOST_HEADERS = 400 # of one file


def repositories():
    with open(os.path.join(HERE, 'data/import/repositories.tsv')) as f:
        next(f)
        return [line.split('\t')[:2] for line in f if line.strip()]


def clone(folder, name, commit):
    where = os.path.join(folder, name.replace('/', '+'))
    if not os.path.exists(where):
        url = 'https://github.com/' + name
        subprocess.run(['git', 'clone', '-q', url, where], check=True)
        subprocess.run(['git', '-C', where, 'checkout', '-q', commit], check=True)


def read(path):
    try:
        with open(path, 'rb') as f:
            return f.read(1 << 20)
    except OSError:
        return b''


def files_of(root):
    kernels, headers = [], []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(d for d in folders if not d.startswith('.'))
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.islink(path):
                continue
            if name.endswith(HEADERS) or name.endswith('.cu'):
                headers.append(path)
            if name.endswith('.cu') and not LEAVE.search(path):
                n = read(path).count(b'__global__')
                if n:
                    kernels.append((path, n))
    return kernels, headers


def drawn(kernels, root, most):
    """As many files as hold `most` kernels, by the hash of their paths."""
    key = lambda k: hashlib.sha1(os.path.relpath(k[0], root).encode()).hexdigest()
    taken, n = [], 0
    for path, count in sorted(kernels, key=key):
        if n >= most:
            break
        taken.append(path)
        n += count
    return taken


def includes_of(path, ends):
    """The headers that a file includes, and those that these include; and the folders from
    which they are found, the most needed first."""
    found, seen, missing, todo = {}, set(), set(), [path]
    while todo and len(seen) < MOST_HEADERS:
        at = todo.pop()
        if at in seen:
            continue
        seen.add(at)
        for mark, name in INCLUDE.findall(read(at)):
            name = os.path.normpath(name.decode('utf8', 'replace'))
            beside = os.path.normpath(os.path.join(os.path.dirname(at), name))
            if beside in ends.get(os.path.basename(name), ()):
                todo.append(beside)
                continue
            near = [h for h in ends.get(os.path.basename(name), ())
                    if h.endswith('/' + name)]
            if not near:
                if mark == b'"' or TORCH.match(name):
                    missing.add(name)
                continue
            best = max(near, key=lambda h: len(os.path.commonprefix([h, at])))
            where = best[:-len(name) - 1]
            found[where] = found.get(where, 0) + 1
            todo.append(best)
    order = sorted(found, key=lambda w: (-found[w], w))[:MOST_FOLDERS]
    return seen, order, missing


def torch_stubs(to):
    """The front end's stand-ins for headers of PyTorch and of CUDA's samples."""
    os.makedirs(os.path.join(to, 'torch'), exist_ok=True)
    table = open(os.path.join(SHIM, 'aliases.yaml')).read()
    for name, file in re.findall(r'name: (\S+?), external-contents: (\S+?)\}', table):
        name = name.replace('/warpwise-shim/cuda/', '')
        if TORCH.match(name):
            os.makedirs(os.path.dirname(os.path.join(to, name)), exist_ok=True)
            with open(os.path.join(to, name), 'w') as f:
                f.write('#include <%s>\n' % file)
    files = ['torch/' + f for f in os.listdir(os.path.join(SHIM, 'torch'))]
    for file in files + [f for f in os.listdir(SHIM) if TORCH.match(f)]:
        with open(os.path.join(to, file), 'wb') as f:
            text = read(os.path.join(SHIM, file))
            f.write(STANDARD + text.replace(b'"ww_cuda.h"', b'<cuda_runtime.h>'))


def empty_headers(to, names):
    """Only where nobody has the name."""
    toolkit = os.environ.get('CUDA_HOME', '/usr/local/cuda')
    others = ('/usr/include', os.path.join(toolkit, 'include'), SHIM)
    for name in names:
        path = os.path.join(to, name)
        if name.startswith('..') or os.path.isabs(name) or os.path.exists(path):
            continue
        if any(os.path.exists(os.path.join(f, name)) for f in others):
            continue
        os.makedirs(os.path.dirname(path), exist_ok=True)
        open(path, 'w').close()


def select(name, checkout, selected, most):
    kernels, headers = files_of(checkout)
    taken = drawn(kernels, checkout, most)
    to = os.path.join(selected, name)
    ends = {}
    for h in headers:
        ends.setdefault(os.path.basename(h), []).append(h)
    commands, needed, missing = [], set(), set()
    stubs = [os.path.join(selected, '.torch'), os.path.join(to, '.empty')]
    for path in taken:
        seen, folders, unknown = includes_of(path, ends)
        needed |= seen
        missing |= unknown
        file = os.path.relpath(path, checkout)
        flags = ['-I' + os.path.relpath(f, checkout) for f in [checkout] + folders]
        flags += ['-I' + f for f in stubs if unknown]
        commands.append({'directory': to, 'file': file,
                         'arguments': ['clang++', '-std=c++17'] + flags + ['-c', file]})
    for path in needed:
        link = os.path.join(to, os.path.relpath(path, checkout))
        os.makedirs(os.path.dirname(link), exist_ok=True)
        if not os.path.exists(link):
            os.link(path, link)
    empty_headers(stubs[1], {m for m in missing if not TORCH.match(m)})
    if taken:
        with open(os.path.join(to, 'compile_commands.json'), 'w') as f:
            json.dump(commands, f, indent=1)
    return len(taken)


def main():
    words = sys.argv[1:]
    rest = words[words.index('--') + 1:] if '--' in words else []
    words = words[:words.index('--')] if '--' in words else words
    if not words or words[0].startswith('-'):
        sys.exit(__doc__)
    folder, most, part, get = os.path.abspath(words[0]), 130, (0, 1), '--clone' in words
    if '--kernels' in words:
        most = int(words[words.index('--kernels') + 1])
    if '--part' in words:
        k, n = words[words.index('--part') + 1].split('/')
        part = int(k), int(n)
    checkouts = os.path.join(folder, 'checkouts')
    selected = os.path.join(folder, 'selected-%d-%d' % part if part[1] > 1 else 'selected')
    os.makedirs(checkouts, exist_ok=True)
    os.makedirs(selected, exist_ok=True)
    torch_stubs(os.path.join(selected, '.torch'))
    for i, (name, commit) in enumerate(repositories()):
        if i % part[1] != part[0]:
            continue
        if get:
            clone(checkouts, name, commit)
        name = name.replace('/', '+')
        if os.path.isdir(os.path.join(checkouts, name)):
            n = select(name, os.path.join(checkouts, name), selected, most)
            print('%s: %d files' % (name, n), file=sys.stderr)
    program = os.environ.get('WARPWISE', os.path.join(HERE, 'build/warpwise'))
    os.execv(program, [program, 'dataset', 'import', selected] + rest)


if __name__ == '__main__':
    main()
