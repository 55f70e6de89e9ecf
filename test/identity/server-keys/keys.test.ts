/** The verbs of server keys: what operators issue, rotate and revoke. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import {
  developmentKeyHash,
  ensureDevelopmentKey,
} from '../../../src/identity/server-keys/development-key.ts'
import { hashServerKey } from '../../../src/identity/server-keys/key.ts'
import {
  createServerKey,
  listServerKeys,
  OVERLAP_MS,
  revokeServerKeys,
  rotateServerKey,
  scopesOf,
  sourceFault,
  stateOf,
} from '../../../src/identity/server-keys/keys.ts'
import { onEachEngine } from '../../support/world.ts'

const DAY = 86_400_000

onEachEngine('server keys', world => {
  let sources = 0
  const newSource = () => `source.${++sources}`
  const create = (source: string, lifetime?: number) =>
    world.db.write(tx =>
      createServerKey(tx, {
        source,
        scopes: ['points:write', 'events:write', 'events:write'],
        expiresAt: lifetime === undefined ? null : new Date(world.clock.ms + lifetime),
      }),
    )
  const rotate = (source: string, expiresAt?: Date) =>
    world.db.write(tx => rotateServerKey(tx, source, expiresAt))
  const revoke = (source: string, keyId?: string) => world.db.write(tx => revokeServerKeys(tx, source, keyId))
  const list = (source: string) => listServerKeys(world.db.read, source)
  const states = async (source: string) => (await list(source)).map(key => stateOf(key, world.clock.now()))

  test('a new key is stored as its hash, with each scope once', async () => {
    const issued = await create(newSource())
    expect(issued?.row.hash).toBe(hashServerKey(issued?.key ?? ''))
    expect(scopesOf(issued?.row ?? { scopes: '' })).toEqual(['events:write', 'points:write'])
  })

  test('of ten creations for one source at once, one succeeds', async () => {
    const source = newSource()
    const issued = await Promise.all(Array.from({ length: 10 }, () => create(source)))
    expect(issued.filter(Boolean)).toHaveLength(1)
    expect(await list(source)).toHaveLength(1)
  })

  test('a rotation keeps source, scopes and lifetime, and lets the previous key end after 24 hours', async () => {
    const source = newSource()
    await create(source, 90 * DAY)
    world.clock.advance(30 * DAY)
    const now = world.clock.ms
    const rotated = await rotate(source)
    expect(rotated?.row.expiresAt?.getTime()).toBe(now + 90 * DAY)
    expect(rotated?.previous.expiresAt?.getTime()).toBe(now + OVERLAP_MS)
    const [next, previous] = await list(source)
    expect([next?.id, previous?.id]).toEqual([rotated?.row.id ?? '', rotated?.previous.id ?? ''])
    expect(next?.scopes).toBe(previous?.scopes ?? '')
    expect(await states(source)).toEqual(['active', 'replaced'])
    world.clock.advance(OVERLAP_MS)
    expect(await states(source)).toEqual(['active', 'expired'])
  })

  test('an expired key can be rotated, and stays expired', async () => {
    const source = newSource()
    const issued = await create(source, DAY)
    world.clock.advance(2 * DAY)
    expect(await create(source)).toBeNull()
    const rotated = await rotate(source)
    expect(rotated?.previous.expiresAt).toEqual(issued?.row.expiresAt ?? null)
    expect(await states(source)).toEqual(['active', 'expired'])
  })

  test('rotations at once leave one current key, and every issued key is listed', async () => {
    const source = newSource()
    await create(source)
    const issued = (await Promise.all(Array.from({ length: 5 }, () => rotate(source)))).filter(Boolean)
    expect(issued.length).toBeGreaterThan(0)
    const keys = await list(source)
    expect(keys).toHaveLength(issued.length + 1)
    expect(keys.filter(({ currentOf }) => currentOf !== null)).toHaveLength(1)
  })

  test('a second revocation keeps the time of the first, and a new key can be created', async () => {
    const source = newSource()
    await create(source)
    await rotate(source)
    const at = world.clock.now()
    expect(await revoke(source)).toHaveLength(2)
    world.clock.advance(1_000)
    expect(await revoke(source)).toEqual([])
    for (const { revokedAt } of await list(source)) expect(revokedAt).toEqual(at)
    expect(await rotate(source)).toBeNull()
    expect((await create(source))?.row.source).toBe(source)
    expect(await states(source)).toEqual(['active', 'revoked', 'revoked'])
  })

  test('one key can be revoked, and only as a key of its source', async () => {
    const [source, other] = [newSource(), newSource()]
    const issued = await create(source)
    await create(other)
    const id = issued?.row.id ?? ''
    expect(await revoke(other, id)).toEqual([])
    await rotate(source)
    expect(await revoke(source, id)).toMatchObject([{ id }])
    expect(await states(source)).toEqual(['active', 'revoked'])
    expect(await states(other)).toEqual(['active'])
  })

  const ensure = () => world.db.write(ensureDevelopmentKey)
  const forget = () =>
    world.db.write(tx =>
      tx.delete(tx.tables.serverKeys).where(eq(tx.tables.serverKeys.source, 'development')),
    )

  test('processes that start at the same time store one key of development', async () => {
    const rounds = world.db.engine === 'postgres' ? 200 : 5
    for (let round = 0; round < rounds; round++) {
      await forget()
      await Promise.all([ensure(), ensure(), ensure(), ensure()])
      expect(await list('development')).toHaveLength(1)
    }
  })

  test('the key of development is stored once, and again valid after a revocation', async () => {
    await Promise.all([ensure(), ensure()])
    await revoke('development')
    await ensure()
    expect(await list('development')).toMatchObject([
      { hash: developmentKeyHash, revokedAt: null, currentOf: 'development' },
    ])
  })
})

test.each(['turnstiles', 'a', '0', 'north-desk.2_b', 'x'.repeat(64)])('%j may name a source', name => {
  expect(sourceFault(name)).toBeNull()
})

test.each([
  '',
  'A',
  'ö',
  '-a',
  'a b',
  'a:b',
  'x'.repeat(65),
  'matchday',
  'operator',
  'console',
  'development',
])('%j must not name a source', name => {
  expect(sourceFault(name)).toStartWith('must')
})
