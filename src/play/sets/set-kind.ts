/**
 * Imports sets. A change applies to later completions: a fan who has completed a set keeps the completion and its reward.
 */
import { asc, eq, inArray } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { compareEntries, type EntryChange, type EntryFault } from '../../club/catalogue/entry.ts'
import { Active, EntrySlug, Maybe } from '../../club/catalogue/entry-schema.ts'
import { declareKind, type WrittenBefore } from '../../club/catalogue/kind.ts'
import { columnsIn, statedTexts, Text } from '../../club/catalogue/texts.ts'
import { Closed, Integer } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'
import { findCollectibleIds } from '../packs/packs.ts'
import { isReward } from '../rewards/give-reward.ts'

/** A set of collectibles in a catalogue file. */
export const SetEntry = Closed(
  {
    id: EntrySlug('Slug of the set.'),
    name: Text(100, 'What fans see.'),
    collectibleIds: Type.Array(EntrySlug('Slug of a collectible.'), {
      minItems: 1,
      maxItems: 200,
      uniqueItems: true,
      description: 'A fan who owns an item of each completes the set.',
    }),
    reward: Type.Optional(
      Closed(
        {
          points: Type.Optional(
            Integer({ minimum: 0, maximum: 1_000_000_000, description: 'Points. Default: 0.' }),
          ),
          rewardId: Maybe(EntrySlug('Slug of a reward, which is claimed for the fan.')),
        },
        { title: 'SetReward', description: 'What completing the set gives, once per fan.' },
      ),
    ),
    active: Active,
  },
  { title: 'Set' },
)
export type SetEntry = Static<typeof SetEntry>

async function planSet(reader: Reader, entry: SetEntry): Promise<EntryChange> {
  const [stored] = await readSets(reader, [entry.id])
  return compareEntries(stored && contentOf(stored), contentOf(entry))
}

async function upsertSet(tx: Transaction, entry: SetEntry): Promise<EntryChange> {
  const { sets, setItems } = tx.tables
  const { id, collectibleIds } = entry
  const change = await planSet(tx, entry)
  if (change.outcome === 'unchanged') return change
  const { name, active, reward } = contentOf(entry)
  const set = {
    ...columnsIn(sets, { name, active }),
    rewardPoints: reward.points,
    rewardId: reward.rewardId,
    updatedAt: tx.now(),
  }
  // The lock on this row serializes concurrent imports.
  await tx
    .insert(sets)
    .values({ ...set, id, createdAt: tx.now() })
    .onConflictDoUpdate({ target: sets.id, set })
  await tx.delete(setItems).where(eq(setItems.setId, id))
  await tx
    .insert(setItems)
    .values(collectibleIds.map((collectibleId, position) => ({ setId: id, collectibleId, position })))
  return change
}

function contentOf({ name, collectibleIds, reward, active = true }: SetEntry) {
  const { points = 0, rewardId = null } = reward ?? {}
  return { name, collectibleIds, reward: { points, rewardId }, active }
}

async function readSets(reader: Reader, ids: string[]): Promise<SetEntry[]> {
  const { sets, setItems } = reader.tables
  const rows = await reader.select().from(sets).where(inArray(sets.id, ids))
  const items = await reader
    .select({ setId: setItems.setId, collectibleId: setItems.collectibleId })
    .from(setItems)
    .where(inArray(setItems.setId, ids))
    .orderBy(asc(setItems.position))
  const bySet = Map.groupBy(items, ({ setId }) => setId)
  return rows.map(row => {
    const { id, name, active, rewardPoints: points, rewardId } = statedTexts(row)
    const collectibleIds = (bySet.get(id) ?? []).map(({ collectibleId }) => collectibleId)
    return { id, name, collectibleIds, reward: { points, rewardId }, active }
  })
}

async function findUnknown(
  reader: Reader,
  { collectibleIds, reward }: SetEntry,
  isWritten: WrittenBefore,
): Promise<EntryFault[]> {
  const known = await findCollectibleIds(reader, collectibleIds)
  const faults = collectibleIds.flatMap((id, index) =>
    known.has(id) || isWritten('collectibles', id)
      ? []
      : [
          {
            pointer: `/collectibleIds/${index}`,
            message: 'must be a collectible that is stored, or stated before this set',
          },
        ],
  )
  const { rewardId } = reward ?? {}
  if (rewardId && !isWritten('rewards', rewardId) && !(await isReward(reader, rewardId)))
    faults.push({
      pointer: '/reward/rewardId',
      message: 'must be a reward that is stored, or stated before this set',
    })
  return faults
}

export const setKind = declareKind({
  kind: 'set',
  list: 'sets',
  about: 'Collectibles that are worth a reward together.',
  schema: SetEntry,
  givesValue: true,
  table: ({ sets }) => sets,
  references: (reader, entry, { isWritten }) => findUnknown(reader, entry, isWritten),
  plan: planSet,
  upsert: upsertSet,
  read: readSets,
})
