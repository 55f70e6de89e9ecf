/** A merge of two fans who are in the middle of something: wallets, cash that is held, orders and trades that are open. */
import { beforeEach, describe, expect, test } from 'bun:test'
import { mergeFans } from '../../../../src/operate/admin/merge/merge-fans.ts'
import { markDue, refund } from '../../../../src/play/purchases/refund.ts'
import { orderKind } from '../../../../src/play/shop/order-kind.ts'
import { topUpKind } from '../../../../src/play/top-ups/top-up-kind.ts'
import { type NamedFan, namedFan } from '../../../identity/relations/relations-world.ts'
import { expectStatus, refusal } from '../../../play/packs/packs-world.ts'
import {
  addStock,
  cancelOrder,
  checkout,
  completeOrder,
  freeStock,
  HOLD,
  orderOf,
  POINTS,
  pay,
} from '../../../play/shop/orders-world.ts'
import { cashEntriesOf, cashOf, findingsOf, promote, topUp } from '../../../play/top-ups/cash-world.ts'
import { accept, drawnItem, offer, ownedBy } from '../../../play/trades/trades-world.ts'
import {
  challenge,
  link,
  linkAccount,
  linkedOf,
  newAccount,
  unlink,
} from '../../../play/wallets/wallets-world.ts'
import { onEachEngine, type World } from '../../../support/world.ts'

