/** The accounts and seasons of a version of the catalogue, in memory. */
import { createHash } from 'node:crypto'
import { asc } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Reader } from '../../../db/index.ts'
import { statedTexts } from '../../club/catalogue/texts.ts'
import { readVersion } from '../../club/catalogue/versions.ts'
import { readSeasons } from '../../club/seasons/season-kind.ts'
import type { AccountEntry } from './account-kind.ts'

export type Tier = Required<NonNullable<AccountEntry['tiers']>[number]>

export interface Account extends Omit<Required<AccountEntry>, 'tiers'> {
  /** The lowest first. */
  tiers: Tier[]
}

export interface Season {
  id: string
  startsAt: Date
  endsAt: Date
}

export interface AccountSet {
  /** Active and other ones, by id. */
  accounts: ReadonlyMap<string, Account>
  /** Active ones, in their order. */
  seasons: readonly Season[]
}

const NONE: AccountSet = { accounts: new Map(), seasons: [] }

/** A version is unique, so a set in memory is never stale. */
const sets = new LRUCache<string, AccountSet>({ max: 8 })

/** Each change of an account or a season writes a version. */
export async function getAccountSet(reader: Reader): Promise<AccountSet> {
  const version = (await readVersion(reader))?.version
  if (version === undefined) return NONE
  const known = sets.get(version)
  if (known) return known
  const set = await readSet(reader)
  sets.set(version, set)
  return set
}

async function readSet(reader: Reader): Promise<AccountSet> {
  const { accounts } = reader.tables
  const rows = await reader.select().from(accounts).orderBy(asc(accounts.id))
  const active = await readSeasons(reader)
  const byId = rows.map((row): [string, Account] => {
    const { createdAt: _, updatedAt: _u, window, tiers, ...rest } = statedTexts(row)
    // Guarantee of the casts: only `accountKind` writes them, complete and valid.
    const stated = (JSON.parse(tiers) as NonNullable<AccountEntry['tiers']>).map(
      ({ benefits = [], graceDays = 0, ...tier }) => ({ ...tier, benefits, graceDays }),
    )
    return [
      row.id,
      {
        ...rest,
        window: window === null ? null : (JSON.parse(window) as { seasons: number }),
        tiers: stated.toSorted((a, b) => a.from - b.from),
      },
    ]
  })
  return { accounts: new Map(byId), seasons: active }
}

/** Since when entries count at a time; null: all. The season that comes next begins when the last one has ended. */
export function windowFromAt({ window }: Account, { seasons }: AccountSet, at: Date): Date | null {
  if (window === null) return null
  const ended = seasons.filter(({ endsAt }) => endsAt <= at)
  return ended.at(-window.seasons)?.endsAt ?? null
}

/** What counted when the last season ended. Null if none has, or the account has no window. */
export function pastWindowAt(account: Account, set: AccountSet, at: Date) {
  const ended = set.seasons.findLast(({ endsAt }) => endsAt <= at)
  if (account.window === null || !ended) return null
  return { from: windowFromAt(account, set, new Date(ended.endsAt.getTime() - 1)), before: ended.endsAt }
}

/** The season of an entry; between two, the next one. Null after the last one. */
export const seasonAt = ({ seasons }: AccountSet, countedAt: Date): Season | null =>
  seasons.find(({ endsAt }) => countedAt < endsAt) ?? null

const windowName = (from: Date | null) => String(from?.getTime() ?? 'all')

/** The bases of a window are from the first of these texts to before the second, in the order of bytes. */
export const basesOf = (from: Date | null) => [`${windowName(from)}:`, `${windowName(from)};`] as const

/** Names the window and the tiers by which a row of a fan is written. */
export const basisOf = (account: Account, from: Date | null): string => {
  const tiers = account.tiers.map(tier => [tier.id, tier.from])
  return `${windowName(from)}:${createHash('sha256').update(JSON.stringify(tiers)).digest('hex').slice(0, 16)}`
}
