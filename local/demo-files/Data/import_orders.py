"""Reads the orders of a day from a CSV file."""
import csv
from dataclasses import dataclass
from pathlib import Path

VAT = 0.19


@dataclass(frozen=True)
class Order:
    number: int
    customer: str
    net: float

    @property
    def gross(self) -> float:
        # Rounded as on the invoice.
        return round(self.net * (1 + VAT), 2)


def read_orders(path: Path) -> list[Order]:
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        return [Order(int(row["number"]), row["customer"], float(row["net"])) for row in rows]


if __name__ == "__main__":
    for order in read_orders(Path("orders.csv")):
        print(f"{order.number:>6}  {order.customer:<24} {order.gross:>10.2f} EUR", end="\n")
