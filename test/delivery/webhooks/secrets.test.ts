/** Secrets at rest, and a rotation of the key under which they are encrypted. */
import { expect, test } from 'bun:test'
import {
  addEndpoint,
  reencryptSecrets,
  rotateSecret,
  signingSecrets,
} from '../../../src/delivery/webhooks/endpoints.ts'
import { createWebhookSecrets } from '../../../src/delivery/webhooks/secrets.ts'
import { makeDevelopmentSecrets } from '../../../src/platform/config/development-secrets.ts'
import { onEachEngine } from '../../support/world.ts'
import { endpointOf } from './webhooks-world.ts'

const newKey = async () => JSON.parse((await makeDevelopmentSecrets()).NATIVE_TOKEN_KEY)
const input = { url: 'https://hooks.example.com/', types: ['*'] }

onEachEngine('Secrets of webhooks', world => {
  test('an endpoint’s row has its secret only encrypted, and for no other endpoint', async () => {
    const secrets = world.deps.webhookSecrets
    const { id, secret } = await world.db.write(tx => addEndpoint(tx, secrets, input))
    const endpoint = await endpointOf(world, id)
    expect(JSON.stringify(endpoint)).not.toContain(secret.slice('whsec_'.length))
    expect(signingSecrets(endpoint, secrets, world.clock.now())).toEqual([secret])
    expect(signingSecrets({ ...endpoint, id: 'another' }, secrets, world.clock.now())).toEqual([])
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32)
  })

  test('a new key encrypts them again, after which the previous key is not needed', async () => {
    const [previous, key] = [await newKey(), await newKey()]
    const before = createWebhookSecrets({ key: previous, previousKeys: [] })
    const { id, secret } = await world.db.write(tx => addEndpoint(tx, before, input))
    const newer = await world.db.write(tx => rotateSecret(tx, before, id))
    const after = createWebhookSecrets({ key, previousKeys: [] })
    const now = world.clock.now()
    expect(signingSecrets(await endpointOf(world, id), after, now)).toEqual([])
    expect(await reencryptSecrets(world.db, after)).toBe(0)

    const both = createWebhookSecrets({ key, previousKeys: [previous] })
    expect(signingSecrets(await endpointOf(world, id), both, now)).toEqual([newer ?? '', secret])
    expect(await reencryptSecrets(world.db, both)).toBe(2)
    expect(signingSecrets(await endpointOf(world, id), after, now)).toEqual([newer ?? '', secret])
    expect(await reencryptSecrets(world.db, both)).toBe(0)
  })

  test('every ciphertext has a nonce of its own, also under a new key', async () => {
    const [previous, key] = [await newKey(), await newKey()]
    const before = createWebhookSecrets({ key: previous, previousKeys: [] })
    const { id } = await world.db.write(tx => addEndpoint(tx, before, input))
    await world.db.write(tx => rotateSecret(tx, before, id))
    const ciphertexts = async () => {
      const { encryptedSecret, encryptedPreviousSecret } = await endpointOf(world, id)
      return [encryptedSecret, encryptedPreviousSecret ?? '']
    }
    const first = await ciphertexts()
    await reencryptSecrets(world.db, createWebhookSecrets({ key, previousKeys: [previous] }))
    // 12 bytes in base64url.
    const nonces = [...first, ...(await ciphertexts())].map(text => text.slice(0, 16))
    expect(new Set(nonces).size).toBe(4)
    expect(nonces).not.toContain('A'.repeat(16))
  })

  test('the second of two concurrent rotations keeps the secret of the first', async () => {
    const secrets = world.deps.webhookSecrets
    const { id } = await world.db.write(tx => addEndpoint(tx, secrets, input))
    const rotated = await Promise.all([1, 2].map(() => world.db.write(tx => rotateSecret(tx, secrets, id))))
    const signing = signingSecrets(await endpointOf(world, id), secrets, world.clock.now())
    expect(signing.toSorted()).toEqual(rotated.map(String).toSorted())
  })

  test('a rotation of an unknown endpoint returns nothing', async () => {
    expect(await world.db.write(tx => rotateSecret(tx, world.deps.webhookSecrets, 'none'))).toBeUndefined()
  })
})
