/** The odds that a pack shows, computed from the same weights as the draw. */
import { TOTAL_WEIGHT, type Weight } from './draw.ts'

/** Sorted by descending probability, then by name. The probabilities add up to exactly 1. */
export function oddsOf(weights: Weight[]) {
  const byRarity = new Map<string, number>()
  for (const { rarity, weight } of weights) byRarity.set(rarity, (byRarity.get(rarity) ?? 0) + weight)
  return [...byRarity]
    .toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([rarity, weight]) => ({ rarity, probability: decimal(weight) }))
}

/** Exact: a weight is in millionths. */
export function decimal(weight: number): string {
  const digits = String(weight).padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`
}

/** Null if the weights are valid, otherwise a description of the error. */
export function weightsProblem(weights: Weight[]): string | null {
  if (weights.some(({ weight }) => !Number.isSafeInteger(weight) || weight < 1)) {
    return 'each weight must be a whole number of at least 1'
  }
  if (new Set(weights.map(({ id }) => id)).size !== weights.length) return 'each item must be there once'
  const total = weights.reduce((sum, { weight }) => sum + weight, 0)
  return total === TOTAL_WEIGHT ? null : `the weights must add up to ${TOTAL_WEIGHT}, not ${total}`
}
