#!/usr/bin/env python3
"""import.py FOLDER [--clone] [--kernels N] [--part K/N] [-- options of dataset import]
: kernels of other people's repositories as launches that are ready to be measured.

data/import/repositories.tsv lists repository, commit and licence. FOLDER/checkouts/OWNER+NAME
holds each of them at that commit (--clone gets those that are missing, by git). The files with
most variety are taken: at most N kernels of a repository (default 130), drawn by the hash of the
path. FOLDER/selected/ gets links to them and to all headers, and a compile_commands.json with the
folders in which each file's headers are found. Then `warpwise dataset import` reads all of it.
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
INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.M)
MOST_FOLDERS = 24


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
            if name.endswith(HEADERS):
                headers.append(path)
            elif name.endswith('.cu') and not LEAVE.search(path):
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


def folders_of(path, root, ends):
    """The folders from which what a file includes, and what that includes, is found."""
    found, seen, todo = {}, set(), [path]
    while todo and len(seen) < 400:
        at = todo.pop()
        if at in seen:
            continue
        seen.add(at)
        for name in INCLUDE.findall(read(at)):
            name = os.path.normpath(name.decode('utf8', 'replace'))
            beside = os.path.join(os.path.dirname(at), name)
            if os.path.exists(beside):
                todo.append(beside)
                continue
            near = [h for h in ends.get(os.path.basename(name), ())
                    if h.endswith('/' + name)]
            if not near:
                continue
            best = max(near, key=lambda h: len(os.path.commonprefix([h, at])))
            where = best[:-len(name) - 1]
            found[where] = found.get(where, 0) + 1
            todo.append(best)
    order = sorted(found, key=lambda w: -found[w])[:MOST_FOLDERS]
    return [os.path.relpath(w, root) for w in order]


def select(name, checkout, selected, most):
    kernels, headers = files_of(checkout)
    taken = drawn(kernels, checkout, most)
    if not taken:
        return 0
    to = os.path.join(selected, name)
    inside = lambda p: os.path.join(to, os.path.relpath(p, checkout))
    ends = {}
    for h in headers:
        ends.setdefault(os.path.basename(h), []).append(inside(h))
    for path in taken + headers:
        os.makedirs(os.path.dirname(inside(path)), exist_ok=True)
        if not os.path.exists(inside(path)):
            os.link(path, inside(path))
    commands = []
    for path in taken:
        flags = ['-I' + f for f in ['.'] + folders_of(inside(path), to, ends)]
        commands.append({'directory': to, 'file': os.path.relpath(path, checkout),
                         'arguments': ['clang++', '-std=c++17'] + flags +
                                      ['-c', os.path.relpath(path, checkout)]})
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
