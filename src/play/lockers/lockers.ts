/** Lockers: shelves on which a fan shows items. Read here, for the fan and for others; written by `write-locker.ts`. */
import { and, asc, eq } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { presentTexts } from '../../club/catalogue/texts.ts'
import { NOBODY, type Viewer } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { fanNotFound } from '../../identity/relations/find-fan.ts'
import { isShown, isVisible } from '../../identity/relations/visibility.ts'
import { publicFans } from '../../identity/users/public-profile.ts'
import { ownedItems } from '../packs/ownership.ts'
import { lockerProblems } from './problems.ts'
import { EMPTY_LOCKER, type Locker, type ShownLocker } from './schema.ts'

type StoredLocker = Record<'title' | 'theme' | 'shelves', string>

/** Shows the items that the fan owns now. Empty for a fan without a locker. */
export async function readOwnLocker(reader: Reader, { userId }: Viewer): Promise<Locker> {
  const row = await selectLocker(reader, userId)
  return row ? present(reader, userId, row) : EMPTY_LOCKER
}

const selectLocker = preparedRow((reader: Reader, userId: string) => {
  const { lockers } = reader.tables
  const { title, theme, shelves } = lockers
  return reader.select({ title, theme, shelves }).from(lockers).where(eq(lockers.userId, userId))
})

/**
 * The title and theme of a locker, or null if the fan shows no locker to the viewer. The viewer must be able to see the fan.
 */
export async function readLockerTitle(reader: Reader, viewerId: string, handle: string) {
  const found = await selectShown(reader, viewerId, handle)
  const { title, theme } = found?.locker ?? {}
  // Guarantee of the cast: only `writeLocker` writes the row.
  return title === undefined || theme === undefined
    ? null
    : ({ title, theme } as Pick<Locker, 'title' | 'theme'>)
}

/** @throws DomainError `fan_not_found`, `locker_not_found` */
export async function readLocker(reader: Reader, viewerId: string, handle: string): Promise<ShownLocker> {
  const found = await selectShown(reader, viewerId, handle)
  if (!found) throw fanNotFound()
  if (!found.locker) throw new DomainError(lockerProblems.locker_not_found)
  return presentShown(reader, handle, found.locker, found)
}

/** The locker as everyone sees it, for sharing. Null if there is none. */
export async function findPublicLocker(reader: Reader, handle: string): Promise<ShownLocker | null> {
  const found = await selectShown(reader, NOBODY, handle)
  return found?.locker ? presentShown(reader, handle, found.locker, found) : null
}

interface Owner {
  userId: string
  displayName: string | null
  avatarUrl: string | null
  isShown: boolean
}

async function presentShown(
  reader: Reader,
  handle: string,
  locker: StoredLocker,
  { userId, isShown, ...names }: Owner,
): Promise<ShownLocker> {
  const { displayName, avatarUrl } = isShown ? names : { displayName: null, avatarUrl: null }
  return { handle, displayName, avatarUrl, ...(await present(reader, userId, locker)) }
}

/** One statement, also for a handle that nobody has. */
const selectShown = preparedRow((reader: Reader, viewerId: string, handle: string) => {
  const { lockers } = reader.tables
  const { title, theme, shelves } = lockers
  const fan = publicFans(reader).as('fan')
  return reader
    .select({
      userId: fan.userId,
      displayName: fan.displayName,
      avatarUrl: fan.avatarUrl,
      isShown: isShown(reader, 'profile', viewerId, fan.userId).as('is_shown'),
      locker: { title, theme, shelves },
    })
    .from(fan)
    .leftJoin(lockers, and(eq(lockers.userId, fan.userId), isShown(reader, 'locker', viewerId, fan.userId)))
    .where(and(eq(fan.handle, handle), isVisible(reader, viewerId, fan.userId)))
})

/**
 * The content of the locker, without texts of the catalogue. Undefined if the fan has no locker or hides it from the viewer
 * by a privacy setting. Blocks are not checked here.
 */
export async function readShelves(reader: Reader, viewerId: string, userId: string) {
  const row = await selectShelves(reader, viewerId, userId)
  if (!row) return undefined
  const { shelves, ...locker } = await present(reader, userId, row)
  return {
    ...locker,
    shelves: shelves.map(({ title, items }) => ({
      title,
      items: items.map(({ collectibleId, serialNumber }) => ({ collectibleId, serialNumber })),
    })),
  }
}

const selectShelves = preparedRow((reader: Reader, viewerId: string, userId: string) => {
  const { lockers } = reader.tables
  const { title, theme, shelves } = lockers
  return reader
    .select({ title, theme, shelves })
    .from(lockers)
    .where(and(eq(lockers.userId, userId), isShown(reader, 'locker', viewerId, lockers.userId)))
})

async function present(
  reader: Reader,
  userId: string,
  { title, theme, shelves }: StoredLocker,
): Promise<Locker> {
  const items = Map.groupBy(await selectItems(reader, userId), ({ shelf }) => shelf)
  const titles: string[] = JSON.parse(shelves)
  return {
    title,
    // Guarantee of the cast: only `writeLocker` writes the row.
    theme: theme as Locker['theme'],
    shelves: titles.map((title, shelf) => ({
      title,
      items: (items.get(shelf) ?? []).map(({ serialNumber, shelf: _, ...collectible }) => {
        const { id, name, imageUrl, rarity } = presentTexts(collectible)
        return { collectibleId: id, serialNumber, name, imageUrl, rarity }
      }),
    })),
  }
}

const selectItems = prepared((reader: Reader, userId: string) => {
  const { lockerItems: items } = reader.tables
  const owned = ownedItems(reader, userId).as('owned')
  const { id, name, description, imageUrl, rarity, translations, serialNumber } = owned
  return reader
    .select({ shelf: items.shelf, serialNumber, id, name, description, imageUrl, rarity, translations })
    .from(items)
    .innerJoin(owned, and(eq(id, items.collectibleId), eq(serialNumber, items.serialNumber)))
    .where(eq(items.userId, userId))
    .orderBy(asc(items.shelf), asc(items.position))
})
