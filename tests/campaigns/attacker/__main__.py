"""`python -m tests.campaigns.attacker`."""

from tests.campaigns.attacker.command import make_app

if __name__ == "__main__":
    make_app()()
