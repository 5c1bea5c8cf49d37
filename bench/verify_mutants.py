"""verify_mutants.py - what can be wrong with a kernel, for bench/verify.py.

A class of mutants is a function that yields (begin, end, new text) for each place of a kernel
where the mistake can be made. Nothing here knows what `verify` can see; size_t is left alone,
because its mistakes show beyond 2^31 elements only, where no small size reaches.
"""
import re


def sites(kernel, pattern, flags=0):
    """Matches of a pattern in the kernel's code, at offsets of the file."""
    for m in re.compile(pattern, flags).finditer(kernel.masked, kernel.open + 1, kernel.close):
        yield m


def statements(kernel):
    """(begin, end) of the plain statements: between ; { } and ;, no declaration, no control."""
    for m in sites(kernel, r"(?<=[;{}\n)])[ \t]*([^;{}\n()]*(?:\([^;{}\n]*\))?[^;{}\n]*;)"):
        text = m[1].strip()
        before = kernel.masked[:m.start(1)]
        if before.count("(", kernel.open) > before.count(")", kernel.open):
            continue  # inside the head of a loop
        words = re.match(r"(if|for|while|do|else|return|break|continue|case|switch|default|goto|"
                         r"const|int|unsigned|float|double|half|char|short|long|size_t|bool|auto|"
                         r"extern|__shared__|__local|local|uint\w*|u?int\d+_t|\w+[24]|struct|"
                         r"float\d?|\w+\s+\w+)\b(?!\s*\()", text)
        if text == ";" or (words and not re.match(r"[\w.>\[\]-]+\s*[-+*/|&^%<>]*=[^=]", text)):
            continue
        yield m.start(1), m.end(1)


def border(kernel):
    """< for <=, >= for > and back: one element more or less."""
    turn = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
    for m in sites(kernel, r"(?<=[\w)\] ]) (<=|>=|<|>) (?=[\w(&*-])"):
        yield m.start(1), m.end(1), turn[m[1]]


def last_element(kernel):
    """n - 1 where n ends a guard or a loop."""
    names = "|".join(n for t, n in kernel.params if t in ("int", "unsigned", "long", "uint"))
    for m in sites(kernel, rf"[<>]=? ({names})\b(?! *[-+*/(\[])") if names else ():
        yield m.start(1), m.end(1), f"{m[1]} - 1"


def no_barrier(kernel):
    """A barrier of the block is missing."""
    for m in sites(kernel, r"(?:__syncthreads|barrier)\([^()]*\)\s*;"):
        yield m.start(), m.end(), ";"


def no_wait(kernel):
    """A wait for asynchronous copies is missing."""
    for m in re.finditer(r"asm volatile\(\"cp\.async\.wait[^;]*;\"[^;]*;", kernel.text):
        if kernel.open < m.start() < kernel.close:
            yield m.start(), m.end(), ";"
    for m in sites(kernel, r"__pipeline_wait_prior\([^()]*\);"):
        yield m.start(), m.end(), ";"


def index(kernel):
    """An index is one too large or one too small."""
    for m in sites(kernel, r"(?<=\w)\[([^\[\]\n]+)\](?!\s*=?\s*\{)"):
        line = kernel.masked[kernel.masked.rfind("\n", 0, m.start()) + 1:m.start()]
        if re.search(r"__shared__|__local\b|\blocal\b", line):
            continue
        if re.search(r"\b(float|int|double|unsigned|char|half|uint|short|long)4?\s+\w+$", line):
            continue  # a declaration
        yield m.start(1), m.end(1), f"{m[1]} + 1"
        yield m.start(1), m.end(1), f"{m[1]} - 1"


def axis(kernel):
    """x for y."""
    for m in sites(kernel, r"\b(?:threadIdx|blockIdx|blockDim|gridDim)\.([xy])\b"):
        yield m.start(1), m.end(1), "y" if m[1] == "x" else "x"
    for m in sites(kernel, r"\bget_(?:local|group|global)_(?:id|size)\(([01])\)"):
        yield m.start(1), m.end(1), "1" if m[1] == "0" else "0"


