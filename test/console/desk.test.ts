/** The desk of the console: a code is looked up, and used once, also with concurrent attempts. */
import { expect, test } from 'bun:test'
import { and, eq } from 'drizzle-orm'
import { type NamedFan, namedFan } from '../identity/relations/relations-world.ts'
import { expectStatus } from '../play/packs/packs-world.ts'
import { ADDRESS, addStock, buyWithMoney, completeOrder, pay } from '../play/shop/orders-world.ts'
import { onEachEngine } from '../support/world.ts'
import { redeemedCode } from './desk-world.ts'
import { consoleOf } from './support.ts'

onEachEngine('the desk of the console', world => {
  const { as } = consoleOf(world)
  const [ana, bruno] = [as('support', 'Ana'), as('support', 'Bruno')]
  const look = (code: string, by = ana) => by.get(`/api/desk/codes/${encodeURIComponent(code)}`)
  const use = (code: string, by = ana, requestId: string = crypto.randomUUID()) =>
    by.post(`/api/desk/codes/${encodeURIComponent(code)}/use`, { requestId })
  const UNDO_REASON = 'The wrong code was scanned.'
  const undo = (fan: NamedFan, code: string) =>
    ana.post(`/api/fans/${fan.id}/undo-use`, { code, reason: UNDO_REASON })
  async function boughtVoucher(product: object = { delivers: {} }) {
    const fan = await namedFan(world)
    const productId = await addStock(world, 5, {
      ...{ kind: 'voucher' as const, price: { amount: 500, currency: 'EUR' } },
      ...product,
    })
    const order = await buyWithMoney(fan, productId)
    return { fan, order, code: String(order.lines[0].vouchers[0].code) }
  }
  const usesOf = async () => {
    const { entries } = (await as('owner').get('/api/audit?operation=useCode&limit=100')).body
    return entries as { subject: { id: string }; detail: object; staff: { name: string } }[]
  }

  test('shows the reward and the fan of the code, and changes nothing', async () => {
    const { fan, code } = await redeemedCode(world)
    for (const typed of [code, code.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o')]) {
      const { status, body } = await look(typed)
      expect(status).toBe(200)
      expect(body).toMatchObject({
        ...{ code, kind: 'reward', state: 'valid', title: 'Home scarf', use: null, orderId: null },
        fan: { id: fan.id, handle: fan.handle },
      })
    }
  })

  test('uses it once, and tells later attempts who used it', async () => {
    const { fan, code, rewardId } = await redeemedCode(world)
    const requestId = crypto.randomUUID()
    expect(await use(code, ana, requestId)).toMatchObject({
      status: 200,
      body: { state: 'used', repeated: false, use: { by: 'Ana', byYou: true } },
    })
    expect(await use(code, bruno)).toMatchObject({ status: 409, body: { code: 'already_used' } })
    expect((await look(code, bruno)).body.use).toMatchObject({ by: 'Ana', byYou: false })
    const [row] = await usesOf()
    expect(row).toMatchObject({
      ...{ staff: { name: 'Ana' }, detail: { requestId, fanId: fan.id, rewardId } },
    })
    // The log lives longer than the code may be worth something.
    expect(JSON.stringify(row)).not.toContain(code)
  })

  test('a repeat after a lost answer succeeds, and another request of the same person does not', async () => {
    const { code } = await redeemedCode(world)
    const requestId = crypto.randomUUID()
    expect((await use(code, ana, requestId)).body.repeated).toBe(false)
    const before = (await usesOf()).length
    expect(await use(code, ana, requestId)).toMatchObject({ status: 200, body: { repeated: true } })
    expect((await use(code, bruno, requestId)).status).toBe(409)
    expect((await use(code, ana)).status).toBe(409)
    expect((await usesOf()).length).toBe(before)
  })

  test('a repeat after the use was undone does not claim the use of a system of the club', async () => {
    const { fan, code } = await redeemedCode(world)
    const requestId = crypto.randomUUID()
    await use(code, ana, requestId)
    expect((await undo(fan, code)).status).toBe(204)
    const key = await world.serverKey(['redemptions:write'], { source: 'gate-8' })
    expect((await world.withToken(key).post(`/api/redemptions/${code}/use`, {})).status).toBe(200)
    expect(await use(code, ana, requestId)).toMatchObject({ status: 409, body: { code: 'already_used' } })
  })

  test('only one of several desks that use a code at the same time succeeds', async () => {
    const { code } = await redeemedCode(world)
    const answers = await Promise.all([ana, bruno, ana, bruno, as('owner')].map(by => use(code, by)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409])
  })

  test('a source of the club is named, and it does not see who of the staff used a code', async () => {
    const [first, second] = [await redeemedCode(world), await redeemedCode(world)]
    const key = await world.serverKey(['redemptions:read', 'redemptions:write'], { source: 'gate-7' })
    const gate = world.withToken(key)
    await gate.post(`/api/redemptions/${first.code}/use`, {})
    expect((await look(first.code)).body.use).toMatchObject({ by: 'gate-7', byYou: false })
    await use(second.code)
    expect((await gate.get(`/api/redemptions/${second.code}`)).body.usedBy).toBe('console')
  })

  test('uses a voucher, and says that one of a refunded order is void', async () => {
    const fan = await namedFan(world)
    const productId = await addStock(world, 5, {
      ...{ kind: 'voucher' as const, delivers: {} },
      price: { amount: 500, currency: 'EUR' },
    })
    const order = await buyWithMoney(fan, productId)
    const { code } = order.lines[0].vouchers[0]
    expect((await look(code)).body).toMatchObject({ kind: 'voucher', orderId: order.id, state: 'valid' })
    expect((await use(code)).body).toMatchObject({ kind: 'voucher', state: 'used' })
    const other = await buyWithMoney(fan, productId)
    const refund = { reason: 'The event was cancelled.' }
    expect((await as('finance').post(`/api/refunds/${other.id}`, refund)).status).toBe(200)
    const voided = await look(other.lines[0].vouchers[0].code)
    expect([voided.status, voided.body.detail]).toEqual([404, expect.stringContaining('refunded')])
  })

  /** The events that systems of the club receive. */
  async function undoneOf({ id }: NamedFan) {
    const { events } = world.db.tables
    const isUndone = and(eq(events.userId, id), eq(events.type, 'reward.use_undone'))
    const rows = await world.db.read.select({ data: events.data }).from(events).where(isUndone)
    return rows.map(({ data }) => JSON.parse(data ?? 'null'))
  }

  test('the use of a voucher is undone, and it can be used again', async () => {
    const { fan, order, code } = await boughtVoucher()
    expect((await undo(fan, code)).body.code).toBe('code_not_used')
    expect((await use(code)).status).toBe(200)
    expect((await undo(fan, code)).status).toBe(204)
    expect((await look(code)).body).toMatchObject({ kind: 'voucher', state: 'valid', use: null })
    expect(await undoneOf(fan)).toEqual([{ rewardId: null, orderId: order.id }])
    const { entries } = (await as('owner').get('/api/audit?operation=undoUseOfFan&limit=1')).body
    expect(entries).toMatchObject([{ subject: { kind: 'fan', id: fan.id }, reason: UNDO_REASON }])
    expect(JSON.stringify(entries)).not.toContain(code)
    expect((await use(code, bruno)).body).toMatchObject({ state: 'used', repeated: false })
  })

  test('a voucher that an order has taken stays used', async () => {
    const { fan, code } = await boughtVoucher({ delivers: { credit: 300 } })
    const productId = await addStock(world, 5, { price: { amount: 500, currency: 'EUR' } })
    const lines = [{ productId, quantity: 1 }]
    const order = expectStatus(
      201,
      await fan.post('/api/checkout', { lines, address: ADDRESS, voucher: code }),
    )
    expectStatus(200, await completeOrder(fan, order.id, await pay(fan, order.id)))
    expect((await look(code)).body.use.by).toStartWith('order:')
    expect((await undo(fan, code)).body.code).toBe('code_not_used')
    expect(await undoneOf(fan)).toEqual([])
  })

  test.each([
    ['reward', () => redeemedCode(world)],
    ['voucher', () => boughtVoucher()],
  ])(
    'undoing the use of a %s races with further uses, and at the end it is used at most once',
    async (_, made) => {
      for (let round = 0; round < 5; round++) {
        const { fan, code } = await made()
        expect((await use(code)).status).toBe(200)
        const [undone, ...uses] = await Promise.all([
          Promise.all([undo(fan, code), undo(fan, code)]),
          use(code, ana),
          use(code, bruno),
          use(code, as('owner')),
        ])
        const succeeded = (answers: { status: number }[]) =>
          answers.filter(({ status }) => status < 300).length
        const left = 1 - succeeded(undone) + succeeded(uses)
        expect([0, 1]).toContain(left)
        expect((await look(code)).body.state).toBe(left === 1 ? 'used' : 'valid')
        expect(await undoneOf(fan)).toHaveLength(succeeded(undone))
      }
    },
  )

  test.each([
    ['0000-0000-0000-0000', 'No reward and no voucher'],
    ['hello', 'This is not a code'],
    ['<img src=x onerror=alert(1)>', 'This is not a code'],
  ])('%s is not found, with the reason', async (code, detail) => {
    const answer = await look(code)
    expect([answer.status, answer.body.code]).toEqual([404, 'redemption_not_found'])
    expect(answer.body.detail).toContain(detail)
    expect((await use(code)).status).toBe(404)
  })
})
