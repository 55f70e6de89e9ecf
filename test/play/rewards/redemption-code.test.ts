import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { mintRedemptionCode, normalizeRedemptionCode } from '../../../src/play/rewards/redemption-code.ts'

const codes = fc.uint8Array({ minLength: 10, maxLength: 10 }).map(mintRedemptionCode)

/** Ways in which a person may write a character of a code. */
const WRITTEN: Record<string, string[]> = {
  '0': ['0', 'O', 'o'],
  '1': ['1', 'I', 'i', 'L', 'l'],
  '-': ['', '-', ' ', ' – ', '\u2011', '\t', '\u00a0'],
}

test('a code reads the same in either case, with O for 0, I or L for 1, and any spaces and dashes', () => {
  const writings = codes.chain(code =>
    fc.tuple(
      fc.constant(code),
      fc.tuple(
        ...[...code].map(letter => fc.constantFrom(...(WRITTEN[letter] ?? [letter, letter.toLowerCase()]))),
      ),
    ),
  )
  fc.assert(
    fc.property(writings, ([code, letters]) => {
      expect(normalizeRedemptionCode(letters.join(''))).toBe(code)
      expect(normalizeRedemptionCode(` ${letters.join(' ')} `)).toBe(code)
    }),
  )
})

test('a code with another character is another code or not a code', () => {
  const changes = fc.tuple(codes, fc.nat(18), fc.constantFrom(...'0123456789ABCDEFGHJKMNPQRSTVWXYZU!é_'))
  fc.assert(
    fc.property(changes, ([code, at, letter]) => {
      const changed = [...code].with(at, letter).join('')
      const isSame = changed === code
      expect(normalizeRedemptionCode(changed) === code).toBe(isSame)
    }),
  )
})

test.each(['', '-', '7Q2M', '7Q2M-X9KD-4T0B-HW5', '7Q2M-X9KD-4T0B-HW5EE', '7Q2M-X9KD-4T0B-HW5U'])(
  '%j is not a code',
  text => {
    expect(normalizeRedemptionCode(text)).toBeNull()
  },
)
