/** Two processes on one database, one of which is killed while fans trade: no item is lost or doubled, and nothing acknowledged. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { verifyLedger } from '../../src/audit/runs/verify-ledger.ts'
import { seededNumbers } from '../economy/leaderboard/board-model.ts'
import { createClock } from '../support/clock.ts'
import { engines, type TemporaryDatabase } from '../support/engines.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from '../support/processes.ts'
import { itemFaults, readItemRows } from './item-invariants.ts'

const [FANS, ITEMS, ROUNDS] = [6, 18, 4]
const SEED = 20260815

interface Fan {
  id: string
  handle: string
  token: string
}

for (const engine of engines) {
  describe(`Trades while a process is killed (${engine.name})`, () => {
    const pick = seededNumbers(SEED)
    let temporary: TemporaryDatabase
    let provider: RunningProvider
    let apis: RunningApi[]
    const fans: Fan[] = []
    const startOne = () =>
      startApi({
        DATABASE_URL: temporary.url ?? '',
        IDP_ISSUER: provider.issuer,
        TRADE_REST_HOURS: '0',
        OPEN_TRADES_PER_FAN: '1000',
        RATE_LIMITS: 'trades=100000',
      })

    beforeAll(async () => {
      temporary = await engine.open(createClock())
      provider = await startProvider({ fans: FANS + 1 })
      apis = [await startOne(), await startOne()]
      for (let n = 1; n <= FANS; n++) {
        const [token, handle] = [
          await provider.idp.issueToken(`fan-${String(n).padStart(4, '0')}`),
          `fan_${n}`,
        ]
        const profile = await call(token, 'POST', '/api/user/profile', { handle })
        fans.push({ id: String(profile?.body.id), handle, token })
      }
      await temporary.db.write(async tx => {
        const text = { name: '', description: '', rarity: 'common', createdAt: tx.now(), updatedAt: tx.now() }
        await tx.insert(tx.tables.collectibles).values({ id: 'card', ...text, minted: ITEMS })
        const items = Array.from({ length: ITEMS }, (_, n) => ({
          ...{ collectibleId: 'card', serialNumber: n + 1, givenFor: `gift ${n}`, createdAt: tx.now() },
          userId: fans[n % FANS]?.id ?? '',
        }))
        await tx.insert(tx.tables.userItems).values(items)
      })
    })

    afterAll(async () => {
      await Promise.all(apis.map(api => api.stop()))
      await provider.stop()
      await temporary.remove()
    })

    /** To one of the processes. Null without a response. */
    async function call(token: string, method: string, path: string, body: unknown) {
      try {
        const response = await fetch(`${apis[pick(2)]?.origin}${path}`, {
          method,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
        return { status: response.status, body: (await response.json()) as Record<string, unknown> }
      } catch {
        return null
      }
    }

    const readRows = () => readItemRows(temporary.db)

    /** Offers, or ends an open offer, as often as there are responses, until `isOver`. */
    async function trade(fan: Fan, acknowledged: Map<string, string>, isOver: () => boolean) {
      while (!isOver()) {
        const { userItems, trades } = await readRows()
        const own = userItems.filter(({ ownerId, userId }) => (ownerId ?? userId) === fan.id)
        const others = userItems.filter(({ ownerId, userId }) => (ownerId ?? userId) !== fan.id)
        const open = trades.filter(
          ({ status, fromId, toId }) => status === 'open' && (fromId === fan.id || toId === fan.id),
        )
        const chosen = open[pick(open.length)]
        const wanted = others[pick(others.length)]
        const given = own[pick(own.length)]
        const to = fans.find(({ id }) => id === (wanted?.ownerId ?? wanted?.userId))
        const item = ({ collectibleId, serialNumber }: (typeof userItems)[number]) => ({
          collectibleId,
          serialNumber,
        })
        const isOffer = (!chosen || pick(3) === 0) && given && wanted && to
        // Without an item and without an offer, until another fan gives something.
        if (!isOffer && !chosen) {
          await call(fan.token, 'GET', '/api/user/trades', undefined)
          continue
        }
        const verb = chosen?.fromId === fan.id ? 'cancel' : pick(4) === 0 ? 'decline' : 'accept'
        const answer = await (isOffer
          ? call(fan.token, 'POST', '/api/trades', {
              ...{ to: to.handle, give: [item(given)] },
              want: pick(2) === 0 ? [] : [item(wanted)],
            })
          : call(
              fan.token,
              'POST',
              `/api/trades/${chosen?.id}/${verb}`,
              verb === 'accept' ? { version: 1 } : {},
            ))
        if (!answer) return
        if (answer.status < 300) acknowledged.set(String(answer.body.id), String(answer.body.status))
        else expect(answer.status).toBe(409)
      }
    }

    test(`${ROUNDS} times: no item is lost or copied, and each owner is the one of the item’s history`, async () => {
      const acknowledged = new Map<string, string>()
      for (let round = 0; round < ROUNDS; round++) {
        const target = acknowledged.size + 10 + pick(20)
        const over = Promise.withResolvers<void>()
        let isOver = false
        const watched = Object.assign(acknowledged, {
          set(id: string, status: string) {
            Map.prototype.set.call(acknowledged, id, status)
            if (acknowledged.size >= target) over.resolve()
            return acknowledged
          },
        })
        const clients = fans.map(fan => trade(fan, watched, () => isOver))
        await Promise.race([over.promise, Promise.all(clients)])
        const victim = pick(2)
        await apis[victim]?.stop('SIGKILL')
        isOver = true
        await Promise.all(clients)
        apis[victim] = await startOne()
        const rows = await readRows()
        expect(itemFaults(rows)).toEqual([])
        expect(rows.userItems).toHaveLength(ITEMS)
        const states = new Map(rows.trades.map(({ id, status }) => [id, status]))
        for (const [id, status] of acknowledged)
          expect([id, status === 'open' ? states.has(id) : states.get(id)]).toEqual([
            id,
            status === 'open' ? true : status,
          ])
      }
      const { trades } = await readRows()
      expect(trades.filter(({ status }) => status === 'completed').length).toBeGreaterThan(5)
      expect((await verifyLedger(temporary.db)).findings).toBe(0)
    })
  })
}
