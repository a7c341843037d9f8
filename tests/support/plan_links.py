"""Addresses of plans: one to change, and those that strangers may write."""


def link(**parts):
    """A link to the first plan with some parts put, or with None taken away."""
    first = {"v": 1, "L": 32, "D": 4096, "F": 14336, "H": 32, "K": 8, "k": 128, "V": 128256, "B": 64, "S": 4096}
    first |= {"data": 1, "fsdp": 16, "sequence": 1, "tensor": 4, "gated": 1, "tied": 0, "half": 1, "again": 1}
    whole = first | {"chip": "H100"} | parts
    return "#" + "&".join(f"{key}={value}" for key, value in whole.items() if value is not None)


HOSTILE = [
    "#<script>alert(1)</script>",
    "#v=1&<img src=x onerror=alert(1)>",
    "#javascript:alert(1)",
    "#data:text/html,<b>",
    "#v=1",
    "#=&=",
    "#" + "&" * 5000,
    "#" + "L=1&" * 50_000,
    link(v=2),
    link(v=None),
    link(v="constructor"),
    link(chip="constructor"),
    link(chip="__proto__"),
    link(chip="toString"),
    link(chip="<b>"),
    link(chip=""),
    link(chip="Z80"),
    link() + "&__proto__=1",
    link() + "&constructor=1",
    link() + "&L=2",
    link() + "&other=2",
    link(L=None),
    link(tensor=None),
    link(L=""),
    link(L="-1"),
    link(L="-0"),
    link(L="1e3"),
    link(L="0x10"),
    link(L="1.5"),
    link(L="NaN"),
    link(L="Infinity"),
    link(L="9" * 30),
    link(L="1_000"),
    link(L="٣"),
    link(L="%31"),
    link(B="<svg/onload=alert(1)>"),
    link(gated="2"),
    link(gated="true"),
    link(half="yes"),
    link(half=""),
    link(model="x"),
]
# Read, and then told of in a sentence.
IMPOSSIBLE = [
    link(L="0"),
    link(D="0"),
    link(B="0"),
    link(fsdp="0"),
    link(tensor="0"),
    link(D="999999999999999"),
    link(B="999999999999999"),
    link(S="16777217"),
    link(data="65536"),
    link(data="1000000", fsdp="1000000", sequence="1000000", tensor="1000000"),
    link(D="16000000", F="16000000"),
    link(B="16777216", S="16777216"),
    link(tensor="3"),
    link(H="7"),
    link(K="9"),
    link(k="3"),
    link(B="1"),
    link(S="1", sequence="2"),
    link(V="50257"),
    link(chip="v5e", fsdp="512", B="512"),
    link(L="1", D="1", F="1", H="1", K="1", k="1", V="1", B="1", S="1", fsdp="2"),
]
