import fc from 'fast-check'

const FIRST_SURROGATE = 0xd800
const SURROGATES = 0x800
const LAST_CODE_POINT = 0x10ffff

/**
 * Any code point but half a surrogate pair: a `unit` of `fc.string`. fast-check's own `binary` makes a string of each of the
 * million, which takes 0.8 s, and then stay in the heap.
 */
export const anyCharacter = fc
  .nat(LAST_CODE_POINT - SURROGATES)
  .map(n => String.fromCodePoint(n < FIRST_SURROGATE ? n : n + SURROGATES))
