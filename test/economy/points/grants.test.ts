/** Points that are granted by reference: once, for any caller, and for any number of requests. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { DomainError } from '../../../src/core/problems.ts'
import { type Grant, grantPoints } from '../../../src/economy/points/grants.ts'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import { exportUser } from '../../../src/operate/admin/export-user.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import type { Client } from '../../support/client.ts'
import { createClock } from '../../support/clock.ts'
import { engines } from '../../support/engines.ts'
import { commandOf } from '../../support/executable.ts'
import { onEachEngine } from '../../support/world.ts'

onEachEngine('grantPoints', world => {
  const provider = () => world.config.identity.name
  const idOf = (subject: string) =>
    world.db.write(async tx => (await ensureUser(tx, { provider: provider(), subject })).user.id)
  const grant = (request: Grant) =>
    world.db.write(tx => grantPoints(tx, { source: 'shop', provider: provider() }, request))
  const refusal = (request: Grant) =>
    grant(request).then(
      () => 'granted',
      error => (error instanceof DomainError ? error.code : error),
    )
  const grantOf = async (ref: string) => {
    const { pointsGrants } = world.db.tables
    return (await world.db.read.select().from(pointsGrants).where(eq(pointsGrants.ref, ref)))[0]
  }
  const usersNamed = async (subject: string) => {
    const { users } = world.db.tables
    return world.db.read.select().from(users).where(eq(users.subject, subject))
  }

  test('books an adjustment with the reference, and keeps source and note apart from the ledger', async () => {
    const userId = await idOf('first')
    const { created, entry, balance } = await grant({ fan: { userId }, delta: 40, ref: 'a', note: 'Sorry' })
    expect([created, balance]).toEqual([true, 40])
    expect(entry).toMatchObject({ seq: 1, delta: 40, balanceAfter: 40, reason: 'adjustment', ref: 'a' })
    expect(await grantOf('a')).toMatchObject({
      userId,
      source: 'shop',
      delta: 40,
      entryId: entry.id,
      note: 'Sorry',
    })
  })

  test('a repeat returns the first entry with the current balance, for any key of the source', async () => {
    const userId = await idOf('repeated')
    const first = await grant({ fan: { userId }, delta: 40, ref: 'b', note: 'First' })
    await grant({ fan: { userId }, delta: -15, ref: 'b-spent' })
    const again = await grant({
      fan: { provider: provider(), subject: 'repeated' },
      delta: 40,
      ref: 'b',
      note: '2nd',
    })
    expect(again).toEqual({ created: false, entry: first.entry, balance: 25 })
    expect((await grantOf('b'))?.note).toBe('First')
    // Also where the same points could no longer be taken.
    expect(await grant({ fan: { userId }, delta: -25, ref: 'b-all' })).toMatchObject({ balance: 0 })
    expect(await grant({ fan: { userId }, delta: -25, ref: 'b-all' })).toMatchObject({ created: false })
  })

  test.each([
    { what: 'another fan', fan: 'other', delta: 40 },
    { what: 'other points', fan: 'owner', delta: 41 },
    { what: 'a fan who is new here', fan: 'nobody-yet', delta: 40 },
  ])('a reference that was used is refused for $what, and nothing is written', async ({ fan, delta }) => {
    await idOf('other')
    const owner = { provider: provider(), subject: 'owner' }
    const ref = `c-${fan}-${delta}`
    await grant({ fan: owner, delta: 40, ref })
    const before = await world.db.read.select().from(world.db.tables.pointsEntries)
    expect(await refusal({ fan: { ...owner, subject: fan }, delta, ref })).toBe('ref_reused')
    expect(await world.db.read.select().from(world.db.tables.pointsEntries)).toEqual(before)
    if (fan === 'nobody-yet') expect(await usersNamed(fan)).toEqual([])
  })

  test('a repeat after merges of its fan returns the first entry, and takes or gives nothing', async () => {
    const [from, middle, into] = [await idOf('merged'), await idOf('merged-middle'), await idOf('remains')]
    const fan = { provider: provider(), subject: 'merged' }
    const booked = []
    for (const delta of [40, -40]) {
      const request = { fan, delta, ref: `merged ${delta}` }
      booked.push({ request, entry: (await grant(request)).entry })
    }
    for (const [one, other] of [
      [from, middle],
      [middle, into],
    ] as const)
      await world.db.write(tx => mergeFans(tx, { from: one, into: other, mergedBy: 'Ana', reason: null }))
    for (const { request, entry } of booked)
      for (const named of [fan, { userId: from }, { userId: into }])
        expect(await grant({ ...request, fan: named })).toEqual({ created: false, entry, balance: 0 })
    expect(await refusal({ fan, delta: 41, ref: 'merged 40' })).toBe('ref_reused')
    expect(await refusal({ fan: { userId: await idOf('stranger') }, delta: 40, ref: 'merged 40' })).toBe(
      'ref_reused',
    )
    expect((await verifyLedger(world.db)).findings).toBe(0)
  })

  test('a reference of an adjustment that is not a grant is refused', async () => {
    const userId = await idOf('adjusted')
    await world.db.write(tx => appendEntry(tx, { userId, delta: 5, reason: 'adjustment', ref: 'd' }))
    expect(await refusal({ fan: { userId }, delta: 5, ref: 'd' })).toBe('ref_reused')
  })

  test('taking more than the balance is refused with the missing points, and the reference can be used again', async () => {
    const userId = await idOf('poor')
    await grant({ fan: { userId }, delta: 10, ref: 'e' })
    const error = await grant({ fan: { userId }, delta: -15, ref: 'e-2' }).catch(thrown => thrown)
    expect([error.code, error.members]).toEqual([
      'insufficient_points',
      { pointsRequired: 15, points: 10, missingPoints: 5 },
    ])
    expect(await grantOf('e-2')).toBeUndefined()
    expect(await grant({ fan: { userId }, delta: -10, ref: 'e-2' })).toMatchObject({ balance: 0 })
  })

  test('taking points lowers neither lifetime points nor ranks', async () => {
    const fan = await world.fan()
    await fan.post('/api/user/onboarding', {})
    const { me } = (await fan.get('/api/leaderboard')).body
    await grant({ fan: { provider: provider(), subject: fan.subject }, delta: -30, ref: 'f' })
    expect((await fan.get('/api/user/points')).body).toMatchObject({ balance: 70, lifetime: 100 })
    expect((await fan.get('/api/leaderboard')).body.me).toEqual(me)
  })

  test('an unknown subject gets a record, which has the points at the first sign-in', async () => {
    const fan = await world.fan()
    await grant({ fan: { provider: provider(), subject: fan.subject }, delta: 7, ref: 'g' })
    expect((await fan.get('/api/user/points')).body).toMatchObject({ balance: 7, entries: [{ ref: 'g' }] })
  })

  test.each([
    { who: 'an id that nobody has', fan: () => ({ userId: 'nobody' }) },
    { who: 'a subject of another provider', fan: () => ({ provider: 'another', subject: 'x' }) },
  ])('$who is fan_not_found', async ({ fan }) => {
    expect(await refusal({ fan: fan(), delta: 1, ref: 'h' })).toBe('fan_not_found')
    expect(await grantOf('h')).toBeUndefined()
  })

  test('an erased fan is fan_not_found, by id and by subject', async () => {
    const userId = await idOf('erased')
    await grant({ fan: { userId }, delta: 1, ref: 'i' })
    await world.db.write(tx => eraseUser(tx, { id: userId }))
    const subject = { provider: provider(), subject: 'erased' }
    for (const fan of [{ userId }, subject])
      for (const ref of ['i', 'i-2']) expect(await refusal({ fan, delta: 1, ref })).toBe('fan_not_found')
  })

  test('the note is in the export, and an erasure deletes it and nothing else of the grant', async () => {
    const userId = await idOf('noted')
    const { entry } = await grant({ fan: { userId }, delta: 3, ref: 'j', note: 'Row 12' })
    expect(await exportUser(world.db.read, { id: userId })).toMatchObject({
      points: { grants: [{ ref: 'j', source: 'shop', delta: 3, note: 'Row 12' }] },
    })
    await world.db.write(tx => eraseUser(tx, { id: userId }))
    expect(await grantOf('j')).toMatchObject({ userId, delta: 3, entryId: entry.id, note: null })
    expect((await verifyLedger(world.db)).findings).toBe(0)
  })
})

onEachEngine('The audit of grants', world => {
  test.each([
    { column: 'delta', change: { delta: 11 } },
    { column: 'ref', change: { ref: 'another' } },
    { column: 'created_at', change: { createdAt: new Date(0) } },
    { column: 'user_id', change: { userId: 'other' } },
    { column: 'entry_id', change: { entryId: 'other' } },
  ])('finds a $column that differs from the entry', async ({ column, change }) => {
    const { db } = world
    const granter = { source: 'shop', provider: 'p' }
    const grant = async (subject: string, reason: 'adjustment' | 'activity') => {
      const ref = `${column}-${subject}`
      const who = { provider: 'p', subject }
      const userId = await db.write(async tx => (await ensureUser(tx, who)).user.id)
      if (reason === 'adjustment')
        return {
          userId,
          entry: (await db.write(tx => grantPoints(tx, granter, { fan: who, delta: 10, ref }))).entry,
        }
      const booking = await db.write(tx => appendEntry(tx, { userId, delta: 10, reason, ref }))
      return { userId, entry: booking.outcome === 'booked' ? booking.entry : { id: '' } }
    }
    const [own, other] = [await grant('own', 'adjustment'), await grant('other', 'activity')]
    const { pointsGrants } = db.tables
    const ids = { userId: other.userId, entryId: other.entry.id }
    const values = Object.fromEntries(
      Object.entries(change).map(([name, value]) => [
        name,
        value === 'other' ? ids[name as keyof typeof ids] : value,
      ]),
    )
    await db.write(tx => tx.update(pointsGrants).set(values).where(eq(pointsGrants.entryId, own.entry.id)))
    const found: string[] = []
    await verifyLedger(db, { onFinding: ({ what }) => found.push(what) })
    expect(found).toEqual([`points_grants.${column}`])
    await db.write(tx => tx.delete(pointsGrants))
  })
})

onEachEngine('POST /api/points/grants', world => {
  const at = '/api/points/grants'
  let shop: Client
  beforeAll(async () => {
    shop = world.withToken(await world.serverKey(['points:write'], { source: 'shop' }))
  })
  const fanOf = (subject: string) => ({ provider: world.config.identity.name, subject })

  test('is 201 with the entry and the balance, and 200 with the same on a repeat', async () => {
    const fan = await world.fan()
    const body = { fan: fanOf(fan.subject), delta: 250, ref: 'ticket-1', note: 'Row 12' }
    const first = await shop.post(at, body)
    const { entries, balance } = (await fan.get('/api/user/points')).body
    expect([first.status, first.body]).toEqual([201, { entry: entries[0], balance }])
    const again = await shop.post(at, body)
    expect([again.status, again.body]).toEqual([200, first.body])
    expect(first.headers.get('cache-control')).toBe('no-store')
    const { pointsGrants } = world.db.tables
    const stored = world.db.read.select().from(pointsGrants).where(eq(pointsGrants.ref, 'ticket-1'))
    expect(await stored).toMatchObject([{ source: 'shop', note: 'Row 12' }])
  })

  test('each problem has its status, and its members', async () => {
    const fan = fanOf('desk-problems')
    expect((await shop.post(at, { fan, delta: 10, ref: 'p-1' })).status).toBe(201)
    const outcomes = []
    for (const body of [
      { fan, delta: 11, ref: 'p-1' },
      { fan: fanOf('another'), delta: 10, ref: 'p-1' },
      { fan: { userId: 'nobody' }, delta: 10, ref: 'p-2' },
      { fan: { provider: 'elsewhere', subject: 'x' }, delta: 10, ref: 'p-3' },
      { fan, delta: -11, ref: 'p-4' },
    ]) {
      const { status, body: problem } = await shop.post(at, body)
      outcomes.push([status, problem.code, problem.missingPoints])
    }
    expect(outcomes).toEqual([
      [409, 'ref_reused', undefined],
      [409, 'ref_reused', undefined],
      [404, 'fan_not_found', undefined],
      [404, 'fan_not_found', undefined],
      [409, 'insufficient_points', 1],
    ])
  })

  test.each([
    { what: 'no points', body: { delta: 0 }, pointer: '/delta' },
    { what: 'points past the limit', body: { delta: 1_000_000_001 }, pointer: '/delta' },
    { what: 'text as points', body: { delta: '5' }, pointer: '/delta' },
    { what: 'an empty reference', body: { ref: '' }, pointer: '/ref' },
    { what: 'a reference with a lone surrogate', body: { ref: '\ud800' }, pointer: '/ref' },
    { what: 'an empty note', body: { note: '' }, pointer: '/note' },
    { what: 'a fan by nothing', body: { fan: {} }, pointer: '/fan' },
    { what: 'a fan by both', body: { fan: { userId: 'a', provider: 'p', subject: 's' } }, pointer: '/fan' },
    { what: 'a reason', body: { reason: 'rule' }, pointer: '/reason' },
  ])('$what is 422 at $pointer', async ({ body, pointer }) => {
    const valid = { fan: fanOf('validated'), delta: 5, ref: 'v' }
    const { status, body: problem } = await shop.post(at, { ...valid, ...body })
    expect([status, problem.code, problem.errors[0].pointer]).toEqual([422, 'validation_failed', pointer])
  })

  test('a fan cannot grant points, nor a key without the scope', async () => {
    const fan = await world.fan()
    const body = { fan: fanOf(fan.subject), delta: 5, ref: 'own' }
    expect((await fan.post(at, body)).body.code).toBe('invalid_server_key')
    expect((await world.anonymous.post(at, body)).body.code).toBe('unauthenticated')
    const other = world.withToken(await world.serverKey(['events:write']))
    expect((await other.post(at, body)).body.code).toBe('insufficient_scope')
    expect((await fan.get('/api/user/points')).body.balance).toBe(0)
  })
})

for (const engine of engines) {
  describe(`Two processes that make the same grants (${engine.name})`, () => {
    const REFS = 30

    test('each reference is booked once, for one of the fans', async () => {
      const temporary = await engine.open(createClock())
      const run = async () => {
        const command = commandOf('test/economy/points/granting-process.ts')
        const parameters = [temporary.url ?? '', 'mock-idp', String(REFS), 'ada', 'bo']
        const child = Bun.spawn([...command, ...parameters], { stdout: 'pipe', stderr: 'pipe' })
        const [out, err] = await Promise.all([
          new Response(child.stdout).text(),
          new Response(child.stderr).text(),
        ])
        expect([await child.exited, err]).toEqual([0, ''])
        return JSON.parse(out) as { ref: string; subject: string; outcome: string }[]
      }
      const outcomes = (await Promise.all([run(), run()])).flat()
      expect(outcomes).toHaveLength(REFS * 4)
      for (const [ref, of] of Map.groupBy(outcomes, ({ ref }) => ref)) {
        const winner = of.find(({ outcome }) => outcome === 'created')?.subject
        const namesOf = (mine: boolean) =>
          of.filter(({ subject }) => (subject === winner) === mine).map(({ outcome }) => outcome)
        expect({ ref, outcomes: namesOf(true).toSorted() }).toEqual({
          ref,
          outcomes: ['created', 'repeated'],
        })
        expect({ ref, outcomes: namesOf(false) }).toEqual({ ref, outcomes: ['ref_reused', 'ref_reused'] })
      }
      const { db } = temporary
      const { pointsGrants, pointsEntries } = db.tables
      const grants = await db.read.select().from(pointsGrants)
      const entries = await db.read.select().from(pointsEntries)
      expect(grants.map(({ entryId }) => entryId).toSorted()).toEqual(entries.map(({ id }) => id).toSorted())
      expect(grants).toHaveLength(REFS)
      expect((await verifyLedger(db)).findings).toBe(0)
      await temporary.remove()
    })
  })
}
