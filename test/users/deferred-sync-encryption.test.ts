import { expect, test } from 'bun:test'
import { realSources } from '../../src/core/sources.ts'
import { createTokenEncryption } from '../../src/users/token-encryption.ts'

const seal = createTokenEncryption('a secret that all instances share')
const sealed = () => seal.encrypt('the.token', 'fan-1', realSources.randomBytes(12))

test('opens what was sealed, in every instance with the same secret', () => {
  expect(createTokenEncryption('a secret that all instances share').decrypt(sealed(), 'fan-1')).toBe(
    'the.token',
  )
})

test('opens nothing of which a byte was changed, cut off or added', () => {
  const bytes = Buffer.from(sealed(), 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    expect(seal.decrypt(changed.toString('base64url'), 'fan-1')).toBeNull()
    expect(seal.decrypt(bytes.subarray(0, at).toString('base64url'), 'fan-1')).toBeNull()
  }
  expect(seal.decrypt(Buffer.concat([bytes, Buffer.of(0)]).toString('base64url'), 'fan-1')).toBeNull()
  expect(seal.decrypt('no seal at all', 'fan-1')).toBeNull()
})

test('the same token sealed twice looks different', () => {
  expect(sealed()).not.toBe(sealed())
})
