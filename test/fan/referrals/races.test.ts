/** Invitations while fans invite each other in a ring, at two processes, and while events, voids, merges and erasures arrive. */
import { describe, expect, test } from 'bun:test'
import { settingsKind } from '../../../src/club/settings/settings-kind.ts'
import { addRule } from '../../economy/rules/rules-world.ts'
import { type NamedFan, namedFan } from '../../identity/relations/relations-world.ts'
import { findingsOf } from '../../play/top-ups/cash-world.ts'
import { actInProcesses } from '../../support/act-in-processes.ts'
import type { Step } from '../../support/acting-process.ts'
import { engines } from '../../support/engines.ts'
import { useTwoProcesses } from '../../support/two-processes.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEngine } from '../../support/world.ts'

const PAID = 40
const LIMIT = 2

for (const engine of engines) {
  describe(`Fifty accounts that invite each other at two processes (${engine.name})`, () => {
    const processes = useTwoProcesses(engine)
    const { call, tokenOf } = processes
    let ring = 0

    async function addAccounts(first: number, count: number) {
      const tokens = await Promise.all(Array.from({ length: count }, (_, n) => tokenOf(first + n)))
      return Promise.all(
        tokens.map(async (token, n) => {
          const profile = await call(n, token, 'POST', '/api/user/profile', { handle: `ring_${first + n}` })
          const { body } = await call(n, token, 'GET', '/api/user/referral')
          return { token, id: String(profile.body.id), code: String(body.code) }
        }),
      )
    }

    /** Processes read the settings again within a second. */
    async function setUp() {
      await processes.db.write(tx =>
        settingsKind.upsert(tx, { id: 'club', onboardingPoints: 5, referralLimit: LIMIT }),
      )
      const token = await tokenOf(200)
      for (const process of [0, 1])
        await waitUntil('the process has read the settings', async () => {
          const { body } = await call(process, token, 'GET', '/api/user/referral')
          return body.limit === LIMIT
        })
    }

    const pointsOf = async (accounts: { token: string }[]) => {
      const answers = await Promise.all(
        accounts.map(({ token }, n) => call(n, token, 'GET', '/api/user/points')),
      )
      return answers.map(({ body }) => Number(body.balance))
    }

    const invitations = async () => {
      const { referrals } = processes.db.tables
      return processes.db.read.select().from(referrals)
    }

    test.each([
      ['in a ring, each the next one', (n: number) => (n + 1) % 50],
      ['each other, in pairs', (n: number) => n ^ 1],
      ['all at once by a few codes', (n: number) => n % 3],
    ])(
      '%s earn no more than one invitation each, and the limit of each',
      async (_, inviterAt) => {
        await setUp()
        await addRule(processes, { id: 'invite', eventType: 'referral.completed', points: { fixed: PAID } })
        const before = new Set((await invitations()).map(({ inviteeId }) => inviteeId))
        const accounts = await addAccounts(1 + 50 * ring++, 50)
        const answers = await Promise.all(
          accounts.map(({ token }, n) => {
            const referralCode = accounts[inviterAt(n)]?.code ?? ''
            const profile = { displayName: `Fan ${n}` }
            return call(n, token, 'POST', '/api/user/onboarding', { profile, referralCode })
          }),
        )
        expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200))
        const rows = (await invitations()).filter(({ inviteeId }) => !before.has(inviteeId))
        const inviterOf = new Map(rows.map(({ inviteeId, inviterId }) => [inviteeId, inviterId]))
        // Nobody is invited by way of oneself.
        for (const { id } of accounts) {
          const seen = new Set<string>()
          for (let at: string | undefined = id; at !== undefined; at = inviterOf.get(at)) {
            expect(seen.has(at)).toBe(false)
            seen.add(at)
          }
        }
        const completed = rows.filter(({ completedAt }) => completedAt !== null)
        for (const group of Map.groupBy(completed, ({ inviterId }) => inviterId).values())
          expect(group.length).toBeLessThanOrEqual(LIMIT)
        const earned = new Map<string, number>()
        for (const { inviteeId, inviterId } of completed)
          for (const id of [inviteeId, inviterId]) earned.set(id, (earned.get(id) ?? 0) + PAID)
        expect(await pointsOf(accounts)).toEqual(accounts.map(({ id }) => 5 + (earned.get(id) ?? 0)))
        expect(completed.length).toBeGreaterThan(0)
        expect(await findingsOf(processes)).toEqual([])
      },
      300_000,
    )
  })

  onEngine(
    engine,
    'Invitations that events complete while staff void, merge and erase',
    world => {
      test.each([
        ['merge the inviter', true],
        ['erase the inviter', false],
      ])(
        'are complete for both fans or for none: staff %s',
        async (_, isMerge) => {
          world.clock.set(Date.now() - world.clock.ms)
          const settings = { onboardingPoints: 0, referralLimit: 100, referralCompletes: 'shop.bought' }
          await world.db.write(tx => settingsKind.upsert(tx, { id: 'club', ...settings }))
          await addRule(world, { eventType: 'referral.completed', points: { fixed: PAID } })
          const [inviter, remains] = [await namedFan(world), await namedFan(world)]
          const { code: referralCode } = (await inviter.get('/api/user/referral')).body
          const friends: { id: string; fan: NamedFan }[] = []
          for (let n = 0; n < 24; n++) {
            const fan = await namedFan(world)
            expect((await fan.post('/api/user/onboarding', { referralCode })).status).toBe(200)
            friends.push({ id: fan.id, fan })
          }
          const eventIdOf = (n: number) => `bought-${n}`
          const bought = friends.flatMap(({ id }, n): Step[] => {
            const event = { userId: id, type: 'shop.bought', points: 0, occurredAt: null }
            return [{ kind: 'earn', eventId: eventIdOf(n), ...event }]
          })
          const isVoided = (n: number) => n % 4 === 0
          const isErased = (n: number) => n % 4 === 1
          const those = (isOne: (n: number) => boolean) =>
            friends.flatMap((one, n) => (isOne(n) ? [{ ...one, n }] : []))
          const voids = those(isVoided).map(({ n }): Step => ({ kind: 'void', eventId: eventIdOf(n) }))
          const erasures = those(isErased).map(({ id }): Step => ({ kind: 'erase', userId: id }))
          const end: Step = isMerge
            ? { kind: 'merge', from: inviter.id, into: remains.id }
            : { kind: 'erase', userId: inviter.id }
          await actInProcesses(world, {
            shop: { steps: bought },
            support: { steps: [...voids, ...voids] },
            staff: { steps: [...erasures.slice(0, 3), end, ...erasures.slice(3)] },
          })

          world.clock.set(Date.now() - world.clock.ms)
          const { referrals, pointsAccounts } = world.db.tables
          const rows = await world.db.read.select().from(referrals)
          expect(rows).toHaveLength(friends.length)
          const standing = new Set(
            rows.flatMap(row => (row.completedAt && !row.voidedAt ? [row.inviteeId] : [])),
          )
          for (const { id } of those(isVoided)) expect(standing.has(id)).toBe(false)
          if (isMerge)
            for (const { id } of those(n => !isVoided(n) && !isErased(n))) expect(standing.has(id)).toBe(true)
          const balances = new Map(
            (await world.db.read.select().from(pointsAccounts)).map(row => [row.userId, row.balance]),
          )
          for (const { id } of friends) expect(balances.get(id) ?? 0).toBe(standing.has(id) ? PAID : 0)
          const earner = isMerge ? remains.id : inviter.id
          expect(balances.get(earner) ?? 0).toBe(PAID * standing.size)
          expect(await findingsOf(world)).toEqual([])
        },
        120_000,
      )
    },
    { worldPer: 'test' },
  )
}
