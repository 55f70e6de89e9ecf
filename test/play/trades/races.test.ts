/** Races of trades between processes: two instances of the API on one database. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq, inArray } from 'drizzle-orm'
import { verifyLedger } from '../../../src/operate/admin/audit/verify-ledger.ts'
import { createClock } from '../../support/clock.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from '../../support/processes.ts'

const FANS = 6

for (const engine of engines) {
  describe(`Trades of two processes on one database (${engine.name})`, () => {
    let temporary: TemporaryDatabase
    let provider: RunningProvider
    let apis: RunningApi[]
    let fans: { id: string; handle: string; token: string }[]
    let items = 0

    beforeAll(async () => {
      temporary = await engine.open(createClock())
      provider = await startProvider({ fans: FANS + 1 })
      const env = { DATABASE_URL: temporary.url ?? '', IDP_ISSUER: provider.issuer }
      apis = await Promise.all([startApi(env), startApi(env)])
      fans = []
      for (let n = 1; n <= FANS; n++) {
        const token = await provider.idp.issueToken(`fan-${String(n).padStart(4, '0')}`)
        const handle = `trader_${n}`
        const { body } = await call(n, token, 'POST', '/api/user/profile', { handle })
        fans.push({ id: String(body.id), handle, token })
      }
    })

    afterAll(async () => {
      await Promise.all(apis.map(api => api.stop()))
      await provider.stop()
      await temporary.remove()
    })

    /** The n-th request goes to the one process or to the other. */
    async function call(n: number, token: string, method: string, path: string, body?: unknown) {
      const response = await fetch(`${apis[n % 2]?.origin}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }

    const fan = (n: number) => fans[n] ?? { id: '', handle: '', token: '' }

    /** An item that the fan was given. */
    async function newItem(userId: string) {
      const collectibleId = `item-${++items}`
      const [createdAt, text] = [new Date(), { name: '', description: '', rarity: 'common' }]
      await temporary.db.write(async tx => {
        const { collectibles, userItems } = tx.tables
        const collectible = { id: collectibleId, ...text, minted: 1, createdAt, updatedAt: createdAt }
        await tx.insert(collectibles).values(collectible)
        const item = { userId, collectibleId, serialNumber: 1, givenFor: collectibleId, createdAt }
        await tx.insert(userItems).values(item)
      })
      return { collectibleId, serialNumber: 1 }
    }

    type Item = Awaited<ReturnType<typeof newItem>>

    async function offer(n: number, from: number, to: number, give: Item[], want: Item[] = []) {
      const answer = await call(n, fan(from).token, 'POST', '/api/trades', { to: fan(to).handle, give, want })
      expect(answer.status).toBe(201)
      return String(answer.body.id)
    }

    const accept = (n: number, by: number, id: string) =>
      call(n, fan(by).token, 'POST', `/api/trades/${id}/accept`, { version: 1 })

    async function ownerOf({ collectibleId }: Item) {
      const { userItems } = temporary.db.tables
      const rows = await temporary.db.read
        .select()
        .from(userItems)
        .where(eq(userItems.collectibleId, collectibleId))
      return rows.map(({ ownerId, userId }) => ownerId ?? userId)
    }

    async function linksOf({ collectibleId }: Item) {
      const { itemTransfers } = temporary.db.tables
      const rows = await temporary.db.read
        .select()
        .from(itemTransfers)
        .where(eq(itemTransfers.collectibleId, collectibleId))
      return rows.map(({ ownerId }) => ownerId)
    }

    test('an item offered in five trades changes hands once', async () => {
      const item = await newItem(fan(0).id)
      const own = await Promise.all([1, 2, 3, 4, 5].map(n => newItem(fan(n).id)))
      const ids: string[] = []
      for (const n of [1, 2, 3, 4, 5]) ids.push(await offer(n, 0, n, [item], own.slice(n - 1, n)))
      const answers = await Promise.all(ids.map((id, n) => accept(n, n + 1, id)))
      const winner = answers.findIndex(({ status }) => status === 200) + 1
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(answers.filter(({ body }) => body.code === 'item_not_owned')).toHaveLength(4)
      expect(await ownerOf(item)).toEqual([fan(winner).id])
      expect(await linksOf(item)).toEqual([fan(winner).id])
      for (const [index, one] of own.entries()) {
        const n = index + 1
        expect(await ownerOf(one)).toEqual([fan(n === winner ? 0 : n).id])
      }
      const { trades } = temporary.db.tables
      const rows = await temporary.db.read.select().from(trades).where(inArray(trades.id, ids))
      expect(rows.map(({ status }) => status).toSorted()).toEqual(['completed', ...Array(4).fill('void')])
      expect((await verifyLedger(temporary.db)).findings).toBe(0)
    })

    test('an offer that is accepted and cancelled at once has one end', async () => {
      for (let round = 0; round < 10; round++) {
        const item = await newItem(fan(0).id)
        const id = await offer(round, 0, 1, [item])
        const [accepted, cancelled] = await Promise.all([
          accept(round, 1, id),
          call(round + 1, fan(0).token, 'POST', `/api/trades/${id}/cancel`, {}),
        ])
        expect([accepted.status, cancelled.status].toSorted()).toEqual([200, 409])
        const isAccepted = accepted.status === 200
        expect((isAccepted ? cancelled : accepted).body.code).toBe(
          isAccepted ? 'trade_not_open' : 'trade_changed',
        )
        expect(await ownerOf(item)).toEqual([fan(isAccepted ? 1 : 0).id])
      }
    })

    test('an offer that is accepted twice at once is completed once', async () => {
      const item = await newItem(fan(0).id)
      const id = await offer(0, 0, 1, [item])
      const answers = await Promise.all([0, 1, 2, 3].map(n => accept(n, 1, id)))
      expect(answers.map(({ status, body }) => [status, body.version])).toEqual(Array(4).fill([200, 2]))
      expect(await linksOf(item)).toEqual([fan(1).id])
    })

    test('trades that cross each other leave each item with one fan, and all requests are answered', async () => {
      const [x, y] = [await newItem(fan(2).id), await newItem(fan(3).id)]
      const [one, other] = [await offer(0, 2, 3, [x], [y]), await offer(1, 3, 2, [y], [x])]
      const answers = await Promise.all([accept(0, 3, one), accept(1, 2, other)])
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
      expect([await ownerOf(x), await ownerOf(y)]).toEqual([[fan(3).id], [fan(2).id]])
    })
  })
}
