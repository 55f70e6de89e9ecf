import { beforeAll, expect, test } from 'bun:test'
import type { Database, Transaction } from '../../../db/index.ts'
import { GENESIS_HASH, hashEntry } from '../../../src/economy/ledgers/chain.ts'
import { appendEntry, type PointsChange } from '../../../src/economy/points/ledger.ts'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import { withRawConnection } from '../../db/probe.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'

interface Entry {
  id: string
  seq: number
  delta: number
  balanceAfter: number
  reason: string
  ref: string
  createdAt: string
  hash: string
}

onEachEngine('GET /api/user/points', world => {
  test('returns zero points and no entries for a fan without a record', async () => {
    const fan = await world.fan()
    const { status, body } = await fan.get('/api/user/points')
    expect([status, body]).toEqual([200, { balance: 0, held: 0, lifetime: 0, entries: [], nextCursor: null }])
  })

  test('returns entries newest first; spending lowers the balance and not the lifetime points', async () => {
    const fan = await world.fan()
    await world.grant(fan, 100)
    await world.grant(fan, 50)
    await world.grant(fan, -120)
    const { balance, lifetime, entries } = (await fan.get('/api/user/points')).body
    expect([balance, lifetime]).toEqual([30, 150])
    expect(entries.map(({ delta }: Entry) => delta)).toEqual([-120, 50, 100])
    expect(entries.map(({ balanceAfter }: Entry) => balanceAfter)).toEqual([30, 150, 100])
    expect(entries.map(({ seq }: Entry) => seq)).toEqual([3, 2, 1])
  })

  test('each entry’s hash follows from the previous one', async () => {
    const fan = await world.fan()
    for (const delta of [10, 20, -5]) await world.grant(fan, delta)
    const { id: userId } = (await fan.get('/api/user/profile')).body
    const { entries } = (await fan.get('/api/user/points')).body as { entries: Entry[] }
    let previous = GENESIS_HASH
    for (const entry of entries.toReversed()) {
      expect(entry.hash).toBe(hashEntry(previous, { ...entry, userId, createdAt: new Date(entry.createdAt) }))
      previous = entry.hash
    }
  })

  test('pages through all entries once, also while new entries are written', async () => {
    const fan = await world.fan()
    for (let delta = 1; delta <= 7; delta++) await world.grant(fan, delta)
    const seen: number[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: { entries: Entry[]; nextCursor: string | null } = (
        await fan.get(`/api/user/points?limit=3${cursor ? `&cursor=${cursor}` : ''}`)
      ).body
      seen.push(...page.entries.map(({ delta }: Entry) => delta))
      cursor = page.nextCursor
      if (seen.length === 3) await world.grant(fan, 100)
    }
    expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1])
  })

  test('accepts limits of 1 to 100 and refuses others with 422', async () => {
    const fan = await world.fan()
    for (const limit of ['1', '100'])
      expect((await fan.get(`/api/user/points?limit=${limit}`)).status).toBe(200)
    for (const limit of ['0', '101', '-1', '1.5', '0x10', '1e1', '', 'ten', '%2012']) {
      const { status, body } = await fan.get(`/api/user/points?limit=${limit}`)
      expect([limit, status, body.errors?.[0].parameter]).toEqual([limit, 422, 'limit'])
    }
  })

  test('refuses a cursor of another fan, and one with any character changed, with 400 invalid_cursor', async () => {
    const [fan, other] = [await world.fan(), await world.fan()]
    for (const each of [fan, other]) for (const delta of [1, 2]) await world.grant(each, delta)
    const cursor: string = (await fan.get('/api/user/points?limit=1')).body.nextCursor
    expect((await fan.get(`/api/user/points?cursor=${cursor}`)).status).toBe(200)
    expect((await other.get(`/api/user/points?cursor=${cursor}`)).body.code).toBe('invalid_cursor')
    for (let at = 0; at < cursor.length; at++) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1)
      const { status, body } = await fan.get(`/api/user/points?cursor=${changed}`)
      expect([status, body.code]).toEqual([400, 'invalid_cursor'])
    }
  })
})

