import unittest
from datetime import date
from decimal import Decimal

from due import days_late, due_date, late_fee

WEDNESDAY = date(2026, 4, 8)
THURSDAY = date(2026, 4, 9)
FRIDAY = date(2026, 4, 10)


class DueDate(unittest.TestCase):
    def test_is_thirty_days_after_the_invoice(self):
        self.assertEqual(due_date(WEDNESDAY), date(2026, 5, 8))

    def test_moves_from_saturday_to_monday(self):
        self.assertEqual(due_date(THURSDAY), date(2026, 5, 11))

    def test_moves_from_sunday_to_monday(self):
        self.assertEqual(due_date(FRIDAY), date(2026, 5, 11))


class PayingLate(unittest.TestCase):
    def test_costs_nothing_in_time(self):
        self.assertEqual(days_late(WEDNESDAY, date(2026, 5, 8)), 0)

    def test_costs_interest_by_the_day(self):
        self.assertEqual(late_fee(Decimal("1000"), WEDNESDAY, date(2026, 5, 18)), Decimal("2.47"))


if __name__ == "__main__":
    unittest.main()
