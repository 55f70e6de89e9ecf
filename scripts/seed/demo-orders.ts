/**
 * The demonstration orders: the carts of fans and what happens to them. The last steps of the newest are still to come, so that
 * the orders together have every state.
 */
import type { Fan } from '../../mock-idp/users/user.ts'
import type { AddressInput } from '../../src/play/shop/addresses.ts'
import type { LineChange } from '../../src/play/shop/order-schema.ts'
import { DAY_MS, MINUTE_MS } from './calendar.ts'
import type { SeedSources } from './sources.ts'

export interface CartLine {
  productId: string
  variantId: string
  quantity: number
}

/** `pay` after `cancel` is a payment that comes too late. */
export type OrderStep = { after: number } & (
  | { does: 'pay' | 'cancel' | 'expire' | 'refund' }
  | { does: 'change'; line: number; change: LineChange }
)

interface DemoOrder {
  lines: CartLine[]
  steps: OrderStep[]
}

const pay: OrderStep = { does: 'pay', after: 3 * MINUTE_MS }
const cancel: OrderStep = { does: 'cancel', after: 8 * MINUTE_MS }
const refund: OrderStep = { does: 'refund', after: DAY_MS }

/** The states of a line, a day apart. */
const ship =
  (carrier: string, ...states: LineChange['state'][]) =>
  (line: number, tracking: string): OrderStep[] =>
    states.map(state => ({
      does: 'change',
      line,
      after: DAY_MS,
      change: state === 'shipped' ? { state, carrier, tracking } : { state },
    }))

const scarf = { productId: 'home-scarf', variantId: 'one-size', quantity: 1 }
const shirt = (variantId: string) => ({ productId: 'home-shirt-2025', variantId, quantity: 1 })
const standard = (productId: string, quantity = 1) => ({ productId, variantId: 'standard', quantity })

const delivered = ship('CTT', 'ready', 'shipped', 'delivered')
const express = ship('DHL', 'ready', 'shipped', 'delivered')

/** Unpaid orders hold only unlimited stock, so that a seed does not depend on the times of other fans. */
const stories: ((tracking: string) => DemoOrder)[] = [
  tracking => ({
    lines: [scarf, shirt('m')],
    steps: [pay, ...delivered(1, tracking), ...delivered(2, tracking)],
  }),
  tracking => ({ lines: [standard('crest-mug')], steps: [pay, ...delivered(1, tracking)] }),
  tracking => ({ lines: [shirt('l')], steps: [pay, ...express(1, tracking)] }),
  tracking => ({ lines: [{ ...scarf, quantity: 2 }], steps: [pay, ...express(1, tracking)] }),
  () => ({ lines: [standard('stadium-tour-for-two')], steps: [pay] }),
  tracking => ({
    lines: [shirt('s')],
    steps: [pay, ...ship('CTT', 'ready', 'shipped', 'returned')(1, tracking)],
  }),
  () => ({ lines: [{ ...scarf, quantity: 3 }], steps: [cancel] }),
  () => ({ lines: [standard('starter-pack-gift', 2)], steps: [pay] }),
  () => ({ lines: [scarf], steps: [{ does: 'expire', after: 31 * MINUTE_MS }] }),
  () => ({ lines: [standard('pin-set'), shirt('xl')], steps: [pay, refund] }),
  () => ({ lines: [scarf], steps: [cancel, pay, refund] }),
  () => ({ lines: [standard('derby-night-wallpaper')], steps: [pay] }),
  () => ({ lines: [scarf], steps: [] }),
  () => ({ lines: [standard('crest-mug')], steps: [pay, refund] }),
  tracking => ({
    lines: [standard('pin-set'), scarf],
    steps: [pay, ...delivered(1, tracking), ...delivered(2, tracking)],
  }),
]

/** Towns by the countries of the demonstration teams, with a postal code of each. */
const towns: Record<string, [city: string, postalCode: string, street: string]> = {
  BR: ['São Paulo', '01310-100', 'Avenida Paulista'],
  DE: ['Hamburg', '20095', 'Lange Reihe'],
  ES: ['Sevilla', '41001', 'Calle Sierpes'],
  FR: ['Lyon', '69002', 'Rue Mercière'],
  GB: ['Plymouth', 'PL1 2AA', 'Harbour Street'],
  IE: ['Galway', 'H91 E2K3', 'Quay Street'],
  IT: ['Genova', '16124', 'Via San Luca'],
  JP: ['Sendai', '980-0811', 'Ichibancho'],
}

/** Stages of fans who have already bought packs or claimed rewards. */
const SHOPPERS = [6, 8, 9]

/** The number of a shopper (0, 1, 2 …) by the index of the fan; null for other fans. */
export function shopperNumberOf(index: number): number | null {
  const nth = SHOPPERS.indexOf(index % 10)
  return nth < 0 ? null : Math.floor(index / 10) * SHOPPERS.length + nth
}

export interface Shopper {
  fan: Pick<Fan, 'name'>
  country: string
  /** The result of `shopperNumberOf`. */
  number: number
}

/** The two orders of a shopper; advances the fan's time before each. */
export function* drawOrders({ faker, passSome }: SeedSources, { fan, country, number }: Shopper) {
  const home = towns[country] ? country : 'GB'
  const [city, postalCode, street] = towns[home] ?? ['', '', '']
  for (const nth of [0, 1]) {
    passSome(6 * DAY_MS)
    const tracking = `MD${faker.string.numeric(9)}`
    const address: AddressInput = {
      name: fan.name,
      city,
      postalCode,
      country: home,
      line1: `${street} ${faker.number.int({ min: 1, max: 180 })}`,
    }
    const story = stories[(2 * number + nth) % stories.length]
    if (story) yield { ...story(tracking), address }
  }
}

/** The steps that have happened by now; advances the fan's time before each. */
export function* stepsUntilNow({ pass, left }: SeedSources, steps: OrderStep[]): Generator<OrderStep> {
  for (const step of steps) {
    if (step.after >= left()) return
    pass(step.after)
    yield step
  }
}
