"""Slow, obvious versions of what the library does fast. Nothing here shares code with it."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product

import numpy as np


def contingency_table(codes, sizes, row_class, n_classes, subset):
    """Rows of every class in every cell of a subset, one row at a time."""
    table = np.zeros([sizes[j] for j in subset] + [n_classes], dtype=int)
    for i in range(len(row_class)):
        table[(*(int(codes[j][i]) for j in subset), int(row_class[i]))] += 1
    return table


def sums_table(codes, sizes, row_class, n_classes, values, subset):
    """Sums of the values of the rows in every cell and class."""
    table = np.zeros([sizes[j] for j in subset] + [n_classes, values.shape[1]])
    for i in range(len(row_class)):
        table[(*(int(codes[j][i]) for j in subset), int(row_class[i]))] += values[i]
    return table.reshape(*table.shape[:-2], -1)


def powerset(items):
    items = list(items)
    return [s for r in range(len(items) + 1) for s in combinations(items, r)]


def score_1(X, y, J):
    """Equation 8 of the universal learning paper, as printed: sum over rows, sums over all subsets S of J."""
    n = len(y)
    mu, sigma = X.mean(axis=0), X.std(axis=0)
    psi = {S: np.prod([(X[:, j] - mu[j]) / sigma[j] for j in S], axis=0) * np.ones(n) for S in powerset(J)}
    coefficient = {S: (y * psi[S]).mean() for S in psi}
    total = 0.0
    for i in range(n):
        total += abs(sum(coefficient[S] * psi[S][i] - y[i] * psi[S][i] ** 2 / n for S in psi))
    return total / (n - 1)


def universal_learner(X, y, k):
    """Algorithm 1 of the universal learning paper: the best set by score_1, and its projection at every row."""
    J = max(combinations(range(X.shape[1]), k), key=lambda J: score_1(X, y, J))
    z = (X - X.mean(axis=0)) / X.std(axis=0)
    psi = [np.prod([z[:, j] for j in S], axis=0) * np.ones(len(y)) for S in powerset(J)]
    return J, sum((y * f).mean() * f for f in psi)


def projection_norm_2(X, y, J):
    """Sum of the squared coefficients of the product basis."""
    mu, sigma = X.mean(axis=0), X.std(axis=0)
    return sum((y * np.prod([(X[:, j] - mu[j]) / sigma[j] for j in S], axis=0)).mean() ** 2 for S in powerset(J))


def measure_m(X, y, J):
    """Equation 7 of the selection paper: orthonormalise the monomials of J under the empirical distribution first."""
    n = len(y)
    z = (X - X.mean(axis=0)) / X.std(axis=0)
    basis = []
    for S in powerset(J):
        f = np.prod([z[:, j] for j in S], axis=0) * np.ones(n)
        for g in basis:
            f = f - (f @ g / n) * g
        norm = np.sqrt(f @ f / n)
        if norm > 1e-9:
            f = f / norm
            for g in basis:  # once more, for the rounding
                f = f - (f @ g / n) * g
            basis.append(f / np.sqrt(f @ f / n))
    coefficients = [(y * g).mean() for g in basis]
    rows = (
        abs(sum(c * g[i] - y[i] * g[i] ** 2 / n for c, g in zip(coefficients, basis, strict=True))) for i in range(n)
    )
    return sum(rows) / (n - 1)


def u_statistic(codes, y, J):
    """The mean of y_i y_j over pairs of different rows of one cell, cells weighted by their rows; singletons give 0."""
    cells = {}
    for i in range(len(y)):
        cells.setdefault(tuple(codes[j][i] for j in J), []).append(y[i])
    total = 0.0
    for values in cells.values():
        m = len(values)
        if m > 1:
            pairs = [values[a] * values[b] for a in range(m) for b in range(m) if a != b]
            total += m / len(y) * np.mean(pairs)
    return total


def leave_one_out_accuracy(codes, y, J, n_classes):
    """Leave each row out, ask the most frequent class of its cell among the others; a tie is a fair guess."""
    correct = 0.0
    for i in range(len(y)):
        mine = tuple(codes[j][i] for j in J)
        votes = np.zeros(n_classes)
        for other in range(len(y)):
            if other != i and tuple(codes[j][other] for j in J) == mine:
                votes[y[other]] += 1
        winners = np.flatnonzero(votes == votes.max())
        correct += (y[i] in winners) / len(winners)
    return correct / len(y)


def all_cells(sizes):
    return list(product(*(range(q) for q in sizes)))


# ---- selection -------------------------------------------------------------------------------------------------------


def _gram_schmidt(z, depth, eps):
    """Orthonormal functions in the standard order, without products of redundant columns; and those columns."""
    n, d = z.shape
    basis, redundant, earlier = [np.ones(n)], [], [()]
    for j in range(d):
        fresh = []
        for subset in [(), *[s for s in earlier if 0 < len(s) < depth]]:
            monomial = (*subset, j)
            if set(monomial) & set(redundant):
                continue
            vector = z[:, list(monomial)].prod(axis=1)
            for _ in range(2):
                for other in basis:
                    vector = vector - (vector @ other) / n * other
            norm = np.sqrt(vector @ vector / n)
            if norm > eps:
                basis.append(vector / norm)
            elif monomial == (j,):
                redundant.append(j)
            fresh.append(monomial)
        earlier += fresh
    return basis, redundant


def redundant_columns(z, depth, eps):
    """Columns whose own function lies in the span of products of kept columns before them."""
    return _gram_schmidt(z, depth, eps)[1]


def n_nontrivial(z, depth, eps):
    """Number of functions that are left."""
    return len(_gram_schmidt(z, depth, eps)[0])


def regress(y, x):
    """Factor and residual norm of y on standardised x, y itself standardised."""
    factor = np.mean((y - y.mean()) * (x - x.mean())) / np.std(x) / np.std(y)
    return factor, np.sqrt(1 - factor**2)


def explained_by_pairs(z, eps):
    """For every column, the pairs of others whose four monomials leave at most eps."""
    n, d = z.shape
    found = {}
    for k in range(d):
        for i in range(d):
            for j in range(i + 1, d):
                if k in (i, j):
                    continue
                basis = np.column_stack([np.ones(n), z[:, i], z[:, j], z[:, i] * z[:, j]])
                left = z[:, k] - basis @ np.linalg.lstsq(basis, z[:, k], rcond=None)[0]
                if np.sqrt(np.mean(left**2)) <= eps:
                    found.setdefault(k, []).append((i, j))
    return found


def polynomial_measure(z, signs):
    """Equation (7) row by row: what the other rows predict for each row, by an orthonormal basis of the monomials."""
    n, k = z.shape
    functions = [z[:, [t for t in range(k) if mask >> t & 1]].prod(axis=1) for mask in range(2**k)]
    basis = []
    for function in functions:
        vector = function
        for _ in range(2):
            for other in basis:
                vector = vector - (vector @ other) / n * other
        norm = np.sqrt(vector @ vector / n)
        if norm > 1e-7:
            basis.append(vector / norm)
    total = 0.0
    for i in range(n):
        others = sum(signs[j] * sum(b[i] * b[j] for b in basis) for j in range(n) if j != i)
        total += abs(others)
    return total / (n * (n - 1))


# ---- discovery -------------------------------------------------------------------------------------------------------


def contrast(codes, y, add):
    """The alternating sum of cell means, and its variance, with a few successes and failures added to every cell."""
    effect = variance = 0.0
    for cell in product((0, 1), repeat=len(codes)):
        rows = np.all([c == v for c, v in zip(codes, cell, strict=True)], axis=0)
        n, a = rows.sum() + 2 * add, y[rows].sum() + add
        effect += (-1) ** (len(codes) - sum(cell)) * a / n
        variance += a / n * (1 - a / n) / n
    return effect, variance


def normal_p(z):
    from scipy.stats import norm

    return 2 * norm.sf(abs(z))


def interaction_p(codes, sizes, y):
    """The classical F test of the interaction of two factors, assuming equal variances."""
    from scipy.stats import f

    def residual(columns):
        design = np.column_stack(columns)
        left = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
        return left @ left, np.linalg.matrix_rank(design)

    dummies = [[(c == v).astype(float) for v in range(q)] for c, q in zip(codes, sizes, strict=True)]
    products = [u * v for u in dummies[0] for v in dummies[1]]
    (small, p), (large, q) = residual(products), residual(dummies[0] + dummies[1])
    return f.sf((large - small) / (p - q) / (small / (len(y) - p)), p - q, len(y) - p)


def benjamini_hochberg(p):
    """The smallest rate at which each is rejected, by the definition of the step-up procedure."""
    m = len(p)
    ordered = sorted(range(m), key=lambda i: p[i])
    q = [0.0] * m
    for rank, i in enumerate(ordered):
        q[i] = min(m * p[j] / (r + 1) for r, j in enumerate(ordered) if r >= rank)
    return [min(1.0, value) for value in q]


# ---- spectra ---------------------------------------------------------------------------------------------------------


def mutual_information(states):
    """Of all pairs of bits, by the definition; the diagonal is the entropy."""
    d = states.shape[1]
    result = np.zeros((d, d))
    for i in range(d):
        for j in range(d):
            for a in (0, 1):
                for b in (0, 1):
                    joint = np.mean((states[:, i] == a) & (states[:, j] == b))
                    if joint > 0:
                        apart = np.mean(states[:, i] == a) * np.mean(states[:, j] == b)
                        result[i, j] += joint * np.log(joint / apart)
    return result


def spectrum(f, points, p, basis):
    """Inner products with the product of the basis functions of every subset, first bit slowest."""
    d = points.shape[1]
    return np.array(
        [(p * f * basis[:, [i for i in range(d) if code[i]]].prod(axis=1)).sum() for code in product((0, 1), repeat=d)]
    )


def noise_stability(f, network, rho, kind):
    """E[f(x) f(y)] by enumeration.

    Sequential: the bits of y are those of x up to the first place, in the network's order, where a coin of bias rho
    fails; from there on they are drawn afresh given what comes before. Structured: a bit of y is that of x where its
    own coin and the coins of all its ancestors succeed, and drawn afresh given y's parents otherwise.
    """
    d = network.d
    points = np.array(list(product((-1, 1), repeat=d)))
    p = np.exp(network.log_prob(points))
    total = 0.0
    for coins in product((0, 1), repeat=d):
        chance = np.prod([rho if c else 1 - rho for c in coins])
        kept = set()
        for place, i in enumerate(network.order):
            if kind == "sequential":
                alive = all(coins[t] for t in range(place + 1))
            else:
                alive = coins[i] and all(q in kept for q in network.parents[i])
            if alive:
                kept.add(i)
        for x, px, fx in zip(points, p, f, strict=True):
            for y, fy in zip(points, f, strict=True):
                if any(y[i] != x[i] for i in kept):
                    continue
                up = network.conditional(y[None])[0]
                py = np.prod([up[i] if y[i] > 0 else 1 - up[i] for i in range(d) if i not in kept])
                total += chance * px * py * fx * fy
    return total


def level_noise_stability(f, network, rho, kind):
    """`noise_stability` for columns of several levels."""
    points = list(product(*map(range, network.sizes)))
    law = {x: float(np.exp(network.log_prob([x])[0])) for x in points}
    total = 0.0
    for coins in product((0, 1), repeat=network.d):
        chance = np.prod([rho if c else 1 - rho for c in coins])
        kept = set()
        for place, i in enumerate(network.order):
            before = network.order[:place] if kind == "sequential" else network.parents[i]
            own = coins[place] if kind == "sequential" else coins[i]
            if own and all(q in kept for q in before):
                kept.add(i)
        for x, y in product(points, points):
            if all(x[i] == y[i] for i in kept):
                fresh = [network.conditional([y])[i][0, y[i]] for i in range(network.d) if i not in kept]
                total += chance * law[x] * np.prod(fresh) * f[x] * f[y]
    return total


def efron_stein(f, laws):
    """The variance of every effect of independent columns, by inclusion and exclusion of conditional means."""

    def mean_given(subset):
        found = f
        for axis, law in enumerate(laws):
            if axis not in subset:
                shape = [-1 if a == axis else 1 for a in range(f.ndim)]
                found = (found * law.reshape(shape)).sum(axis=axis, keepdims=True)
        return found

    joint = np.ones(())
    for law in laws:
        joint = np.multiply.outer(joint, law)
    subsets = [s for k in range(f.ndim + 1) for s in combinations(range(f.ndim), k)]
    effects = {s: sum((-1) ** (len(s) - len(t)) * mean_given(t) for t in subsets if set(t) <= set(s)) for s in subsets}
    return {s: float((joint * effect**2).sum()) for s, effect in effects.items()}


def term_score(basis, signs, columns, counts, residual, term, least_rows):
    """The squared z-score of a term, averaged over outputs; nought if two members share a column or a cell is thin."""
    if len({columns[i] for i in term}) < len(term):
        return 0.0
    for i, j in combinations(term, 2):
        for a, b in product((-1, 1), repeat=2):
            if counts[(signs[:, i] == a) & (signs[:, j] == b)].sum() < least_rows:
                return 0.0
    phi = np.prod(basis[:, list(term)].astype(float), axis=1)
    n = counts.sum()
    mean = (counts * phi).sum() / n
    spread = max((counts * phi**2).sum() / n - mean**2, 1.0)
    squares = [(counts * r**2).sum() / n for r in residual.T]
    size = [(own + np.mean(squares)) / 2 for own in squares]
    scores = [(counts * r * phi).sum() ** 2 / (n * spread * v) for r, v in zip(residual.T, size, strict=True)]
    return float(np.mean(scores))


# ---- halfspaces ----


def halfspace_steps(K, y, B, *, eta=None, printed=False, one_sided=False):
    """Algorithm 1 as corrected, or as the paper prints it: the mean coefficients, and after each step what it takes for
    the squared norm beside what that is. With the one-sided loss a prediction on the right side takes no step.
    """
    m = len(y)
    if eta is None:
        eta = np.sqrt(m / B) if printed else np.sqrt(B / m)
    alpha, mean, norms = np.zeros(m), np.zeros(m), []
    a = 0.0
    for i in range(m):
        b = sum(alpha[j] * K[j, i] for j in range(i))
        right = one_sided and (b >= 1 if y[i] == 1 else b <= 0)
        alpha[i] = 0 if right else -eta * np.sign(b - y[i])
        a = a + 2 * b - K[i, i] * alpha[i] ** 2 if printed else a + 2 * alpha[i] * b + K[i, i] * alpha[i] ** 2
        if a > B:
            alpha *= np.sqrt(B / a)
            a = B
        mean += alpha / m
        norms.append((a, alpha @ K @ alpha))
    return mean, np.array(norms)


def halfspace_loss(f, y, *, one_sided):
    """Of every row, for targets of 0 and 1."""
    return np.where(y == 1, np.maximum(0, 1 - f), np.maximum(0, f)) if one_sided else np.abs(f - y)


def halfspace_optimum(K, y, shares, B, *, one_sided=False):
    """The least of sum_i shares_i loss((K alpha)_i, y_i) over alpha' K alpha <= B, by a general solver and without
    any duality: slacks t_i of at least what row i costs, and one quadratic constraint.
    """
    from scipy.optimize import minimize

    n, root = len(y), np.linalg.cholesky(K + 1e-10 * np.eye(len(y)))

    def costs(v, t):
        over, under = root @ v - y, y - root @ v
        sides = [np.where(y == 0, over, under)] if one_sided else [over, under]
        return np.concatenate([t - side for side in sides])

    start = np.concatenate([np.zeros(n), np.ones(n)])
    limits = [
        {"type": "ineq", "fun": lambda z: costs(z[:n], z[n:])},
        {"type": "ineq", "fun": lambda z: B - z[:n] @ z[:n]},
    ]
    found = minimize(
        lambda z: shares @ z[n:],
        start,
        jac=lambda _: np.concatenate([np.zeros(n), shares]),
        bounds=[(None, None)] * n + [(0, None)] * n,
        constraints=limits,
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    return found.fun


def kernel_path(curve, before, after, steps=20_000):
    """What addends (anchors x coordinates) change in ``curve(sum)``, all moving at the same time: the mean of its
    derivative on the way, by the midpoint rule, times the change of each.
    """
    at = (np.arange(steps) + 0.5) / steps
    sums = before.sum(axis=1)[:, None] + at * (after - before).sum(axis=1)[:, None]
    slope = (curve(sums + 1e-5) - curve(sums - 1e-5)) / 2e-5
    return (after - before) * slope.mean(axis=1)[:, None]


# ---- effects ---------------------------------------------------------------------------------------------------------


def purified_by_sweeps(tables, masses, sweeps=20_000):
    """The mean of all tables, and tables without means: over pairs again and again, then over single columns."""
    singles = {(c,): np.zeros(len(masses[(c,)])) for columns in tables for c in columns}
    pairs = {columns: cells.copy() for columns, cells in tables.items() if len(columns) == 2}
    for columns, cells in tables.items():
        if len(columns) == 1:
            singles[columns] += cells
    for (i, j), weights in ((columns, masses[columns]) for columns in pairs):
        for _ in range(sweeps):
            rows = (weights * pairs[i, j]).sum(axis=1) / np.maximum(weights.sum(axis=1), 1e-300)
            pairs[i, j] -= rows[:, None]
            across = (weights * pairs[i, j]).sum(axis=0) / np.maximum(weights.sum(axis=0), 1e-300)
            pairs[i, j] -= across
            singles[(i,)] += rows
            singles[(j,)] += across
            if max(np.abs(rows).max(), np.abs(across).max()) < 1e-14:
                break
    start = 0.0
    for columns, cells in list(singles.items()):
        mean = masses[columns] @ cells / masses[columns].sum()
        singles[columns] = cells - mean
        start += mean
    return start, {**pairs, **singles}


def conjunction_quality(quality, rows, sums, n, total, deviations, two_sided):
    """Qualities of a conjunction as they are printed; `deviations` is the sum of squares about the mean."""
    p = total / n
    if quality == "wracc":
        value = (sums - rows * p) / n
        return abs(value) if two_sided else value
    if quality == "shift":
        value = np.sqrt(rows) * (sums / rows - p)
        return abs(value) if two_sided else value
    if quality in {"precision", "lift"}:
        return sums / rows / (p if quality == "lift" else 1)
    cells = np.array([[sums, rows - sums], [total - sums, n - total - rows + sums]])
    expected = cells.sum(axis=1, keepdims=True) * cells.sum(axis=0) / n
    if quality == "chi_square":
        return sum((o - e) ** 2 / e for o, e in zip(cells.ravel(), expected.ravel(), strict=True) if e > 0)
    return 2 * sum(o * np.log(o / e) for o, e in zip(cells.ravel(), expected.ravel(), strict=True) if o > 1e-9)


def conjunctions(answers, groups, target, weights, quality, k, min_rows, *, two_sided=False, minimal=False):
    """Conditions, rows, sum of the target and quality of every conjunction of k, one after another, best first."""
    n, total = weights.sum(), (weights * target).sum()
    deviations = (weights * (target - total / n) ** 2).sum()

    @cache
    def look(members):
        mine = answers[:, list(members)].all(axis=1)
        rows, sums = weights[mine].sum(), (weights * target)[mine].sum()
        if rows == 0 or rows < min_rows:
            return None
        return rows, sums, conjunction_quality(quality, rows, sums, n, total, deviations, two_sided)

    found = []
    for members in combinations(range(answers.shape[1]), k):
        seen = look(members) if len({groups[m] for m in members}) == k else None
        if seen is None:
            continue
        shorter = [look(part)[2] for size in range(1, k) for part in combinations(members, size)]
        if not minimal or all(seen[2] > other + 1e-9 for other in shorter):
            found.append((members, *seen))
    return sorted(found, key=lambda entry: (-round(entry[3], 9), entry[0]))


def best_rule_set(covers, signed, prices, price):
    """The least cost of any set of rules: rows missed and covered by mistake, and what the rules cost."""

    def cost(chosen):
        covered = covers[list(chosen)].any(axis=0)
        wrong = np.where(signed > 0, ~covered, covered)
        return float(np.abs(signed)[wrong].sum() + price * prices[list(chosen)].sum())

    return min(cost(chosen) for chosen in powerset(range(len(covers))))


def cheapest_rule_set(covers, signed, prices, most_errors):
    """The least price of any set of rules of at most so many errors."""
    found = []
    for chosen in powerset(range(len(covers))):
        covered = covers[list(chosen)].any(axis=0)
        if np.abs(signed)[np.where(signed > 0, ~covered, covered)].sum() <= most_errors + 1e-9:
            found.append(float(prices[list(chosen)].sum()))
    return min(found)


def conjunctions_of(apart, most):
    """All conjunctions of conditions any two of which may stand together."""
    sizes = range(1, most + 1)
    every = (rule for k in sizes for rule in combinations(range(len(apart)), k))
    return [rule for rule in every if all(apart[a, b] for a, b in combinations(rule, 2))]


def phrase_score(true, counts, residual):
    """How clearly a phrase goes with a residual: its sum beside its deviation, squared, row by row."""
    n = counts.sum()
    mean_squares = [sum(c * r**2 for c, r in zip(counts, column, strict=True)) / n for column in residual.T]
    half_way = [(square + np.mean(mean_squares)) / 2 for square in mean_squares]
    share = sum(c for c, t in zip(counts, true, strict=True) if t) / n
    found = []
    for column, square in zip(residual.T, half_way, strict=True):
        centre = sum(c * r for c, r in zip(counts, column, strict=True)) / n
        total = sum(c * (r - centre) for c, r, t in zip(counts, column, true, strict=True) if t)
        found.append(total**2 / square / (n * share * (1 - share)))
    return float(np.mean(found))


# ---- groups of codes -------------------------------------------------------------------------------------------------


def gain_of_groups(G, H, group, strength):
    """What groups of codes that share a weight gain: the sum of G^2 / (H + strength)."""
    return sum(
        (G[group == g].sum(axis=0) ** 2 / (H[group == g].sum(axis=0) + strength)).sum() for g in range(group.max() + 1)
    )


def best_gain_of_runs(G, H, k, strength):
    """The best of all ways to cut codes into k runs."""
    ways = combinations(range(1, len(G)), k - 1)
    return max(gain_of_groups(G, H, np.searchsorted(cuts, np.arange(len(G)), side="right"), strength) for cuts in ways)


# ---- objects of the papers -------------------------------------------------------------------------------------------


def projection(f, points, p, J):
    """Definition 1 of the universal learning paper: parities of standardised bits, independent under p."""
    mu = p @ points
    sigma = np.sqrt(p @ points**2 - mu**2)
    total = np.zeros(len(points))
    for S in powerset(J):
        psi = np.prod([(points[:, j] - mu[j]) / sigma[j] for j in S], axis=0) * np.ones(len(points))
        total += (p * f * psi).sum() * psi
    return total


def least_error(f, points, p, J):
    """Equation 2 of the universal learning paper for one J: all predictors of its bits, one after the other."""
    cell = [int("".join("1" if x[j] > 0 else "0" for j in J) or "0", 2) for x in points]
    return min(
        sum(pi for pi, fi, c in zip(p, f, cell, strict=True) if g[c] != fi)
        for g in product((-1, 1), repeat=2 ** len(J))
    )


def correlated_expansion(rows, p, depth, eps):
    """Equations 3 and 4 of the selection paper, function by function: subsets, their functions, norms of residuals."""
    mu = sum(pi * x for pi, x in zip(p, rows, strict=True))
    sigma = np.sqrt(sum(pi * (x - mu) ** 2 for pi, x in zip(p, rows, strict=True)))
    order = [s for s in sorted(powerset(range(rows.shape[1])), key=lambda s: sum(2**i for i in s)) if len(s) <= depth]
    functions, norms = [], []
    for S in order:
        residual = np.prod([(rows[:, j] - mu[j]) / sigma[j] for j in S], axis=0) * np.ones(len(rows))
        for _ in range(2):  # once more, for the rounding
            for psi in functions:
                residual = residual - (p * psi * residual).sum() * psi
        norms.append(np.sqrt((p * residual**2).sum()))
        functions.append(residual / norms[-1] if norms[-1] > eps else np.zeros(len(rows)))
    return order, np.column_stack(functions), np.array(norms)


def largest_coefficients(signs, y, degree, most):
    """Algorithm 3 of the thesis under a product measure: sets of two bits or more, by the size of the coefficient."""
    mean = signs.mean(axis=0)
    phi = (signs - mean) / np.sqrt(1 - mean**2)
    sizes = {
        S: max(abs(np.mean(labels * phi[:, list(S)].prod(axis=1))) for labels in y.T)
        for k in range(2, degree + 1)
        for S in combinations(range(signs.shape[1]), k)
    }
    return sorted(sizes.items(), key=lambda item: -item[1])[:most]


def kernel_moments(network, z, subsets, k):
    """Proposition 17 of the thesis by enumeration: mean and variance of the weight of rows that share k bits with z."""
    points = np.array(list(product((-1, 1), repeat=network.d)))
    first = list(network.order[:k])
    alike = points[(points[:, first] == z[first]).all(axis=1)]
    p = np.exp(network.log_prob(alike))
    p /= p.sum()
    at_z = network.basis(z[None])[0]
    weight = np.array([sum(x[list(s)].prod() * at_z[list(s)].prod() for s in subsets) for x in network.basis(alike)])
    return p @ weight, p @ (weight - p @ weight) ** 2


def mean_square_of_one_vote(f, network, z, subsets):
    """E[(f(x) w(x, z))^2] by enumeration: what the proof of the thesis's Theorem 2 bounds the variance of a vote by."""
    points = np.array(list(product((-1, 1), repeat=network.d)))
    p, at_z = np.exp(network.log_prob(points)), network.basis(z[None])[0]
    votes = [
        f[i] * sum(x[list(s)].prod() * at_z[list(s)].prod() for s in subsets)
        for i, x in enumerate(network.basis(points))
    ]
    return p @ np.array(votes) ** 2


