/** Groups of routes for server keys: who gets in, as which source, and how others are refused. */
import { beforeEach, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { developmentKey, ensureDevelopmentKey } from '../../../src/identity/server-keys/development-key.ts'
import { hashServerKey, mintServerKey } from '../../../src/identity/server-keys/key.ts'
import { OVERLAP_MS, revokeServerKeys, rotateServerKey } from '../../../src/identity/server-keys/keys.ts'
import { createUseRecorder } from '../../../src/identity/server-keys/last-use.ts'
import { createRateLimiter } from '../../../src/platform/http/rate-limits/rate-limiter.ts'
import type { Client } from '../../support/client.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEachEngine } from '../../support/world.ts'
import { createProbe } from './probe.ts'

const HOUR = 3_600_000

onEachEngine('a group of routes for server keys', world => {
  let probe: (key?: string) => Client
  let sources = 0
  let source: string
  let key: string
  beforeEach(async () => {
    probe = createProbe(world.deps)
    source = `turnstile-${++sources}`
    key = await world.serverKey(['events:write', 'points:write'], { source })
    world.logged.length = 0
  })
  const inProduction = () => createProbe({ ...world.deps, config: { ...world.config, production: true } })
  const rowOf = async (of = key) => {
    const { serverKeys } = world.db.tables
    const [row] = await world.db.read
      .select()
      .from(serverKeys)
      .where(eq(serverKeys.hash, hashServerKey(of)))
    return row
  }
  const post = (of?: string) => probe(of).post('/probe', {})

  test('a key with the scope is accepted as its source, and the response is not cached', async () => {
    const { status, body, headers } = await post(key)
    expect([status, body, headers.get('cache-control')]).toEqual([200, { source }, 'no-store'])
  })

  test('a conditional response is private to its caller, and not stored by shared caches', async () => {
    const { status, headers } = await probe(key).get('/probe')
    expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-cache'])
    expect(headers.get('vary')).toContain('Authorization')
  })

  test('the scheme of the header may be in any case', async () => {
    const { status } = await probe().post('/probe', {}, { authorization: `bEARER ${key}` })
    expect(status).toBe(200)
  })

  test('without a key the response is 401 unauthenticated, without an error in the challenge', async () => {
    for (const headers of [{}, { authorization: 'Basic eDp5' }] as Record<string, string>[]) {
      const answer = await probe().post('/probe', { no: 'member' }, headers)
      expect([answer.status, answer.body.code]).toEqual([401, 'unauthenticated'])
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    }
  })

  test('a key in the query is not read', async () => {
    const answer = await probe().post(`/probe?access_token=${key}`, {})
    expect([answer.status, answer.body.code]).toEqual([401, 'unauthenticated'])
  })

  const misspelt = (text: string) => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0')
  const unknown = mintServerKey(new Uint8Array(32).fill(7))
  test.each([
    [
      'a token of a fan',
      async () => (await world.fan()).token,
      'This is not a server key: server keys start with mdk_.',
    ],
    ['a misspelt key', async () => misspelt(key), 'The server key is misspelt: its checksum does not match.'],
    ['an unknown key', async () => unknown, 'The database has no such server key.'],
    [
      'two keys in one header',
      async () => `${key}, Bearer ${key}`,
      'The server key is misspelt: its checksum does not match.',
    ],
    ['no text', async () => '', 'This is not a server key: server keys start with mdk_.'],
  ])('%s is 401 invalid_server_key, and only development says why', async (_, make, detail) => {
    const token = await make()
    for (const [client, said] of [
      [probe(token), detail],
      [inProduction()(token), 'The server key is not valid.'],
    ] as const) {
      const answer = await client.post('/probe', { no: 'member' })
      expect([answer.status, answer.body.code, answer.body.detail]).toEqual([401, 'invalid_server_key', said])
      expect(answer.headers.get('www-authenticate')).toStartWith('Bearer error="invalid_token"')
    }
  })

  test('a key without the scope is 403 insufficient_scope, which names the scope', async () => {
    const other = await world.serverKey(['redemptions:read', 'redemptions:write'])
    const { status, body, headers } = await probe(other).post('/probe', { no: 'member' })
    expect([status, body.code, body.scope]).toEqual([403, 'insufficient_scope', 'events:write'])
    expect(headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="events:write"')
  })

  test('a key is refused from the instant at which it expires', async () => {
    const expiring = await world.serverKey(['events:write'], {
      expiresAt: new Date(world.clock.ms + HOUR),
    })
    world.clock.advance(HOUR - 1)
    expect((await post(expiring)).status).toBe(200)
    world.clock.advance(1)
    const { status, body } = await post(expiring)
    expect([status, body.code, body.detail]).toEqual([
      401,
      'invalid_server_key',
      'The server key has expired.',
    ])
    expect(world.logged.join()).not.toContain('"securityEvent"')
  })

  test('a revoked key is refused, as a security event that names its source and not the key', async () => {
    await world.db.write(tx => revokeServerKeys(tx, source))
    const { status, body, headers } = await post(key)
    expect([status, body.code, body.detail]).toEqual([
      401,
      'invalid_server_key',
      'The server key was revoked.',
    ])
    const requestId = headers.get('x-request-id')
    const events = world.logged.map(line => JSON.parse(line)).filter(line => 'securityEvent' in line)
    expect(events).toMatchObject([
      { level: 40, securityEvent: 'revoked_server_key_used', requestId, path: '/probe', source },
    ])
    expect(world.logged.join()).not.toContain(key)
  })

  test('in production an expired and a revoked key are refused in the same way as a text that is not a key', async () => {
    const expired = await world.serverKey(['events:write'], { expiresAt: new Date(world.clock.ms) })
    const own = 'revoked-source'
    const revoked = await world.serverKey(['events:write'], { source: own })
    await world.db.write(tx => revokeServerKeys(tx, own))
    const documentOf = async (text: string) => {
      const { status, body, headers } = await inProduction()(text).post('/probe', {})
      return [status, { ...body, requestId: '' }, headers.get('www-authenticate')]
    }
    const unknown = await documentOf('mdk_nothing')
    expect(unknown[0]).toBe(401)
    expect(await documentOf(expired)).toEqual(unknown)
    expect(await documentOf(revoked)).toEqual(unknown)
    expect(world.logged.join()).toContain('revoked_server_key_used')
  })

  test('after a rotation both keys are of the same source for 24 hours, then only the new one works', async () => {
    const rotated = await world.db.write(tx => rotateServerKey(tx, source))
    const next = rotated?.key ?? ''
    world.clock.advance(OVERLAP_MS - 1)
    for (const either of [key, next]) expect((await post(either)).body).toEqual({ source })
    world.clock.advance(1)
    expect((await post(key)).status).toBe(401)
    expect((await post(next)).body).toEqual({ source })
  })

  test('the key of development has every scope, and is refused in production although it is stored', async () => {
    await world.db.write(ensureDevelopmentKey)
    expect((await post(developmentKey)).body).toEqual({ source: 'development' })
    const { status, body } = await inProduction()(developmentKey).post('/probe', {})
    expect([status, body.code]).toEqual([401, 'invalid_server_key'])
    // In production a key of the same database works.
    expect((await inProduction()(key).post('/probe', {})).status).toBe(200)
  })

  test('requests are counted by source, for all keys of a source together', async () => {
    const { rates } = world.config.limits
    const limiter = createRateLimiter({
      rates: { ...rates, address: 0, source: 2, redemptions: 9 },
      monotonic: () => 0,
    })
    const limited = createProbe({ ...world.deps, rateLimiter: limiter })
    const next = (await world.db.write(tx => rotateServerKey(tx, source)))?.key ?? ''
    const first = await limited(key).post('/probe', {})
    expect(first.headers.get('ratelimit-policy')).toBe('"source";q=2;w=60, "redemptions";q=9;w=60')
    expect((await limited(next).post('/probe', {})).status).toBe(200)
    const refused = await limited(key).post('/probe', {})
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
      429,
      'rate_limited',
      '60',
    ])
    const other = await world.serverKey(['events:write'])
    expect((await limited(other).post('/probe', {})).status).toBe(200)
  })

  test('an operation can have a tighter limit for each source', async () => {
    const { rates } = world.config.limits
    const limiter = createRateLimiter({ rates: { ...rates, address: 0, redemptions: 1 }, monotonic: () => 0 })
    const limited = createProbe({ ...world.deps, rateLimiter: limiter })
    const other = await world.serverKey(['events:write'])
    const statuses = []
    for (const of of [key, key, other]) statuses.push((await limited(of).post('/probe', {})).status)
    expect(statuses).toEqual([200, 429, 200])
  })

  test('a problem that the work returns keeps what it wrote, and one that it throws does not', async () => {
    for (const keep of [true, false]) {
      const { status, body } = await probe(key).post('/probe', { keep })
      expect([status, body.code]).toEqual([422, 'team_not_found'])
    }
    const teams = await world.db.read.select().from(world.db.tables.teams)
    expect(teams.map(({ id }) => id).filter(id => id.startsWith('kept-'))).toEqual(['kept-true'])
    await world.db.write(tx => tx.delete(tx.tables.teams))
  })

  describe('the last use of a key', () => {
    const lastUse = async () => (await rowOf())?.lastUsedAt?.getTime() ?? null
    const hourOf = (ms: number) => ms - (ms % HOUR)

    test('is recorded to the hour, and written once an hour', async () => {
      expect(await lastUse()).toBeNull()
      await Promise.all(Array.from({ length: 20 }, () => post(key)))
      const first = hourOf(world.clock.ms)
      await waitUntil('the use is recorded', async () => (await lastUse()) === first)
      const { length } = await writesDuring(() => post(key))
      expect(length).toBe(0)
      world.clock.advance(HOUR)
      await post(key)
      await waitUntil('the next use is recorded', async () => (await lastUse()) === first + HOUR)
    })

    test('is not recorded for a request that is refused', async () => {
      const other = await world.serverKey(['fans:read'])
      expect(await writesDuring(() => post(other))).toEqual([])
      await world.db.write(tx => revokeServerKeys(tx, source))
      expect(await writesDuring(() => post(key))).toEqual([])
    })

    test('is not set back by a process whose clock or row is behind', async () => {
      const use = createUseRecorder(world.deps)
      const row = (await rowOf()) ?? expect.unreachable()
      const later = new Date(hourOf(world.clock.ms) + HOUR)
      const other = await world.serverKey(['fans:read'])
      await world.db.write(tx => {
        const { serverKeys } = tx.tables
        return tx.update(serverKeys).set({ lastUsedAt: later }).where(eq(serverKeys.id, row.id))
      })
      const [writing] = await writesDuring(async () => use(row))
      await writing
      expect([await lastUse(), (await rowOf(other))?.lastUsedAt]).toEqual([later.getTime(), null])
    })

    /** The units of work that start while `act` runs. */
    async function writesDuring(act: () => Promise<unknown>): Promise<unknown[]> {
      const { write } = world.db
      const started: unknown[] = []
      world.db.write = work => {
        const writing = write(work)
        started.push(writing)
        return writing
      }
      await act()
      world.db.write = write
      return started
    }
  })
})
