"""Every human word a figure can say, in each language.

Templates for ``str.format``. Types, index ranges, device numbers and JAX's own names are notation, not words.
"""

WORDS = {
    "en": {
        "Auto": "Auto",
        "Explicit": "Explicit",
        "Manual": "Manual",
        "mesh": "mesh",
        "sharding": "sharding",
        "devices": "devices",
        "pieces": "pieces",
        "holders": "devices per piece",
        "shard": "shard shape",
        "per_device": "per device",
        "total": "whole array",
        "memory": "memory",
        "replicated": "{count} (copied along {axes})",
        "fully_replicated": "{count} (fully replicated)",
        "count": "{count} devices",
        "on_host": "In host memory, not on the devices.",
        "unreduced": "Unreduced over {axes}: each device holds a partial result, and their {operation} is the value.",
        "remote": "* Device of another process: not addressable from this one.",
        "abstract": "Abstract mesh: the numbers are positions in it, not device ids.",
        "empty": "A dimension of size 0: no elements, no bytes.",
        "elided": "{pieces} pieces; {drawn} are drawn, the rest follow the same pattern.",
        "unsharded": "{type}: not a jax.Array, so it has no sharding",
        "nothing": "No arrays.",
        "spoken": "{type}. Pieces: {pieces}. Devices: {devices}. Each shard has shape {shard}.",
        "spoken_piece": "{index} on {devices}",
        "before": "before",
        "after": "after",
        "must_cross": "must cross devices, at least",
        "most": "one device receives at most",
        "receivers": "devices that receive",
        "of": "{part} of {whole}",
        "elements": "{count} elements",
        "device": "device",
        "needs": "needs",
        "needs_amount": "each needs",
        "keeps": "has already",
        "receives": "must receive",
        "from": "from any of",
        "share": " ({percent}%)",
        "moves_table": "What each device must receive",
        "colon": ": ",
        "list": ", ",
        "clause": "; ",
        "sentence": " ",
        "stop": ".",
    },
    "zh": {
        "Auto": "自动",
        "Explicit": "显式",
        "Manual": "手动",
        "mesh": "设备网格",
        "sharding": "分片方式",
        "devices": "设备数",
        "pieces": "分片数",
        "holders": "每个分片所在的设备数",
        "shard": "分片形状",
        "per_device": "每个设备",
        "total": "整个数组",
        "memory": "内存类型",
        "replicated": "{count}（沿 {axes} 复制）",
        "fully_replicated": "{count}（完全复制）",
        "count": "{count} 个设备",
        "on_host": "数据在主机内存中，不在设备上。",
        "unreduced": "沿 {axes} 未归约：每个设备只有部分结果，按 {operation} 合并后才是真正的值。",
        "remote": "* 属于其他进程的设备，在本进程中不可寻址。",
        "abstract": "抽象网格：图中数字是网格中的位置，不是设备编号。",
        "empty": "有一维长度为 0：没有元素，不占字节。",
        "elided": "共 {pieces} 个分片，图中画出 {drawn} 个，其余依此类推。",
        "unsharded": "{type}：不是 jax.Array，没有分片方式",
        "nothing": "没有数组。",
        "spoken": "{type}。分片数：{pieces}。设备数：{devices}。每个分片的形状为 {shard}。",
        "spoken_piece": "{index} 在设备 {devices} 上",
        "before": "之前",
        "after": "之后",
        "must_cross": "设备之间至少传输",
        "most": "单个设备最多接收",
        "receivers": "要接收数据的设备数",
        "of": "{part}（共 {whole}）",
        "elements": "{count} 个元素",
        "device": "设备",
        "needs": "需要",
        "needs_amount": "各需要",
        "keeps": "已有",
        "receives": "要接收",
        "from": "可来自",
        "share": "（{percent}%）",
        "moves_table": "每个设备要接收的数据",
        "colon": "：",
        "list": "、",
        "clause": "；",
        "sentence": "",
        "stop": "。",
    },
}


def words(language: str) -> dict[str, str]:
    """Return the templates of a language.

    >>> words("zh")["mesh"]
    '设备网格'

    Raises
    ------
    ValueError
        There are no words in that language.
    """
    if language not in WORDS:
        raise ValueError(f"language must be one of {', '.join(map(repr, WORDS))}, got {language!r}")
    return WORDS[language]