def fewest_conjunctions(true):
    """All sets of conjunctions of three literals or fewer, smaller sets first, until one is the function."""
    points = list(product((False, True), repeat=3))
    wanted = tuple(bool(t) for t in true)
    conjunctions = [
        tuple(all(c is None or c == x for c, x in zip(asked, point, strict=True)) for point in points)
        for asked in product((None, False, True), repeat=3)
    ]
    inside = [c for c in conjunctions if all(w or not t for t, w in zip(c, wanted, strict=True))]
    for size in range(len(points) + 1):
        for some in combinations(inside, size):
            if tuple(any(column) for column in zip(*some, strict=True)) == wanted or (not some and not any(wanted)):
                return size
    raise AssertionError


def ring_sum_size(true):
    """All sets of products of three bits until their exclusive or is the function; there is one such set."""
    points = list(product((False, True), repeat=3))
    products = [tuple(all(point[i] for i in s) for point in points) for s in powerset(range(3))]
    for some in powerset(products):
        if tuple(sum(column) % 2 == 1 for column in zip(*some, strict=True)) == tuple(true) or (
            not some and not any(true)
        ):
            return len(some)
    raise AssertionError


def pair_sums(words, numbers):
    """Sums of numbers over the rows that every two planes share, row by row; 64 rows a word, the lowest bit first."""
    rows = [{row for row in range(64 * len(plane)) if int(plane[row // 64]) >> row % 64 & 1} for plane in words]
    sums = np.zeros((len(numbers), len(words), len(words)), dtype=np.int64)
    for c, i, j in np.ndindex(sums.shape):
        sums[c, i, j] = sum(int(numbers[c, row]) for row in rows[i] & rows[j])
    return sums


def beyond_chance(y, levels):
    """The share of the squares between levels that is more than chance gives, above what two levels are given."""
    y, levels = np.asarray(y, dtype=float), np.asarray(levels)
    members = [y[levels == level] for level in np.unique(levels)]
    between = sum(len(mine) * (mine.mean() - y.mean()) ** 2 for mine in members)
    return max(0.0, 1 - max(len(members) - 2, 0) * y.var(ddof=1) / between) if between else 0.0
