/** Fans who invite fans: what counts, what does not, and what is taken back. */
import { beforeAll, beforeEach, expect, test } from 'bun:test'
import { and, eq, sql } from 'drizzle-orm'
import { runStatement } from '../../../db/schema/shape.ts'
import { settingsKind } from '../../../src/club/settings/settings-kind.ts'
import { voidEvent } from '../../../src/economy/events/void-event.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { exportReferral } from '../../../src/fan/referrals/referrals.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { eventOf } from '../../economy/events/events-world.ts'
import { addRule } from '../../economy/rules/rules-world.ts'
import { type NamedFan, namedFan } from '../../identity/relations/relations-world.ts'
import { userIdOf } from '../../play/packs/packs-world.ts'
import { findingsOf } from '../../play/top-ups/cash-world.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { type Fan, onEachEngine, type World } from '../../support/world.ts'

const PAID = 40

const idOf = async (world: World, fan: Fan) => (await userIdOf(world, fan)) ?? ''
const codeOf = async (fan: Fan): Promise<string> => (await fan.get('/api/user/referral')).body.code
const onboard = (fan: Fan, referralCode?: string) =>
  fan.post('/api/user/onboarding', { joinLeaderboard: false, ...(referralCode && { referralCode }) })
const setTo = (world: World, members: object) =>
  world.db.write(tx => settingsKind.upsert(tx, { id: 'club', onboardingPoints: 0, ...members }))
const pointsOf = async (fan: Fan) => (await fan.get('/api/user/points')).body.balance

async function rolesOf(world: World, fan: Fan) {
  const { events } = world.db.tables
  const isTheirs = and(eq(events.userId, await idOf(world, fan)), eq(events.type, 'referral.completed'))
  const rows = await world.db.read.select().from(events).where(isTheirs).orderBy(events.sequence)
  return rows.map(({ data, voidedAt }) => `${JSON.parse(data ?? '{}').role}${voidedAt ? ' voided' : ''}`)
}

const pay = (world: World) =>
  addRule(world, { id: 'invite', eventType: 'referral.completed', points: { fixed: PAID } })

