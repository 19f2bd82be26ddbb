"""When an invoice is due, and what it costs to pay late."""

from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

SATURDAY = 5
YEARLY_INTEREST = Decimal("0.09")
CENT = Decimal("0.01")


def due_date(issued: date, days: int = 30) -> date:
    """The day to pay by: `days` after the invoice, or the Monday after when that is at a weekend."""
    due = issued + timedelta(days=days)
    while due.weekday() > SATURDAY:
        due += timedelta(days=1)
    return due


def days_late(issued: date, paid: date) -> int:
    """Days between the due date and payment; 0 when it was paid in time."""
    return max(0, (paid - due_date(issued)).days)


def late_fee(amount: Decimal, issued: date, paid: date) -> Decimal:
    """Interest for paying late, to the cent."""
    fee = amount * YEARLY_INTEREST * days_late(issued, paid) / 365
    return fee.quantize(CENT, ROUND_HALF_UP)
