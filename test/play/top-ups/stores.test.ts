/** Stores of mobile platforms pay no top-up: they refund their customers by themselves, also what is spent by then. */
import { afterAll, expect, test } from 'bun:test'
import type { Fan, World } from '../../support/world.ts'
import { onEachEngine } from '../../support/world.ts'
import { createAppStore } from '../packs/app-store.ts'
import { PRODUCT, startGooglePlay } from '../packs/google-play.ts'
import { addPack, complete, EUROS, expectStatus, patientFan, refusal, start } from '../packs/packs-world.ts'
import { complaints } from '../packs/stripe-world.ts'
import { cashEntriesOf, cashEnv, cashOf, completeTopUp, startTopUp } from './cash-world.ts'

const apple = await createAppStore()
const google = await startGooglePlay()
afterAll(() => google.stop())

interface Sale {
  reference: string
  /** The store tells the server of the payment. */
  tell(): Promise<{ status: number }>
}

const post = ({ anonymous }: World, path: string, body: string, headers: Record<string, string> = {}) =>
  anonymous.send(path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })

/** Sells what has this id, as its app does. */
const stores: Record<string, (world: World, id: string) => Promise<Sale>> = {
  apple: async (world, id) => {
    const transaction = apple.transaction(id)
    return {
      reference: await apple.sign(transaction),
      tell: async () =>
        post(world, '/api/webhooks/app-store', await apple.notification('ONE_TIME_CHARGE', transaction)),
    }
  },
  google: async (world, id) => {
    google.now = () => world.clock.ms
    const token = google.sell(id)
    const notice = {
      oneTimeProductNotification: {
        version: '1.0',
        notificationType: 1,
        purchaseToken: token,
        sku: PRODUCT,
      },
    }
    return {
      reference: `google:${token}`,
      async tell() {
        const { authorization = '', body } = await google.push(notice)
        return post(world, '/api/webhooks/google-play', body, { authorization })
      },
    }
  },
}

onEachEngine(
  'A top-up that a store was paid for',
  world => {
    const begin = async (): Promise<{ fan: Fan; id: string }> => {
      const fan = await patientFan(world)
      return { fan, id: expectStatus(201, await startTopUp(fan, EUROS.amount)).id }
    }

    test.each(Object.keys(stores))(
      'by %s is not credited, neither by the app nor by the store',
      async name => {
        const { fan, id } = await begin()
        const sale = await stores[name]?.(world, id)
        if (!sale) throw new Error('no such store')
        const answer = await completeTopUp(fan, id, sale.reference)
        expect(refusal(answer)).toEqual([402, 'payment_not_confirmed'])
        complaints(world)
        expect((await sale.tell()).status).toBe(204)
        const msg = 'a payment needs an operator: it succeeded, but does not pay the purchase it names'
        expect(complaints(world)).toMatchObject([{ msg, purchaseId: id }])
        expect(await cashOf(world, fan)).toEqual([0, 0])
        expect(await cashEntriesOf(fan)).toEqual([])
        expect((await fan.get(`/api/user/top-ups/${id}`)).body.status).toBe('pending')
      },
    )

    test.each(Object.keys(stores))('%s pays a pack of the same price', async name => {
      const fan = await patientFan(world)
      const { id } = expectStatus(201, await start(fan, await addPack(world, { price: EUROS })))
      const sale = await stores[name]?.(world, id)
      expectStatus(200, await complete(fan, id, sale?.reference))
    })
  },
  { env: { ...cashEnv, ...apple.env, ...google.env } },
)
