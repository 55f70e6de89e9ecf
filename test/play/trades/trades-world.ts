/** Fans with items, and offers between them. */
import { type NamedFan, namedFan } from '../../identity/relations/relations-world.ts'
import type { Client } from '../../support/client.ts'
import type { World } from '../../support/world.ts'
import { addPack, buy, expectStatus, FREE, open } from '../packs/packs-world.ts'

export interface Item {
  collectibleId: string
  serialNumber: number
}

/** An item that the fan has drawn from a pack of its own. */
export async function drawnItem(world: World, fan: Client): Promise<Item> {
  const packId = await addPack(world, { price: FREE, itemsPerPack: 1 })
  const { userPack } = await buy(fan, packId)
  const [{ id, serialNumber }] = expectStatus(200, await open(fan, userPack.id)).items
  return { collectibleId: id, serialNumber }
}

export const offer = (fan: Client, to: string, give: Item[], want: Item[] = []) =>
  fan.post('/api/trades', { to, give, want })

export const accept = (fan: Client, { id, version = 1 }: { id: string; version?: number }) =>
  fan.post(`/api/trades/${id}/accept`, { version })

/** A gift that another fan has offered to this one, who needs a handle for it. */
export async function offeredTo(world: World, fan: Client): Promise<{ id: string; version: number }> {
  const giver = await namedFan(world)
  const own = (await fan.get('/api/user/profile')).body.handle ?? (await newHandle(fan))
  return expectStatus(201, await offer(giver, own, [await drawnItem(world, giver)]))
}

let made = 0

async function newHandle(fan: Client): Promise<string> {
  const handle = `trader_${++made}`
  const answer = await fan.post('/api/user/profile', { handle })
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body))
  return handle
}

/** The id of an accepted gift. */
export async function completedTrade(world: World, from: NamedFan, to: NamedFan): Promise<string> {
  const trade = expectStatus(201, await offer(from, to.handle, [await drawnItem(world, from)]))
  return expectStatus(200, await accept(to, trade)).id
}

/** The ids of the collectibles that the fan owns. */
export const ownedBy = async (fan: Client): Promise<string[]> =>
  expectStatus(200, await fan.get('/api/user/collection')).items.map(({ id }: { id: string }) => id)
