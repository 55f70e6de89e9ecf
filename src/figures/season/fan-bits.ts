/** Sets in the columns of `season_fans`: bits of a number up to 2^52, and a list of numbers. */

/** Not `&`, which keeps 32 bits. */
export const hasBit = (bits: number, nth: number): boolean => Math.floor(bits / 2 ** nth) % 2 === 1
export const withBit = (bits: number, nth: number): number => (hasBit(bits, nth) ? bits : bits + 2 ** nth)
export const withoutBit = (bits: number, nth: number): number => (hasBit(bits, nth) ? bits - 2 ** nth : bits)

/** Whether each bit of the first is one of the second. */
export function isWithin(bits: number, others: number): boolean {
  for (let nth = 0; 2 ** nth <= bits; nth++) if (hasBit(bits, nth) && !hasBit(others, nth)) return false
  return true
}

/** `3,7+`: numbers, each with whether it was noted more than once. */
export const parseResults = (text: string): Map<number, boolean> =>
  new Map(
    text
      .split(',')
      .filter(Boolean)
      .map(part => [Number.parseInt(part, 10), part.endsWith('+')]),
  )

const formatResults = (results: Map<number, boolean>) =>
  [...results]
    .toSorted(([a], [b]) => a - b)
    .map(([number, isRepeated]) => `${number}${isRepeated ? '+' : ''}`)
    .join(',')

export type ResultChange = 'fans' | 'repeats' | null

/** The first time a number is noted counts among `fans`, the second time among `repeats`. */
export function noteResult(text: string, number: number): { results: string; change: ResultChange } {
  const results = parseResults(text)
  const isRepeated = results.get(number)
  if (isRepeated) return { results: text, change: null }
  results.set(number, isRepeated !== undefined)
  return { results: formatResults(results), change: isRepeated === undefined ? 'fans' : 'repeats' }
}
