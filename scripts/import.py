#!/usr/bin/env python3
"""import.py FOLDER [--clone] [--list FILE] [--kernels N] [--part K/N] [-- OPTION OF dataset import..]

Kernels of other people's repositories as launches that are ready to be measured.

data/import/repositories.tsv, or --list, has repository, commit and licence. FOLDER/checkouts/
OWNER+NAME holds each of them at that commit (--clone gets those that are missing, by git, from
IMPORT_HOST where that is set: a mirror). Of a repository
at most N kernels are taken (default 130), in files drawn by the hash of their paths; --part K/N
takes every N-th repository from the K-th on. FOLDER/selected/ gets links to the files and to the
headers that they include, and a compile_commands.json with the folders in which these are found;
headers that only a build makes are empty, and for PyTorch's and those of CUDA's samples there are
the stand-ins that the front end has. Then `warpwise dataset import` reads all of it. Nothing of
a repository is run. Nothing of it becomes a part of this one: rows, features and hashes do."""
import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADERS = ('.h', '.hpp', '.cuh', '.hh', '.inl', '.inc', '.hxx', '.ipp', '.def', '.tpp')
# Copies of other projects.
LEAVE = re.compile(r'/(third_party|3rdparty|thirdparty|external|extern|vendor|deps|'
                   r'submodules|cub|thrust|cutlass)/')
INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
TORCH = re.compile(r'(ATen|torch|c10|THC|pybind11)/|helper_(cuda|functions|image|string|timer)\.h$')
HOST = os.environ.get('IMPORT_HOST', 'https://github.com/')
SHIM = os.path.join(HERE, 'src/front/shim/cuda')
STANDARD = b'#include <cstdio>\n#include <stdexcept>\n#include <string>\n#include <vector>\n'
MOST_FOLDERS = 24
MOST_HEADERS = 400 # of one file


def repositories(path):
    with open(path) as f:
        next(f)
        return [line.split('\t')[:2] for line in f if line.strip()]


def clone(folder, name, commit):
    """Takes its name when it is whole: what was interrupted is begun again."""
    where = os.path.join(folder, name.replace('/', '+'))
    begun = where + '.part'
    if os.path.exists(where):
        return
    shutil.rmtree(begun, ignore_errors=True)
    subprocess.run(['git', 'clone', '-q', '--no-checkout', HOST + name, begun], check=True)
    subprocess.run(['git', '-C', begun, 'checkout', '-q', commit], check=True)
    os.rename(begun, where)


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
    """Only where nobody has the name; names are those of a stranger's #include lines."""
    toolkit = os.environ.get('CUDA_HOME', '/usr/local/cuda')
    others = ('/usr/include', os.path.join(toolkit, 'include'), SHIM)
    for name in names:
        path = os.path.join(to, name)
        if name.startswith('..') or os.path.isabs(name):
            continue
        if '\0' in name or any(os.path.exists(os.path.join(f, name)) for f in others):
            continue
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            open(path, 'w').close()
        except (OSError, ValueError): # no name of a file: too long, with a NUL in it
            pass


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
    empty_headers(stubs[1], {m for m in missing if not os.path.exists(os.path.join(stubs[0], m))})
    if taken:
        with open(os.path.join(to, 'compile_commands.json'), 'w') as f:
            json.dump(commands, f, indent=1)
    return len(taken)


def options(words):
    p = argparse.ArgumentParser(prog='import.py', usage=__doc__)
    p.add_argument('folder', type=os.path.abspath)
    p.add_argument('--clone', action='store_true')
    p.add_argument('--list', default=os.path.join(HERE, 'data/import/repositories.tsv'))
    p.add_argument('--kernels', type=int, default=130)
    p.add_argument('--part', default='0/1')
    o = p.parse_args(words)
    o.part = re.fullmatch(r'(\d+)/([1-9]\d*)', o.part) or p.error('--part: K/N is expected')
    o.part = int(o.part[1]), int(o.part[2])
    return o


def main():
    words, rest = sys.argv[1:], []
    if '--' in words:
        words, rest = words[:words.index('--')], words[words.index('--') + 1:]
    o = options(words)
    checkouts = os.path.join(o.folder, 'checkouts')
    name = 'selected-%d-%d' % o.part if o.part[1] > 1 else 'selected'
    selected = os.path.join(o.folder, name)
    os.makedirs(checkouts, exist_ok=True)
    os.makedirs(selected, exist_ok=True)
    torch_stubs(os.path.join(selected, '.torch'))
    for name, commit in repositories(o.list)[o.part[0]::o.part[1]]:
        if o.clone:
            clone(checkouts, name, commit)
        name = name.replace('/', '+')
        if os.path.isdir(os.path.join(checkouts, name)):
            n = select(name, os.path.join(checkouts, name), selected, o.kernels)
            print('%s: %d files' % (name, n), file=sys.stderr)
    program = os.environ.get('WARPWISE', os.path.join(HERE, 'build/warpwise'))
    os.execv(program, [program, 'dataset', 'import', selected] + rest)


if __name__ == '__main__':
    main()