const suite = (world: World) => {
  let from: NamedFan
  let into: NamedFan
  let other: NamedFan
  beforeEach(async () => {
    from = await namedFan(world)
    into = await namedFan(world)
    other = await namedFan(world)
  })

  async function merge() {
    await world.db.write(tx => mergeFans(tx, { from: from.id, into: into.id, mergedBy: 'Ana', reason: null }))
    // Tokens of before the merge have ended.
    world.clock.advance(1_000)
    Object.assign(from, world.withToken(await world.idp.issueToken(from.subject)))
  }

  describe('with linked wallets', () => {
    test('links those of both to the fan who remains, who unlinks them, and to no other fan', async () => {
      const [theirs, own] = [newAccount(), newAccount()]
      expectStatus(201, await linkAccount(from, theirs, 137))
      world.clock.advance(1_000)
      expectStatus(201, await linkAccount(into, own))
      await merge()
      const both = [
        { address: theirs.address, chainId: 137 },
        { address: own.address, chainId: 1 },
      ]
      for (const fan of [from, into]) expect(await linkedOf(fan)).toMatchObject(both)
      expect(refusal(await linkAccount(other, theirs))).toEqual([409, 'wallet_linked_elsewhere'])
      expectStatus(200, await linkAccount(from, theirs, 137))
      expectStatus(204, await unlink(into, theirs.address))
      expect(await linkedOf(from)).toMatchObject([{ address: own.address }])
      expectStatus(201, await linkAccount(other, theirs))
    })

    test('ends a challenge of the merged fan, whose message names that record', async () => {
      const account = newAccount()
      const { nonce, message } = await challenge(from, account.address)
      const signature = await account.signMessage({ message })
      await merge()
      expect(refusal(await link(from, nonce, signature))).toEqual([409, 'challenge_expired'])
      expectStatus(201, await linkAccount(from, account))
      expect(await linkedOf(into)).toMatchObject([{ address: account.address }])
    })
  })

  describe('with cash that is held for an order', () => {
    let orderId: string
    let productId: string
    const prepare = (fan: NamedFan) => fan.post('/api/checkout/payment', { orderId, method: 'cash' })

    beforeEach(async () => {
      productId = await addStock(world, 3)
      await topUp(from, 2000)
      await promote(world, from.id, 500)
      await topUp(into, 300)
      orderId = expectStatus(201, await checkout(from, productId)).id
      expectStatus(200, await prepare(from))
      expect(await cashOf(world, from)).toEqual([600, 1900])
      await merge()
      expect(await cashOf(world, from.id)).toEqual([0, 0])
      expect(await cashOf(world, into)).toEqual([900, 1900])
    })

    test('captures it for the order of the remaining fan, and refunds it there', async () => {
      expectStatus(200, await prepare(into))
      expect(await cashOf(world, into)).toEqual([900, 1900])
      expect(expectStatus(200, await completeOrder(from, orderId)).status).toBe('paid')
      expect(await cashOf(world, into)).toEqual([900, 0])
      await world.db.write(tx => refund(tx, orderKind, orderId))
      expect(await cashOf(world, into)).toEqual([2800, 0])
      expect(await cashEntriesOf(from)).toEqual([
        ['top_up', 300],
        ['merge', 2500],
        ['payment', -1900],
        ['refund', 1900],
      ])
      expect(await findingsOf(world)).toEqual([])
    })

    test('frees it when the order is cancelled', async () => {
      expectStatus(200, await cancelOrder(into, orderId))
      expect(await cashOf(world, into)).toEqual([2800, 0])
      expect(await freeStock(world, productId)).toBe(3)
      expect(await findingsOf(world)).toEqual([])
    })

    test('frees it when the order expires', async () => {
      world.clock.advance(HOLD)
      expect(await cashOf(world, into)).toEqual([2800, 0])
      expect(await findingsOf(world)).toEqual([])
    })
  })

  describe('with top-ups', () => {
    const refundTopUp = (id: string) => world.db.write(tx => refund(tx, topUpKind, id))

    test('takes a refunded top-up from the remaining fan, once', async () => {
      const [moved, due] = [await topUp(from, 1000), await topUp(from, 400)]
      await world.db.write(tx => markDue(tx, topUpKind, due.id))
      expect(await cashOf(world, from)).toEqual([1000, 0])
      await merge()
      await refundTopUp(moved.id)
      expect(await cashOf(world, into)).toEqual([0, 0])
      await refundTopUp(due.id)
      expect(await cashOf(world, into)).toEqual([0, 0])
      expect(await findingsOf(world)).toEqual([])
    })

    test('refuses the refund of a top-up that the remaining fan has spent', async () => {
      const { id } = await topUp(from, 1000)
      await merge()
      const order = expectStatus(201, await checkout(into, await addStock(world, 3)))
      await topUp(into, 1000)
      expectStatus(200, await into.post('/api/checkout/payment', { orderId: order.id, method: 'cash' }))
      expectStatus(200, await completeOrder(into, order.id))
      expect(await cashOf(world, into)).toEqual([100, 0])
      await expect(refundTopUp(id)).rejects.toMatchObject({ code: 'not_refundable' })
      await world.db.write(tx => refund(tx, orderKind, order.id))
      await refundTopUp(id)
      expect(await cashOf(world, into)).toEqual([1000, 0])
      expect(await findingsOf(world)).toEqual([])
    })
  })

  describe('with open orders', () => {
    test('moves them with what they hold: the fan who remains pays one with the points of both', async () => {
      const productId = await addStock(world, 2, { price: POINTS })
      await world.grant(from, 100)
      await world.grant(into, 70)
      const { id } = expectStatus(201, await checkout(from, productId))
      await world.grant(from, -40)
      expect(refusal(await completeOrder(from, id))).toEqual([409, 'insufficient_points'])
      await merge()
      expect(await freeStock(world, productId)).toBe(1)
      for (const fan of [from, into]) expect((await orderOf(fan, id)).status).toBe('pending')
      expect(refusal(await completeOrder(other, id))).toEqual([404, 'order_not_found'])
      expect(expectStatus(200, await completeOrder(into, id)).status).toBe('paid')
      expect((await from.get('/api/user/points')).body.balance).toBe(30)
      expect(await findingsOf(world)).toEqual([])
    })

    test('accepts a payment that the merged fan had started', async () => {
      const productId = await addStock(world, 1)
      const { id } = expectStatus(201, await checkout(from, productId))
      const reference = await pay(from, id)
      await merge()
      expect(expectStatus(200, await completeOrder(into, id, reference)).status).toBe('paid')
      expect(expectStatus(200, await completeOrder(from, id, reference)).status).toBe('paid')
      expect(await findingsOf(world)).toEqual([])
    })

    test('counts the purchases of both fans for the limit per fan', async () => {
      const productId = await addStock(world, 9, { maxPerFan: 2 })
      const { id } = expectStatus(201, await checkout(from, productId))
      expectStatus(200, await completeOrder(from, id, await pay(from, id)))
      expectStatus(201, await checkout(into, productId))
      await merge()
      expect(refusal(await checkout(into, productId))).toEqual([409, 'limit_reached'])
      expect(await findingsOf(world)).toEqual([])
    })
  })

  describe('with open trades', () => {
    test('voids those of the merged fan, on either side, and keeps those of the other', async () => {
      const [given, asked, own] = [
        await drawnItem(world, from),
        await drawnItem(world, other),
        await drawnItem(world, into),
      ]
      const made = expectStatus(201, await offer(from, other.handle, [given]))
      const received = expectStatus(201, await offer(other, from.handle, [asked]))
      const kept = expectStatus(201, await offer(into, other.handle, [own]))
      await merge()
      expect(refusal(await accept(other, made))).toEqual([409, 'trade_changed'])
      expect(refusal(await accept(from, received))).toEqual([404, 'trade_not_found'])
      const { trades } = expectStatus(200, await other.get('/api/user/trades'))
      const states = trades.map(({ id, status }: { id: string; status: string }) => [id, status])
      expect(Object.fromEntries(states)).toEqual({
        [made.id]: 'void',
        [received.id]: 'void',
        [kept.id]: 'open',
      })
      expectStatus(200, await accept(other, kept))
      expect(await ownedBy(into)).toEqual([given.collectibleId])
      expect(await findingsOf(world)).toEqual([])
    })

    test('between the two leaves the item with the fan who remains', async () => {
      const item = await drawnItem(world, from)
      const gift = expectStatus(201, await offer(from, into.handle, [item]))
      await merge()
      expect(refusal(await accept(into, gift))).toEqual([409, 'trade_changed'])
      expect(await ownedBy(into)).toEqual([item.collectibleId])
      expect(await findingsOf(world)).toEqual([])
    })
  })
}

onEachEngine('A merge of two fans in the middle of something', suite, {
  env: { WALLET_CHAIN_IDS: '1,137', WALLET_ORIGIN: 'https://club.example' },
})
