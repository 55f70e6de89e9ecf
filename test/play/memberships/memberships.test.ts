/** Memberships: written by a ticket office, their states and events, and what they are required for. */
import { beforeAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { exportUser } from '../../../src/operate/admin/export-user.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { settleMemberships } from '../../../src/play/memberships/sweep.ts'
import type { Client } from '../../support/client.ts'
import { readToldEvents } from '../../support/told-events.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'
import { addReward, blockersOf, claim } from '../eligibility/eligibility-world.ts'
import { expectStatus, patientFan, refusal } from '../packs/packs-world.ts'
import { userIdOf } from '../quests/quests-world.ts'
import { addMembershipKind, endMembership, putMembership, ticketOffice } from './memberships-world.ts'

const DAY = 86_400_000

onEachEngine('A membership', world => {
  let office: Client
  beforeAll(async () => {
    office = await ticketOffice(world)
    await addMembershipKind(world, {
      name: { en: 'Season ticket', pt: 'Lugar anual' },
      benefits: ['Priority', { en: 'A scarf', pt: 'Um cachecol' }],
      imageUrl: '/pictures/ticket.svg',
    })
    await addMembershipKind(world, { id: 'card', name: 'Card' })
  })
  const inDays = (days: number) => new Date(world.clock.ms + days * DAY).toISOString()
  const listOf = async (fan: Fan, language = 'en') =>
    expectStatus(200, await fan.get(`/api/user/memberships?lang=${language}`)).memberships
  const settle = () => settleMemberships(world)
  async function eventsOf(fan: Fan): Promise<[type: string, ref: string][]> {
    const isTheirs = eq(world.db.tables.events.userId, await userIdOf(world, fan))
    const told = await readToldEvents(world.db.read, isTheirs)
    return told.flatMap(({ type, data }) =>
      type?.startsWith('membership.') ? [[type.slice('membership.'.length), JSON.parse(data ?? '').ref]] : [],
    )
  }

  test('is shown to its fan, with the words of the catalogue and the number as it was written', async () => {
    const fan = await patientFan(world)
    const terms = { ref: 'A-1', number: '0042', holder: 'Ada', startsAt: inDays(-1), endsAt: inDays(30) }
    const created = expectStatus(201, await putMembership(office, world, fan, terms))
    const shown = {
      ...terms,
      ...{
        kindId: 'season-ticket',
        imageUrl: '/pictures/ticket.svg',
        since: terms.startsAt,
        state: 'active',
      },
    }
    const english = { name: 'Season ticket', benefits: ['Priority', 'A scarf'] }
    expect(created).toEqual({ ...shown, ...english })
    expect(await listOf(fan)).toEqual([{ ...shown, ...english }])
    expect(await listOf(fan, 'pt')).toMatchObject([
      { name: 'Lugar anual', benefits: ['Priority', 'Um cachecol'] },
    ])
    expect(await listOf(await patientFan(world))).toEqual([])
  })

  test('is the same when it is written again, and changes otherwise', async () => {
    const fan = await patientFan(world)
    const terms = { ref: 'B-1', startsAt: inDays(-1), endsAt: inDays(30) }
    expectStatus(201, await putMembership(office, world, fan, terms))
    expectStatus(200, await putMembership(office, world, fan, terms))
    expect(await eventsOf(fan)).toEqual([['started', 'B-1']])
    expectStatus(200, await putMembership(office, world, fan, { ...terms, number: '7' }))
    expect(await listOf(fan)).toMatchObject([{ number: '7' }])
    expect(await eventsOf(fan)).toEqual([['started', 'B-1']])
  })

  test.each<[string, Record<string, unknown>, number, string]>([
    ['another fan', {}, 409, 'membership_of_another_fan'],
    ['an unknown kind', { kindId: 'unknown' }, 422, 'membership_kind_not_found'],
    ['an end before the start', { endsAt: '2020-01-01T00:00:00Z' }, 422, 'validation_failed'],
  ])('is refused for %s', async (_, terms, status, code) => {
    const [fan, other] = [await patientFan(world), await patientFan(world)]
    const own = { ref: `C-${fan.subject}`, startsAt: inDays(-1), endsAt: inDays(30) }
    expectStatus(201, await putMembership(office, world, fan, own))
    const refused = await putMembership(office, world, other, { ...own, ...terms })
    expect(refusal(refused)).toEqual([status, code])
    expect(await listOf(other)).toEqual([])
  })

  test('needs the scope', async () => {
    const desk = world.withToken(await world.serverKey(['fans:read'], { source: 'desk' }))
    const refused = await putMembership(desk, world, await patientFan(world), {
      startsAt: inDays(0),
      endsAt: inDays(1),
    })
    expect(refusal(refused)).toEqual([403, 'insufficient_scope'])
    expect(refusal(await endMembership(office, 'unknown'))).toEqual([404, 'membership_not_found'])
  })

  test('starts and ends by the clock, each told once', async () => {
    const fan = await patientFan(world)
    expectStatus(
      201,
      await putMembership(office, world, fan, { ref: 'D-1', startsAt: inDays(1), endsAt: inDays(3) }),
    )
    expect(await listOf(fan)).toMatchObject([{ state: 'upcoming' }])
    await settle()
    expect(await eventsOf(fan)).toEqual([])
    world.clock.advance(2 * DAY)
    expect(await listOf(fan)).toMatchObject([{ state: 'active' }])
    await Promise.all([settle(), settle()])
    expect(await eventsOf(fan)).toEqual([['started', 'D-1']])
    world.clock.advance(2 * DAY)
    expect(await listOf(fan)).toMatchObject([{ state: 'ended' }])
    await Promise.all([settle(), settle()])
    await settle()
    expect(await eventsOf(fan)).toEqual([
      ['started', 'D-1'],
      ['ended', 'D-1'],
    ])
  })

  test('that follows another of its kind without a gap renews it and keeps since', async () => {
    const fan = await patientFan(world)
    const [first, second, third] = [inDays(-10), inDays(1), inDays(5)]
    await putMembership(office, world, fan, { ref: 'E-1', startsAt: first, endsAt: second })
    await putMembership(office, world, fan, { ref: 'E-2', startsAt: second, endsAt: third })
    await putMembership(office, world, fan, {
      ref: 'E-card',
      kindId: 'card',
      startsAt: second,
      endsAt: third,
    })
    world.clock.advance(2 * DAY)
    await settle()
    expect(await listOf(fan)).toMatchObject([
      { ref: 'E-2', since: first, state: 'active' },
      { ref: 'E-card', since: second },
      { ref: 'E-1', since: first, state: 'ended' },
    ])
    expect((await eventsOf(fan)).toSorted()).toEqual([
      ['renewed', 'E-2'],
      ['started', 'E-1'],
      ['started', 'E-card'],
    ])
    // A gap of a day.
    await putMembership(office, world, fan, { ref: 'E-3', startsAt: inDays(4), endsAt: inDays(9) })
    expect((await listOf(fan))[0]).toMatchObject({ ref: 'E-3', since: inDays(4) })
  })

  test('that is made longer is renewed, also after its end', async () => {
    const fan = await patientFan(world)
    const terms = { ref: 'F-1', startsAt: inDays(-10), endsAt: inDays(1) }
    await putMembership(office, world, fan, terms)
    await putMembership(office, world, fan, { ...terms, endsAt: inDays(2) })
    world.clock.advance(3 * DAY)
    await settle()
    await putMembership(office, world, fan, { ...terms, endsAt: inDays(5) })
    expect((await eventsOf(fan)).map(([type]) => type)).toEqual(['started', 'renewed', 'ended', 'renewed'])
    expect(await listOf(fan)).toMatchObject([{ state: 'active', since: terms.startsAt }])
  })

  test('ends at once when it is deleted, and before its start it never begins', async () => {
    const fan = await patientFan(world)
    await putMembership(office, world, fan, { ref: 'G-1', startsAt: inDays(-1), endsAt: inDays(9) })
    await putMembership(office, world, fan, {
      ref: 'G-2',
      kindId: 'card',
      startsAt: inDays(1),
      endsAt: inDays(9),
    })
    for (const ref of ['G-1', 'G-2', 'G-1']) expect((await endMembership(office, ref)).status).toBe(204)
    expect((await listOf(fan)).map(({ state }: { state: string }) => state)).toEqual(['ended', 'ended'])
    world.clock.advance(2 * DAY)
    await settle()
    expect(await eventsOf(fan)).toEqual([
      ['started', 'G-1'],
      ['ended', 'G-1'],
    ])
  })

  test('is required for a reward, of any one kind and active now', async () => {
    const fan = await patientFan(world)
    const requires = { membership: ['season-ticket', 'card'], points: 1 }
    const rewardId = await addReward(world, requires)
    expect(await blockersOf(fan, rewardId)).toEqual(['membership_required', 'insufficient_points'])
    await putMembership(office, world, fan, {
      ref: 'H-1',
      kindId: 'card',
      startsAt: inDays(1),
      endsAt: inDays(2),
    })
    const refused = await claim(fan, rewardId)
    expect(refused.body).toMatchObject({ code: 'membership_required', membership: requires.membership })
    world.clock.advance(DAY)
    await world.grant(fan, 1)
    expect(await blockersOf(fan, rewardId)).toEqual([])
    world.clock.advance(DAY)
    expect(refusal(await claim(fan, rewardId))).toEqual([409, 'membership_required'])
    await putMembership(office, world, fan, { startsAt: inDays(0), endsAt: inDays(2) })
    expectStatus(200, await claim(fan, rewardId))
  })

  test('is in the export, moves with a merge, and is deleted by an erasure', async () => {
    const [fan, into] = [await patientFan(world), await patientFan(world)]
    const terms = { ref: 'I-1', holder: 'Bea', startsAt: inDays(-1), endsAt: inDays(2) }
    await putMembership(office, world, fan, terms)
    await putMembership(office, world, into, { ref: 'I-0', startsAt: inDays(-5), endsAt: inDays(-1) })
    const [from, to] = [await userIdOf(world, fan), await userIdOf(world, into)]
    expect(await exportUser(world.db.read, { id: from })).toMatchObject({
      memberships: [{ ref: 'I-1', holder: 'Bea' }],
    })
    await world.db.write(tx => mergeFans(tx, { from, into: to, mergedBy: 'Ana', reason: null }))
    expect(await listOf(into)).toMatchObject([{ ref: 'I-1', since: inDays(-5) }, { ref: 'I-0' }])
    await world.db.write(tx => eraseUser(tx, { id: to }))
    const { fanMemberships } = world.db.tables
    const rows = await world.db.read.select().from(fanMemberships)
    expect(rows.filter(({ ref }) => ref.startsWith('I-'))).toEqual([])
    world.clock.advance(3 * DAY)
    await settle()
  })

  test('that two requests write at once is created and told once', async () => {
    const fan = await patientFan(world)
    const terms = { ref: 'J-1', startsAt: inDays(-1), endsAt: inDays(2) }
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => putMembership(office, world, fan, terms)),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 201])
    expect(await eventsOf(fan)).toEqual([['started', 'J-1']])
  })
})
