import type { DrawTerms } from './draw.ts'

/** Parses the text that `canonicalTerms` wrote when the purchase started. */
export function parseTerms(text: string): DrawTerms {
  const [packId, itemsPerPack, weights] = JSON.parse(text) as [string, number, [string, string, number][]]
  return { packId, itemsPerPack, weights: weights.map(([id, rarity, weight]) => ({ id, rarity, weight })) }
}
