/** A voucher that is bought and used, and whatever takes its purchase or its use back: in any order, it has one state. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { refund } from '../../../src/play/purchases/refund.ts'
import { undoUse } from '../../../src/play/rewards/corrections.ts'
import { orderKind } from '../../../src/play/shop/order-kind.ts'
import type { Client } from '../../support/client.ts'
import { type Fan, onEachEngine, type World } from '../../support/world.ts'
import { expectStatus, patientFan, refusal } from '../packs/packs-world.ts'
import { userIdOf } from '../quests/quests-world.ts'
import { expectSound, permutationsOf } from './order-model.ts'
import { ADDRESS, addStock, buyWithMoney, cancelOrder, completeOrder, HOLD, pay } from './orders-world.ts'

const STEPS = [
  'refund it',
  'refund its use',
  'undo at the desk',
  'erase the owner',
  'merge the owner',
] as const
type Step = (typeof STEPS)[number]

const EUROS = { amount: 500, currency: 'EUR' }
const withVoucher = (fan: Client, productId: string, voucher: string) =>
  fan.post('/api/checkout', { lines: [{ productId, quantity: 1 }], address: ADDRESS, voucher })

const refundOrder = ({ db }: World, id: string) => db.write(tx => refund(tx, orderKind, id))
const deskOf = async (world: World) =>
  world.withToken(await world.serverKey(['redemptions:read', 'redemptions:write']))

/** A voucher of one fan, and a scarf that it can pay for another. */
async function bought(world: World) {
  const [owner, user] = [await patientFan(world), await patientFan(world)]
  const vouchers = await addStock(world, 5, { kind: 'voucher', delivers: { credit: 500 }, price: EUROS })
  const { id, lines } = await buyWithMoney(owner, vouchers)
  return {
    owner,
    user,
    order: String(id),
    code: String(lines[0].vouchers[0].code),
    scarf: await addStock(world, 9),
  }
}

async function useInOrder(user: Fan, scarf: string, code: string): Promise<string> {
  const { id } = expectStatus(201, await withVoucher(user, scarf, code))
  expectStatus(200, await completeOrder(user, id, await pay(user, id)))
  return id
}

/** Every choice of up to three steps, in every order. */
const sequences = [1, 2, 3].flatMap(length =>
  permutationsOf(STEPS)
    .map(steps => steps.slice(0, length))
    .filter((steps, index, all) => all.findIndex(other => String(other) === String(steps)) === index),
)

