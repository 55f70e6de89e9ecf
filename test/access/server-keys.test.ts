/** Access of systems: every operation for server keys, tried by every kind of caller, and every other one with a server key. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { createApp } from '../../src/app/app.ts'
import { developmentKey, ensureDevelopmentKey } from '../../src/identity/server-keys/development-key.ts'
import { mintServerKey } from '../../src/identity/server-keys/key.ts'
import { revokeServerKeys } from '../../src/identity/server-keys/keys.ts'
import { SERVER_SCOPES, type ServerScope } from '../../src/identity/server-keys/scopes.ts'
import {
  type Located,
  operationsOf,
  readDocument,
  readsToken,
  requiresServerKey,
} from '../platform/docs/document.ts'
import { patientFan } from '../play/packs/packs-world.ts'
import { type Client, createClient } from '../support/client.ts'
import { dump } from '../support/dump.ts'
import { sqliteEngine } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'

const EVERY_SCOPE = Object.keys(SERVER_SCOPES) as ServerScope[]
const HOUR = 3_600_000

onEngine(sqliteEngine, 'every operation for server keys', world => {
  let all: Located[]
  let operations: Located[]
  let revoked = 0
  beforeAll(async () => {
    all = operationsOf(await readDocument(world))
    operations = all.filter(requiresServerKey)
  })

  const scopeOf = ({ operation }: Located) =>
    operation.security.flatMap(({ serverKey }) => serverKey ?? [])[0] as ServerScope

  /** The body and the query break every schema: who calls is checked before what is sent. */
  const call = ({ method, path }: Located, token: string | null, client: Client = world.anonymous) =>
    client.send(`${path.replace(/\{[^}]+\}/g, 'some-id')}?no=parameter`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(method === 'GET' ? {} : { body: '{"no":"member"}' }),
    })

  test('exists', () => {
    expect(operations.length).toBeGreaterThan(1)
    for (const { name, operation } of operations) expect(operation.tags, name).toEqual(['Server'])
  })

  describe('refuses, and nothing is written:', () => {
    const callers: Record<
      string,
      { token: (scope: ServerScope) => Promise<string | null>; refusal: [number, string] }
    > = {
      'a caller without a key': { token: async () => null, refusal: [401, 'unauthenticated'] },
      'a fan': {
        token: async () => (await patientFan(world)).token,
        refusal: [401, 'invalid_server_key'],
      },
      'a fan on a device': {
        token: async () => (await (await patientFan(world)).post('/api/auth/native-token')).body.token,
        refusal: [401, 'invalid_server_key'],
      },
      'a key with every scope but the one required': {
        token: scope => world.serverKey(EVERY_SCOPE.filter(other => other !== scope)),
        refusal: [403, 'insufficient_scope'],
      },
      'a revoked key': {
        token: async () => {
          const source = `revoked-${++revoked}`
          const key = await world.serverKey(EVERY_SCOPE, { source })
          await world.db.write(tx => revokeServerKeys(tx, source))
          return key
        },
        refusal: [401, 'invalid_server_key'],
      },
      'an expired key': {
        token: async () => {
          const key = await world.serverKey(EVERY_SCOPE, { expiresAt: new Date(world.clock.ms + HOUR) })
          world.clock.advance(HOUR)
          return key
        },
        refusal: [401, 'invalid_server_key'],
      },
      'a key with a wrong checksum': {
        token: async () => {
          const key = await world.serverKey(EVERY_SCOPE)
          return key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
        },
        refusal: [401, 'invalid_server_key'],
      },
      'a key that was never issued': {
        token: async () => mintServerKey(new Uint8Array(32).fill(1)),
        refusal: [401, 'invalid_server_key'],
      },
    }

    test.each(Object.entries(callers))('%s', async (_, { token, refusal }) => {
      for (const located of operations) {
        const credential = await token(scopeOf(located))
        const before = await dump(world.db)
        const { status, headers, body } = await call(located, credential)
        expect([status, body?.code], located.name).toEqual(refusal)
        const challenge = {
          unauthenticated: 'Bearer',
          invalid_server_key: 'Bearer error="invalid_token"',
          insufficient_scope: `Bearer error="insufficient_scope", scope="${scopeOf(located)}"`,
        }[refusal[1]]
        expect(headers.get('www-authenticate'), located.name).toStartWith(challenge ?? '?')
        expect(await dump(world.db), located.name).toEqual(before)
      }
    })

    test('the key of development in production', async () => {
      await world.db.write(ensureDevelopmentKey)
      const app = createApp({ ...world.deps, config: { ...world.config, production: true } })
      const production = createClient(
        request => app.handle(request),
        () => null,
      )
      for (const located of operations) {
        const { status, body } = await call(located, developmentKey, production)
        expect([status, body.code], located.name).toEqual([401, 'invalid_server_key'])
        expect((await call(located, developmentKey)).status, located.name).toBe(422)
      }
    })
  })

  test('accepts a key with the one scope that it requires', async () => {
    for (const located of operations) {
      const { status, body } = await call(located, await world.serverKey([scopeOf(located)]))
      expect([status, body.code], located.name).toEqual([422, 'validation_failed'])
    }
  })

  test('counts its source', async () => {
    for (const located of operations) {
      const { headers } = await call(located, await world.serverKey([scopeOf(located)]))
      expect(headers.get('ratelimit-policy'), located.name).toContain('"source"')
    }
  })

  test('no operation of a fan, or with an optional token, takes a server key', async () => {
    const key = await world.serverKey(EVERY_SCOPE)
    const before = await dump(world.db)
    const takesEither = ({ operation }: Located) => operation.security.some(schemes => 'serverKey' in schemes)
    const readers = all.filter(readsToken)
    expect(readers.filter(takesEither).map(({ name }) => name)).toEqual(['POST /api/uploads'])
    const others = readers.filter(located => !takesEither(located))
    expect(others.length).toBeGreaterThan(15)
    for (const located of others) {
      const { status, body } = await call(located, key)
      expect([status, body?.code], located.name).toEqual([401, 'invalid_token'])
      expect(body.detail, located.name).toBe(
        'This is a server key. The operation requires the token of a fan.',
      )
    }
    expect(await dump(world.db)).toEqual(before)
  })
})
