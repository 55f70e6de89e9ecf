/** The divisions of a version of the catalogue, in memory. */
import { asc } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Reader } from '../../../db/index.ts'
import { statedTexts, type Text } from '../../club/catalogue/texts.ts'
import { readVersion } from '../../club/catalogue/versions.ts'
import type { DivisionEntry } from './division-kind.ts'

export type Scoring = NonNullable<DivisionEntry['scoring']>

/** The rules of a level. */
export interface Level {
  id: string
  up: number
  down: number
}

export interface Division {
  id: string
  name: Text
  scoring: Scoring
  size: number
  every: NonNullable<DivisionEntry['every']>
  /** The lowest first. */
  levels: (Level & { name: Text })[]
  active: boolean
}

/** A version is unique, so a set in memory is never stale. */
const sets = new LRUCache<string, ReadonlyMap<string, Division>>({ max: 8 })

/** Active and other ones, by id. Each change of a division writes a version. `given`: the version, if it is known. */
export async function getDivisions(
  reader: Reader,
  given?: string | null,
): Promise<ReadonlyMap<string, Division>> {
  const version = given === undefined ? ((await readVersion(reader))?.version ?? null) : given
  if (version === null) return new Map()
  const known = sets.get(version)
  if (known) return known
  const set = await readSet(reader)
  sets.set(version, set)
  return set
}

async function readSet(reader: Reader): Promise<Map<string, Division>> {
  const { divisions } = reader.tables
  const rows = await reader.select().from(divisions).orderBy(asc(divisions.id))
  return new Map(
    rows.map(row => {
      const { id, name, scoring, size, every, levels, active } = statedTexts(row)
      // Guarantee of the casts: only `divisionKind` writes them, complete and valid.
      const stated = JSON.parse(levels) as NonNullable<DivisionEntry['levels']>
      const division: Division = {
        id,
        name,
        size,
        active,
        scoring: scoring as Scoring,
        every: every as Division['every'],
        levels: stated.map(({ id, name, up = 0, down = 0 }) => ({ id, name, up, down })),
      }
      return [id, division]
    }),
  )
}