onEachEngine(
  'A voucher',
  world => {
    async function stateOf(code: string) {
      const { orderUnits } = world.db.tables
      const [unit] = await world.db.read.select().from(orderUnits).where(eq(orderUnits.code, code))
      return unit?.voidedAt ? 'void' : unit?.usedAt ? 'used' : 'valid'
    }

    async function play(used: 'by an order' | 'at a desk', steps: readonly Step[]) {
      const { owner, user, order, code, scarf } = await bought(world)
      const desk = await deskOf(world)
      let ownerId = await userIdOf(world, owner)
      let use: string | null = null
      if (used === 'by an order') use = await useInOrder(user, scarf, code)
      else expectStatus(200, await desk.post(`/api/redemptions/${code}/use`))
      const take: Record<Step, () => Promise<unknown>> = {
        'refund it': () => refundOrder(world, order),
        'refund its use': async () => use && refundOrder(world, use),
        'undo at the desk': () =>
          world.db
            .write(tx => undoUse(tx, world.deps.codeSources, { userId: ownerId, code }))
            .catch(() => {}),
        'erase the owner': () =>
          world.db.write(tx =>
            eraseUser(tx, { provider: world.config.identity.name, subject: owner.subject }),
          ),
        'merge the owner': async () => {
          const other = await patientFan(world)
          expectStatus(201, await other.post('/api/user/profile', {}))
          const into = await userIdOf(world, other)
          const merged = await world.db
            .write(tx => mergeFans(tx, { from: ownerId, into, mergedBy: 'desk', reason: null }))
            .catch(() => null)
          if (merged) ownerId = into
        },
      }
      for (const step of steps) await take[step]()

      const isPaid = !steps.includes('refund it')
      const erased = steps.indexOf('erase the owner')
      const isErased = erased >= 0
      const undoneAt = steps.indexOf(used === 'by an order' ? 'refund its use' : 'undo at the desk')
      const diedAt = Math.min(
        ...[isPaid ? -1 : steps.indexOf('refund it'), isErased ? erased : -1].filter(at => at >= 0),
      )
      // A desk cannot undo the use of a voucher that is worthless; a refund of the order returns its credit, which nobody can use.
      const isUndone = undoneAt >= 0 && (used === 'by an order' || undoneAt < diedAt)
      const state = isUndone ? (isPaid && !isErased ? 'valid' : 'void') : 'used'
      expect([used, steps, await stateOf(code)]).toEqual([used, steps, state])
      const again = await withVoucher(user, scarf, code)
      expect([used, steps, again.status]).toEqual([used, steps, state === 'valid' ? 201 : 409])
      if (again.status === 201) expectStatus(200, await cancelOrder(user, again.body.id))
    }

    test.each(['by an order', 'at a desk'] as const)(
      'used %s is valid, used or void, in every order of three',
      async used => {
        expect(sequences).toHaveLength(5 + 20 + 60)
        for (const steps of sequences) await play(used, steps)
        await expectSound(world)
      },
    )

    test('is valid again after the refund of its use, also if the fan who used it is erased before', async () => {
      const { user, code, scarf } = await bought(world)
      const use = await useInOrder(user, scarf, code)
      const { subject } = user
      await world.db.write(tx => eraseUser(tx, { provider: world.config.identity.name, subject }))
      await refundOrder(world, use)
      expect(await stateOf(code)).toBe('valid')
      await expectSound(world)
    })

    test('that its owner loses while a pending order has it ends that order when it is paid, by its own code', async () => {
      const { owner, user, code, scarf } = await bought(world)
      const { id } = expectStatus(201, await withVoucher(user, scarf, code))
      const { subject } = owner
      await world.db.write(tx => eraseUser(tx, { provider: world.config.identity.name, subject }))
      const paid = await completeOrder(user, id, await pay(user, id))
      expect(refusal(paid)).toEqual([409, 'voucher_not_accepted'])
      expect(paid.body.detail).toContain('The payment will be refunded.')
      expect((await user.get(`/api/user/orders/${id}`)).body.status).toBe('refund_due')
      expect(refusal(await completeOrder(user, id))).toEqual([409, 'order_not_pending'])
    })

    test('of an order that was started when another had expired pays it, also if the clock goes back', async () => {
      const { user, code, scarf } = await bought(world)
      expectStatus(201, await withVoucher(await patientFan(world), scarf, code))
      world.clock.advance(HOLD)
      const { id } = expectStatus(201, await withVoucher(user, scarf, code))
      world.clock.set(-60_000)
      expect(expectStatus(200, await completeOrder(user, id, await pay(user, id))).status).toBe('paid')
      world.clock.set(60_000)
      await expectSound(world)
    })

    test('whose purchase and use are refunded at the same time is void', async () => {
      for (let round = 0; round < 6; round++) {
        const { user, order, code, scarf } = await bought(world)
        const use = await useInOrder(user, scarf, code)
        await Promise.all([refundOrder(world, order), refundOrder(world, use)])
        expect(await stateOf(code)).toBe('void')
      }
      await expectSound(world)
    })

    test('that a pending order has is refused at the desk until the order ends', async () => {
      const [{ user, code, scarf }, desk] = [await bought(world), await deskOf(world)]
      const use = () => desk.post(`/api/redemptions/${code}/use`)
      const pending = expectStatus(201, await withVoucher(user, scarf, code))
      expect(refusal(await use())).toEqual([409, 'voucher_reserved'])
      expectStatus(200, await cancelOrder(user, pending.id))
      expectStatus(201, await withVoucher(user, scarf, code))
      world.clock.advance(HOLD)
      expectStatus(200, await use())
      expect(refusal(await use())).toEqual([409, 'already_used'])
    })

    test('of a fan who is erased leaves no order of another that expires while it is pending', async () => {
      const { owner, user, code } = await bought(world)
      // The voucher pays the whole price.
      const pending = expectStatus(
        201,
        await withVoucher(user, await addStock(world, 9, { price: EUROS }), code),
      )
      await world.db.write(tx =>
        eraseUser(tx, { provider: world.config.identity.name, subject: owner.subject }),
      )
      expect(refusal(await completeOrder(user, pending.id))).toEqual([409, 'voucher_not_accepted'])
      expectStatus(200, await cancelOrder(user, pending.id))
    })
  },
  { fans: 800 },
)
