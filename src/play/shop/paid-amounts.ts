/** What of the price of an order was paid for each line and unit: exact, so that parts add up to the whole. */

interface PricedLine {
  quantity: number
  /** Of a unit. */
  priceAmount: number
}

/**
 * Spreads the discount over the lines in proportion, rounded down, and the remainder on the last line. What exceeds the price of a
 * line is taken off the lines before it.
 */
export function paidByLine(lines: readonly PricedLine[], discount: number): number[] {
  const gross = lines.map(({ quantity, priceAmount }) => quantity * priceAmount)
  const sum = gross.reduce((total, amount) => total + amount, 0)
  if (sum === 0) return gross
  const paid = gross.map(amount => amount - Number((BigInt(discount) * BigInt(amount)) / BigInt(sum)))
  let remainder = paid.reduce((total, amount) => total + amount, 0) - (sum - discount)
  for (let index = paid.length - 1; index >= 0 && remainder > 0; index--) {
    const part = Math.min(remainder, paid[index] ?? 0)
    paid[index] = (paid[index] ?? 0) - part
    remainder -= part
  }
  return paid
}

/** What was paid for the first of the units of a line, half up: differences of it add up to the price of the line. */
export const paidForUnits = (paid: number, quantity: number, units: number): number =>
  Number((2n * BigInt(paid) * BigInt(units) + BigInt(quantity)) / (2n * BigInt(quantity)))
