"""What archives held at the commit or release that their address names, computed from their git repositories.

An archive that git servers pack on demand may come in other bytes one day; its files may not. So the digest is of the
files: their places in the set's folder and their SHA-256. Archives that are not here (FLORES, WALS, UD's English EWT
and Japanese PUD) are held to what was fetched first (``origins.py``).
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path

CONTENTS = {
    "ntrex": "7b79bfd1060176935f7fe3d003f1a2d3bdb23c68c5725e83ceec73c080e2c288",
    "tatoeba": "4246877c580bae79bd1bb55b797612128278c68cf3e6f0709dbf51b58685ebc4",
    "dictionaries": "07bb431f302410c5b013b71a28fef84ca09e092c22a25975bc8f827f7e606cd4",
    "UD_Arabic-PUD": "30b85f4ee7f7ee23cd6d3e4e4e7b9601910e7ae232ba40e703853ac0ac7cc8b7",
    "UD_Chinese-PUD": "b84d78367f58ac64ac33bb2927b768a9fb9af29630a4d7826d64505d53d23094",
    "UD_Czech-PUD": "bd453241143a6b1aa6b216e2c15fc7211c9be644d7453e7f8c4a2b3085d74d06",
    "UD_English-PUD": "03c1ae537e6c267b3c8399b519cc09796e5b8d9937f1ae4eb64a0f89b41e0681",
    "UD_Finnish-PUD": "14638b20937cdf44067cd47e2a5a7125f4a0250b7684b59f8649cf7566c80e7d",
    "UD_French-PUD": "5f4526762a6127bf07ff3a17ba7ea4906523e1d3ba3d93c54f1e2c3a4f44e4f3",
    "UD_German-PUD": "0ec2dc23644548f7b1a9b128f1e356cc94327ae18d0e36a9adc5f52ef9e044af",
    "UD_Hindi-PUD": "3a1a382a78cde3afa1f55284c7b040769c94fc013313adcb541ebf11e5972039",
    "UD_Icelandic-PUD": "c52f941558afa47e24032fabe9eddda76d3631fd3cbefb82a88103155589d80d",
    "UD_Indonesian-PUD": "106586de77525899867e8a9989dce1580595d14be0165834ba2b356fdba34e8c",
    "UD_Italian-PUD": "75706ab718003366a8289e3c006d9e5f345099c5e2a75a3724e3386c64e0b305",
    "UD_Korean-PUD": "a02efad42081678b42f6f3ddffd89f1a5d3920b56a0665c6b5247f94dfcbba42",
    "UD_Polish-PUD": "bfef25d88eb40ee7ba4373cde80b5d84e7c5b2088bc21fb02a3b41151e2a5c30",
    "UD_Portuguese-PUD": "d780084efb70ccc8cede048f17070a745dc42ea3d0246e757dd5cb15939ad756",
    "UD_Russian-PUD": "815072b3060b04b2fb6941f9c8018c2fd855048e67acf25f7987b51a6f979cb8",
    "UD_Spanish-PUD": "186b8e075db3d90359e4e60b81d224f0ee60b96fbc68aff5f6c6d3809d6acce9",
    "UD_Swedish-PUD": "18cf715df8d9803e937fb788166cf7efec9ec5fe39a6c4f329e1bbe9a561dddf",
    "UD_Thai-PUD": "3025dea448e05a34ace18a9303b4bf08c2e98af137f4b72c38574ef8648eff64",
    "UD_Turkish-PUD": "d73aed8a6bf80ab0f1af6bd9f6b1be3e7baebf60271f3db7a5ab1fe4b8c557b0",
}


def contents_digest(files: Mapping[str, Path]) -> str:
    """One SHA-256 for files by their place: over lines of place, tab and the SHA-256 of the file, sorted."""
    lines = (f"{place}\t{hashlib.sha256(path.read_bytes()).hexdigest()}\n" for place, path in files.items())
    return hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()
