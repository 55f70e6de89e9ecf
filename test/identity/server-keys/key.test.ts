/** The text of a server key: its form, and what its checksum detects. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { developmentKey } from '../../../src/identity/server-keys/development-key.ts'
import {
  hashServerKey,
  isWellFormed,
  looksLikeServerKey,
  mintServerKey,
} from '../../../src/identity/server-keys/key.ts'

const randoms = fc.uint8Array({ minLength: 32, maxLength: 32 })

test('a key of any random bytes matches the pattern of secret scanners, and is well-formed', () => {
  fc.assert(
    fc.property(randoms, random => {
      const key = mintServerKey(random)
      expect(key).toMatch(/^mdk_[0-9A-Za-z]{49}$/)
      expect([isWellFormed(key), looksLikeServerKey(key)]).toEqual([true, true])
    }),
  )
})

test('different random bytes make different keys, at the ends of the range as well', () => {
  const ends = [0, 1, 254, 255].map(last => mintServerKey(new Uint8Array(32).fill(255).with(31, last)))
  const zeros = mintServerKey(new Uint8Array(32))
  expect(new Set([...ends, zeros]).size).toBe(5)
  fc.assert(
    fc.property(randoms, randoms, (one, other) => {
      expect(mintServerKey(one) === mintServerKey(other)).toBe(Buffer.from(one).equals(other))
    }),
  )
})

test('a wrong character, two swapped neighbours, and a missing or further character are detected', () => {
  const at = fc.nat(48)
  const character = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_ é')
  fc.assert(
    fc.property(randoms, at, character, (random, position, other) => {
      const key = mintServerKey(random)
      const letters = [...key]
      const index = position + 'mdk_'.length
      const changed = letters.with(index, other).join('')
      expect(isWellFormed(changed)).toBe(changed === key)
      const swapped = letters.with(index, letters[index - 1] ?? '').with(index - 1, letters[index] ?? '')
      expect(isWellFormed(swapped.join(''))).toBe(swapped.join('') === key)
      expect(isWellFormed(letters.toSpliced(index, 1).join(''))).toBe(false)
      expect(isWellFormed(letters.toSpliced(index, 0, other).join(''))).toBe(false)
    }),
    { numRuns: 500 },
  )
})

test.each([
  '',
  'mdk_',
  'mdrt_abc',
  ` ${developmentKey}`,
  `${developmentKey}\n`,
  developmentKey.toUpperCase(),
])('%j is not a key', text => {
  expect(isWellFormed(text)).toBe(false)
})

test('the key of development is readable and constant', () => {
  expect(developmentKey).toStartWith('mdk_DevelopmentKeyRefusedInProduction0')
  expect(isWellFormed(developmentKey)).toBe(true)
})

test('the stored hash is the SHA-256 of the whole key in hex', () => {
  const sha256 = new Bun.CryptoHasher('sha256').update(developmentKey).digest('hex')
  expect(hashServerKey(developmentKey)).toBe(sha256)
})
