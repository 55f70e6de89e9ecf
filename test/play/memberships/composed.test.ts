/** Memberships that are written, ended, moved and erased in any order. */
import { beforeAll, expect, test } from 'bun:test'
import { eq, like } from 'drizzle-orm'
import fc from 'fast-check'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { settleMemberships } from '../../../src/play/memberships/sweep.ts'
import type { Client } from '../../support/client.ts'
import { readToldEvents } from '../../support/told-events.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'
import { expectStatus, patientFan, refusal } from '../packs/packs-world.ts'
import { userIdOf } from '../quests/quests-world.ts'
import { addMembershipKind, endMembership, putMembership, ticketOffice } from './memberships-world.ts'

const DAY = 86_400_000
const KINDS = ['season-ticket', 'card'] as const

interface Period {
  kindId: string
  startsAt: number
  endsAt: number
}

/** Day by day: back from the start, as long as a membership of the kind has the day before. */
function modelSince(period: Period, all: Iterable<Period>): number {
  const covered = new Set<number>()
  for (const { kindId, startsAt, endsAt } of all)
    if (kindId === period.kindId) for (let day = startsAt; day < endsAt; day += DAY) covered.add(day)
  let since = period.startsAt
  while (covered.has(since - DAY)) since -= DAY
  return since
}

