/** `/withdraw`: withdrawal by the number of an order and a verified e-mail address, without sign-in. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { recordDecision } from '../../../src/identity/sanctions/decisions.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { countQueries } from '../../support/queries.ts'
import { type Fan, onEachEngine, type World } from '../../support/world.ts'
import { addPack, buyWithMoney as buyPack, expectStatus, patientFan, userIdOf } from '../packs/packs-world.ts'
import {
  addStock,
  buyWithMoney,
  checkout,
  completeOrder,
  freeStock,
  orderOf,
  POINTS,
} from './orders-world.ts'
import { receiptsOf } from './receipts-world.ts'
import {
  confirm,
  fanWithEmail,
  find,
  sendForm,
  stateEmail,
  textOf,
  tickedIn,
} from './withdrawal-page-world.ts'
import { changeLine, expectSound, payOut, withdraw } from './withdrawals-world.ts'

const EUROS = (amount: number) => ({ amount, currency: 'EUR' })
const UNKNOWN = '01981e2c-7c1f-7000-8000-000000000099'
const NO_MATCH = 'No order has this number and this e-mail address.'

const warehouseOf = async (world: World) => world.withToken(await world.serverKey(['orders:write']))

const idOf = async (world: World, fan: Fan) => (await userIdOf(world, fan)) ?? ''

async function withdrawalsOf(world: World, orderId: string) {
  const { events } = world.db.tables
  const rows = await world.db.read.select().from(events).where(eq(events.type, 'order.withdrawn'))
  return rows.map(({ data }) => JSON.parse(data ?? '{}')).filter(data => data.orderId === orderId)
}

onEachEngine('The page of withdrawals', world => {
  test('shows what can be withdrawn once both match, changes nothing until it is confirmed, and gives a receipt', async () => {
    const { fan, email } = await fanWithEmail(world)
    const [scarf, shirt] = [await addStock(world, 5), await addStock(world, 5, { price: EUROS(7_900) })]
    const { id } = await buyWithMoney(fan, { productId: scarf, quantity: 2 }, shirt)
    const before = await orderOf(fan, id)

    const opened = await world.app.handle(
      new Request(`http://localhost/withdraw?order=${id}&utm_source=mail`),
    )
    const form = await opened.text()
    expect([opened.status, opened.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(form).toContain(`value="${id}"`)
    expect(form).toContain('<button>Withdraw from contract here</button>')
    expect(opened.headers.get('content-security-policy')).toContain(
      "form-action 'self'; frame-ancestors 'none'",
    )

    // As people type: in another case, with spaces.
    const choice = await find(world, ` ${id.toUpperCase()} `, ` ${email.toUpperCase()}`)
    expect([choice.status, tickedIn(choice.text)]).toEqual([200, [1, 2]])
    expect(textOf(choice.text)).toContain('€38.00 is refunded at once')
    expect(choice.text).toContain('<button>Confirm withdrawal</button>')
    expect(await orderOf(fan, id)).toEqual(before)
    expect(await freeStock(world, scarf)).toBe(3)

    const receipt = await confirm(world, id, email, [1])
    expect([receipt.status, receipt.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const text = textOf(receipt.text)
    expect(text).toContain('The club has received your withdrawal.')
    for (const part of [id, '× 2', '€38.00 is refunded at once', 'By the means with which you paid', 'UTC'])
      expect(text).toContain(part)
    expect(text).not.toContain('€79.00')
    expect(await orderOf(fan, id)).toMatchObject({
      refunded: { amount: 3_800 },
      lines: [{ state: 'returned' }, {}],
    })

    // A second click, and a page that is loaded again.
    expect((await confirm(world, id, email, [1])).text).toBe(receipt.text)
    expect(await withdrawalsOf(world, id)).toMatchObject([{ lines: [{ line: 1, quantity: 2 }] }])
    expect(await orderOf(fan, id)).toMatchObject({ refunded: { amount: 3_800 } })
    expect(tickedIn((await find(world, id, email)).text)).toEqual([2])
    await payOut(world, id)
    await expectSound(world)
  })

  test('says what is refunded when it is back, why a line cannot be withdrawn, and where the refund goes', async () => {
    const { fan, email } = await fanWithEmail(world, 1_000)
    const warehouse = await warehouseOf(world)
    const [a, b] = [await addStock(world, 5, { price: POINTS }), await addStock(world, 5, { price: POINTS })]
    const { id } = expectStatus(201, await checkout(fan, a, { productId: b, quantity: 2 }))
    expect(textOf((await find(world, id, email)).text)).toContain('You cannot withdraw from this order here.')
    expectStatus(200, await completeOrder(fan, id))
    for (const state of ['ready', 'shipped']) expectStatus(200, await changeLine(warehouse, id, 2, state))
    const choice = textOf((await find(world, id, email)).text)
    expect(choice).toContain('100 points is refunded at once')
    expect(choice).toContain('200 points is refunded when the goods are back')
    expect(choice).toContain('As points, to your account')
    const receipt = textOf((await confirm(world, id, email, [1, 2])).text)
    expect(receipt).toContain('Send the goods back to the club.')
    expectStatus(200, await changeLine(warehouse, id, 2, 'returned'))
    expect(await orderOf(fan, id)).toMatchObject({ status: 'refunded' })
    expect(textOf((await find(world, id, email)).text)).toContain('There is nothing left to withdraw from.')

    const voucher = await addStock(world, 5, { kind: 'voucher', delivers: {}, price: EUROS(500) })
    const late = await buyWithMoney(fan, voucher, await addStock(world, 5))
    expectStatus(200, await changeLine(warehouse, late.id, 2, 'ready'))
    world.clock.advance(15 * 86_400_000)
    const shown = await find(world, late.id, email)
    expect(tickedIn(shown.text)).toEqual([2])
    expect(textOf(shown.text)).toContain('The time for a withdrawal is over.')
    // Of a page that was open for too long, or a form that was changed.
    for (const lines of [[1, 2], [7]]) {
      const changed = await confirm(world, late.id, email, lines)
      expect([changed.status, tickedIn(changed.text)]).toEqual([200, [2]])
      expect(textOf(changed.text)).toContain('The order has changed.')
    }
    expect(textOf((await confirm(world, late.id, email, [])).text)).toContain('Choose at least one item.')
    expect(await withdrawalsOf(world, late.id)).toEqual([])
  })

  test('answers a wrong pair alike, with the same statements, whatever is wrong', async () => {
    const { fan, email } = await fanWithEmail(world)
    const { id } = await buyWithMoney(fan, await addStock(world, 5))
    const other = await fanWithEmail(world)
    const nameless = await patientFan(world)
    const unknownEmail = (await buyWithMoney(nameless, await addStock(world, 5))).id
    const unverified = await patientFan(world)
    await unverified.post('/api/user/profile', {})
    await stateEmail(world, unverified, 'unverified@example.com', false)
    const unverifiedOrder = (await buyWithMoney(unverified, await addStock(world, 5))).id
    const erased = await fanWithEmail(world)
    const erasedOrder = (await buyWithMoney(erased.fan, await addStock(world, 5))).id
    await world.db.write(tx =>
      eraseUser(tx, { provider: world.config.identity.name, subject: erased.fan.subject }),
    )

    const pairs = [
      [UNKNOWN, email],
      [id, other.email],
      [id, 'nobody@example.com'],
      [id, ''],
      [unknownEmail, ''],
      [unknownEmail, email],
      [unverifiedOrder, 'unverified@example.com'],
      [erasedOrder, erased.email],
      [erasedOrder, ''],
      ['', email],
      ["' or 1=1 --", email],
      ['\u0000', email],
      ['1', other.email],
      ['999999', email],
    ] as const
    // The statements are prepared.
    for (const number of [UNKNOWN, '999998']) await find(world, number, email)
    const asked = new Set<number>()
    const answers = new Set<string>()
    for (const [order, address] of pairs) {
      for (const path of ['/withdraw', '/withdraw/confirm']) {
        const form = { order, email: address, ...(path === '/withdraw' ? {} : { lines: ['1'] }) }
        const sent: Promise<Awaited<ReturnType<typeof sendForm>>>[] = []
        const send = () => sent[sent.push(sendForm(world, path, form)) - 1]
        asked.add(await countQueries(world.db, async () => send()))
        const [answer] = await Promise.all(sent)
        const { status, text, headers } = answer ?? {}
        expect([path, order, status, text?.includes(NO_MATCH)]).toEqual([path, order, 404, true])
        const typed = (text ?? '').replaceAll(/ value="[^"]{0,254}"/g, '')
        const changing = /^(x-request-id|ratelimit)/
        answers.add(typed + JSON.stringify([...(headers ?? [])].filter(([name]) => !changing.test(name))))
      }
    }
    expect([...asked]).toEqual([3])
    expect(answers.size).toBe(1)
    expect(await orderOf(fan, id)).toMatchObject({ status: 'paid', refunded: { amount: 0 } })
  })

  test('takes the number of a receipt or a credit note, and the address decides between money and points', async () => {
    const [one, other] = [await fanWithEmail(world), await fanWithEmail(world, 100_000)]
    const [scarf, badge] = [await addStock(world, null), await addStock(world, null, { price: POINTS })]
    const inPoints = async ({ fan }: typeof one) => {
      const { id } = expectStatus(201, await checkout(fan, badge))
      return expectStatus(200, await completeOrder(fan, id)).id
    }
    const numberOf = async (orderId: string) => String((await receiptsOf(world, orderId)).at(-1)?.number)
    let order = (await buyWithMoney(one.fan, scarf)).id
    const points = await inPoints(other)
    // Both series come to the same number.
    while (Number(await numberOf(order)) < Number(await numberOf(points)))
      order = (await buyWithMoney(one.fan, scarf)).id
    let pointsOrder = points
    while (Number(await numberOf(pointsOrder)) < Number(await numberOf(order)))
      pointsOrder = await inPoints(other)
    const number = await numberOf(order)
    expect(await numberOf(pointsOrder)).toBe(number)

    expect((await find(world, ` ${number} `, one.email)).text).toContain(order)
    expect((await find(world, number, other.email)).text).toContain(pointsOrder)
    expect((await find(world, `0${number}`, one.email)).status).toBe(404)
    const pack = await buyPack(one.fan, await addPack(world, { price: EUROS(499) }))
    expect((await find(world, await numberOf(pack.id), one.email)).status).toBe(404)

    expect((await confirm(world, number, one.email, [1])).text).toContain(order)
    expect(await withdrawalsOf(world, order)).toHaveLength(1)
    await payOut(world, order)
    const note = await numberOf(order)
    expect(Number(note)).toBeGreaterThan(Number(number))
    expect((await find(world, note, one.email)).text).toContain(order)
    await expectSound(world)
  })

  test('knows a merged fan by the address of each sign-in, and an order of the merged fan', async () => {
    const [from, into] = [await fanWithEmail(world), await fanWithEmail(world)]
    const { id } = await buyWithMoney(from.fan, await addStock(world, 5))
    expect((await find(world, id, into.email)).status).toBe(404)
    const [fromId, intoId] = [await idOf(world, from.fan), await idOf(world, into.fan)]
    await world.db.write(tx => mergeFans(tx, { from: fromId, into: intoId, mergedBy: 'Ana', reason: null }))
    for (const { email } of [from, into]) expect((await find(world, id, email)).status).toBe(200)
    expect((await confirm(world, id, from.email, [1])).status).toBe(200)
    expect(await withdrawalsOf(world, id)).toHaveLength(1)
    await world.db.write(tx =>
      eraseUser(tx, { provider: world.config.identity.name, subject: into.fan.subject }),
    )
    for (const { email } of [from, into]) expect((await find(world, id, email)).status).toBe(404)
  })

  test('is open to a fan who is suspended, as the way with sign-in is', async () => {
    const { fan, email } = await fanWithEmail(world)
    const { id } = await buyWithMoney(fan, await addStock(world, 5), await addStock(world, 5))
    const fanId = await idOf(world, fan)
    const until = new Date(world.clock.ms + 86_400_000)
    await world.db.write(tx =>
      recordDecision(tx, { fanId, kind: 'suspend', reason: 'spam', until, decidedBy: 'Ana' }),
    )
    expectStatus(200, await withdraw(fan, id, [1]))
    expect((await confirm(world, id, email, [2])).status).toBe(200)
    expect(await withdrawalsOf(world, id)).toHaveLength(2)
  })

  test.each([
    ['pt', 'ltr', 'Retratar-se do contrato aqui', 'Confirmar a retratação'],
    ['pt-BR', 'ltr', 'Desistir do contrato aqui', 'Confirmar a desistência'],
    ['ar', 'rtl', 'الانسحاب من العقد هنا', 'تأكيد الانسحاب'],
    ['xx', 'ltr', 'Withdraw from contract here', 'Confirm withdrawal'],
  ])('speaks %s in both steps', async (lang, dir, first, second) => {
    const name = { en: 'Scarf <b>', pt: 'Cachecol', ar: 'وشاح' }
    const { fan, email } = await fanWithEmail(world)
    const { id } = await buyWithMoney(fan, await addStock(world, 5, { name }))
    const headers = { 'accept-language': lang }
    const opened = await world.app.handle(new Request('http://localhost/withdraw', { headers }))
    const form = await opened.text()
    expect(form).toContain(`<html lang="${lang === 'xx' ? 'en' : lang}"${dir === 'rtl' ? ' dir="rtl"' : ''}>`)
    expect(form).toContain(first)
    const choice = await find(world, id, email, { lang })
    expect(choice.text).toContain(second)
    const shown = lang === 'ar' ? 'وشاح' : lang === 'xx' ? 'Scarf &lt;b&gt;' : 'Cachecol'
    expect(choice.text).toContain(shown)
    expect((await confirm(world, id, email, [1], { lang })).text).toContain(shown)
  })
})

onEachEngine(
  'Guesses on the page of withdrawals',
  world => {
    const securityEvents = () =>
      world.logged
        .map(line => JSON.parse(line))
        .filter(line => line.securityEvent === 'withdrawal_limit_reached')

    test('are limited by order, by e-mail address and by network address, in both steps, and logged without either', async () => {
      const { fan, email } = await fanWithEmail(world)
      const { id } = await buyWithMoney(fan, await addStock(world, 5))
      // Many at once count before any of them is judged.
      const guesses = await Promise.all(
        Array.from({ length: 6 }, (_, n) =>
          find(world, n % 2 ? id : ` ${id.toUpperCase()}`, `guess-${n}@example.com`),
        ),
      )
      expect(guesses.map(({ status }) => status)).toEqual([404, 404, 404, 429, 429, 429])
      const limited = await confirm(world, id, email, [1])
      expect([limited.status, Number(limited.headers.get('retry-after')) > 3_000]).toEqual([429, true])
      expect(textOf(limited.text)).toContain('There were too many attempts.')
      expect((await orderOf(fan, id)).refunded.amount).toBe(0)
      // The fan who is signed in is not stopped.
      expectStatus(200, await withdraw(fan, id))

      const numbers = ['a', 'b', 'c', 'd'].map(number => `00000000-${number}`)
      const ofOne = await Promise.all(numbers.map(number => find(world, number, 'victim@example.com')))
      expect(ofOne.map(({ status }) => status)).toEqual([404, 404, 404, 429])
      expect((await find(world, 'other', 'Victim@example.com ')).status).toBe(429)

      const others = await Promise.all(
        Array.from({ length: 12 }, (_, n) => find(world, `number-${n}`, `person-${n}@example.com`)),
      )
      expect(others.at(-1)?.status).toBe(429)
      const events = securityEvents()
      expect(events.length).toBeGreaterThan(0)
      expect(JSON.stringify(world.logged)).not.toContain('victim@example.com')
      expect(JSON.stringify(world.logged)).not.toContain(email)
    })
  },
  { env: { RATE_LIMITS: 'withdrawals=3,withdrawalsPerAddress=20' } },
)
