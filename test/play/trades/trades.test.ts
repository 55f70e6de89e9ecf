/** Trades and gifts: what moves, what is refused, and what each fan reads. */
import { expect, test } from 'bun:test'
import { eq, inArray } from 'drizzle-orm'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import type { Finding } from '../../../src/core/finding.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { recordDecision } from '../../../src/identity/sanctions/decisions.ts'
import { storeAge } from '../../../src/identity/users/age.ts'
import { findProvenanceFlaw } from '../../../src/play/packs/provenance-chain.ts'
import { deleteEndedTrades } from '../../../src/play/trades/end.ts'
import { block, type NamedFan, namedFan, remove } from '../../identity/relations/relations-world.ts'
import { countStatements } from '../../support/queries.ts'
import { onEachEngine } from '../../support/world.ts'
import { expectStatus, refusal } from '../packs/packs-world.ts'
import { accept, drawnItem, type Item, offer, ownedBy } from './trades-world.ts'

const HOUR = 3_600_000

onEachEngine(
  'A trade',
  world => {
    const pair = async (): Promise<[NamedFan, NamedFan]> => [await namedFan(world), await namedFan(world)]

    /** One item of each, offered by the first fan for that of the second. */
    async function offered() {
      const [a, b] = await pair()
      const [given, wanted] = [await drawnItem(world, a), await drawnItem(world, b)]
      const trade = expectStatus(201, await offer(a, b.handle, [given], [wanted]))
      return { a, b, given, wanted, trade }
    }

    const read = async (fan: NamedFan, id: string) => expectStatus(200, await fan.get(`/api/trades/${id}`))

    const suspend = ({ id }: NamedFan) =>
      world.db.write(tx => {
        const until = new Date(tx.now().getTime() + HOUR)
        return recordDecision(tx, { fanId: id, kind: 'suspend', reason: 'spam', decidedBy: 'desk', until })
      })

    test('swaps the items of both fans when it is accepted', async () => {
      const { a, b, given, wanted, trade } = await offered()
      expect(trade).toMatchObject({
        ...{ from: a.handle, to: b.handle, give: [given], want: [wanted] },
        ...{ status: 'open', version: 1, endedAt: null },
      })
      // As the test's packs name their items.
      const rarity = given.collectibleId.replace(/^pack-\d+-/, '')
      expect(trade.give).toEqual([{ ...given, name: rarity, imageUrl: null, rarity }])
      expect(await ownedBy(a)).toEqual([given.collectibleId])
      const completed = expectStatus(200, await accept(b, trade))
      expect(completed).toMatchObject({
        ...trade,
        status: 'completed',
        version: 2,
        endedAt: expect.any(String),
      })
      expect([await ownedBy(a), await ownedBy(b)]).toEqual([[wanted.collectibleId], [given.collectibleId]])
      for (const fan of [a, b]) {
        expect(await read(fan, trade.id)).toEqual(completed)
        expect((await fan.get('/api/user/trades')).body.trades).toEqual([completed])
      }
      for (const { collectibleId, serialNumber } of [given, wanted]) {
        const path = `/api/collectibles/${collectibleId}/serials/${serialNumber}/provenance`
        const history = expectStatus(200, await world.anonymous.get(path))
        expect(history.transfers).toMatchObject([{ ref: `trade:${trade.id}` }])
        expect(findProvenanceFlaw(history)).toBeNull()
      }
      expect((await verifyLedger(world.db)).findings).toBe(0)
      expect(expectStatus(200, await accept(b, trade))).toEqual(completed)
    })

    test('is refused for an item of a pack that is not tradable, from the moment when the club says so', async () => {
      const { a, b, given, wanted, trade } = await offered()
      const tradable = async ({ collectibleId }: Item, value: boolean) => {
        const { packs } = world.db.tables
        const packId = collectibleId.replace(/-[a-z]+$/, '')
        await world.db.write(tx => tx.update(packs).set({ tradable: value }).where(eq(packs.id, packId)))
      }
      const untradableOf = async (fan: NamedFan) =>
        expectStatus(200, await fan.get('/api/user/collection')).items.map(
          ({ untradable }: Item & { untradable: number[] }) => untradable,
        )
      await tradable(given, false)
      const refused = await accept(b, trade)
      expect(refusal(refused)).toEqual([409, 'item_not_tradable'])
      expect(refused.body).toMatchObject({ ...given })
      expect(await read(a, trade.id)).toMatchObject({ status: 'open' })
      expect(refusal(await offer(a, b.handle, [given]))).toEqual([409, 'item_not_tradable'])
      expect(refusal(await offer(b, a.handle, [wanted], [given]))).toEqual([409, 'item_not_tradable'])
      expect([await untradableOf(a), await untradableOf(b)]).toEqual([[[given.serialNumber]], [[]]])
      await tradable(given, true)
      expectStatus(200, await accept(b, trade))
    })

    test('is a gift when it wants nothing', async () => {
      const [a, b] = await pair()
      const item = await drawnItem(world, a)
      const trade = expectStatus(201, await a.post('/api/trades', { to: b.handle, give: [item] }))
      expectStatus(200, await accept(b, trade))
      expect([await ownedBy(a), await ownedBy(b)]).toEqual([[], [item.collectibleId]])
    })

    test('records the events of both fans', async () => {
      const { a, b, trade } = await offered()
      expectStatus(200, await accept(b, trade))
      const { events } = world.db.tables
      const rows = (await world.db.read.select().from(events)).filter(({ data }) => data?.includes(trade.id))
      const found = rows.map(({ userId, type, data }) => [userId, type, JSON.parse(data ?? '').role])
      expect(found.toSorted()).toEqual(
        [a, b]
          .flatMap(({ id }) =>
            ['trade.offered', 'trade.completed'].map(type => [id, type, id === a.id ? 'from' : 'to']),
          )
          .toSorted(),
      )
    })

    test.each([
      ['decline', 'declined', 'b'],
      ['cancel', 'cancelled', 'a'],
    ] as const)('ends without moving anything by %s, once', async (verb, status, by) => {
      const { trade, ...fans } = await offered()
      const [one, other] = by === 'a' ? [fans.a, fans.b] : [fans.b, fans.a]
      expect(refusal(await other.post(`/api/trades/${trade.id}/${verb}`))).toEqual([404, 'trade_not_found'])
      const ended = expectStatus(200, await one.post(`/api/trades/${trade.id}/${verb}`))
      expect(ended).toMatchObject({ status, version: 2 })
      expect(expectStatus(200, await one.post(`/api/trades/${trade.id}/${verb}`))).toEqual(ended)
      expect(refusal(await accept(fans.b, { id: trade.id, version: 2 }))).toEqual([409, 'trade_not_open'])
      const opposite = verb === 'decline' ? 'cancel' : 'decline'
      expect(refusal(await other.post(`/api/trades/${trade.id}/${opposite}`))).toEqual([
        409,
        'trade_not_open',
      ])
      expect(await ownedBy(fans.a)).toEqual([fans.given.collectibleId])
    })

    test('an offer that changed between reading and accepting is refused', async () => {
      const { a, b, given, trade } = await offered()
      expect(refusal(await accept(b, { id: trade.id, version: 2 }))).toEqual([409, 'trade_changed'])
      expectStatus(200, await a.post(`/api/trades/${trade.id}/cancel`))
      expect(refusal(await accept(b, trade))).toEqual([409, 'trade_changed'])
      expect(await ownedBy(a)).toEqual([given.collectibleId])
    })

    test('is not found by a fan whose record does not exist yet, in any operation', async () => {
      const { trade } = await offered()
      for (const end of ['accept', 'decline', 'cancel']) {
        const fan = await world.fan()
        const answer = await fan.post(
          `/api/trades/${trade.id}/${end}`,
          end === 'accept' ? { version: 1 } : {},
        )
        expect([end, ...refusal(answer)]).toEqual([end, 404, 'trade_not_found'])
      }
    })

    test('is not offered to a fan that moderators have hidden, as if the handle were nobody’s', async () => {
      const [a, b] = await pair()
      const item = await drawnItem(world, a)
      const about = { fanId: b.id, reason: 'spam', decidedBy: 'desk' } as const
      const { id: liftsId } = await world.db.write(tx => recordDecision(tx, { ...about, kind: 'hide' }))
      const [refused, missing] = [await offer(a, b.handle, [item]), await offer(a, 'nobody_here', [item])]
      expect(refusal(refused)).toEqual([404, 'fan_not_found'])
      expect({ ...refused.body, requestId: '' }).toEqual({ ...missing.body, requestId: '' })
      await world.db.write(tx => recordDecision(tx, { ...about, kind: 'lift', liftsId }))
      expectStatus(201, await offer(a, b.handle, [item]))
    })

    test('that moved nothing is deleted 30 days after its time; a completed one is kept', async () => {
      const [declined, completed] = [await offered(), await offered()]
      expectStatus(200, await declined.b.post(`/api/trades/${declined.trade.id}/decline`, {}))
      await accept(completed.b, completed.trade)
      const { trades, tradeItems } = world.db.tables
      const ids = [declined, completed].map(({ trade }) => trade.id)
      const endIn = (ms: number) => {
        const expiresAt = new Date(world.clock.ms + ms - 30 * 24 * HOUR)
        return world.db.write(tx => tx.update(trades).set({ expiresAt }).where(inArray(trades.id, ids)))
      }
      await endIn(1)
      expect(await deleteEndedTrades(world.db)).toBe(0)
      await endIn(0)
      expect(await deleteEndedTrades(world.db)).toBe(1)
      const ofDeclined = eq(tradeItems.tradeId, declined.trade.id)
      expect(await world.db.read.select().from(tradeItems).where(ofDeclined)).toEqual([])
      expect((await declined.a.get(`/api/trades/${declined.trade.id}`)).status).toBe(404)
      expect(await read(completed.a, completed.trade.id)).toMatchObject({ status: 'completed' })
    })

    test('expires after 7 days by the clock', async () => {
      const { a, b, trade } = await offered()
      const { trades } = world.db.tables
      const expiresAt = new Date(world.clock.ms)
      expect(Date.parse(trade.expiresAt) - Date.parse(trade.createdAt)).toBe(7 * 24 * HOUR)
      await world.db.write(tx => tx.update(trades).set({ expiresAt }))
      expect(await read(a, trade.id)).toMatchObject({ status: 'expired', version: 1, endedAt: null })
      expect(refusal(await accept(b, trade))).toEqual([409, 'trade_not_open'])
      expect(refusal(await a.post(`/api/trades/${trade.id}/cancel`))).toEqual([409, 'trade_not_open'])
    })

    test('becomes void when an item has left, and moves none of the others', async () => {
      const [a, b] = await pair()
      const c = await namedFan(world)
      const [first, second, wanted] = [
        await drawnItem(world, a),
        await drawnItem(world, a),
        await drawnItem(world, b),
      ]
      const trade = expectStatus(201, await offer(a, b.handle, [first, second], [wanted]))
      expectStatus(200, await accept(c, expectStatus(201, await offer(a, c.handle, [second]))))
      expect(refusal(await accept(b, trade))).toEqual([409, 'item_not_owned'])
      expect(await read(b, trade.id)).toMatchObject({ status: 'void', version: 2 })
      expect(await ownedBy(a)).toEqual([first.collectibleId])
      expect(await ownedBy(b)).toEqual([wanted.collectibleId])
    })

    test('is refused for an item that changed owner a short time ago, and possible later', async () => {
      const { a, b, given, trade } = await offered()
      expectStatus(200, await accept(b, trade))
      const refused = await offer(b, a.handle, [given])
      expect(refusal(refused)).toEqual([409, 'item_resting'])
      expect(refused.body).toMatchObject({
        ...given,
        until: new Date(world.clock.ms + 24 * HOUR).toISOString(),
      })
      const restingOf = async () => expectStatus(200, await b.get('/api/user/collection')).items[0].resting
      const { serialNumber } = given
      expect(await restingOf()).toEqual([{ serialNumber, until: refused.body.until }])
      const { userItems } = world.db.tables
      const changedHandsAt = new Date(world.clock.ms - 24 * HOUR)
      await world.db.write(tx => tx.update(userItems).set({ changedHandsAt }))
      expect(await restingOf()).toEqual([])
      const back = expectStatus(201, await offer(b, a.handle, [given]))
      await world.db.write(tx => tx.update(userItems).set({ changedHandsAt: new Date(world.clock.ms) }))
      expect(refusal(await accept(a, back))).toEqual([409, 'item_resting'])
      expect((await read(a, back.id)).status).toBe('open')
      await world.db.write(tx => tx.update(userItems).set({ changedHandsAt }))
      expectStatus(200, await accept(a, back))
    })

    test.each([
      ['profile', { profile: 'private' }],
      ['name on leaderboards', { leaderboardName: 'anonymous' }],
    ])(
      'does not disclose that a fan without a public %s owns an item, unless it is on a shelf',
      async (_, privacy) => {
        const [a, b] = await pair()
        const [given, shelved, kept] = [
          await drawnItem(world, a),
          await drawnItem(world, b),
          await drawnItem(world, b),
        ]
        expectStatus(200, await b.patch('/api/user/privacy', privacy))
        const shelves = [{ title: '', items: [shelved] }]
        expectStatus(200, await b.put('/api/user/locker', { title: '', theme: 'night', shelves }))
        const other = await drawnItem(world, await namedFan(world))
        const own = await offer(a, b.handle, [given], [kept])
        const foreign = await offer(a, b.handle, [given], [other])
        expect(refusal(own)).toEqual([409, 'item_not_owned'])
        const told = (item: Item) => `Copy ${item.serialNumber} of ${item.collectibleId} `
        expect(own.body).toEqual({
          ...foreign.body,
          requestId: expect.any(String),
          detail: foreign.body.detail.replace(told(other), told(kept)),
        })
        expectStatus(201, await offer(a, b.handle, [given], [shelved]))
        expect(refusal(await offer(a, b.handle, [given], [shelved, kept]))).toEqual([409, 'item_not_owned'])
        expectStatus(201, await offer(b, a.handle, [kept], [given]))
      },
    )

    test('is refused with items that are not owned, with yourself, and with a handle that no fan has', async () => {
      const { a, b, given, wanted } = await offered()
      const unknown = { collectibleId: 'nothing', serialNumber: 1 }
      for (const [give, want] of [
        [[wanted], []],
        [[unknown], []],
        [[given], [given].map(item => ({ ...item, serialNumber: 9 }))],
        [[given], [unknown]],
      ] as const)
        expect(refusal(await offer(a, b.handle, [...give], [...want]))).toEqual([409, 'item_not_owned'])
      expect(refusal(await offer(a, a.handle, [given]))).toEqual([409, 'cannot_trade_with_yourself'])
      expect(refusal(await offer(a, 'nobody_at_all', [given]))).toEqual([404, 'fan_not_found'])
      expect(refusal(await offer(a, b.handle, []))).toEqual([422, 'validation_failed'])
      const twice = await offer(a, b.handle, [given], [wanted, wanted])
      expect([refusal(twice), twice.body.errors?.[0]?.pointer]).toEqual([
        [422, 'validation_failed'],
        '/want/1',
      ])
      expect(refusal(await world.anonymous.get('/api/user/trades'))).toEqual([401, 'unauthenticated'])
    })

    test('takes the same statements for five items of each fan as for one', async () => {
      const [a, b] = await pair()
      const draw = async (fan: NamedFan, count: number) => {
        const items: Item[] = []
        for (let n = 0; n < count; n++) items.push(await drawnItem(world, fan))
        return items
      }
      const acceptNew = async (count: number) => {
        const [give, want] = [await draw(a, count), await draw(b, count)]
        const trade = expectStatus(201, await offer(a, b.handle, give, want))
        const statements = await countStatements(world.db, async () =>
          expectStatus(200, await accept(b, trade)),
        )
        expect((await ownedBy(b)).toSorted()).toEqual(
          expect.arrayContaining(give.map(({ collectibleId }) => collectibleId)),
        )
        return statements
      }
      await acceptNew(1)
      expect(await acceptNew(5)).toBe(await acceptNew(1))
      expect((await verifyLedger(world.db)).findings).toBe(0)
    })

    test('that is completed is in the history of its items and of no others: verify-ledger finds what is not', async () => {
      const { a, b, given, wanted, trade } = await offered()
      expectStatus(200, await accept(b, trade))
      const findings = async () => {
        const found: Finding[] = []
        await verifyLedger(world.db, { onFinding: finding => void found.push(finding) })
        return found.map(({ what, expected, actual }) => [what, expected, actual])
      }
      expect(await findings()).toEqual([])
      const { trades, tradeItems } = world.db.tables
      const nameOf = (item: Item) => `${item.collectibleId}/${item.serialNumber}`
      const setStatus = (status: string) => world.db.write(tx => tx.update(trades).set({ status }))
      await setStatus('declined')
      expect((await findings()).toSorted()).toEqual(
        // Its event tells it as well.
        ['', ...[given, wanted].map(item => ` by ${nameOf(item)}`)]
          .map(by => [`trades.status of ${trade.id}${by}`, 'completed', 'declined'])
          .toSorted(),
      )
      await setStatus('completed')
      const other = await drawnItem(world, a)
      const isGiven = eq(tradeItems.collectibleId, given.collectibleId)
      await world.db.write(tx => tx.update(tradeItems).set(other).where(isGiven))
      expect((await findings()).toSorted()).toEqual(
        [
          [`item_transfers.owner_id of ${nameOf(other)} by ${trade.id}`, b.id, null],
          [`trade_items.row of ${trade.id} by ${nameOf(given)}`, given.collectibleId, null],
        ].toSorted(),
      )
    })

    test('is not possible between fans of a block, who do not find it until the block ends', async () => {
      const { a, b, given, trade } = await offered()
      await block(a, b.handle)
      for (const fan of [a, b]) {
        expect(refusal(await fan.get(`/api/trades/${trade.id}`))).toEqual([404, 'trade_not_found'])
        expect((await fan.get('/api/user/trades')).body.trades).toEqual([])
      }
      expect(refusal(await accept(b, trade))).toEqual([404, 'trade_not_found'])
      expect(refusal(await offer(a, b.handle, [given]))).toEqual([404, 'fan_not_found'])
      expect(refusal(await offer(b, a.handle, [given]))).toEqual([404, 'fan_not_found'])
      expectStatus(204, await remove(a, 'blocks', b.handle))
      expectStatus(200, await accept(b, trade))
    })

    test('is not possible with a suspended fan, on either side', async () => {
      const { a, b, wanted, trade } = await offered()
      await suspend(a)
      expect(refusal(await accept(b, trade))).toEqual([409, 'fan_cannot_trade'])
      expect(refusal(await offer(b, a.handle, [wanted]))).toEqual([409, 'fan_cannot_trade'])
      expect(refusal(await a.post(`/api/trades/${trade.id}/cancel`))).toEqual([403, 'suspended'])
      expect((await read(b, trade.id)).status).toBe('open')
      await suspend(b)
      expect(refusal(await accept(b, trade))).toEqual([403, 'suspended'])
    })

    test('is not possible with a fan whose guardian has not agreed, on either side', async () => {
      const { a, b, wanted, trade } = await offered()
      const state = (guardianConsent: boolean) =>
        world.db.write(tx =>
          storeAge(tx, a.id, { ageBand: '13_15', source: 'school', assuredAt: tx.now(), guardianConsent }),
        )
      await state(false)
      expect(refusal(await accept(b, trade))).toEqual([409, 'fan_cannot_trade'])
      expect(refusal(await offer(b, a.handle, [wanted]))).toEqual([409, 'fan_cannot_trade'])
      await state(true)
      expectStatus(200, await accept(b, trade))
    })

    test('becomes void when one of the fans is erased, and keeps no handle of the fan', async () => {
      const { a, b, trade } = await offered()
      await world.db.write(tx => eraseUser(tx, { id: a.id }))
      expect(await read(b, trade.id)).toMatchObject({ from: null, to: b.handle, status: 'void', version: 2 })
      expect(refusal(await accept(b, trade))).toEqual([409, 'trade_changed'])
    })

    test('is listed in pages, newest first, with those that were received', async () => {
      const [a, b] = await pair()
      const [own, others] = [await drawnItem(world, a), await drawnItem(world, b)]
      const ids: string[] = []
      for (const make of [
        () => offer(a, b.handle, [own]),
        () => offer(b, a.handle, [others]),
        () => offer(a, b.handle, [own]),
      ])
        ids.unshift(expectStatus(201, await make()).id)
      const found: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = expectStatus(
          200,
          await a.get(`/api/user/trades?limit=1${cursor && `&cursor=${cursor}`}`),
        )
        found.push(...page.trades.map(({ id }: { id: string }) => id))
        cursor = page.nextCursor
      }
      expect(found).toEqual(ids)
    })
  },
  // One of them counts all findings, and another one makes items older.
  { worldPer: 'test' },
)

onEachEngine(
  'Open offers',
  world => {
    test('have an exact limit per fan, also for concurrent offers, and an offer that ends frees a place', async () => {
      const [a, b] = [await namedFan(world), await namedFan(world)]
      const item = await drawnItem(world, a)
      const answers = await Promise.all(Array.from({ length: 6 }, () => offer(a, b.handle, [item])))
      const codes = answers.map(({ status, body }) => body.code ?? status).toSorted()
      expect(codes).toEqual([201, 201, 201, ...Array(3).fill('too_many_open_trades')])
      const [made] = answers.filter(({ status }) => status === 201)
      expectStatus(200, await a.post(`/api/trades/${made?.body.id}/cancel`))
      expectStatus(201, await offer(a, b.handle, [item]))
      expect(refusal(await offer(a, b.handle, [item]))).toEqual([409, 'too_many_open_trades'])
    })
  },
  { env: { OPEN_TRADES_PER_FAN: '3' } },
)