onEachEngine('An invitation', world => {
  beforeAll(async () => {
    await pay(world)
    await setTo(world, {})
  })

  async function invited(inviter: NamedFan): Promise<Fan> {
    const fan = await world.fan()
    expect((await onboard(fan, await codeOf(inviter))).body.referral).toEqual({ invitedBy: inviter.handle })
    return fan
  }

  test('is recorded for both when the new fan completes the onboarding, in any spelling of the code', async () => {
    const [inviter, friend] = [await namedFan(world), await world.fan()]
    const code = await codeOf(inviter)
    expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/)
    expect(await codeOf(inviter)).toBe(code)
    const typed = code.toLowerCase().replaceAll('0', 'o').replaceAll('-', ' ')
    const { status, body } = await onboard(friend, typed)
    expect([status, body.referral]).toEqual([200, { invitedBy: inviter.handle }])
    expect((await friend.get('/api/user/onboarding')).body.referral).toEqual({ invitedBy: inviter.handle })
    expect([await rolesOf(world, friend), await rolesOf(world, inviter)]).toEqual([['invited'], ['inviter']])
    expect([await pointsOf(friend), await pointsOf(inviter)]).toEqual([PAID, PAID])
    const counts = (await inviter.get('/api/user/referral')).body
    expect(counts).toEqual({ code, invited: 1, completed: 1, limit: 10 })
  })

  test('a repeat of the onboarding, with this code or another one, changes nothing', async () => {
    const [inviter, other] = [await namedFan(world), await namedFan(world)]
    const friend = await invited(inviter)
    const repeat = await onboard(friend, await codeOf(other))
    expect(repeat.body).toMatchObject({ alreadyCompleted: true, referral: { invitedBy: inviter.handle } })
    expect([await rolesOf(world, inviter), await rolesOf(world, other)]).toEqual([['inviter'], []])
  })

  test('does not count for a fan who has invited others, also at the same time', async () => {
    const inviter = await namedFan(world)
    const friend = await invited(inviter)
    expect((await onboard(inviter, await codeOf(friend))).body.referral).toBeNull()
    const [one, two] = [await namedFan(world), await namedFan(world)]
    const [codeOfOne, codeOfTwo] = [await codeOf(one), await codeOf(two)]
    const both = await Promise.all([onboard(one, codeOfTwo), onboard(two, codeOfOne)])
    expect(both.filter(({ body }) => body.referral !== null)).toHaveLength(1)
  })

  test.each([
    ['an unknown code', async () => 'NOPE-NOPE'],
    ['a text that is no code', async () => '?'],
    ['the own code', async (fan: Fan) => codeOf(fan)],
    [
      'the code of an erased fan',
      async () => {
        const gone = await namedFan(world)
        const code = await codeOf(gone)
        const { name: provider } = world.config.identity
        await world.db.write(tx => eraseUser(tx, { provider, subject: gone.subject }))
        return code
      },
    ],
  ])('%s stops nothing, and counts for nobody', async (_, makeCode) => {
    const fan = await world.fan()
    const { status, body } = await onboard(fan, await makeCode(fan))
    expect([status, body.state, body.referral]).toEqual([200, 'completed', null])
    expect(await rolesOf(world, fan)).toEqual([])
  })

  test('does not count for a fan who existed before', async () => {
    const [inviter, old] = [await namedFan(world), await namedFan(world)]
    world.clock.advance(86_400_001)
    const fresh = {
      ...old,
      ...(await world.idp.issueToken(old.subject).then(token => world.withToken(token))),
    }
    expect((await onboard(fresh, await codeOf(inviter))).body.referral).toBeNull()
  })

  test('is exported for both, without the other one', async () => {
    const inviter = await namedFan(world)
    const friend = await invited(inviter)
    const [inviterId, friendId] = [await idOf(world, inviter), await idOf(world, friend)]
    const [own, theirs] = [
      await exportReferral(world.db.read, inviterId),
      await exportReferral(world.db.read, friendId),
    ]
    expect(own).toMatchObject({ codes: [{}], invitation: null, invited: [{ voidedAt: null }] })
    expect(theirs).toMatchObject({ codes: [], invitation: { completedAt: world.clock.now() }, invited: [] })
    expect(JSON.stringify([own, theirs])).not.toContain(friendId)
    expect(JSON.stringify(theirs)).not.toContain(inviterId)
  })

  test('of two accounts of one person is taken back by their merge', async () => {
    const inviter = await namedFan(world)
    const second = await invited(inviter)
    const [from, into] = [await idOf(world, second), await idOf(world, inviter)]
    await world.db.write(tx => mergeFans(tx, { from, into, mergedBy: 'Ana', reason: null }))
    expect(await rolesOf(world, inviter)).toEqual(['inviter voided'])
    expect(await pointsOf(inviter)).toBe(0)
    expect((await inviter.get('/api/user/referral')).body).toMatchObject({ invited: 0, completed: 0 })
  })

  test('moves with the inviter who is merged into an account that is not the invited one', async () => {
    const inviter = await namedFan(world)
    const friend = await invited(inviter)
    const other = await namedFan(world)
    const [from, into] = [await idOf(world, inviter), await idOf(world, other)]
    const code = await codeOf(inviter)
    await world.db.write(tx => mergeFans(tx, { from, into, mergedBy: 'Ana', reason: null }))
    expect(await rolesOf(world, friend)).toEqual(['invited'])
    expect(await findingsOf(world)).toEqual([])
    expect((await other.get('/api/user/referral')).body).toMatchObject({ code, invited: 1, completed: 1 })
    const later = await world.fan()
    expect((await onboard(later, code)).body.referral).toEqual({ invitedBy: other.handle })
  })

  test.each([
    ['fewer', 0],
    ['more', 3],
  ])(
    'is verified for an inviter who was merged twice and has %s events than the invited fan',
    async (_, earlier) => {
      const inviter = await namedFan(world)
      for (let nth = 0; nth < earlier; nth++) await invited(inviter)
      await invited(inviter)
      const [second, third] = [await namedFan(world), await namedFan(world)]
      for (const [from, into] of [
        [inviter.id, second.id],
        [second.id, third.id],
      ] as const)
        await world.db.write(tx => mergeFans(tx, { from, into, mergedBy: 'Ana', reason: null }))
      expect(await findingsOf(world)).toEqual([])
    },
  )

  test('is taken back when the invited fan turns out to have had an account', async () => {
    const old = await namedFan(world)
    world.clock.advance(1)
    const inviter = await namedFan(world)
    const second = await invited(inviter)
    const [from, into] = [await idOf(world, second), await idOf(world, old)]
    await world.db.write(tx => mergeFans(tx, { from, into, mergedBy: 'Ana', reason: null }))
    expect([await rolesOf(world, inviter), await pointsOf(inviter)]).toEqual([['inviter voided'], 0])
  })
})

