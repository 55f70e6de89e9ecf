/** The rates of a tax: one number in an entry, or a number for each country with `default`. */
import { isMembers, type Value } from './shapes.ts'

export interface Rates {
  /** Null: not written yet. */
  others: number | null
  countries: Record<string, number | null>
}

const numberOf = (value: Value) => (typeof value === 'number' ? value : null)

export function ratesOf(value: Value): Rates {
  if (!isMembers(value)) return { others: numberOf(value), countries: {} }
  const { default: others, ...countries } = value
  const rates = Object.entries(countries).map(([code, rate]) => [code, numberOf(rate)] as const)
  return { others: numberOf(others), countries: Object.fromEntries(rates) }
}

/** As an entry states them. Null: there is none. */
export const writtenRates = ({ others, countries }: Rates): Value =>
  Object.keys(countries).length === 0 ? others : { ...countries, default: others }
