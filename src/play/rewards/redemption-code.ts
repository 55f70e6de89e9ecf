/** Crockford's base 32, without I, L, O and U: easy to read aloud and to type. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE = new RegExp(`^[${ALPHABET}]{16}$`)

/** 80 random bits as `XXXX-XXXX-XXXX-XXXX`. */
export function mintRedemptionCode(random: Uint8Array): string {
  const bits = [...random].map(byte => byte.toString(2).padStart(8, '0')).join('')
  const letters = bits.match(/.{5}/g)?.map(five => ALPHABET[Number.parseInt(five, 2)]) ?? []
  return inGroups(letters.join(''))
}

/**
 * Reads a code as a person types it: upper or lower case, O for 0, I or L for 1, with any spaces and dashes. Null if the
 * text is not a code.
 */
export function normalizeRedemptionCode(text: string): string | null {
  const letters = text
    .replace(/[\s\p{Dash}]/gu, '')
    .toUpperCase()
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1')
  return CODE.test(letters) ? inGroups(letters) : null
}

const inGroups = (letters: string) => letters.match(/.{4}/g)?.join('-') ?? ''
