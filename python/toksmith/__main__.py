"""`python -m toksmith` is the `toksmith` command."""

from toksmith.cli import main

if __name__ == "__main__":
    main()
