/**
 * Roles that may not see money find none in any response of the console. Every operation that reads is called, with ids of a
 * fan who has orders, payments, cash and a refund that is due. New operations are in it by themselves.
 */
import { beforeAll, describe, expect, test } from 'bun:test'
import { insertRows } from '../../db/bulk.ts'
import type { TSchema } from '../../src/core/typebox.ts'
import { weekNumber } from '../../src/figures/season/tally.ts'
import { mayDo, ROLES, type Role, seesMoney } from '../../src/identity/staff/roles.ts'
import { createConsoleApi } from '../../src/operate/console/app.ts'
import { consoleDeclaredOf } from '../../src/operate/console/contract/operation.ts'
import { declaredOf } from '../../src/platform/http/contract/operation.ts'
import { namedFan } from '../identity/relations/relations-world.ts'
import { expectStatus, patientFan } from '../play/packs/packs-world.ts'
import { addQuestion } from '../play/questions/questions-world.ts'
import { addStock, buyWithMoney, checkout, completeOrder } from '../play/shop/orders-world.ts'
import { cashEnv, topUp } from '../play/top-ups/cash-world.ts'
import { onEachEngine } from '../support/world.ts'
import { consoleOf } from './support.ts'

/** Primes that stand for nothing else: sums of fans, none of which is a price of the catalogue. */
const [PRICE, TOPPED_UP, PROMOTED, SOLD] = [7_919, 40_009, 70_001, 80_021]
const AMOUNTS = { paid: 3 * PRICE, due: 2 * PRICE, toppedUp: TOPPED_UP, promoted: PROMOTED, sold: SOLD }
const ALL = [...Object.values(AMOUNTS), TOPPED_UP + PROMOTED]

/** The amounts that a text has, as numbers of minor units or as decimals. */
function amountsIn(text: string): number[] {
  const found = new Set(text.match(/\d+(\.\d\d)?/g) ?? [])
  return ALL.filter(amount => found.has(String(amount)) || found.has((amount / 100).toFixed(2)))
}

/** Whether a schema has amounts with their currency in it. */
function hasMoney(schema: TSchema): boolean {
  const { properties = {} } = schema
  if ('currency' in properties && Object.values<TSchema>(properties).some(({ type }) => type === 'integer'))
    return true
  return Object.values(schema).some(part => (Array.isArray(part) ? part.some(isMoneyIn) : isMoneyIn(part)))
}
const isMoneyIn = (part: unknown): boolean =>
  typeof part === 'object' && part !== null && hasMoney(part as TSchema)

/** Prices of what is for sale: apps show them to everybody. */
const isOfCatalogue = (id: string) => id.includes('Catalogue')

