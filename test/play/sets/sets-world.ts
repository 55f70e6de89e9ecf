/** Sets of collectibles, and fans who own some of them. */
import { writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { giveCollectible } from '../../../src/play/packs/give-collectible.ts'
import type { SetEntry } from '../../../src/play/sets/set-kind.ts'
import type { Client } from '../../support/client.ts'
import type { World } from '../../support/world.ts'
import { expectStatus } from '../packs/packs-world.ts'

type Database = Pick<World, 'db'>

let made = 0

/** Collectibles that are in no pack; their ids, in order. */
export async function addCollectibles({ db }: Database, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => `moment-${String(++made).padStart(4, '0')}`)
  const at = { createdAt: db.read.now(), updatedAt: db.read.now() }
  const text = { name: 'Moment', description: 'A moment.', rarity: 'common', minted: 0 }
  await db.write(tx => tx.insert(tx.tables.collectibles).values(ids.map(id => ({ id, ...text, ...at }))))
  return ids
}

export const entryOf = (collectibleIds: string[], members: Partial<SetEntry> = {}): SetEntry => ({
  id: `set-${String(++made).padStart(4, '0')}`,
  name: 'Derby moments',
  collectibleIds,
  ...members,
})

export const record = (entry: SetEntry) => ({ kind: 'set', entry }) as const

export const importSet = ({ db }: Database, entry: SetEntry) => db.write(tx => writeRecord(tx, record(entry)))

/** A set of two collectibles of its own by default. */
export async function addSet(world: Database, members: Partial<SetEntry> = {}): Promise<SetEntry> {
  const entry = entryOf(members.collectibleIds ?? (await addCollectibles(world, 2)), members)
  await importSet(world, entry)
  return entry
}

/** Gives the fan an item of each collectible, as a quest does: one unit of work for all. */
export const give = ({ db }: Database, userId: string, collectibleIds: string[]) =>
  db.write(async tx => {
    for (const collectibleId of collectibleIds)
      await giveCollectible(tx, { userId, collectibleId, givenFor: `test:${++made}` })
  })

interface ShownSet extends Record<string, unknown> {
  id: string
  owned: number
  total: number
  completedAt: string | null
  collectibles: { id: string; count: number }[]
}

export async function readSets(fan: Client, query = ''): Promise<ShownSet[]> {
  return expectStatus(200, await fan.get(`/api/user/sets${query}`)).sets
}

/** Undefined if the fan does not see the set. */
export const readSet = async (fan: Client, { id }: Pick<SetEntry, 'id'>) =>
  (await readSets(fan)).find(set => set.id === id)
