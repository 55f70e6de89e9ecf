/** Invitations while fans invite each other in a ring, at two processes, and while events, voids, merges and erasures arrive. */
import { describe, expect, test } from 'bun:test'
import { settingsKind } from '../../../src/club/settings/settings-kind.ts'
import { addRule } from '../../economy/rules/rules-world.ts'
import { findingsOf } from '../../play/top-ups/cash-world.ts'
import { engines } from '../../support/engines.ts'
import { useTwoProcesses } from '../../support/two-processes.ts'

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

    const setUp = () =>
      processes.db.write(tx =>
        settingsKind.upsert(tx, { id: 'club', onboardingPoints: 5, referralLimit: LIMIT }),
      )

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
}