onEachEngine('GET /api/user/points, filtered', world => {
  const START = '2026-08-15T18:30:00.000Z'
  const at = (seconds: number) => new Date(Date.parse(START) + seconds * 1000).toISOString()
  let fan: Fan

  beforeAll(async () => {
    fan = await world.fan()
    await fan.post('/api/user/onboarding', {})
    const { id: userId } = (await fan.get('/api/user/profile')).body
    const reasons = [
      'activity',
      'adjustment',
      'pack_purchase',
      'activity',
      'pack_refund',
      'activity',
    ] as const
    for (const [n, reason] of reasons.entries()) {
      world.clock.advance(1000)
      const delta = reason === 'pack_purchase' ? -5 : 10 + n
      await world.db.write(tx => appendEntry(tx, { userId, delta, reason, ref: `entry-${n}` }))
    }
  })

  const read = async (query: string) => {
    const { status, body } = await fan.get(`/api/user/points?${query}`)
    expect([query, status]).toEqual([query, 200])
    return body as { balance: number; lifetime: number; entries: Entry[]; nextCursor: string | null }
  }
  const seqs = async (query: string) => (await read(query)).entries.map(({ seq }) => seq)
  const codeOf = async (query: string) => {
    const { status, body } = await fan.get(`/api/user/points?${query}`)
    return [query, status, body.code]
  }

  test('by reason', async () => {
    expect(await seqs('')).toEqual([7, 6, 5, 4, 3, 2, 1])
    expect(await seqs('reason=activity')).toEqual([7, 5, 2])
    expect(await seqs('reason=onboarding')).toEqual([1])
    expect(await seqs('reason=pack_purchase')).toEqual([4])
    expect(await seqs('reason=pack_refund')).toEqual([6])
  })

  test('by time: since is inclusive, until is exclusive', async () => {
    expect(await seqs(`since=${at(4)}`)).toEqual([7, 6, 5])
    expect(await seqs(`since=${at(3.999)}`)).toEqual([7, 6, 5])
    expect(await seqs(`since=${at(4.001)}`)).toEqual([7, 6])
    expect(await seqs(`until=${at(4)}`)).toEqual([4, 3, 2, 1])
    expect(await seqs(`until=${at(4.001)}`)).toEqual([5, 4, 3, 2, 1])
    expect(await seqs(`since=${at(2)}&until=${at(5)}`)).toEqual([5, 4, 3])
    for (const nothing of [
      `since=${at(3)}&until=${at(3)}`,
      `since=${at(5)}&until=${at(2)}`,
      `since=${at(99)}`,
    ])
      expect([nothing, await seqs(nothing)]).toEqual([nothing, []])
  })

  test('by both, paged', async () => {
    const query = `reason=activity&since=${at(1)}&until=${at(6)}`
    expect(await seqs(query)).toEqual([5, 2])
    const first = await read(`${query}&limit=1`)
    expect(first.entries.map(({ seq }) => seq)).toEqual([5])
    const second = await read(`${query}&limit=1&cursor=${first.nextCursor}`)
    expect(second.entries.map(({ seq }) => seq)).toEqual([2])
    expect(second.nextCursor).toBeNull()
  })

  test('balance and lifetime are those of all entries, also if the filter matches none', async () => {
    const { balance, lifetime } = await read('')
    expect([balance, lifetime]).toEqual([100 + 10 + 11 - 5 + 13 + 14 + 15, 100 + 10 + 11 + 13 + 15])
    for (const query of ['reason=activity', `since=${at(99)}`, 'reason=pack_refund&limit=1'])
      expect(await read(query)).toMatchObject({ balance, lifetime })
  })

  test('a cursor is bound to its filter', async () => {
    const filters = ['', 'reason=activity', 'reason=adjustment', `since=${at(0)}`, `until=${at(9)}`]
    for (const of of ['', 'reason=activity', `since=${at(0)}`, `until=${at(9)}`]) {
      const { nextCursor } = await read(`${of}&limit=1`)
      expect(nextCursor).not.toBeNull()
      for (const filter of filters) {
        const { status, body } = await fan.get(`/api/user/points?${filter}&cursor=${nextCursor}`)
        const expected = filter === of ? [200, undefined] : [400, 'invalid_cursor']
        expect([of, filter, status, body.code]).toEqual([of, filter, ...expected])
      }
    }
  })

  test('an unknown reason and a malformed instant are 422', async () => {
    const instants = [
      ...['', 'yesterday', '2026-08-15', '2026-08-15T18:30Z', '2026-08-15T18:30:00.000', '1786818600000'],
      ...['2026-08-15T18:30:00.000%2B24:00', '2026-08-15 18:30:00.000Z', '2026-13-01T00:00:00.000Z'],
      ...['2026-08-15T25:00:00.000Z', '2026-08-15T18:30:00.0000000001Z', '2026-08-15T18:60:00.000Z'],
    ]
    for (const query of [
      ...['reason=', 'reason=gift', 'reason=Activity', 'reason=activity,adjustment', 'from=2026-08-15'],
      ...instants.flatMap(instant => [`since=${instant}`, `until=${instant}`]),
    ])
      expect(await codeOf(query)).toEqual([query, 422, 'validation_failed'])
  })

  test('a day that the calendar does not have is 422', async () => {
    for (const day of ['2026-02-30', '2026-02-29', '2026-04-31', '2026-08-00'])
      expect(await codeOf(`since=${day}T00:00:00.000Z`)).toEqual([
        `since=${day}T00:00:00.000Z`,
        422,
        'validation_failed',
      ])
  })

  test('the first and the last instant with a year of four digits are answered or refused, never an error', async () => {
    for (const instant of [
      '0000-01-01T00:00:00.000Z',
      '0001-01-01T00:00:00.000Z',
      '9999-12-31T23:59:59.999Z',
    ])
      for (const bound of ['since', 'until'])
        expect([200, 422]).toContain((await fan.get(`/api/user/points?${bound}=${instant}`)).status)
    expect(await seqs('since=0001-01-01T00:00:00.000Z&until=9999-12-31T23:59:59.999Z')).toHaveLength(7)
  })

  test('for a fan without a record the list is empty, with any filter', async () => {
    const stranger = await world.fan()
    const { status, body } = await stranger.get(`/api/user/points?reason=activity&since=${at(0)}`)
    expect([status, body]).toEqual([200, { balance: 0, held: 0, lifetime: 0, entries: [], nextCursor: null }])
  })
})

