/** Races of trades between processes: two instances of the API on one database. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { eq, inArray } from 'drizzle-orm'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { recordDecision } from '../../../src/identity/sanctions/decisions.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { engines } from '../../support/engines.ts'
import { useTwoProcesses } from '../../support/two-processes.ts'

const FANS = 6

for (const engine of engines) {
  describe(`Trades of two processes on one database (${engine.name})`, () => {
    const processes = useTwoProcesses(engine)
    const { call } = processes
    let fans: Awaited<ReturnType<typeof processes.fan>>[]
    let items = 0
    /** The items on shelves of the first fan. */
    let shelvesBefore: string[] = []

    beforeAll(async () => {
      fans = []
      for (let n = 1; n <= FANS; n++) fans.push(await processes.fan(n))
    })

    const fan = (n: number) => fans[n] ?? { id: '', handle: '', token: '' }

    /** An item that the fan was given. */
    async function newItem(userId: string) {
      const collectibleId = `item-${++items}`
      const [createdAt, text] = [new Date(), { name: '', description: '', rarity: 'common' }]
      await processes.db.write(async tx => {
        const { collectibles, userItems } = tx.tables
        const collectible = { id: collectibleId, ...text, minted: 1, createdAt, updatedAt: createdAt }
        await tx.insert(collectibles).values(collectible)
        const item = { userId, collectibleId, serialNumber: 1, givenFor: collectibleId, createdAt }
        await tx.insert(userItems).values(item)
      })
      return { collectibleId, serialNumber: 1 }
    }

    type Item = Awaited<ReturnType<typeof newItem>>
    type Answer = Awaited<ReturnType<typeof call>>

    async function offer(n: number, from: number, to: number, give: Item[], want: Item[] = []) {
      const answer = await call(n, fan(from).token, 'POST', '/api/trades', { to: fan(to).handle, give, want })
      expect(answer.status).toBe(201)
      return String(answer.body.id)
    }

    const accept = (n: number, by: number, id: string) =>
      call(n, fan(by).token, 'POST', `/api/trades/${id}/accept`, { version: 1 })

    async function ownerOf({ collectibleId }: Item) {
      const { userItems } = processes.db.tables
      const rows = await processes.db.read
        .select()
        .from(userItems)
        .where(eq(userItems.collectibleId, collectibleId))
      return rows.map(({ ownerId, userId }) => ownerId ?? userId)
    }

    async function linksOf({ collectibleId }: Item) {
      const { itemTransfers } = processes.db.tables
      const rows = await processes.db.read
        .select()
        .from(itemTransfers)
        .where(eq(itemTransfers.collectibleId, collectibleId))
        .orderBy(itemTransfers.sequence)
      return rows.map(({ ownerId }) => ownerId)
    }

    test('an item that is offered in five trades changes owner once', async () => {
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
      const { trades } = processes.db.tables
      const rows = await processes.db.read.select().from(trades).where(inArray(trades.id, ids))
      expect(rows.map(({ status }) => status).toSorted()).toEqual(['completed', ...Array(4).fill('void')])
      expect((await verifyLedger(processes.db)).findings).toBe(0)
    })

    test('an offer that is accepted and cancelled at the same time has one result', async () => {
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

    test('an item that is traded while a fan puts it on a shelf is shown by its owner alone', async () => {
      const shelvesOf = ({ body }: Answer) =>
        (body.shelves as { items: Item[] }[]).flatMap(({ items }) => items.map(item => item.collectibleId))
      for (let round = 0; round < 8; round++) {
        const [kept, item] = [await newItem(fan(0).id), await newItem(fan(0).id)]
        const id = await offer(round, 0, 1, [item])
        const shelf = (...items: Item[]) => ({ title: '', theme: 'night', shelves: [{ title: '', items }] })
        const [accepted, written] = await Promise.all([
          accept(round, 1, id),
          call(round + 1, fan(0).token, 'PUT', '/api/user/locker', shelf(kept, item)),
        ])
        expect(accepted.status).toBe(200)
        expect([200, 409]).toContain(written.status)
        const locker = await call(round, fan(2).token, 'GET', `/api/lockers/${fan(0).handle}`)
        expect(locker.status === 200 ? shelvesOf(locker) : []).not.toContain(item.collectibleId)
        const own = await call(round, fan(0).token, 'GET', '/api/user/locker')
        expect(shelvesOf(own)).toEqual(written.status === 200 ? [kept.collectibleId] : shelvesBefore)
        shelvesBefore = shelvesOf(own)
        const again = await call(round, fan(0).token, 'PUT', '/api/user/locker', shelf(item))
        expect(again.body.code).toBe('item_not_owned')
        expect((await call(round, fan(1).token, 'PUT', '/api/user/locker', shelf(item))).status).toBe(200)
      }
    })

    test('an offer that is accepted while its fan is suspended is accepted before, or not at all', async () => {
      for (let round = 0; round < 6; round++) {
        const from = await processes.fan(50 + round)
        const item = await newItem(from.id)
        const made = await call(round, from.token, 'POST', '/api/trades', { to: fan(1).handle, give: [item] })
        const decision = { kind: 'suspend', reason: 'spam', decidedBy: 'Ana', fanId: from.id } as const
        const until = new Date(Date.now() + 86_400_000)
        const [accepted] = await Promise.all([
          accept(round, 1, String(made.body.id)),
          processes.db.write(tx => recordDecision(tx, { ...decision, until })),
        ])
        const owner = accepted.status === 200 ? fan(1).id : from.id
        expect(accepted.body.code ?? 'completed').toBe(
          accepted.status === 200 ? 'completed' : 'fan_cannot_trade',
        )
        expect([await ownerOf(item), await linksOf(item)]).toEqual([
          [owner],
          accepted.status === 200 ? [owner] : [],
        ])
        const late = await accept(round + 1, 1, String(made.body.id))
        expect(late.body.code ?? late.body.status).toBe(
          accepted.status === 200 ? 'completed' : 'fan_cannot_trade',
        )
      }
    })

    test('an offer that is accepted while one blocks the other is accepted before, or not at all', async () => {
      for (let round = 0; round < 6; round++) {
        const [from, to] = [await processes.fan(60 + 2 * round), await processes.fan(61 + 2 * round)]
        const item = await newItem(from.id)
        const made = await call(round, from.token, 'POST', '/api/trades', { to: to.handle, give: [item] })
        const id = String(made.body.id)
        const acceptIt = (n: number) => call(n, to.token, 'POST', `/api/trades/${id}/accept`, { version: 1 })
        const [accepted, blocked] = await Promise.all([
          acceptIt(round),
          call(round + 1, from.token, 'PUT', `/api/user/blocks/${to.handle}`, {}),
        ])
        expect(blocked.status).toBe(204)
        const isAccepted = accepted.status === 200
        if (!isAccepted) expect(accepted.body.code).toBe('trade_not_found')
        expect(await ownerOf(item)).toEqual([isAccepted ? to.id : from.id])
        expect((await acceptIt(round + 1)).body.code).toBe('trade_not_found')
        expect(await linksOf(item)).toEqual(isAccepted ? [to.id] : [])
      }
    })

    // The clock of the process that merges stands still: that of the one that accepts is ahead.
    test.each([
      ['giver', 100],
      ['taker', 130],
    ] as const)(
      'an offer that is accepted while its %s is merged is accepted before, or not at all',
      async (who, first) => {
        for (let round = 0; round < 6; round++) {
          const at = first + 3 * round
          const [from, to, into] = [
            await processes.fan(at),
            await processes.fan(at + 1),
            await processes.fan(at + 2),
          ]
          const item = await newItem(from.id)
          const made = await call(round, from.token, 'POST', '/api/trades', { to: to.handle, give: [item] })
          const path = `/api/trades/${String(made.body.id)}/accept`
          const merged = who === 'giver' ? from : to
          const request = { from: merged.id, into: into.id, mergedBy: 'Ana', reason: 'two accounts' }
          const [accepted] = await Promise.all([
            call(round, to.token, 'POST', path, { version: 1 }),
            processes.db.write(tx => mergeFans(tx, request)),
          ])
          const isAccepted = accepted.status === 200
          expect([200, 401, 404, 409]).toContain(accepted.status)
          const taker = who === 'taker' ? into : to
          const owners = who === 'taker' ? [to, into] : [to]
          if (isAccepted) expect(await linksOf(item)).toEqual(owners.map(({ id }) => id))
          expect(await ownerOf(item)).toEqual([isAccepted ? taker.id : who === 'giver' ? into.id : from.id])
        }
        expect((await verifyLedger(processes.db)).findings).toBe(0)
      },
    )
  })
}
