import { expect, test } from 'bun:test'
import { hashOfCode, mintCode, normalizeCode } from '../../../src/play/codes/code.ts'

test('a code has 60 random bits in three groups of an alphabet without I, L, O and U', () => {
  expect(mintCode(new Uint8Array(8))).toBe('0000-0000-0000')
  expect(mintCode(new Uint8Array(8).fill(255))).toBe('ZZZZ-ZZZZ-ZZZZ')
  const last = new Uint8Array(8)
  // The last of the 60 bits, and the first one that is not used.
  last[7] = 0b0001_0000
  expect(mintCode(last)).toBe('0000-0000-0001')
  last[7] = 0b0000_1000
  expect(mintCode(last)).toBe('0000-0000-0000')
})

test.each([
  ['as printed', '7Q2M-X9K1-4T0B'],
  ['in lower case', '7q2m-x9k1-4t0b'],
  ['without dashes', '7Q2MX9K14T0B'],
  ['with spaces anywhere', ' 7Q 2M-X9\u00a0K1 4T0B\n'],
  ['with other dashes', '7Q2M–X9K1—4T0B'],
  ['with O for 0', '7Q2M-X9K1-4TOB'],
  ['with o for 0', '7q2m x9k1 4tob'],
  ['with I for 1', '7Q2M-X9KI-4T0B'],
  ['with l for 1', '7q2m-x9kl-4t0b'],
  ['in full width', '７Ｑ２Ｍ-Ｘ９Ｋ１-４Ｔ０Ｂ'],
])('a code %s is the same code', (_, text) => {
  expect(normalizeCode(text)).toBe('7Q2MX9K14T0B')
})

test.each(['', '---', 'ABC', 'é'.repeat(12), 'A'.repeat(41), '7Q2M_X9K1'])('%p is no code', text => {
  expect(normalizeCode(text)).toBeNull()
})

test('a hash shows nothing of the code', () => {
  const hashed = hashOfCode('7Q2MX9K14T0B')
  expect(hashed).toMatch(/^[0-9a-f]{64}$/)
  expect(hashed).not.toBe(hashOfCode('7Q2MX9K14T0C'))
})
