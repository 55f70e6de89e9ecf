/** The tax that the price of a product includes: one rate, or one for each country. Rates are kept in millionths, and are exact. */
import type { EntryFault } from '../../club/catalogue/entry.ts'
import { isCountry } from '../../core/country.ts'
import { type Static, Type } from '../../core/typebox.ts'

const Rate = Type.Number({ minimum: 0, maximum: 1 })

export const TaxRate = Type.Union(
  [
    Rate,
    Type.Record(Type.String({ pattern: '^([A-Z]{2}|default)$' }), Rate, {
      additionalProperties: false,
      maxProperties: 251,
    }),
  ],
  {
    description:
      'Tax that the price includes, as a fraction such as 0.21, or by country with a `default`: {"DE": 0.19, "default": 0.21}. Null: receipts show none. Without effect on prices in points.',
    errorNoun: 'a number from 0 to 1, or such numbers by country like {"DE": 0.19, "default": 0.21}',
  },
)
type TaxRate = Static<typeof TaxRate>

const DEFAULT = 'default'
const MILLION = 1_000_000
const MILLIONTHS = 'must have at most six decimals'

/** What the schema cannot express. */
export function taxRateFaults(rate: TaxRate | null | undefined): EntryFault[] {
  const pointer = '/taxRate'
  if (rate === null || rate === undefined) return []
  if (typeof rate === 'number') return isExact(rate) ? [] : [{ pointer, message: MILLIONTHS }]
  const missing = { pointer, message: 'must have a rate for default, of all other countries' }
  return [
    ...(DEFAULT in rate ? [] : [missing]),
    ...Object.entries(rate).flatMap(([country, value]) => [
      ...(country === DEFAULT || isCountry(country)
        ? []
        : [
            {
              pointer: `${pointer}/${country}`,
              message: 'must be a country of ISO 3166-1 alpha-2, XK or default',
            },
          ]),
      ...(isExact(value) ? [] : [{ pointer: `${pointer}/${country}`, message: MILLIONTHS }]),
    ]),
  ]
}

/** Decimals of JSON are not exact: 0.07 × 1000000 is 70000.00000000001. */
const isExact = (rate: number) => Math.abs(rate * MILLION - millionthsOf(rate)) < 1e-6

const millionthsOf = (rate: number) => Math.round(rate * MILLION)

/** The column of a rate. */
export const storedTaxRate = (rate: TaxRate | null): string | null =>
  rate === null ? null : JSON.stringify(rate)

/** Guarantee of the cast: only valid rates are stored. */
export const statedTaxRate = (stored: string | null): TaxRate | null =>
  stored === null ? null : (JSON.parse(stored) as TaxRate)

/** The rate of a country in millionths. Null: none is stated. */
export function taxMillionthsFor(stored: string | null, country: string | null): number | null {
  const rate = statedTaxRate(stored)
  if (rate === null) return null
  if (typeof rate === 'number') return millionthsOf(rate)
  return millionthsOf(rate[country ?? DEFAULT] ?? rate[DEFAULT] ?? 0)
}

/** A rate as clients see it. */
export const rateOf = (millionths: number | null): number | null =>
  millionths === null ? null : millionths / MILLION

/** The tax in an amount that includes it, half up. */
export function taxIn(gross: number, millionths: number | null): number {
  if (millionths === null) return 0
  const divisor = BigInt(MILLION + millionths)
  return Number((2n * BigInt(gross) * BigInt(millionths) + divisor) / (2n * divisor))
}
