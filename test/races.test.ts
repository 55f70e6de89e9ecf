/** Races between processes: two instances of the API on one database, real sockets, real tokens. */
import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { engines } from './support/engines.ts'
import { useTwoProcesses } from './support/two-processes.ts'

for (const engine of engines) {
  describe(`Two processes on one database (${engine.name})`, () => {
    const processes = useTwoProcesses(engine)
    const { call, tokenOf } = processes
    const hundred = <T>(make: (n: number) => Promise<T>) =>
      Promise.all(Array.from({ length: 100 }, (_, n) => make(n)))

    async function addReward(id: string, stockRemaining: number | null) {
      const at = new Date()
      const row = { id, title: id, description: id, itemType: 'voucher', pointsRequired: 0, active: true }
      await processes.db.write(tx =>
        tx.insert(tx.tables.rewards).values({ ...row, stockRemaining, createdAt: at, updatedAt: at }),
      )
    }

    test('100 onboardings of one user create one completion, one entry and one enrolment', async () => {
      const subject = 'fan-0001'
      const token = await tokenOf(1)
      const answers = await hundred(n => call(n, token, 'POST', '/api/user/onboarding', {}))
      expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(200))
      expect(answers.filter(({ body }) => !body.alreadyCompleted)).toHaveLength(1)
      expect(new Set(answers.map(({ body }) => body.completedAt)).size).toBe(1)

      const { read, tables } = processes.db
      const users = await read.select().from(tables.users).where(eq(tables.users.subject, subject))
      expect(users).toHaveLength(1)
      const isTheirs = ({ userId }: { userId: string }) => userId === users[0]?.id
      expect((await read.select().from(tables.onboardings)).filter(isTheirs)).toHaveLength(1)
      expect((await read.select().from(tables.leaderboardEntries)).filter(isTheirs)).toHaveLength(1)
      expect((await read.select().from(tables.pointsEntries)).filter(isTheirs)).toMatchObject([
        { seq: 1, delta: 100, balanceAfter: 100 },
      ])
    })

    test('100 claims of one user create one claim, and 100 redemptions of it create one code', async () => {
      await addReward('one-claim', 50)
      const token = await tokenOf(2)
      const answers = await hundred(n =>
        call(n, token, 'POST', '/api/rewards/claim', { rewardId: 'one-claim' }),
      )
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(answers.filter(({ body }) => body.code === 'already_claimed')).toHaveLength(99)
      expect(await stockOf('one-claim')).toBe(49)

      const redemptions = await hundred(n =>
        call(n, token, 'POST', '/api/rewards/redeem', { rewardId: 'one-claim' }),
      )
      expect(redemptions.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(redemptions.filter(({ body }) => body.code === 'already_redeemed')).toHaveLength(99)
    })

    test('of 100 concurrent claims of the last unit of stock, one succeeds', async () => {
      await addReward('last-unit', 1)
      const tokens = await hundred(n => tokenOf(n + 3))
      const answers = await hundred(n =>
        call(n, tokens[n] ?? '', 'POST', '/api/rewards/claim', { rewardId: 'last-unit' }),
      )
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(answers.filter(({ body }) => body.code === 'out_of_stock')).toHaveLength(99)
      expect(await stockOf('last-unit')).toBe(0)
      const { read, tables } = processes.db
      const claims = await read
        .select()
        .from(tables.userRewards)
        .where(eq(tables.userRewards.rewardId, 'last-unit'))
      expect(claims).toHaveLength(1)
    })

    const refreshPath = '/api/auth/native-token/refresh'
    const refresh = async (n: number, refreshToken: string) => {
      const { status, body } = await call(n, '', 'POST', refreshPath, { refreshToken })
      return { status, refreshToken: String(body.refreshToken) }
    }
    const signIn = async (n: number) => {
      const { body } = await call(n, await tokenOf(n), 'POST', '/api/auth/native-token', {})
      return String(body.refreshToken)
    }

    test('100 uses of one refresh token all succeed; of 100 uses of the new tokens, only those of one token do', async () => {
      const first = await signIn(150)
      const successors = await hundred(n => refresh(n, first))
      expect(successors.map(({ status }) => status)).toEqual(Array(100).fill(200))
      const uses = await hundred(n => refresh(n, successors[n]?.refreshToken ?? ''))
      // One is used first; the next one is a reuse, and ends the session. None is accepted after it.
      expect(uses.filter(({ status }) => status === 200)).toHaveLength(1)
      for (const token of [first, ...uses.map(({ refreshToken }) => refreshToken)])
        expect((await refresh(0, token)).status).toBe(401)
    })

    test('a refresh token raced with its successor: the session ends only if the successor was first', async () => {
      const rounds = await Promise.all(
        Array.from({ length: 25 }, async (_, n) => {
          const first = await signIn(151 + n)
          const { refreshToken: second } = await refresh(n, first)
          const [late, next] = await Promise.all([refresh(n, first), refresh(n + 1, second)])
          const last = await refresh(n, next.refreshToken)
          return { late: late.status, next: next.status, last: last.status }
        }),
      )
      for (const { late, next, last } of rounds) {
        if (late === 200) expect([next, last]).toEqual([200, 200])
        else expect(last).toBe(401)
      }
    })

    async function stockOf(id: string) {
      const { read, tables } = processes.db
      const [row] = await read.select().from(tables.rewards).where(eq(tables.rewards.id, id))
      return row?.stockRemaining
    }
  })
}
