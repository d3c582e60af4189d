"""`python -m paper_reproductions`."""

from paper_reproductions.command import make_app

if __name__ == "__main__":
    make_app()()
