/** Crockford's base 32, without I, L, O and U: easy to read aloud and to type. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** 80 random bits as `XXXX-XXXX-XXXX-XXXX`. */
export function mintRedemptionCode(random: Uint8Array): string {
  const bits = [...random].map(byte => byte.toString(2).padStart(8, '0')).join('')
  const letters = bits.match(/.{5}/g)?.map(five => ALPHABET[Number.parseInt(five, 2)]) ?? []
  return letters.join('').match(/.{4}/g)?.join('-') ?? ''
}