def block_size(kernel):
    """A number that is not the block's for blockDim.x, or another for the one that is."""
    block = kernel.launch.get("block", "").split(",")[0]
    number = "64" if block != "64" else "128"
    for m in sites(kernel, r"\bblockDim\.x\b|\bget_local_size\(0\)"):
        yield m.start(), m.end(), number
    if block in ("64", "128", "256", "512"):
        for m in sites(kernel, rf"(?<=\* ){block}\b(?=[ ;)+])"):
            yield m.start(), m.end(), str(int(block) // 2)


def number_type(kernel):
    """Variables of a type that is too narrow or of another kind."""
    turn = {"float": "int", "double": "float", "unsigned long long": "unsigned",
            "long long": "int", "int": "signed char", "unsigned": "unsigned char"}
    for m in sites(kernel, r"\b(float|double|unsigned long long|long long|int|unsigned) "
                           r"(?=\w+ = )"):
        line = kernel.masked[kernel.masked.rfind("\n", 0, m.start()) + 1:m.start()]
        if re.search(r"\bfor \($", line) is None or m[1] != "int":
            yield m.start(1), m.end(1), turn[m[1]]


def skipped(kernel):
    """A statement is missing."""
    for begin, end in statements(kernel):
        if not re.match(r"__syncthreads|barrier|__syncwarp|asm", kernel.masked[begin:end]):
            yield begin, end, ";"


def overwrites(kernel):
    """= for += and its like."""
    for m in sites(kernel, r"(?<= )(\+=|-=|\*=|\|=|\^=|&=)(?= )"):
        inside = kernel.masked[kernel.masked.rfind("\n", 0, m.start()) + 1:m.start()]
        head = inside.rfind("for (")
        if head < 0 or inside.count("(", head) == inside.count(")", head):
            yield m.start(), m.end(), "="


def start_value(kernel):
    """A variable begins with another value."""
    for m in sites(kernel, r"\b\w+ = (0\.0f|0\.0|0|1\.0f|1)(?=[,;])"):
        new = {"0.0f": "1.0f", "0.0": "1.0", "0": "1", "1.0f": "0.0f", "1": "0"}[m[1]]
        yield m.start(1), m.end(1), new


def last_block(kernel):
    """The last of several blocks does nothing."""
    if kernel.suffix == ".cl":
        new = "if (get_group_id(0) && get_group_id(0) == get_num_groups(0) - 1) return;"
    else:
        new = "if (blockIdx.x && blockIdx.x == gridDim.x - 1) return;"
    yield kernel.open + 1, kernel.open + 1, " " + new


def last_thread(kernel):
    """The last thread of a block stores nothing: its stores are guarded by one too few."""
    me = "get_local_id(0) + 1 < get_local_size(0)" if kernel.suffix == ".cl" else \
        "threadIdx.x + 1 < blockDim.x"
    for begin, end in statements(kernel):
        if re.match(r"\w+\[[^=]*\] =[^=]", kernel.masked[begin:end]):
            yield begin, begin, f"if ({me}) "


def swapped(kernel):
    """The operands of - and / the other way round."""
    for m in sites(kernel, r"(?<=[(=,] )(\w+(?:\[[^\[\]\n]*\])?) ([-/]) "
                           r"(\w+(?:\[[^\[\]\n]*\])?)(?= ?[;,)])"):
        yield m.start(), m.end(), f"{m[3]} {m[2]} {m[1]}"


def operator(kernel):
    """Another operator."""
    turn = {"+": "-", "-": "+", "*": "+", "&": "|", "^": "|", "&&": "||", "||": "&&",
            "<<": ">>", ">>": "<<", "/": "*"}
    for m in sites(kernel, r"(?<=[\w)\]]) (\+|-|\*|&|\^|&&|\|\||<<|>>|/) (?=[\w(-])"):
        yield m.start(1), m.end(1), turn[m[1]]


def shared_unset(kernel):
    """A store to shared memory is missing."""
    names = set()
    for m in sites(kernel, r"(?:__shared__|__local)\s+\w+(?: \w+)?\s+([^;]+);"):
        names |= set(re.findall(r"\b([A-Za-z_]\w*)\b\s*(?=\[)", m[1]))
    for begin, end in statements(kernel):
        m = re.match(r"(\w+)\[[^=]*\]\s*=[^=]", kernel.masked[begin:end])
        if m and m[1] in names:
            yield begin, end, ";"


def plain_add(kernel):
    """An addition that is not atomic where it has to be."""
    for m in sites(kernel, r"(?<=[;{})\s])atomic(?:Add|_add)\(&([^,;]+), ([^;]+)\);"):
        if m[2].count("(") == m[2].count(")") and "atomic" not in m[2]:
            yield m.start(), m.end(), f"{m[1]} += {m[2]};"
    for m in sites(kernel, r"(?<=[;{})\s])atomic_inc\(&([^,;()]+)\);"):
        yield m.start(), m.end(), f"{m[1]} += 1;"


def lane(kernel):
    """A shuffle from another lane, a vote of half a warp."""
    for m in sites(kernel, r"__shfl\w*_sync\([^;,]+, [^;,]+, ([^;,()]+)\)"):
        yield m.start(1), m.end(1), f"({m[1]}) / 2"
        yield m.start(1), m.end(1), f"({m[1]}) + 1"


def step(kernel):
    """A loop that takes steps of another size or ends a step early."""
    for m in sites(kernel, r"\b(\w+)\+\+(?=\))"):
        yield m.start(), m.end(), f"{m[1]} += 2"
    for m in sites(kernel, r"\b\w+ (>>=|<<=) 1(?=\))"):
        yield m.end() - 1, m.end(), "2"
    for m in sites(kernel, r"\bfor \([^;]*; \w+ > (0);"):
        yield m.start(1), m.end(1), "1"


def literal(kernel):
    """A number in an expression that is one off."""
    for m in sites(kernel, r"(?<=[-+*/%] )(\d+)(?=[ ;,)\]])(?!\.)"):
        yield m.start(1), m.end(1), str(int(m[1]) + 1)


def no_guard(kernel):
    """The guard at the border is missing."""
    for m in sites(kernel, r"\bif \(([^;{}\n]*[<>][^;{}\n]*)\) return;"):
        yield m.start(), m.end(), ";"
    for m in sites(kernel, r"\bif \((\w+ < \w+)\)"):
        yield m.start(1), m.end(1), "true" if kernel.suffix == ".cu" else "1"


def reordered(kernel):
    """Two statements change places although one uses what the other makes."""
    all_of = list(statements(kernel))
    for (b0, e0), (b1, e1) in zip(all_of, all_of[1:]):
        if kernel.masked[e0:b1].strip():
            continue
        one, two = kernel.masked[b0:e0], kernel.masked[b1:e1]
        makes = re.match(r"([\w.\[\]>* +-]+?)\s*[-+*/|&^]?=[^=]", one)
        if makes and re.search(rf"(?<!\w){re.escape(makes[1])}(?!\w)", two) and one != two:
            yield b0, e1, kernel.text[b1:e1] + " " + kernel.text[b0:e0]


CLASSES = (border, last_element, no_barrier, no_wait, index, axis, block_size, number_type,
           skipped, overwrites, start_value, last_block, last_thread, swapped, operator,
           shared_unset, plain_add, lane, step, literal, no_guard, reordered)


def all_mutants(kernels):
    """{class: [(id, kernel, edit)]} in a fixed order."""
    out = {}
    for make in CLASSES:
        name = make.__name__.replace("_", "-")
        out[name] = []
        for kernel in kernels:
            for n, edit in enumerate(make(kernel)):
                if kernel.text[edit[0]:edit[1]] != edit[2]:
                    out[name].append((f"{kernel.id}:{name}:{n}", kernel, edit))
    return out
