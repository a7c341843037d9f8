"""python -m shardbook: draw a layout in a terminal."""

from shardbook._command import main

if __name__ == "__main__":
    main()