/** Until a statement of the database waits for a lock. */
async function waitForLock(db: Database, url: string) {
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  await withRawConnection({ db, url }, async run => {
    await waitUntil('a statement waits for a lock', async () => (await run(waiting)).length > 0)
  })
}

onEachEngine('The points ledger', world => {
  const someone = async (tx: Transaction, subject: string) => {
    return (await ensureUser(tx, { provider: 'mock-idp', subject })).user.id
  }
  const book = (subject: string, change: Omit<PointsChange, 'userId'>) =>
    world.db.write(async tx => appendEntry(tx, { userId: await someone(tx, subject), ...change }))

  test('books a cause once, and then returns the first entry', async () => {
    const change = { delta: 5, reason: 'activity' as const, ref: 'match-1' }
    const first = await book('once', change)
    const again = await book('once', { ...change, delta: 50 })
    expect(first.outcome).toBe('booked')
    expect(again).toMatchObject({ outcome: 'booked_before', entry: { delta: 5 } })
  })

  test('a concurrent second booking of a cause returns the entry of the first', async () => {
    const { db, databaseUrl: url } = world
    const userId = await db.write(tx => someone(tx, 'waiting'))
    const change = { userId, delta: 5, reason: 'activity' as const, ref: 'match-1' }
    const booked = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const first = db.write(async tx => {
      const booking = await appendEntry(tx, change)
      booked.resolve()
      await release.promise
      return booking
    })
    await booked.promise
    const second = db.write(tx => appendEntry(tx, { ...change, delta: 50 }))
    // One writer, or one connection, is a queue. On a server the second waits at the account's row.
    if (url?.startsWith('postgres')) await waitForLock(db, url)
    release.resolve()
    const { entry } = (await first) as { entry: { id: string } }
    expect(await second).toMatchObject({ outcome: 'booked_before', entry: { id: entry.id, delta: 5 } })
  })

  test('never lets a balance fall below zero', async () => {
    await book('poor', { delta: 10, reason: 'activity', ref: 'a' })
    expect(await book('poor', { delta: -11, reason: 'adjustment', ref: 'b' })).toEqual({
      outcome: 'insufficient',
      balance: 10,
    })
    expect((await book('poor', { delta: -10, reason: 'adjustment', ref: 'c' })).outcome).toBe('booked')
  })

  test('refuses an amount that would leave the exact integers, and loses nothing', async () => {
    await book('rich', { delta: Number.MAX_SAFE_INTEGER, reason: 'activity', ref: 'a' })
    await expect(book('rich', { delta: 1, reason: 'activity', ref: 'b' })).rejects.toThrow()
    expect(await book('rich', { delta: -1, reason: 'adjustment', ref: 'c' })).toMatchObject({
      outcome: 'booked',
    })
  })

  test('fifty spenders at once of a balance for ten: ten succeed, and the chain has no gap', async () => {
    await book('race', { delta: 100, reason: 'activity', ref: 'start' })
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        book('race', { delta: -10, reason: 'adjustment', ref: `spend-${at}` }),
      ),
    )
    expect(outcomes.filter(({ outcome }) => outcome === 'booked')).toHaveLength(10)
    const fan = world.withToken(await world.idp.issueToken('fan-0001'))
    expect((await fan.get('/api/user/points')).status).toBe(200)
    const { pointsEntries } = world.db.tables
    const userId = await world.db.write(tx => someone(tx, 'race'))
    const rows = (await world.db.read.select().from(pointsEntries)).filter(row => row.userId === userId)
    expect(rows.map(({ seq }) => seq).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 11 }, (_, at) => at + 1),
    )
    expect(rows.reduce((sum, { delta }) => sum + delta, 0)).toBe(0)
  })
})
