/** The list of fans for a ticket office: in order, in pages of one time, and the same later. */
import { expect, test } from 'bun:test'
import { joinSmall, widthFor } from '../../../src/economy/accounts/bands.ts'
import { settleAccounts } from '../../../src/economy/accounts/settle.ts'
import { writeEvent } from '../../../src/economy/events/record-event.ts'
import { voidEvent } from '../../../src/economy/events/void-event.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { addAccount, addAccountRule, addSeasons, DAY } from '../../economy/accounts/accounts-world.ts'
import { addMembershipKind, putMembership, ticketOffice } from '../../play/memberships/memberships-world.ts'
import { expectStatus, patientFan, refusal } from '../../play/packs/packs-world.ts'
import { userIdOf } from '../../play/quests/quests-world.ts'
import { onEachEngine } from '../../support/world.ts'

let made = 0

onEachEngine('GET /api/priority', world => {
  async function setUp() {
    if ((await world.db.read.select().from(world.db.tables.seasons)).length === 0) await addSeasons(world)
    const account = await addAccount(world)
    const type = await addAccountRule(world, account)
    const office = world.withToken(await world.serverKey(['priority:read'], { source: `office-${++made}` }))
    const earn = async (userId: string, points: number) => {
      world.clock.advance(1_000)
      const eventId = `priority-${++made}`
      const event = { source: 'gate', eventId, userId, type, occurredAt: world.clock.now() }
      await world.db.write(tx => writeEvent(tx, { ...event, data: { points } }))
      return eventId
    }
    const read = async (query = '') =>
      expectStatus(200, await office.get(`/api/priority?account=${account}${query}`))
    const fansOf = ({ entries }: { entries: { userId: string; total: number }[] }) =>
      entries.map(({ userId, total }) => [userId, total])
    const all = async (query = '') => {
      const first = await read(`&limit=2${query}`)
      const entries = [...first.entries]
      for (let { nextCursor } = first; nextCursor !== null; ) {
        const page = await read(`&limit=2${query}&cursor=${nextCursor}`)
        expect(page.asOf).toBe(first.asOf)
        entries.push(...page.entries)
        nextCursor = page.nextCursor
      }
      return { asOf: first.asOf, entries }
    }
    const changesSince = async (asOf: string) => {
      const first = await read(`&limit=1&asOf=${asOf}`)
      const next = await read(`&limit=1&asOf=${asOf}&cursor=${first.nextCursor}`)
      expect(next.changes).toBeNull()
      return first.changes
    }
    const fans = [
      await patientFan(world),
      await patientFan(world),
      await patientFan(world),
      await patientFan(world),
    ]
    const ids = await Promise.all(fans.map(fan => userIdOf(world, fan)))
    return { account, office, earn, read, all, changesSince, type, fansOf, fans, ids }
  }

  test('lists fans by their total, and of equal ones who reached it first', async () => {
    const { account, office, earn, read, all, fansOf, ids } = await setUp()
    const [a = '', b = '', c = '', d = ''] = ids
    await earn(b, 50)
    await earn(a, 50)
    await earn(c, 80)
    await earn(d, 3)
    const order = [
      [c, 80],
      [b, 50],
      [a, 50],
      [d, 3],
    ]
    expect(fansOf(await read())).toEqual(order)
    expect(fansOf(await all())).toEqual(order)
    expect(fansOf(await read('&from=50'))).toEqual(order.slice(0, 3))
    expect(refusal(await office.get('/api/priority?account=unknown'))).toEqual([404, 'account_not_found'])
    expect(refusal(await office.get('/api/priority?account=unknown&membership=nope'))[0]).toBe(404)
    const nope = await office.get(`/api/priority?account=${account}&membership=nope`)
    expect(nope).toMatchObject({ status: 422, body: { errors: [{ parameter: 'membership' }] } })
    const other = world.withToken(await world.serverKey(['fans:read'], { source: `fans-${++made}` }))
    expect(refusal(await other.get('/api/priority?account=unknown'))).toEqual([403, 'insufficient_scope'])
  })

  test('is the same later: after new entries, voids and the end of the season', async () => {
    const { earn, all, read, fansOf, ids } = await setUp()
    const [a = '', b = '', c = ''] = ids
    const taken = await earn(a, 50)
    await earn(b, 40)
    await earn(c, 30)
    world.clock.advance(1_000)
    const before = await all()
    await earn(c, 100)
    await world.db.write(tx => voidEvent(tx, { source: 'gate', eventId: taken }))
    const asOf = `&asOf=${before.asOf}`
    expect(await all(asOf)).toEqual(before)
    expect(fansOf(await read())).toEqual([
      [c, 130],
      [b, 40],
    ])
    world.clock.advance(95 * DAY)
    expect(await all(asOf)).toEqual(before)
    await settleAccounts(world)
    expect(await all(asOf)).toEqual(before)
    expect(fansOf(await read())).toEqual([])
    world.clock.advance(-95 * DAY)
    await settleAccounts(world)
  })

  test('is of no time in the future, whose list would be another one later', async () => {
    const { account, office, read } = await setUp()
    const at = (ms: number) => new Date(world.clock.ms + ms).toISOString()
    expect((await read(`&asOf=${at(0)}`)).asOf).toBe(at(0))
    const { status, body } = await office.get(`/api/priority?account=${account}&asOf=${at(1)}`)
    expect([status, body.errors]).toEqual([
      422,
      [{ parameter: 'asOf', message: 'must not be in the future' }],
    ])
  })

  test('has one time for all pages', async () => {
    const { earn, read, fansOf, ids } = await setUp()
    const [a = '', b = '', c = '', d = ''] = ids
    for (const [id, points] of [
      [a, 40],
      [b, 30],
      [c, 20],
      [d, 10],
    ] as const)
      await earn(id, points)
    const first = await read('&limit=2')
    await earn(d, 500)
    const second = await read(`&limit=2&cursor=${first.nextCursor}`)
    expect([...fansOf(first), ...fansOf(second)]).toEqual([
      [a, 40],
      [b, 30],
      [c, 20],
      [d, 10],
    ])
    expect(second.asOf).toBe(first.asOf)
  })

  test('names the memberships of that time, and can ask for one kind', async () => {
    const { earn, read, fans, ids } = await setUp()
    const [fan, other] = fans
    const [a = '', b = ''] = ids
    if (!fan || !other) throw new Error('there are fans')
    await addMembershipKind(world)
    const office = await ticketOffice(world)
    const at = (days: number) => new Date(world.clock.ms + days * DAY).toISOString()
    expectStatus(
      201,
      await putMembership(office, world, fan, {
        ref: `P-${++made}`,
        number: '0042',
        startsAt: at(-1),
        endsAt: at(9),
      }),
    )
    expectStatus(
      201,
      await putMembership(office, world, other, { ref: `P-${++made}`, startsAt: at(-9), endsAt: at(-1) }),
    )
    await earn(a, 5)
    await earn(b, 9)
    const { entries } = await read('&membership=season-ticket')
    expect(entries).toMatchObject([
      { userId: a, total: 5, memberships: [{ kindId: 'season-ticket', number: '0042' }] },
    ])
    expect((await read()).entries).toHaveLength(2)
  })

  test('states for an earlier time what has happened since, so that lists can be compared', async () => {
    const { account, earn, read, changesSince, type, fans, ids } = await setUp()
    const [a = '', b = '', c = '', d = ''] = ids
    const taken = await earn(a, 50)
    for (const id of ids) await earn(id, 20)
    await addMembershipKind(world)
    const office = await ticketOffice(world)
    const own = { ref: `P-${++made}`, startsAt: '2026-01-01T00:00:00Z', endsAt: '2036-01-01T00:00:00Z' }
    expectStatus(201, await putMembership(office, world, fans[0] ?? { subject: '' }, own))
    const { asOf, changes } = await read()
    expect(changes).toBeNull()
    const none = { added: 0, takenBack: 0, merged: 0, erased: 0, memberships: 0, catalogue: false }
    expect(await changesSince(asOf)).toEqual(none)

    world.clock.advance(60_000)
    // What fans earn later is of no concern, what they earned earlier and was reported late is.
    await earn(b, 7)
    const late = { source: 'gate', eventId: `priority-${++made}`, userId: b, type }
    const occurredAt = new Date(Date.parse(asOf) - 1_000)
    await world.db.write(tx => writeEvent(tx, { ...late, occurredAt, data: { points: 3 } }))
    await world.db.write(tx => voidEvent(tx, { source: 'gate', eventId: taken }))
    const change = { ...own, number: '7' }
    expectStatus(200, await putMembership(office, world, fans[0] ?? { subject: '' }, change))
    const told = { ...none, added: 1, takenBack: 1, memberships: 1 }
    expect(await changesSince(asOf)).toEqual(told)
    await world.db.write(tx => mergeFans(tx, { from: a, into: b, mergedBy: 'Ana', reason: null }))
    await world.db.write(tx => eraseUser(tx, { id: c }))
    expect(await changesSince(asOf)).toEqual({ ...told, merged: 1, erased: 1 })
    expect((await read(`&asOf=${asOf}`)).entries).toMatchObject([
      { userId: a, total: 70, memberships: [] },
      { userId: b, total: 20, memberships: [{ number: '7' }] },
      { userId: d, total: 20 },
    ])
    await addAccount(world, { id: account, name: 'Renamed' })
    expect(await changesSince(asOf)).toMatchObject({ catalogue: true })
  })

  test('leaves out erased fans, and merged ones from the merge on', async () => {
    const { earn, read, fansOf, ids } = await setUp()
    const [a = '', b = '', c = ''] = ids
    await earn(a, 10)
    await earn(b, 20)
    await earn(c, 30)
    world.clock.advance(1_000)
    await world.db.write(tx => mergeFans(tx, { from: a, into: b, mergedBy: 'Ana', reason: null }))
    expect(fansOf(await read())).toEqual([
      [c, 30],
      [b, 30],
    ])
    await world.db.write(tx => eraseUser(tx, { id: c }))
    expect(fansOf(await read())).toEqual([[b, 30]])
  })
})

test.each([
  [0, 1],
  [50, 1],
  [51, 2],
  [101, 5],
  [1_000, 20],
  [1_001, 50],
])('the bands of totals up to %d have a width of %d', (highest, width) => {
  expect(widthFor(highest)).toBe(width)
})

test('bands of fewer than five fans are joined with the next one, and the last with the one below', () => {
  const bands = [2, 9, 5, 1, 1].map((fans, index) => ({ from: index * 10 + 1, to: index * 10 + 10, fans }))
  expect(joinSmall(bands)).toEqual([
    { from: 1, to: 20, fans: 11 },
    { from: 21, to: 50, fans: 7 },
  ])
  expect(joinSmall([{ from: 1, to: 10, fans: 4 }])).toEqual([])
})
