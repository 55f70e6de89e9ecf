/** Orders in the console: lists of what is to be done, shipping, the packing list, refunds. */
import { expect, test } from 'bun:test'
import { DomainError } from '../../src/core/problems.ts'
import { eraseUser } from '../../src/fan/account/erase-user.ts'
import { purchaseProblems } from '../../src/play/purchases/problems.ts'
import {
  addPack,
  balanceOf,
  buyWithMoney as buyPack,
  expectStatus,
  patientFan,
  refusal,
  userIdOf,
} from '../play/packs/packs-world.ts'
import {
  ADDRESS,
  addStock,
  buyWithMoney,
  checkout,
  completeOrder,
  freeStock,
  POINTS,
  pay,
} from '../play/shop/orders-world.ts'
import { payOut, withdraw } from '../play/shop/withdrawals-world.ts'
import { onEachEngine } from '../support/world.ts'
import { consoleOf } from './support.ts'

onEachEngine('orders in the console', world => {
  const { as } = consoleOf(world)
  const [support, finance] = [as('support', 'Ana'), as('finance', 'Bruno')]
  const bought = async (members: Parameters<typeof addStock>[2] = {}) => {
    const fan = await patientFan(world)
    const productId = await addStock(world, 5, members)
    return { fan, productId, order: await buyWithMoney(fan, productId) }
  }
  const listed = async (list: string) => {
    const ids: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await support.get(`/api/orders?list=${list}&limit=2${cursor && `&cursor=${cursor}`}`)
      ids.push(...page.body.orders.map(({ id }: { id: string }) => id))
      cursor = page.body.nextCursor
    }
    return ids
  }
  const change = (orderId: string, body: object, line = 1) =>
    support.put(`/api/orders/${orderId}/lines/${line}`, body)

  test('a line goes through its states, and its order through the lists of work', async () => {
    const { order } = await bought()
    const shipped = { state: 'shipped', carrier: 'CTT', tracking: 'RR1' }
    const steps = [
      ['to_pack', { state: 'ready' }],
      ['to_ship', shipped],
      ['shipped', { state: 'delivered' }],
    ] as const
    for (const [list, next] of steps) {
      expect(await listed(list)).toContain(order.id)
      const { status, body } = await change(order.id, next)
      expect([status, body.lines[0].state]).toEqual([200, next.state])
      expect(await listed(list)).not.toContain(order.id)
    }
    expect((await support.get(`/api/orders/${order.id}`)).body).toMatchObject({ status: 'fulfilled' })
    const { entries } = (await as('owner').get(`/api/audit?subjectKind=order&subjectId=${order.id}`)).body
    expect(entries.map(({ detail }: { detail: { state: string } }) => detail.state)).toEqual([
      ...['delivered', 'shipped', 'ready'],
    ])
  })

  test('products and variants are called by their names', async () => {
    const { order } = await bought({ name: { en: 'Home shirt', pt: 'Camisola' } })
    const { orders } = (await support.get('/api/orders?list=paid&limit=1')).body
    expect(orders[0]).toMatchObject({ id: order.id, products: ['Home shirt'] })
    const { lines } = (await support.get(`/api/orders/${order.id}`)).body
    expect(lines[0]).toMatchObject({ productName: 'Home shirt', variantName: 'One size' })
  })

  test('lists by status go through all pages, newest first', async () => {
    const orders = [await bought(), await bought(), await bought()].map(({ order }) => order.id)
    expect((await listed('paid')).slice(0, 3)).toEqual(orders.toReversed())
    expect((await listed('to_pack')).slice(-3)).toEqual(orders)
  })

  test('a line does not skip a state, and a carrier is needed', async () => {
    const { order } = await bought()
    expect((await change(order.id, { state: 'delivered' })).body.code).toBe('line_state_not_allowed')
    const without = await change(order.id, { state: 'shipped', reason: 'It left.' })
    expect([without.status, without.body.errors[0].pointer]).toEqual([422, '/carrier'])
    expect((await change(order.id, { state: 'ready' }, 9)).body.code).toBe('order_not_found')
  })

  test('staff who ship see the address; the audit log does not contain it', async () => {
    const { order } = await bought()
    const { body } = await support.get(`/api/orders/${order.id}`)
    expect(body).toMatchObject({ address: { line1: ADDRESS.line1 }, addressHidden: false })
    await change(order.id, { state: 'ready', reason: 'Packed.' })
    const { entries } = (await as('owner').get(`/api/audit?subjectId=${order.id}`)).body
    expect(JSON.stringify(entries)).not.toContain(ADDRESS.line1)
    expect((await as('moderator').get(`/api/orders/${order.id}`)).body.code).toBe('permission_denied')
  })

  test('receipt and credit notes are listed, and each is a page in the language of the fan', async () => {
    const fan = await patientFan(world)
    expectStatus(201, await fan.post('/api/user/profile', { displayName: 'Amal', locale: 'ar' }))
    const [scarf, mug] = [await addStock(world, 5), await addStock(world, 5)]
    const { id } = expectStatus(201, await checkout(fan, scarf, mug))
    const list = async (by = support) =>
      expectStatus(200, await by.get(`/api/orders/${id}/receipts`)).receipts
    expect(await list()).toEqual([])
    expectStatus(200, await completeOrder(fan, id, await pay(fan, id)))
    expectStatus(200, await withdraw(fan, id, [1]))
    await payOut(world, id)
    const [receipt, note, ...others] = await list(finance)
    expect(others).toEqual([])
    expect([receipt, note]).toMatchObject([
      { kind: 'receipt', gross: 3_800, currency: 'EUR' },
      { kind: 'credit_note', number: receipt.number + 1, gross: 1_900, currency: 'EUR' },
    ])
    const print = (number: number | string) => support.get(`/api/orders/${id}/receipts/${number}`)
    const [page, notePage] = [await print(receipt.number), await print(note.number)]
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'sha256-")
    expect(page.body).toContain(`<h1>إيصال ${receipt.number}</h1>`)
    expect(page.body).toContain(ADDRESS.line1)
    expect(page.body).not.toContain('إشعار دائن')
    expect(notePage.body).toContain(`<h1>إشعار دائن ${note.number}</h1>`)
    expect(notePage.body).toContain(`<dt>إيصال</dt><dd dir="auto">${receipt.number}</dd>`)
  })

  test('a receipt of another order, and one that there is not, are not found; editors see none', async () => {
    const [{ order }, { order: other }] = [await bought(), await bought()]
    const [receipt] = (await support.get(`/api/orders/${other.id}/receipts`)).body.receipts
    const read = (path: string, by = support) => by.get(`/api/orders/${path}`)
    const numbered = `${order.id}/receipts/${receipt.number}`
    expect(refusal(await read(numbered))).toEqual([404, 'receipt_not_found'])
    expect(refusal(await read('none/receipts/1'))).toEqual([404, 'order_not_found'])
    expect(refusal(await read('none/receipts'))).toEqual([404, 'order_not_found'])
    expect((await read(`${order.id}/receipts/0`)).status).toBe(422)
    for (const role of ['editor', 'moderator'] as const) {
      expect(refusal(await read(`${order.id}/receipts`, as(role)))).toEqual([403, 'permission_denied'])
      expect(refusal(await read(numbered, as(role)))).toEqual([403, 'permission_denied'])
    }
  })

  test('a pack for money has a receipt too, which the timeline of the fan leads to', async () => {
    const fan = await patientFan(world)
    expectStatus(201, await fan.post('/api/user/profile', { displayName: 'Inês', locale: 'pt' }))
    const { id } = await buyPack(fan, await addPack(world, { price: { amount: 1_230, currency: 'EUR' } }))
    const { receipts } = expectStatus(200, await support.get(`/api/orders/${id}/receipts`))
    expect(receipts).toMatchObject([{ kind: 'receipt', gross: 1_230, currency: 'EUR' }])
    const page = await support.get(`/api/orders/${id}/receipts/${receipts[0].number}`)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.body).toContain('lang="pt')
    const userId = (await userIdOf(world, fan)) ?? ''
    const { body } = await support.get(`/api/fans/${userId}/timeline?kind=packs`)
    expect(body.items.map(({ purchaseId }: { purchaseId: string | null }) => purchaseId)).toContain(id)
  })

  test('a receipt stays after an erasure, without the address, in the default language', async () => {
    const { fan, order } = await bought()
    const userId = (await userIdOf(world, fan)) ?? ''
    await world.db.write(tx => eraseUser(tx, { id: userId }))
    const [{ number }] = (await support.get(`/api/orders/${order.id}/receipts`)).body.receipts
    const { status, body } = await support.get(`/api/orders/${order.id}/receipts/${number}`)
    expect(status).toBe(200)
    expect(body).toContain(`<h1>Receipt ${number}</h1>`)
    expect(body).not.toContain(ADDRESS.line1)
  })

  test('the packing list has the lines to pack, and is in the audit log', async () => {
    const fan = await patientFan(world)
    const productId = await addStock(world, 5)
    const formula = { ...ADDRESS, name: '=HYPERLINK("https://evil.example")', line2: 'Flat "2", left' }
    const { id } = expectStatus(
      201,
      await fan.post('/api/checkout', { lines: [{ productId, quantity: 2 }], address: formula }),
    )
    const reference = await fan.post('/api/sandbox/receipts', { purchaseId: id, kind: 'paid' })
    expectStatus(200, await completeOrder(fan, id, reference.body.paymentReference))
    const body = { state: 'none', reason: 'For the warehouse.' }
    const answer = await support.post('/api/orders/packing-list', body)
    expect(answer.headers.get('content-type')).toContain('text/csv')
    const line = String(answer.body)
      .split('\r\n')
      .find(row => row.startsWith(id))
    expect(line).toContain(`,1,${productId},one,`)
    expect(line).toContain(`"'=HYPERLINK(""https://evil.example"")"`)
    expect(line).toContain('"Flat ""2"", left"')
    const { entries } = (await as('owner').get('/api/audit?operation=exportPackingList')).body
    expect(entries[0]).toMatchObject({ reason: 'For the warehouse.', staff: { name: 'Ana' } })
  })

  test('finance refunds an order of points once, also with concurrent attempts', async () => {
    const fan = await patientFan(world, 100)
    const productId = await addStock(world, 5, { price: POINTS })
    const { id } = expectStatus(201, await checkout(fan, productId))
    expectStatus(200, await completeOrder(fan, id))
    expect((await finance.get(`/api/orders/${id}`)).body.refund).toEqual({
      paidBy: 'points',
      consequences: [{ item: 'line 1', consequence: expect.stringContaining('returned to the stock') }],
    })
    const refund = (by = finance) => by.post(`/api/refunds/${id}`, { reason: 'The parcel was lost.' })
    expect((await refund(support)).body.code).toBe('permission_denied')
    const answers = await Promise.all([refund(), refund(as('owner', 'Carla')), refund()])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(answers.filter(({ body }) => body.refunded)).toHaveLength(1)
    expect(await balanceOf(fan)).toMatchObject({ balance: 100 })
    expect(await freeStock(world, productId)).toBe(5)
    const { entries } = (await as('owner').get(`/api/audit?subjectId=${id}`)).body
    expect(entries).toMatchObject([{ operation: 'refundPurchase', reason: 'The parcel was lost.' }])
  })

  test('a payment that arrived too late is listed as due with its age, and refunded by its gateway', async () => {
    const [fan, other] = [await patientFan(world), await patientFan(world)]
    const productId = await addStock(world, 1)
    const { id } = expectStatus(201, await checkout(fan, productId))
    world.clock.advance(30 * 60_000)
    await buyWithMoney(other, productId)
    const receipt = await fan.post('/api/sandbox/receipts', { purchaseId: id, kind: 'paid' })
    expect((await completeOrder(fan, id, receipt.body.paymentReference)).status).toBe(409)
    const due = async () => {
      const { refunds } = (await finance.get('/api/refunds')).body
      return refunds.find(({ purchaseId }: { purchaseId: string }) => purchaseId === id)
    }
    expect(await due()).toMatchObject({ kind: 'order', price: { amount: 1900, currency: 'EUR' } })
    expect(await listed('refund_due')).toContain(id)
    const reason = 'Paid too late.'
    expect((await finance.post(`/api/refunds/${id}`, { reason })).body).toMatchObject({ refunded: true })
    expect(await due()).toBeUndefined()
    expect((await finance.post(`/api/refunds/${id}`, { reason })).body).toMatchObject({ refunded: false })
  })

  test('an order that was not paid, and one that nobody has, are not refunded', async () => {
    const fan = await patientFan(world)
    const { id } = expectStatus(201, await checkout(fan, await addStock(world, 1)))
    expect((await finance.post(`/api/refunds/${id}`, { reason: 'x' })).body.code).toBe('not_refundable')
    expect((await finance.post('/api/refunds/none', { reason: 'x' })).body.code).toBe('purchase_not_found')
  })

  test('with two people for money, a refund waits for another one; what nobody paid is refused at once', async () => {
    const fan = await patientFan(world, 100)
    const productId = await addStock(world, 5, { price: POINTS })
    const { id } = expectStatus(201, await checkout(fan, productId))
    const twoPeople = consoleOf(world, () => {
      const { console } = world.config
      if (!console) throw new Error('the console is on in tests')
      return { config: { ...world.config, console: { ...console, twoPerson: ['money'] as const } } }
    })
    const refund = () =>
      twoPeople.as('finance', 'Ada').post(`/api/refunds/${id}`, { reason: 'A lost parcel.' })
    expect((await refund()).body.code).toBe('not_refundable')
    expectStatus(200, await completeOrder(fan, id))
    const asked = await refund()
    expect([asked.status, asked.body.code]).toEqual([202, 'approval_required'])
    expect(await balanceOf(fan)).toMatchObject({ balance: 0 })
    const confirm = (name: string) =>
      twoPeople.as('owner', name).post(`/api/approvals/${asked.body.approvalId}/confirm`, {})
    expect((await confirm('Ada')).body.code).toBe('own_approval')
    expect((await confirm('Grace')).body.result).toMatchObject({ refunded: true })
    expect(await balanceOf(fan)).toMatchObject({ balance: 100 })
  })

  test('with two people, a refund that the gateway refuses waits again, and is then done', async () => {
    const { order } = await bought()
    let refuses = true
    const asked: string[] = []
    const twoPeople = consoleOf(world, () => {
      const [{ console }, { sandbox }] = [world.config, world.deps.payments]
      if (!console || !sandbox) throw new Error('the console and the sandbox are on in tests')
      const gateway: typeof sandbox = {
        ...sandbox,
        async refund(charge, reference) {
          asked.push(charge.purchaseId)
          if (refuses)
            throw new DomainError(purchaseProblems.not_refundable, { detail: 'The card is closed.' })
          await sandbox.refund(charge, reference)
        },
      }
      return {
        payments: { ...world.deps.payments, sandbox: gateway },
        config: { ...world.config, console: { ...console, twoPerson: ['money'] as const } },
      }
    })
    const { body } = await twoPeople
      .as('finance', 'Ada')
      .post(`/api/refunds/${order.id}`, { reason: 'A lost parcel.' })
    const confirm = () => twoPeople.as('owner', 'Grace').post(`/api/approvals/${body.approvalId}/confirm`, {})
    expect((await confirm()).body.code).toBe('not_refundable')
    const status = async () => (await finance.get(`/api/orders/${order.id}`)).body.status
    expect(await status()).toBe('refund_due')
    refuses = false
    expect((await confirm()).body.result).toMatchObject({ refunded: true })
    expect([await status(), asked]).toEqual(['refunded', [order.id, order.id]])
    expect((await confirm()).body).toMatchObject({ code: 'approval_closed', state: 'confirmed' })
  })
})
