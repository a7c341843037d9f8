"""What pictures of steps say, in English; ``_`` has the Chinese, from sphinx.po."""

from __future__ import annotations

TITLES = {
    "all-gather": "An all-gather, step by step",
    "reduce-scatter": "A reduce-scatter, step by step",
    "all-reduce": "An all-reduce, step by step",
    "all-to-all": "An all-to-all, step by step",
    "permute": "A permutation, step by step",
    "collective-matmul": "A matrix product whose blocks go round, step by step",
    "exchanged-axes": "From P('x', 'y') to P('y', 'x'), step by step",
}
STEPS = {
    "start": "Each device has its own block of {block}.",
    "gather": "Each device passes the block that came last on to the next device.",
    "reduce": "Each device passes a partial sum on to the next device, which adds its own part.",
    "gather_sums": "Each device passes the whole sum that came last on to the next device.",
    "exchange": "The devices exchange parts in pairs.",
    "permute": "Each device sends its block to the next device, and the last one to the first.",
    "start_matmul": "Each device has its rows of A, {block}, and its columns of B.",
    "multiply": "Each device multiplies the rows it has by its columns, and passes them on to the next device.",
    "multiply_last": "Each device multiplies the rows that came last. Nothing is sent.",
    "start_move": "The pieces are 32 × 16.",
    "halves": "With y as y₁ × y₂, the devices along y₂ exchange halves, an all-to-all: the pieces are 16 × 32.",
    "pieces": "Whole pieces change place, a permutation.",
}
READING = {
    "rows": "A row is a device. A box is what it holds, in the colour of the device that it came from; what has "
    "just arrived has a thick edge.",
    "sums": "A row is a device. A box is the sum of what came from the devices of its colours, hatched while some are "
    "missing; what has just arrived has a thick edge.",
    "products": "A row is a device. On its left are the rows of A that it has now, in the colour of the device "
    "that they came from; 2·1 are the rows of device 2 times the columns of device 1.",
    "pieces": "Each piece has the colour and the number of the device that holds it.",
}
TRUTH = {
    "ring": "A ring is how one implementation does it, not what every platform does. True on every compiler: "
    "what is held at the start and at the end.",
    "pairs": "Exchange in pairs is how one implementation does it, not what every platform does. True on every "
    "compiler: what is held at the start and at the end.",
    "program": "The program itself says which device sends to which, so this is true on every compiler.",
    "program_ring": "Here the program itself makes the ring, of permutations. Whether a block travels while the device "
    "multiplies is up to the compiler and the platform.",
    "cpu": "These are the steps of XLA for CPU. Other compilers may take others between the same two layouts.",
}
FRAME = {
    "step": "Step {step} of {last}",
    "start": "Start",
    "received": "A device has received {bytes}.",
    "most": "A device has received at most {bytes}.",
    "previous": "Previous step",
    "next": "Next step",
    "scrub": "Step",
    "holds": "device {device}: {contents}",
    "nothing": "nothing",
    "plain": "The page of the handbook has a figure here, “{title}”: which device holds what after each step. "
    "Its arrays are small: a device receives at most {bytes}.",
}
NOTES = {
    "all-gather": ("rows", "ring"),
    "reduce-scatter": ("sums", "ring"),
    "all-reduce": ("sums", "ring"),
    "all-to-all": ("rows", "pairs"),
    "permute": ("rows", "program"),
    "collective-matmul": ("products", "program_ring"),
    "exchanged-axes": ("pieces", "cpu"),
}
"""How each picture is to be read, and how far it is true."""
