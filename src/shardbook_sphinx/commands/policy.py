"""The Content-Security-Policy that the site works under: python -m shardbook_sphinx.commands.policy prints it."""

from __future__ import annotations

DIRECTIVES = {
    "default-src": "'self'",
    # Pagefind, the search, is WebAssembly.
    "script-src": "'self' 'wasm-unsafe-eval'",
    # Style sheets are files. Attributes are left: figures give their width so, and JAX its own pictures' colours.
    "style-src": "'self'",
    "style-src-attr": "'unsafe-inline'",
    # The theme's signs are in its style sheet.
    "img-src": "'self' data:",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}
POLICY = "; ".join(f"{name} {value}" for name, value in DIRECTIVES.items())

if __name__ == "__main__":
    print(f"Content-Security-Policy: {POLICY}")
