/** Entries of a test that require something, and fans who may meet it. */
import { expect } from 'bun:test'
import { eq } from 'drizzle-orm'
import { packsTag } from '../../../src/platform/cache/tags.ts'
import { type Requires, storedRequires } from '../../../src/play/eligibility/requires.ts'
import { giveCollectible } from '../../../src/play/packs/give-collectible.ts'
import type { Client } from '../../support/client.ts'
import type { Fan, World } from '../../support/world.ts'
import { addPack, expectStatus, FREE } from '../packs/packs-world.ts'
import { userIdOf } from '../quests/quests-world.ts'

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

/** The codes that the list has of a reward. */
export async function blockersOf(fan: Client, rewardId: string): Promise<string[]> {
  const { rewards } = expectStatus(200, await fan.get('/api/rewards'))
  return rewards.find(({ id }: { id: string }) => id === rewardId).blockedBy
}
