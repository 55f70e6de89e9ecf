import { expect, test } from 'bun:test'
import { deriveKey } from '../../../src/core/derived-key.ts'
import { createEncryption } from '../../../src/core/encryption.ts'
import { realSources } from '../../../src/core/sources.ts'

const encryption = createEncryption(deriveKey('a secret that all instances share', 'deferred sync'))
const encrypted = () => encryption.encrypt('the.token', 'fan-1', realSources.randomBytes(12))

test('decrypts a token in every instance with the same secret', () => {
  expect(
    createEncryption(deriveKey('a secret that all instances share', 'deferred sync')).decrypt(
      encrypted(),
      'fan-1',
    ),
  ).toBe('the.token')
})

test('refuses a ciphertext with a changed, missing or additional byte', () => {
  const bytes = Buffer.from(encrypted(), 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    expect(encryption.decrypt(changed.toString('base64url'), 'fan-1')).toBeNull()
    expect(encryption.decrypt(bytes.subarray(0, at).toString('base64url'), 'fan-1')).toBeNull()
  }
  expect(encryption.decrypt(Buffer.concat([bytes, Buffer.of(0)]).toString('base64url'), 'fan-1')).toBeNull()
  expect(encryption.decrypt('not a ciphertext', 'fan-1')).toBeNull()
})

test('encrypting the same token twice gives different ciphertexts', () => {
  expect(encrypted()).not.toBe(encrypted())
})
