/** Codes of campaigns as people type them, and their hashes, which are all that is stored of generated codes. */
import { hash } from 'node:crypto'

/** Crockford's base 32, without I, L, O and U: easy to read aloud and to type. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** Of a generated code: 60 bits. */
const LETTERS = 12
/** The bytes that `mintCode` needs. */
export const CODE_BYTES = 8
/** Of a code in its normal form. */
const NORMAL = /^[0-9A-Z]{4,40}$/

/** Random bits, five a letter, as `XXXX-XXXX-XXXX`. */
export function mintCode(random: Uint8Array, length = LETTERS): string {
  const bits = [...random].map(byte => byte.toString(2).padStart(8, '0')).join('')
  const letters = bits.match(/.{5}/g)?.map(five => ALPHABET[Number.parseInt(five, 2)]) ?? []
  return letters.slice(0, length).join('').match(/.{4}/g)?.join('-') ?? ''
}

/**
 * The form in which codes are compared: upper case, 0 for O, 1 for I and L, without spaces and dashes. Null if the text cannot
 * be a code.
 */
export function normalizeCode(text: string): string | null {
  const letters = text
    .normalize('NFKC')
    .replace(/[\s\p{Dash}]/gu, '')
    .replace(/[a-z]/g, letter => letter.toUpperCase())
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1')
  return NORMAL.test(letters) ? letters : null
}

/**
 * Not keyed: a printed code must work for months, also after the signing key was replaced, and 60 random bits that are redeemed
 * online are too many to try.
 */
export const hashOfCode = (normalized: string): string => hash('sha256', `campaign code ${normalized}`, 'hex')