onEachEngine(
  'money in the console',
  world => {
    const { as } = consoleOf(world)
    /** Values for the parameters of paths; a new one needs a value here. */
    const values: Record<string, string> = {}
    const queries: Record<string, string> = {}

    beforeAll(async () => {
      const [fan, reporter] = [await namedFan(world), await namedFan(world)]
      const { id: fanId, handle } = fan
      const report = { subject: { kind: 'fan', id: handle }, reason: 'spam' }
      const { id: caseId } = expectStatus(201, await reporter.post('/api/reports', report))
      const productId = await addStock(world, 3, { price: { amount: PRICE, currency: 'EUR' } })
      const order = await buyWithMoney(fan, { productId, quantity: 3 })
      await topUp(fan, TOPPED_UP)
      const given = { amount: PROMOTED, currency: 'EUR', ref: 'welcome', reason: 'A new member.' }
      expectStatus(200, await as('finance').post(`/api/fans/${fanId}/cash`, given))
      await dueRefund()
      const { eventId, source } = (
        await as('owner').get(`/api/fans/${fanId}/timeline?kind=orders`)
      ).body.items
        .map(({ event }: { event: { source: string; eventId: string } | null }) => event)
        .find((event: unknown) => event !== null)
      const week = weekNumber(world.clock.now())
      await world.db.write(tx =>
        insertRows(tx, tx.tables.seasonCounts, [
          ...[{ kind: 'product.times', bucket: week, name: productId, amount: 3, stated: false }],
          ...[{ kind: 'product.sum', bucket: week, name: `EUR ${productId}`, amount: SOLD, stated: false }],
        ]),
      )
      Object.assign(values, { fanId, orderId: order.id, matchId: await world.match(), kind: 'product' })
      Object.assign(values, {
        entryId: productId,
        revision: '1',
        fan: fanId,
        code: 'unknown',
        caseId,
      })
      const league = { name: 'Friends', scoring: 'points', format: 'table', from: 'join' }
      const { id: leagueId } = expectStatus(201, await fan.post('/api/leagues', league))
      Object.assign(values, {
        leagueId,
        runId: 'unknown',
        pictureId: '5e'.repeat(32),
        endpointId: 'unknown',
        questionId: await addQuestion(world),
        campaignId: 'unknown',
        accountId: 'unknown',
        lane: 'event',
        sequence: '1',
        number: '999999',
      })
      Object.assign(queries, {
        readNamedEntries: '?lang=en',
        forecastMatch: '?homeScore=1&awayScore=0&kickoffAt=2026-08-15T20:00:00Z',
        countWebhookReplay: '?since=2026-08-01T00:00:00Z',
        searchFans: `?text=${order.id}`,
        explainFanEvent: `?source=${source}&eventId=${encodeURIComponent(eventId)}`,
      })
    })

    /** A payment that arrives when nothing is left. */
    async function dueRefund() {
      const [late, other] = [await patientFan(world), await patientFan(world)]
      const productId = await addStock(world, 2, { price: { amount: PRICE, currency: 'EUR' } })
      const { id } = expectStatus(201, await checkout(late, { productId, quantity: 2 }))
      world.clock.advance(30 * 60_000)
      await buyWithMoney(other, { productId, quantity: 2 })
      const receipt = await late.post('/api/sandbox/receipts', { purchaseId: id, kind: 'paid' })
      expectStatus(409, await completeOrder(late, id, receipt.body.paymentReference))
    }

    const operations = () =>
      createConsoleApi(world.deps).routes.flatMap(route => {
        const [declared, ofConsole] = [declaredOf(route), consoleDeclaredOf(route)]
        if (!declared || !ofConsole) return []
        const { id, responses } = declared
        const money = Object.values(responses).some(hasMoney)
        return [{ id, method: route.method, path: route.path, permission: ofConsole.permission, money }]
      })
    const reads = (role: Role) =>
      operations().filter(({ method, permission }) => method === 'GET' && mayDo(role, permission))
    const pathOf = ({ id, path }: { id: string; path: string }) =>
      path.replace(/:(\w+)/g, (_, name: string) => {
        const value = values[name]
        if (value === undefined) throw new Error(`${id}: the test has no value for :${name}`)
        return value
      }) + (queries[id] ?? '')
    /** The amounts in the responses of all operations that the role can read, by operation. */
    async function amountsFor(role: Role): Promise<Map<string, number[]>> {
      const seen = new Map<string, number[]>()
      for (const operation of reads(role)) {
        const { status, body } = await as(role).get(pathOf(operation))
        // 409: the gate of the match is closed.
        expect([operation.id, [200, 204, 404, 409].includes(status)]).toEqual([operation.id, true])
        seen.set(operation.id, amountsIn(JSON.stringify(body)))
      }
      return seen
    }

    const blind = ROLES.filter(role => !seesMoney(role))
    test('some roles see money, and some do not', () => {
      expect(blind).toEqual(['editor', 'moderator'])
    })

    describe.each(blind.map(role => [role] as const))('for %s', role => {
      test('no response has an amount of money', async () => {
        const found = [...(await amountsFor(role))].filter(([, amounts]) => amounts.length > 0)
        expect(found).toEqual([])
      })

      test('nothing that the role can write answers with money', () => {
        const written = operations().filter(
          ({ id, method, permission, money }) =>
            money && method !== 'GET' && !isOfCatalogue(id) && mayDo(role, permission),
        )
        expect(written).toEqual([])
      })
    })

    test('each operation that can answer with money is compared with one that has', async () => {
      const seen = await amountsFor('owner')
      const silent = operations().filter(
        ({ id, method, permission, money }) =>
          money &&
          method === 'GET' &&
          !isOfCatalogue(id) &&
          blind.some(role => mayDo(role, permission)) &&
          !seen.get(id)?.length,
      )
      expect(silent.map(({ id }) => id)).toEqual([])
      expect(seen.get('readFan')).toContain(TOPPED_UP + PROMOTED)
      expect(seen.get('readFanTimeline')).toEqual(expect.arrayContaining([AMOUNTS.paid, TOPPED_UP, PROMOTED]))
      expect(seen.get('readOverview')).toContain(AMOUNTS.due)
    })

    test('the stream of figures has the sums of refunds only for roles that see money', async () => {
      expect((await as('support').get('/api/overview/live')).body.refundsDue.sums).toEqual([
        { currency: 'EUR', amount: AMOUNTS.due },
      ])
      const { refundsDue } = (await as('editor').get('/api/overview/live')).body
      expect(refundsDue).toEqual({ sums: null, since: expect.any(String) })
    })
  },
  { env: cashEnv },
)
