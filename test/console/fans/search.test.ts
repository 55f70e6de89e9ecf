/** The search box of the console: what finds a fan, and what it says about why. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { recordDecision } from '../../../src/identity/sanctions/decisions.ts'
import { namedFan } from '../../identity/relations/relations-world.ts'
import { deliver, updated } from '../../identity/users/deliveries.ts'
import { expectStatus } from '../../play/packs/packs-world.ts'
import { addStock, buyWithMoney, checkout } from '../../play/shop/orders-world.ts'
import { drawnItem, offer } from '../../play/trades/trades-world.ts'
import type { Fan } from '../../support/world.ts'
import { onEachEngine, type World } from '../../support/world.ts'
import { consoleOf } from '../support.ts'

async function fanWith(world: World, displayName: string, claims: object = {}) {
  const fan = await world.fan()
  const { id } = (await fan.post('/api/user/profile', { displayName })).body
  world.clock.advance(1_000)
  const updatedAt = Math.floor(world.clock.ms / 1_000)
  const statement = { updated_at: updatedAt, email_verified: false, ...claims }
  expect((await deliver(world, updated(world, fan.subject, statement))).status).toBe(204)
  return Object.assign(fan, { id: id as string })
}

const idOf = async (fan: Fan) => (await fan.get('/api/user/profile')).body.id as string

onEachEngine('Fans are found by the staff', world => {
  const { as, anonymous } = consoleOf(world)
  const search = async (text: string, role: Parameters<typeof as>[0] = 'support') =>
    expectStatus(200, await as(role).get(`/api/fans?${new URLSearchParams({ text })}`))
  /** Ids with the reasons, such as `name` or `name…` for a beginning. */
  const found = async (text: string) =>
    (await search(text)).fans.map(
      ({ id, matches }: { id: string; matches: { by: string; exact: boolean }[] }) => [
        id,
        matches.map(({ by, exact }) => `${by}${exact ? '' : '…'}`),
      ],
    )

  let joao: Fan & { id: string }
  beforeAll(async () => {
    joao = await fanWith(world, 'João Álvares', { name: 'Joao Pedro Alvares', email: 'Joao@Example.com' })
    await joao.patch('/api/user/profile', { handle: 'joao_a' })
  })

  test('by the whole and the beginning of the own name, without case and accents', async () => {
    expect(await found('JOÃO  ALVARES')).toEqual([[joao.id, ['name']]])
    expect(await found('joão á')).toEqual([[joao.id, ['name…']]])
    expect(await found('joao p')).toEqual([[joao.id, ['provider_name…']]])
    expect(await found('alvares')).toEqual([])
  })

  test('by the whole and the beginning of the handle', async () => {
    expect(await found('@JOAO_A')).toEqual([[joao.id, ['handle']]])
    expect(await found('joao_')).toEqual([[joao.id, ['handle…']]])
  })

  test('by an address, verified or not, in any case', async () => {
    expect(await found(' joao@EXAMPLE.com ')).toEqual([[joao.id, ['email']]])
    expect(await found('joao@example')).toEqual([])
  })

  test('by the subject and by the id, also in capitals', async () => {
    expect(await found(joao.subject)).toEqual([[joao.id, ['subject']]])
    expect(await found(joao.id)).toEqual([[joao.id, ['user_id']]])
    expect(await found(joao.id.toUpperCase())).toEqual([[joao.id, ['user_id']]])
  })

  test('by a redemption code, with letters and digits that are mixed up', async () => {
    const rewardId = await world.reward({ pointsRequired: 0 })
    await joao.post('/api/rewards/claim', { rewardId })
    const { redemptionCode } = expectStatus(200, await joao.post('/api/rewards/redeem', { rewardId })).reward
    const typed = redemptionCode.toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l').replaceAll('-', ' ')
    expect(await found(typed)).toEqual([[joao.id, ['redemption_code']]])
    expect(await found(redemptionCode)).toEqual([[joao.id, ['redemption_code']]])
  })

  test('by the order, its payment and its voucher', async () => {
    const productId = await addStock(world, 5, { kind: 'voucher', price: { amount: 500, currency: 'EUR' } })
    const order = await buyWithMoney(joao, productId)
    expect(await found(order.id)).toEqual([[joao.id, ['order']]])
    const { orders, orderUnits } = world.db.tables
    const [row] = await world.db.read.select().from(orders).where(eq(orders.id, order.id))
    expect(await found(row?.paymentReference ?? '')).toEqual([[joao.id, ['payment']]])
    const [unit] = await world.db.read.select().from(orderUnits).where(eq(orderUnits.orderId, order.id))
    expect(await found(unit?.code?.toLowerCase() ?? '')).toEqual([[joao.id, ['voucher_code']]])
  })

  test('by a trade, both of its fans', async () => {
    const [giver, taker] = [await namedFan(world), await namedFan(world)]
    const trade = expectStatus(201, await offer(giver, taker.handle, [await drawnItem(world, giver)]))
    const ids = (await found(trade.id)).map(([id]: [string]) => id).toSorted()
    expect(ids).toEqual([await idOf(giver), await idOf(taker)].toSorted())
  })

  test('an order that is not paid is found, too', async () => {
    const productId = await addStock(world, 5, { price: { amount: 500, currency: 'EUR' } })
    const order = expectStatus(201, await checkout(joao, productId))
    expect(await found(order.id)).toEqual([[joao.id, ['order']]])
  })

  test('exact matches come first, and each fan once', async () => {
    const first = await fanWith(world, 'Bea Long', { name: 'Bea' })
    const second = await fanWith(world, 'Bea', { name: 'Beatriz' })
    expect(await found('bea')).toEqual([
      [second.id, ['name', 'provider_name…']],
      [first.id, ['provider_name', 'name…']],
    ])
  })

  test('at most twenty, and whether there are more', async () => {
    await world.db.write(async tx => {
      const at = { createdAt: tx.now(), updatedAt: tx.now(), provider: 'mock-idp' }
      await tx.insert(tx.tables.users).values(
        Array.from({ length: 25 }, (_, n) => ({
          ...{ ...at, id: `many-${n}`, subject: `many-${n}`, displayName: 'Zz', nameKey: 'zz' },
        })),
      )
    })
    const { fans, more } = await search('zz')
    expect([fans.length, more]).toEqual([20, true])
    expect((await search('bea')).more).toBe(false)
  })

  test('hidden, suspended and erased fans are shown with their states', async () => {
    const fan = await fanWith(world, 'Sanctioned Sam')
    const decide = (decision: { kind: 'hide' } | { kind: 'suspend'; until: Date }) =>
      world.db.write(tx =>
        recordDecision(tx, { fanId: fan.id, reason: 'spam', decidedBy: 'Ana', ...decision }),
      )
    await decide({ kind: 'hide' })
    await decide({ kind: 'suspend', until: new Date(world.clock.ms + 60_000) })
    expect((await search('sanctioned')).fans[0].states).toEqual(['suspended', 'hidden'])
    await world.db.write(tx => eraseUser(tx, { provider: 'mock-idp', subject: fan.subject }))
    expect(await found('sanctioned')).toEqual([])
    const [erased] = (await search(fan.subject)).fans
    expect(erased).toMatchObject({
      id: fan.id,
      states: ['erased'],
      subject: null,
      displayName: null,
      name: null,
    })
  })

  describe('personal data', () => {
    test('is masked for a role without the permission, which finds nobody by it', async () => {
      const [fan] = (await search('joao_a', 'moderator')).fans
      expect([fan.name, fan.email]).toEqual(['J. P. A.', 'J…@Example.com'])
      expect((await search('joao@example.com', 'moderator')).fans).toEqual([])
      expect((await search('joao pedro', 'moderator')).fans).toEqual([])
      expect((await search('joao_a')).fans[0].email).toBe('Joao@Example.com')
    })

    test('is not logged', async () => {
      world.logged.length = 0
      await search('joao@example.com')
      await search('João Álvares')
      expect(world.logged.length).toBeGreaterThan(0)
      expect(world.logged.join('\n')).not.toMatch(/joao|Jo%C3%A3o|%40|João/i)
    })
  })

  test.each(['', ' ', 'x'.repeat(256)])('the text %j is no search', async text => {
    const { status, body } = await as('support').get(`/api/fans?${new URLSearchParams({ text })}`)
    if (text === ' ') expect([status, body.fans]).toEqual([200, []])
    else expect([status, body.code]).toEqual([422, 'validation_failed'])
  })

  test.each(['%', '_', "'; drop table users; --", '\u{10ffff}', '<img src=x onerror=alert(1)>', '*'])(
    'the text %j finds nobody',
    async text => {
      expect((await search(text)).fans).toEqual([])
    },
  )

  test('without a session nobody is found', async () => {
    expect((await anonymous.get('/api/fans?text=joao')).status).toBe(401)
  })
})
