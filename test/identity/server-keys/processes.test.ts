/** Server keys between processes: two instances of the API on one database, and the command as a third process. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { createServerKey, rotateServerKey } from '../../../src/identity/server-keys/keys.ts'
import { runScript } from '../../scripts/run-script.ts'
import { createClock } from '../../support/clock.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from '../../support/processes.ts'
import { waitUntil } from '../../support/wait-until.ts'

const ROUNDS = 5
const REQUESTS = 40

for (const engine of engines) {
  describe(`server keys in two processes (${engine.name})`, () => {
    let temporary: TemporaryDatabase
    let provider: RunningProvider
    let apis: RunningApi[]
    let sources = 0

    beforeAll(async () => {
      // The clock of the processes: an overlap must not be over for them.
      temporary = await engine.open({ ...createClock(), now: () => new Date() })
      provider = await startProvider()
      const env = { DATABASE_URL: temporary.url ?? '', IDP_ISSUER: provider.issuer }
      apis = await Promise.all([startApi(env), startApi(env)])
    })
    afterAll(async () => {
      await Promise.all(apis.map(api => api.stop()))
      await provider.stop()
      await temporary.remove()
    })

    const newSource = () => `source-${++sources}`
    async function issue(source: string): Promise<string> {
      const scopes = ['redemptions:read', 'redemptions:write'] as const
      const issued = await temporary.db.write(tx => createServerKey(tx, { source, scopes, expiresAt: null }))
      return issued?.key ?? ''
    }

    /** The n-th request goes to the one process or to the other. */
    const send = (n: number, key: string, method: string, path: string) =>
      fetch(`${apis[n % 2]?.origin}${path}`, { method, headers: { authorization: `Bearer ${key}` } })
    /** 404 for a valid key, since there is no such code. */
    const statuses = (key: string) =>
      Promise.all([0, 1].map(async n => (await send(n, key, 'GET', '/api/redemptions/nothing')).status))

    test('a revocation by the command is effective in both processes immediately, and each logs it', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const source = newSource()
        const key = await issue(source)
        expect(await statuses(key)).toEqual([404, 404])
        const { code } = await runScript('server-keys', ['revoke', source], {
          env: { DATABASE_URL: temporary.url ?? '' },
        })
        expect(code).toBe(0)
        expect(await statuses(key)).toEqual([401, 401])
        for (const api of apis)
          await waitUntil('the event is logged', () =>
            api.output.some(line => line.includes('revoked_server_key_used') && line.includes(`"${source}"`)),
          )
      }
    })

    test('a rotated key and its successor work in both', async () => {
      const source = newSource()
      const key = await issue(source)
      const rotated = await temporary.db.write(tx => rotateServerKey(tx, source))
      expect(await statuses(key)).toEqual([404, 404])
      expect(await statuses(rotated?.key ?? '')).toEqual([404, 404])
    })

    test('rotations by several processes at once leave one current key, and no key of another source', async () => {
      const source = newSource()
      const first = await issue(source)
      const env = { DATABASE_URL: temporary.url ?? '' }
      const calls = await Promise.all(
        [1, 2, 3].map(() => runScript('server-keys', ['rotate', source], { env })),
      )
      const keys = calls.map(({ out }) => out.trim()).filter(key => key !== '')
      expect(keys.length).toBeGreaterThan(0)
      for (const key of [first, ...keys]) expect(await statuses(key)).toEqual([404, 404])
      const { serverKeys } = temporary.db.tables
      const rows = await temporary.db.read.select().from(serverKeys).where(eq(serverKeys.source, source))
      expect(rows).toHaveLength(keys.length + 1)
      expect(rows.filter(({ currentOf }) => currentOf === source)).toHaveLength(1)
    })

    test(`of ${REQUESTS} uses of one code by two desks in two processes, one succeeds`, async () => {
      const desks = [newSource(), newSource()]
      const keys = await Promise.all(desks.map(issue))
      for (let round = 0; round < ROUNDS; round++) {
        const code = await redeem(`fan-000${round + 1}`)
        const answers = await Promise.all(
          Array.from({ length: REQUESTS }, async (_, n) => {
            const response = await send(n, keys[n % 2] ?? '', 'POST', `/api/redemptions/${code}/use`)
            const { usedAt, usedBy } = (await response.json()) as { usedAt: string; usedBy: string }
            return { status: response.status, usedAt, usedBy }
          }),
        )
        const [won, ...others] = answers.filter(({ status }) => status === 200)
        expect([won?.status, others]).toEqual([200, []])
        expect(desks).toContain(won?.usedBy ?? '')
        // The others learn when and by which source it was done, as the winner did.
        for (const { status, usedAt, usedBy } of answers.filter(answer => answer !== won))
          expect([status, usedAt, usedBy]).toEqual([409, won?.usedAt ?? '', won?.usedBy ?? ''])
      }
    })

    /** A redemption code of this fan. */
    async function redeem(subject: string): Promise<string> {
      const token = await provider.idp.issueToken(subject)
      const rewardId = `reward-of-${subject}`
      const at = new Date()
      const row = { id: rewardId, title: 'Scarf', description: 'A scarf.', itemType: 'voucher' }
      await temporary.db.write(tx =>
        tx
          .insert(tx.tables.rewards)
          .values({ ...row, pointsRequired: 0, active: true, createdAt: at, updatedAt: at }),
      )
      const post = async (path: string) => {
        const response = await fetch(`${apis[0]?.origin}${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ rewardId }),
        })
        expect(response.status).toBe(200)
        return (await response.json()) as { reward: { redemptionCode: string } }
      }
      await post('/api/rewards/claim')
      return (await post('/api/rewards/redeem')).reward.redemptionCode
    }
  })
}
