"""Triton kernels written for this project: what a model's forward and backward pass is made of.

Rows are contiguous; sizes are multiples of the blocks unless a mask says otherwise."""
import triton
import triton.language as tl

# ---- elementwise ----


@triton.jit
def vector_add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@triton.jit
def silu_mul(gate, up, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    g = tl.load(gate + i, mask=inside).to(tl.float32)
    u = tl.load(up + i, mask=inside).to(tl.float32)
    tl.store(out + i, (g * tl.sigmoid(g) * u).to(out.dtype.element_ty), mask=inside)


@triton.jit
def bias_gelu_dropout(x, bias, out, cols, keep, seed, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = c < cols
    v = tl.load(x + row * cols + c, mask=inside).to(tl.float32) + tl.load(bias + c, mask=inside).to(tl.float32)
    v = 0.5 * v * (1 + tl.erf(v * 0.70710678))
    chosen = tl.rand(seed, row * cols + c) < keep
    tl.store(out + row * cols + c, tl.where(chosen, v / keep, 0.0).to(out.dtype.element_ty), mask=inside)


@triton.jit
def rope(x, cosine, sine, out, heads, D: tl.constexpr):
    token = tl.program_id(0)
    head = tl.program_id(1)
    i = tl.arange(0, D // 2)
    base = (token * heads + head) * D
    c = tl.load(cosine + token * (D // 2) + i)
    s = tl.load(sine + token * (D // 2) + i)
    a = tl.load(x + base + i).to(tl.float32)
    b = tl.load(x + base + D // 2 + i).to(tl.float32)
    tl.store(out + base + i, (a * c - b * s).to(out.dtype.element_ty))
    tl.store(out + base + D // 2 + i, (a * s + b * c).to(out.dtype.element_ty))


# ---- rows ----


@triton.jit
def softmax_row(x, out, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + row * cols + c, mask=c < cols, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * cols + c, (e / tl.sum(e, 0)).to(out.dtype.element_ty), mask=c < cols)


@triton.jit
def softmax_online(x, out, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    most = tl.full((BLOCK,), -1e30, tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * cols + c).to(tl.float32)
        m = tl.maximum(most, v)
        total = total * tl.exp(most - m) + tl.exp(v - m)
        most = m
    top = tl.max(most, 0)
    norm = 1.0 / tl.sum(total * tl.exp(most - top), 0)
    for start in range(0, cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * cols + c).to(tl.float32)
        tl.store(out + row * cols + c, (tl.exp(v - top) * norm).to(out.dtype.element_ty))


@triton.jit
def layernorm_forward(x, w, b, out, mean_out, rstd_out, cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    inside = c < cols
    v = tl.load(x + row * cols + c, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(v, 0) / cols
    d = tl.where(inside, v - mean, 0.0)
    rstd = 1 / tl.sqrt(tl.sum(d * d, 0) / cols + eps)
    y = d * rstd * tl.load(w + c, mask=inside).to(tl.float32) + tl.load(b + c, mask=inside).to(tl.float32)
    tl.store(out + row * cols + c, y.to(out.dtype.element_ty), mask=inside)
    tl.store(mean_out + row, mean)
    tl.store(rstd_out + row, rstd)


@triton.jit
def layernorm_backward(dy, x, w, mean, rstd, dx, dw, db, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    inside = c < cols
    g = tl.load(dy + row * cols + c, mask=inside, other=0.0).to(tl.float32)
    v = tl.load(x + row * cols + c, mask=inside, other=0.0).to(tl.float32)
    r = tl.load(rstd + row)
    normal = tl.where(inside, (v - tl.load(mean + row)) * r, 0.0)
    gw = g * tl.load(w + c, mask=inside, other=0.0).to(tl.float32)
    d = (gw - (normal * (tl.sum(normal * gw, 0) / cols) + tl.sum(gw, 0) / cols)) * r
    tl.store(dx + row * cols + c, d.to(dx.dtype.element_ty), mask=inside)
    tl.atomic_add(dw + c, g * normal, mask=inside)
    tl.atomic_add(db + c, g, mask=inside)


@triton.jit
def rmsnorm(x, w, out, cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, cols, BLOCK):
        v = tl.load(x + row * cols + start + tl.arange(0, BLOCK)).to(tl.float32)
        squares += v * v
    scale = tl.rsqrt(tl.sum(squares, 0) / cols + eps)
    for start in range(0, cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * cols + c).to(tl.float32) * scale * tl.load(w + c).to(tl.float32)
        tl.store(out + row * cols + c, v.to(out.dtype.element_ty))


@triton.jit
def cross_entropy(logits, target, loss, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    most = -float("inf")
    total = 0.0
    for start in range(0, cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        v = tl.load(logits + row * cols + c, mask=c < cols, other=-float("inf")).to(tl.float32)
        m = tl.maximum(most, tl.max(v, 0))
        total = total * tl.exp(most - m) + tl.sum(tl.exp(v - m), 0)
        most = m
    chosen = tl.load(logits + row * cols + tl.load(target + row)).to(tl.float32)
    tl.store(loss + row, most + tl.log(total) - chosen)


@triton.jit
def row_argmax(x, value, index, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + row * cols + c, mask=c < cols, other=-float("inf"))
    tl.store(value + row, tl.max(v, 0))
    tl.store(index + row, tl.argmax(v, 0))


@triton.jit
def row_cumsum(x, out, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    carry = 0.0
    for start in range(0, cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * cols + c)
        tl.store(out + row * cols + c, carry + tl.cumsum(v, 0))
        carry += tl.sum(v, 0)


@triton.jit
def decay(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def linear_recurrence(a, b, out, steps, width, BLOCK: tl.constexpr, LANES: tl.constexpr):
    """h[t] = a[t] h[t-1] + b[t], along the first of two dimensions."""
    lane = tl.program_id(0) * LANES + tl.arange(0, LANES)
    t = tl.arange(0, BLOCK)
    at = t[:, None] * width + lane[None, :]
    h = tl.zeros((1, LANES), tl.float32)
    for start in range(0, steps, BLOCK):
        p = start * width + at
        av = tl.load(a + p)
        bv = tl.load(b + p)
        f, g = tl.associative_scan((av, bv), 0, decay)
        v = g + f * h
        tl.store(out + p, v)
        h = tl.sum(tl.where(t[:, None] == BLOCK - 1, v, 0.0), 0, keep_dims=True)


# ---- reductions, gathers, moves ----


@triton.jit
def sum_atomic(x, out, n, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x + i, mask=i < n, other=0.0)
    tl.atomic_add(out, tl.sum(total, 0))


@triton.jit
def column_sums(x, out, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    c = tl.program_id(0) * COLS + tl.arange(0, COLS)
    total = tl.zeros((COLS,), tl.float32)
    for start in range(tl.program_id(1) * ROWS, rows, tl.num_programs(1) * ROWS):
        r = start + tl.arange(0, ROWS)
        total += tl.sum(tl.load(x + r[:, None] * cols + c[None, :]).to(tl.float32), 0)
    tl.atomic_add(out + c, total)


@triton.jit
def count_bins(x, bins, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    counts = tl.histogram(tl.load(x + i), BINS)
    tl.atomic_add(bins + tl.arange(0, BINS), counts)


@triton.jit
def embedding(table, token, position, out, dim, length, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    which = tl.load(token + row).to(tl.int64)
    v = tl.load(table + which * dim + c).to(tl.float32) + tl.load(position + (row % length) * dim + c).to(tl.float32)
    tl.store(out + row * dim + c, v.to(out.dtype.element_ty))


@triton.jit
def transpose(x, out, rows, cols, BLOCK: tl.constexpr):
    r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + r[:, None] * cols + c[None, :])
    tl.store(out + c[:, None] * rows + r[None, :], tl.trans(v))


@triton.jit
def conv1d_causal(x, w, bias, out, length, channels, BLOCK: tl.constexpr, CHANNELS: tl.constexpr):
    """Four taps for each channel, and SiLU; B x length x channels."""
    t = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = tl.program_id(1) * CHANNELS + tl.arange(0, CHANNELS)
    base = x + tl.program_id(2) * length * channels
    s = tl.zeros((BLOCK, CHANNELS), tl.float32) + tl.load(bias + c).to(tl.float32)[None, :]
    for k in tl.static_range(4):
        row = t + k - 3
        v = tl.load(base + row[:, None] * channels + c[None, :], mask=row[:, None] >= 0, other=0.0).to(tl.float32)
        s += v * tl.load(w + k * channels + c).to(tl.float32)[None, :]
    to = out + tl.program_id(2) * length * channels + t[:, None] * channels + c[None, :]
    tl.store(to, (s * tl.sigmoid(s)).to(out.dtype.element_ty))


# ---- products of matrices ----


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr):
    """C = A B; programs go through the tiles in groups of rows, for the cache's sake."""
    pid = tl.program_id(0)
    across = tl.cdiv(N, BN)
    group = pid // (GROUP * across)
    first = group * GROUP
    rows = min(tl.cdiv(M, BM) - first, GROUP)
    pm = first + pid % (GROUP * across) % rows
    pn = pid % (GROUP * across) // rows
    m = pm * BM + tl.arange(0, BM)
    n = pn * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    ap = a + m[:, None] * K + k[None, :]
    bp = b + k[:, None] * N + n[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        acc = tl.dot(tl.load(ap), tl.load(bp), acc, input_precision=PRECISION)
        ap += BK
        bp += BK * N
    tl.store(c + m[:, None] * N + n[None, :], acc.to(c.dtype.element_ty))


@triton.jit
def matmul_persistent(a, b, bias, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PROGRAMS: tl.constexpr):
    """As many programs as multiprocessors, each taking one tile after the other; bias and ReLU at the end."""
    across = tl.cdiv(N, BN)
    tiles = tl.cdiv(M, BM) * across
    k = tl.arange(0, BK)
    for tile in range(tl.program_id(0), tiles, PROGRAMS):
        m = tile // across * BM + tl.arange(0, BM)
        n = tile % across * BN + tl.arange(0, BN)
        acc = tl.zeros((BM, BN), tl.float32)
        for start in range(0, K, BK):
            av = tl.load(a + m[:, None] * K + (start + k)[None, :])
            bv = tl.load(b + (start + k)[:, None] * N + n[None, :])
            acc = tl.dot(av, bv, acc)
        acc = tl.maximum(acc + tl.load(bias + n).to(tl.float32)[None, :], 0.0)
        tl.store(c + m[:, None] * N + n[None, :], acc.to(c.dtype.element_ty))


@triton.jit
def matmul_split(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    part = K // SPLIT
    k = tl.program_id(2) * part + tl.arange(0, BK)
    ap = a + m[:, None] * K + k[None, :]
    bp = b + k[:, None] * N + n[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, part, BK):
        acc = tl.dot(tl.load(ap), tl.load(bp), acc)
        ap += BK
        bp += BK * N
    tl.atomic_add(c + m[:, None] * N + n[None, :], acc)


@triton.jit
def matmul_int8(a, w, scale, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Activations of halves, weights of bytes with a scale a column."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    ap = a + m[:, None] * K + k[None, :]
    wp = w + k[:, None] * N + n[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        acc = tl.dot(tl.load(ap), tl.load(wp).to(tl.float16), acc)
        ap += BK
        wp += BK * N
    acc *= tl.load(scale + n).to(tl.float32)[None, :]
    tl.store(c + m[:, None] * N + n[None, :], acc.to(c.dtype.element_ty))


@triton.jit
def matmul_int4(a, w, scale, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    """Eight 4-bit weights of a column in a word, a scale for GROUP of them."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        av = tl.load(a + m[:, None] * K + (start + k)[None, :])
        words = tl.load(w + ((start + k) // 8)[:, None] * N + n[None, :])
        bits = (words >> ((k % 8) * 4)[:, None]) & 15
        s = tl.load(scale + (start // GROUP) * N + n)
        acc = tl.dot(av, (bits - 8).to(tl.float16) * s[None, :], acc)
    tl.store(c + m[:, None] * N + n[None, :], acc.to(c.dtype.element_ty))


@triton.jit
def matmul_bytes(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Bytes by bytes into 32-bit integers; B lies N x K."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    ap = a + m[:, None] * K + k[None, :]
    bp = b + n[None, :] * K + k[:, None]
    acc = tl.zeros((BM, BN), tl.int32)
    for _ in range(0, K, BK):
        acc = tl.dot(tl.load(ap), tl.load(bp), acc, out_dtype=tl.int32)
        ap += BK
        bp += BK
    tl.store(c + m[:, None] * N + n[None, :], acc)


# ---- attention ----


@triton.jit
def attention_forward(q, k, v, o, lse, n, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    """Heads x n x D; softmax in powers of two, its logarithm kept for the way back."""
    base = tl.program_id(1).to(tl.int64) * n * D
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    j = tl.arange(0, BN)
    qv = tl.load(q + base + m[:, None] * D + d[None, :])
    most = tl.full((BM,), -1e30, tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    end = (tl.program_id(0) + 1) * BM if CAUSAL else n
    for start in range(0, end, BN):
        kv = tl.load(k + base + (start + j)[None, :] * D + d[:, None])
        s = tl.dot(qv, kv) * (scale * 1.44269504)
        if CAUSAL:
            s = tl.where(m[:, None] >= (start + j)[None, :], s, -1e30)
        top = tl.maximum(most, tl.max(s, 1))
        p = tl.exp2(s - top[:, None])
        less = tl.exp2(most - top)
        total = total * less + tl.sum(p, 1)
        vv = tl.load(v + base + (start + j)[:, None] * D + d[None, :])
        acc = tl.dot(p.to(vv.dtype), vv, acc * less[:, None])
        most = top
    tl.store(o + base + m[:, None] * D + d[None, :], (acc / total[:, None]).to(o.dtype.element_ty))
    tl.store(lse + tl.program_id(1) * n + m, most + tl.log2(total))


@triton.jit
def attention_delta(o, do, delta, n, D: tl.constexpr, BM: tl.constexpr):
    m = tl.program_id(1).to(tl.int64) * n + tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    ov = tl.load(o + m[:, None] * D + d[None, :]).to(tl.float32)
    gv = tl.load(do + m[:, None] * D + d[None, :]).to(tl.float32)
    tl.store(delta + m, tl.sum(ov * gv, 1))


@triton.jit
def attention_backward_kv(q, k, v, do, lse, delta, dk, dv, n, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Gradients of BN keys and values, over all queries."""
    base = tl.program_id(1).to(tl.int64) * n * D
    rows = tl.program_id(1) * n
    j = tl.program_id(0) * BN + tl.arange(0, BN)
    d = tl.arange(0, D)
    kv = tl.load(k + base + j[:, None] * D + d[None, :])
    vv = tl.load(v + base + j[:, None] * D + d[None, :])
    gk = tl.zeros((BN, D), tl.float32)
    gv = tl.zeros((BN, D), tl.float32)
    for start in range(0, n, BM):
        m = start + tl.arange(0, BM)
        qv = tl.load(q + base + m[:, None] * D + d[None, :])
        dov = tl.load(do + base + m[:, None] * D + d[None, :])
        s = tl.dot(kv, tl.trans(qv)) * (scale * 1.44269504)
        p = tl.exp2(s - tl.load(lse + rows + m)[None, :])
        gv = tl.dot(p.to(dov.dtype), dov, gv)
        dp = tl.dot(vv, tl.trans(dov))
        ds = p * (dp - tl.load(delta + rows + m)[None, :])
        gk = tl.dot(ds.to(qv.dtype), qv, gk)
    tl.store(dk + base + j[:, None] * D + d[None, :], (gk * scale).to(dk.dtype.element_ty))
    tl.store(dv + base + j[:, None] * D + d[None, :], gv.to(dv.dtype.element_ty))


@triton.jit
def attention_backward_q(q, k, v, do, lse, delta, dq, n, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    base = tl.program_id(1).to(tl.int64) * n * D
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    qv = tl.load(q + base + m[:, None] * D + d[None, :])
    dov = tl.load(do + base + m[:, None] * D + d[None, :])
    l = tl.load(lse + tl.program_id(1) * n + m)
    dl = tl.load(delta + tl.program_id(1) * n + m)
    acc = tl.zeros((BM, D), tl.float32)
    for start in range(0, n, BN):
        j = start + tl.arange(0, BN)
        kv = tl.load(k + base + j[:, None] * D + d[None, :])
        vv = tl.load(v + base + j[:, None] * D + d[None, :])
        p = tl.exp2(tl.dot(qv, tl.trans(kv)) * (scale * 1.44269504) - l[:, None])
        ds = p * (tl.dot(dov, tl.trans(vv)) - dl[:, None])
        acc = tl.dot(ds.to(kv.dtype), kv, acc)
    tl.store(dq + base + m[:, None] * D + d[None, :], (acc * scale).to(dq.dtype.element_ty))


@triton.jit
def attention_decode(q, k, v, o, n, scale, D: tl.constexpr, BN: tl.constexpr):
    """One query a head: products without tensor cores."""
    base = tl.program_id(0).to(tl.int64) * n * D
    d = tl.arange(0, D)
    qv = tl.load(q + tl.program_id(0) * D + d).to(tl.float32) * scale
    most = -1e30
    total = 0.0
    acc = tl.zeros((D,), tl.float32)
    for start in range(0, n, BN):
        j = start + tl.arange(0, BN)
        kv = tl.load(k + base + j[:, None] * D + d[None, :]).to(tl.float32)
        s = tl.sum(kv * qv[None, :], 1)
        top = tl.maximum(most, tl.max(s, 0))
        p = tl.exp(s - top)
        less = tl.exp(most - top)
        vv = tl.load(v + base + j[:, None] * D + d[None, :]).to(tl.float32)
        acc = acc * less + tl.sum(p[:, None] * vv, 0)
        total = total * less + tl.sum(p, 0)
        most = top
    tl.store(o + tl.program_id(0) * D + d, (acc / total).to(o.dtype.element_ty))
