/**
 * Finds numbers in JSON text that a double cannot hold. `JSON.parse` silently rounds them, so that two
 * different ids or amounts could become equal.
 */

export interface InexactNumber {
  /** JSON Pointer (RFC 6901). */
  pointer: string
  message: string
}

/** A number that may be inexact has as many digits, or a large exponent. Others are not looked at: most bodies have none. */
const SUSPECT = /[\d.]{16}|[eE][+-]?\d{3}/
const NUMBER = /-?\d[\d.eE+-]*/y

/**
 * The inexact numbers of a valid JSON text, in their order, at most `max`. The work is linear in the length
 * of the text.
 */
export function findInexactNumbers(text: string, max: number): InexactNumber[] {
  if (!SUSPECT.test(text)) return []
  const found: InexactNumber[] = []
  /**
   * For each open object or array: the name of the current member, as it is written, or the index of the
   * item.
   */
  const path: { key: string | number; isNamed: boolean }[] = []
  for (let index = 0; index < text.length; index++) {
    const place = path.at(-1)
    const char = text[index] ?? ''
    if (char === '{' || char === '[') path.push({ key: char === '{' ? `""` : 0, isNamed: false })
    else if (char === '}' || char === ']') path.pop()
    else if (char === ',' && place) {
      if (typeof place.key === 'number') place.key++
      place.isNamed = false
    } else if (char === '"') {
      const end = endOfString(text, index)
      // The first string of a member is its name; its value may be another one.
      if (place && typeof place.key === 'string' && !place.isNamed)
        Object.assign(place, { key: text.slice(index, end + 1), isNamed: true })
      index = end
    } else if (char === '-' || (char >= '0' && char <= '9')) {
      NUMBER.lastIndex = index
      const literal = NUMBER.exec(text)?.[0] ?? char
      index += literal.length - 1
      const message = numberFault(literal)
      if (message === null) continue
      found.push({ pointer: path.map(({ key }) => `/${nameOf(key)}`).join(''), message })
      if (found.length === max) return found
    }
  }
  return found
}

/** The closing quote of the string that begins at `start`: one that an even number of backslashes precedes. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text[end - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return end
  }
  return text.length
}

const nameOf = (key: string | number) =>
  typeof key === 'number' ? `${key}` : String(JSON.parse(key)).replaceAll('~', '~0').replaceAll('/', '~1')

/** Why a double cannot hold the number exactly; null if it can. */
export function numberFault(literal: string): string | null {
  const value = Number(literal)
  if (!Number.isFinite(value)) return 'must be a number of at most 1.79e308'
  const isInteger = /^-?\d+$/.test(literal)
  if (isInteger ? Number.isSafeInteger(value) : digitsOf(literal) === digitsOf(String(value))) return null
  return isInteger
    ? `must be an integer of at most ${Number.MAX_SAFE_INTEGER}, which is exact; send a longer id as a string`
    : 'must be a number that a double holds exactly, with at most 15 significant digits; send others as a string'
}

/** The digits and the exponent of a decimal, without what does not change its value. */
function digitsOf(literal: string): string {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().replace(/^-/, '').split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  if (digits === '') return '0'
  let end = digits.length
  // Not with a regular expression: it would scan a run of zeros within the digits again from each zero.
  while (digits[end - 1] === '0') end--
  return `${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`
}