onEachEngine('Memberships of a fan', world => {
  let office: Client
  beforeAll(async () => {
    office = await ticketOffice(world)
    for (const id of KINDS) await addMembershipKind(world, { id, name: id })
  })
  const inDays = (days: number) => new Date(world.clock.ms + days * DAY).toISOString()
  const settle = () => settleMemberships(world)
  const listOf = async (fan: Fan) => expectStatus(200, await fan.get('/api/user/memberships')).memberships
  async function eventsOf(fan: Fan) {
    const isTheirs = eq(world.db.tables.events.userId, await userIdOf(world, fan))
    const told = await readToldEvents(world.db.read, isTheirs)
    return told.flatMap(({ type, data }): { type: string; ref: string; kindId: string }[] =>
      type?.startsWith('membership.')
        ? [{ ...JSON.parse(data ?? ''), type: type.slice('membership.'.length) }]
        : [],
    )
  }
  const toldTo = async (fan: Fan) => (await eventsOf(fan)).map(({ type, ref }) => `${type} ${ref}`)
  const merge = async (from: Fan, into: Fan) => {
    const ids = { from: await userIdOf(world, from), into: await userIdOf(world, into) }
    await world.db.write(tx => mergeFans(tx, { ...ids, mergedBy: 'Ana', reason: null }))
  }

  test('a membership that was ended leaves a gap before the one that was to renew it', async () => {
    const fan = await patientFan(world)
    const [start, renewal, end] = [inDays(-10), inDays(5), inDays(20)]
    await putMembership(office, world, fan, { ref: 'A-1', startsAt: start, endsAt: renewal })
    await putMembership(office, world, fan, { ref: 'A-2', startsAt: renewal, endsAt: end })
    expect(await listOf(fan)).toMatchObject([{ ref: 'A-2', since: start }, { ref: 'A-1' }])
    await endMembership(office, 'A-1')
    expect(await listOf(fan)).toMatchObject([{ ref: 'A-2', since: renewal, state: 'upcoming' }, {}])
    world.clock.advance(6 * DAY)
    await settle()
    expect(await toldTo(fan)).toEqual(['started A-1', 'ended A-1', 'started A-2'])
  })

  test('a renewal before the end keeps since, whichever of the two overlapping ones ends first', async () => {
    const fan = await patientFan(world)
    const start = inDays(-10)
    await putMembership(office, world, fan, { ref: 'B-1', startsAt: start, endsAt: inDays(5) })
    await putMembership(office, world, fan, { ref: 'B-2', startsAt: inDays(-1), endsAt: inDays(9) })
    expect((await listOf(fan)).map(({ since }: { since: string }) => since)).toEqual([start, start])
    await endMembership(office, 'B-1')
    expect(await listOf(fan)).toMatchObject([{ ref: 'B-2', since: start, state: 'active' }, { ref: 'B-1' }])
    world.clock.advance(10 * DAY)
    await settle()
    expect(await toldTo(fan)).toEqual(['started B-1', 'renewed B-2', 'ended B-2'])
  })

  test('one that was ended before its start and is written again starts, and is not renewed', async () => {
    const fan = await patientFan(world)
    const terms = { ref: 'C-1', startsAt: inDays(1), endsAt: inDays(9) }
    await putMembership(office, world, fan, terms)
    await endMembership(office, 'C-1')
    await endMembership(office, 'C-1')
    expect(await listOf(fan)).toMatchObject([{ state: 'ended' }])
    expectStatus(200, await putMembership(office, world, fan, { ...terms, startsAt: inDays(-1) }))
    expect(await toldTo(fan)).toEqual(['started C-1'])
    await endMembership(office, 'C-1')
    await endMembership(office, 'C-1')
    await settle()
    expect(await toldTo(fan)).toEqual(['started C-1', 'ended C-1'])
  })

  test('one that changes its kind ends as the former and starts as the new one', async () => {
    const fan = await patientFan(world)
    const terms = { ref: 'D-1', startsAt: inDays(-1), endsAt: inDays(9) }
    await putMembership(office, world, fan, { ...terms, kindId: 'card' })
    await putMembership(office, world, fan, terms)
    expect((await eventsOf(fan)).map(({ type, kindId }) => [type, kindId])).toEqual([
      ['started', 'card'],
      ['ended', 'card'],
      ['started', 'season-ticket'],
    ])
  })

  test('what started and ended while no task ran is told in the order of time', async () => {
    const fan = await patientFan(world)
    await putMembership(office, world, fan, { ref: 'E-1', startsAt: inDays(-9), endsAt: inDays(2) })
    await putMembership(office, world, fan, { ref: 'E-2', startsAt: inDays(4), endsAt: inDays(6) })
    await putMembership(office, world, fan, { ref: 'E-0', startsAt: inDays(8), endsAt: inDays(30) })
    world.clock.advance(10 * DAY)
    await settle()
    expect(await toldTo(fan)).toEqual(['started E-1', 'ended E-1', 'started E-2', 'ended E-2', 'started E-0'])
  })

  test('a ref keeps its fan: also after its end, and after a merge of that fan', async () => {
    const [fan, into, other] = [await patientFan(world), await patientFan(world), await patientFan(world)]
    const terms = { ref: 'F-1', startsAt: inDays(-10), endsAt: inDays(5) }
    await putMembership(office, world, fan, terms)
    await putMembership(office, world, into, { ref: 'F-2', startsAt: inDays(-3), endsAt: inDays(20) })
    await merge(fan, into)
    expect(await listOf(into)).toMatchObject([
      { ref: 'F-2', since: terms.startsAt },
      { ref: 'F-1', since: terms.startsAt },
    ])
    // The ticket office still names the sign-in of before.
    expectStatus(200, await putMembership(office, world, fan, { ...terms, number: '7' }))
    expectStatus(200, await putMembership(office, world, into, { ...terms, number: '7' }))
    await endMembership(office, 'F-1')
    const refused = await putMembership(office, world, other, terms)
    expect(refusal(refused)).toEqual([409, 'membership_of_another_fan'])
    world.clock.advance(30 * DAY)
    await settle()
    expect(await toldTo(into)).toEqual(['started F-2', 'ended F-2'])
  })

  test('an erasure deletes them, and the ref is free for another fan', async () => {
    const [fan, other] = [await patientFan(world), await patientFan(world)]
    const terms = { ref: 'G-1', holder: 'Ada', startsAt: inDays(-10), endsAt: inDays(5) }
    await putMembership(office, world, fan, terms)
    const id = await userIdOf(world, fan)
    await world.db.write(tx => eraseUser(tx, { id }))
    expect(refusal(await putMembership(office, world, fan, terms))).toEqual([404, 'fan_not_found'])
    expect(refusal(await endMembership(office, 'G-1'))).toEqual([404, 'membership_not_found'])
    expectStatus(201, await putMembership(office, world, other, { ...terms, holder: 'Bea' }))
    expect(await toldTo(other)).toEqual(['started G-1'])
  })

  const day = fc.integer({ min: -4, max: 8 })
  const step = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('put' as const),
        ref: fc.nat(3),
        kind: fc.nat(1),
        from: day,
        days: fc.integer({ min: 1, max: 6 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('end' as const), ref: fc.nat(3) }) },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 3 }) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('merge' as const) }) },
  )

  test('state, since and the last event follow the periods, in any order of writes, ends and merges', async () => {
    let made = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async steps => {
        const run = ++made
        let fan = await patientFan(world)
        /** The kinds of a fan who was merged were told to the record of before. */
        let isMerged = false
        const model = new Map<string, Period>()
        for (const one of steps) {
          const now = world.clock.ms
          if (one.do === 'put') {
            const ref = `M-${world.config.databaseUrl.length}-${run}-${one.ref}`
            const [startsAt, endsAt] = [now + one.from * DAY, now + (one.from + one.days) * DAY]
            const kindId = KINDS[one.kind] ?? 'card'
            const { status } = await putMembership(office, world, fan, {
              ...{ ref, kindId },
              startsAt: new Date(startsAt).toISOString(),
              endsAt: new Date(endsAt).toISOString(),
            })
            expect(status).toBe(model.has(ref) ? 200 : 201)
            model.set(ref, { kindId, startsAt, endsAt })
          } else if (one.do === 'end') {
            const ref = `M-${world.config.databaseUrl.length}-${run}-${one.ref}`
            const { status } = await endMembership(office, ref)
            const known = model.get(ref)
            expect(status).toBe(known ? 204 : 404)
            if (known && known.endsAt > now) known.endsAt = Math.max(now, known.startsAt)
          } else if (one.do === 'merge') {
            const into = await patientFan(world)
            await merge(fan, into)
            fan = into
            isMerged = true
          } else world.clock.advance(one.days * DAY)
          await settle()
          const list: Record<string, string>[] = await listOf(fan)
          const expected = [...model].map(([ref, period]) => {
            const { kindId, startsAt, endsAt } = period
            const at = world.clock.ms
            const state =
              endsAt <= at || startsAt === endsAt ? 'ended' : startsAt <= at ? 'active' : 'upcoming'
            const since = new Date(modelSince(period, model.values())).toISOString()
            return { ref, kindId, state, since }
          })
          const byRef = (a: { ref?: string }, b: { ref?: string }) => ((a.ref ?? '') < (b.ref ?? '') ? -1 : 1)
          expect(
            list.map(({ ref, kindId, state, since }) => ({ ref, kindId, state, since })).toSorted(byRef),
          ).toEqual(expected.toSorted(byRef))
          if (isMerged) continue
          const told = await eventsOf(fan)
          for (const kind of KINDS) {
            const last = told.findLast(({ kindId }) => kindId === kind)?.type ?? 'ended'
            const isActive = expected.some(({ kindId, state }) => kindId === kind && state === 'active')
            expect({ kind, isActive: last !== 'ended' }).toEqual({ kind, isActive })
          }
        }
        expect((await verifyLedger(world.db)).findings).toBe(0)
      }),
      { numRuns: 12 },
    )
    const { fanMemberships } = world.db.tables
    expect(
      (await world.db.read.select().from(fanMemberships).where(like(fanMemberships.ref, 'M-%'))).length,
    ).toBeGreaterThan(0)
  }, 60_000)
})
