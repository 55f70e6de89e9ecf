/** Entries of a test that require something, and fans who may meet it. */
import { expect } from 'bun:test'
import { eq } from 'drizzle-orm'
import { packsTag } from '../../../src/platform/cache/tags.ts'
import { type Requires, storedRequires } from '../../../src/play/eligibility/requires.ts'
import { giveCollectible } from '../../../src/play/packs/give-collectible.ts'
import type { Client } from '../../support/client.ts'
import type { Fan, World } from '../../support/world.ts'
import { addPack, expectStatus, FREE, start } from '../packs/packs-world.ts'
import { addQuest, claim as claimQuest, happen, userIdOf } from '../quests/quests-world.ts'
import { addStock, checkout } from '../shop/orders-world.ts'

let made = 0

export const addReward = (world: World, requires: Requires, fields: { stockRemaining?: number } = {}) =>
  world.reward({ pointsRequired: 0, requires: storedRequires(requires), ...fields })

export async function addPackFor(world: World, requires: Requires): Promise<string> {
  const id = await addPack(world, { price: FREE })
  await world.db.write(async tx => {
    await tx
      .update(tx.tables.packs)
      .set({ requires: storedRequires(requires) })
      .where(eq(tx.tables.packs.id, id))
    tx.invalidate(packsTag)
  })
  return id
}

/** The id of a collectible of its own. */
export const addCollectible = async (world: World): Promise<string> => `${await addPack(world)}-common`

export async function give(world: World, fan: Fan, collectibleId: string): Promise<void> {
  const userId = await userIdOf(world, fan)
  await world.db.write(tx =>
    giveCollectible(tx, { userId, collectibleId, givenFor: `eligibility:${++made}` }),
  )
}

/** States the country in the profile. */
export async function liveIn(fan: Client, country: string | null): Promise<void> {
  const { status } = await fan.post('/api/user/profile', { country })
  expect([200, 201]).toContain(status)
}

export const claim = (fan: Client, rewardId: string) => fan.post('/api/rewards/claim', { rewardId })

/** The codes that a list has of an entry. `list` may have a query. */
export async function blockersOf(fan: Client, id: string, list = 'rewards'): Promise<string[]> {
  const body = expectStatus(200, await fan.get(`/api/${list}`))
  const [name = ''] = list.split('?')
  return body[name].find((entry: { id: string }) => entry.id === id).blockedBy
}

/** Of each kind an entry that requires this: its id, its list, and the verb that asks. */
export async function addOfEachKind(world: World, requires: Requires) {
  const packId = await addPackFor(world, requires)
  // Products come in pages: these are alone in theirs.
  const category = `for-${++made}`
  const free = { category, price: FREE }
  const credit = await addStock(world, 10, { ...free, kind: 'voucher', requires })
  const delivery = await addStock(world, 10, { ...free, kind: 'pack', delivers: { packId } })
  const products = `products?category=${category}`
  const quest = await addQuest(world, { claim: 'manual', requires })
  return [
    { id: await addReward(world, requires), list: 'rewards', ask: claim },
    { id: packId, list: 'packs', ask: start },
    { id: credit, list: products, ask: checkout },
    { id: delivery, list: products, ask: checkout },
    {
      id: quest.id,
      list: 'quests',
      async ask(fan: Fan, id: string) {
        await happen(world, fan, quest.type)
        return claimQuest(fan, id)
      },
    },
  ] as const
}