onEachEngine(
  'An invitation that another event completes',
  world => {
    beforeEach(() => pay(world))

    const isServer = () => world.db.engine === 'postgres' && world.databaseUrl !== null

    async function isBlocked(): Promise<boolean> {
      const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return (await runStatement(world.db.read, waiting)).length > 0
    }

    async function report(fan: Fan, type: string) {
      const key = world.withToken(await world.serverKey(['events:write']))
      const named = { provider: world.config.identity.name, subject: fan.subject }
      const event = eventOf(world, { type, fan: named })
      expect((await key.post('/api/events', { events: [event] })).status).toBe(200)
      return String(Reflect.get(event, 'id'))
    }

    test('is completed once by it, and taken back with it', async () => {
      await setTo(world, { referralCompletes: 'shop.bought' })
      const [inviter, friend] = [await namedFan(world), await world.fan()]
      await onboard(friend, await codeOf(inviter))
      expect(await rolesOf(world, inviter)).toEqual([])
      await report(friend, 'shop.browsed')
      const first = await report(friend, 'shop.bought')
      await report(friend, 'shop.bought')
      expect([await rolesOf(world, friend), await rolesOf(world, inviter)]).toEqual([
        ['invited'],
        ['inviter'],
      ])
      const { events } = world.db.tables
      const [row] = await world.db.read.select().from(events).where(eq(events.eventId, first))
      await world.db.write(tx => voidEvent(tx, { source: row?.source ?? '', eventId: first }))
      expect([await rolesOf(world, friend), await rolesOf(world, inviter)]).toEqual([
        ['invited voided'],
        ['inviter voided'],
      ])
      expect([await pointsOf(friend), await pointsOf(inviter)]).toEqual([0, 0])
      await report(friend, 'shop.bought')
      expect(await rolesOf(world, inviter)).toEqual(['inviter voided'])
    })

    test('is completed for the fan who remains when the inviter is merged at the same time', async () => {
      await setTo(world, { referralCompletes: 'shop.bought' })
      const [inviter, remains, friend] = [await namedFan(world), await namedFan(world), await world.fan()]
      await onboard(friend, await codeOf(inviter))
      const [merged, waiting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const merge = world.db.write(async tx => {
        await mergeFans(tx, { from: inviter.id, into: remains.id, mergedBy: 'Ana', reason: null })
        merged.resolve()
        // Elsewhere one unit of work runs after the other.
        if (isServer()) await waiting.promise
      })
      await merged.promise
      const reported = report(friend, 'shop.bought')
      let hasEnded = false
      void reported.finally(() => {
        hasEnded = true
      })
      if (isServer()) await waitUntil('the event waits for the merge', async () => hasEnded || isBlocked())
      waiting.resolve()
      await Promise.all([merge, reported])
      expect([await rolesOf(world, friend), await rolesOf(world, remains)]).toEqual([
        ['invited'],
        ['inviter'],
      ])
      expect([await pointsOf(friend), await pointsOf(remains)]).toEqual([PAID, PAID])
      expect(await findingsOf(world)).toEqual([])
    })

    test('is taken back with that event also after the invited fan was erased', async () => {
      await setTo(world, { referralCompletes: 'shop.bought' })
      const [inviter, friend] = [await namedFan(world), await world.fan()]
      await onboard(friend, await codeOf(inviter))
      const eventId = await report(friend, 'shop.bought')
      const { name: provider } = world.config.identity
      await world.db.write(tx => eraseUser(tx, { provider, subject: friend.subject }))
      expect(await findingsOf(world)).toEqual([])
      expect(await pointsOf(inviter)).toBe(PAID)
      const { events } = world.db.tables
      const [row] = await world.db.read.select().from(events).where(eq(events.eventId, eventId))
      await world.db.write(tx => voidEvent(tx, { source: row?.source ?? '', eventId }))
      expect([await rolesOf(world, inviter), await pointsOf(inviter)]).toEqual([['inviter voided'], 0])
      expect(await findingsOf(world)).toEqual([])
    })

    test('is not completed for an inviter who is erased meanwhile', async () => {
      await setTo(world, { referralCompletes: 'shop.bought' })
      const [inviter, friend] = [await namedFan(world), await world.fan()]
      await onboard(friend, await codeOf(inviter))
      const { name: provider } = world.config.identity
      await world.db.write(tx => eraseUser(tx, { provider, subject: inviter.subject }))
      await report(friend, 'shop.bought')
      expect(await rolesOf(world, friend)).toEqual([])
    })
  },
  { worldPer: 'test' },
)

onEachEngine('A ring of fifty accounts', world => {
  test('earns what the limit allows', async () => {
    await pay(world)
    await setTo(world, { referralLimit: 3 })
    const hub = await namedFan(world)
    const code = await codeOf(hub)
    const fans = await Promise.all(Array.from({ length: 49 }, () => world.fan()))
    const answers = await Promise.all(fans.map(fan => onboard(fan, code)))
    expect(answers.map(({ status }) => status)).toEqual(Array(49).fill(200))
    expect(await pointsOf(hub)).toBe(3 * PAID)
    const paid = await Promise.all(fans.map(pointsOf))
    expect(paid.filter(points => points === PAID)).toHaveLength(3)
    expect(paid.filter(points => points === 0)).toHaveLength(46)
    expect((await hub.get('/api/user/referral')).body).toMatchObject({ invited: 49, completed: 3, limit: 3 })
    // Those who have an account cannot invite each other, whatever the order.
    const ring = await Promise.all(fans.map(async (fan, n) => onboard(fan, await codeOf(fans[n - 1] ?? hub))))
    expect(ring.every(({ body }) => body.alreadyCompleted)).toBe(true)
    expect(await pointsOf(hub)).toBe(3 * PAID)
    // In the next month the limit begins again.
    world.clock.advance(32 * 86_400_000)
    const later = await world.fan()
    await onboard(later, code)
    expect(await pointsOf(later)).toBe(PAID)
  })
})

onEachEngine('Months of invitations', world => {
  test('begin in the time zone of the club', async () => {
    await pay(world)
    await setTo(world, { referralLimit: 1, timeZone: 'Pacific/Kiritimati' })
    // The last half hour of a month there, fourteen hours ahead of UTC.
    world.clock.advance(Date.UTC(2031, 0, 31, 9, 30) - world.clock.ms)
    const hub = await namedFan(world)
    const code = await codeOf(hub)
    const earned: number[] = []
    for (const minutes of [0, 10, 30]) {
      world.clock.advance(minutes * 60_000)
      const fan = await world.fan()
      await onboard(fan, code)
      earned.push(await pointsOf(fan))
    }
    expect(earned).toEqual([PAID, 0, PAID])
  })
})
