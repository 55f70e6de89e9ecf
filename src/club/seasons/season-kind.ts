/** Seasons of the club. Those that are active do not overlap, so that an instant is of one season at most. */
import { and, asc, eq, gt, lt, ne } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { instantIn } from '../../core/instant.ts'
import { Closed, InstantInput } from '../../core/schemas.ts'
import type { Static } from '../../core/typebox.ts'
import { Active, EntrySlug } from '../catalogue/entry-schema.ts'
import { declarePlainKind } from '../catalogue/plain-kind.ts'
import { Text } from '../catalogue/texts.ts'
import { bumpVersion } from '../catalogue/versions.ts'

const SeasonEntry = Closed(
  {
    id: EntrySlug('Slug of the season.'),
    name: Text(100, 'What fans see, such as 2026/27.'),
    startsAt: InstantInput('When it starts. Seasons do not overlap.'),
    endsAt: InstantInput('Its end, exclusive: the next season can start then.'),
    active: Active,
  },
  { title: 'Season' },
)
type SeasonEntry = Static<typeof SeasonEntry>

const overlap = ({ startsAt }: SeasonEntry, other: Pick<SeasonEntry, 'id' | 'startsAt' | 'endsAt'>) => ({
  pointer: instantIn(other.startsAt) <= instantIn(startsAt) ? '/startsAt' : '/endsAt',
  message: `overlaps season ${other.id}, which is from ${other.startsAt} to ${other.endsAt}`,
})

const timeOf = (instant: string) => instantIn(instant).getTime()

export const seasonKind = declarePlainKind({
  kind: 'season',
  list: 'seasons',
  about: 'A season of the club. Seasons do not overlap.',
  schema: SeasonEntry,
  givesValue: false,
  table: ({ seasons }) => seasons,
  orderBy: ({ startsAt }) => startsAt,
  clashesOf(entries) {
    const active = entries.filter(({ active = true }) => active)
    const byStart = active.toSorted((a, b) => timeOf(a.startsAt) - timeOf(b.startsAt))
    return byStart.flatMap((entry, index) => {
      const before = byStart[index - 1]
      if (!before || timeOf(before.endsAt) <= timeOf(entry.startsAt)) return []
      return [{ entry, ...overlap(entry, before) }]
    })
  },
  async conflicts(reader, entry, { isWritten = () => false } = {}) {
    const { seasons } = reader.tables
    const isOverlap = and(
      gt(seasons.endsAt, instantIn(entry.startsAt)),
      lt(seasons.startsAt, instantIn(entry.endsAt)),
    )
    const isOther = and(eq(seasons.active, true), ne(seasons.id, entry.id))
    if (entry.active === false) return []
    const others = await reader.select().from(seasons).where(and(isOther, isOverlap))
    return others.flatMap(({ id, startsAt, endsAt }) =>
      // One that the same import has written is compared in its file.
      isWritten('seasons', id)
        ? []
        : [overlap(entry, { id, startsAt: startsAt.toISOString(), endsAt: endsAt.toISOString() })],
    )
  },
  lock: bumpVersion,
})

/** The active ones, in their order. */
export function readSeasons(reader: Reader) {
  const { seasons } = reader.tables
  const { id, startsAt, endsAt } = seasons
  return reader
    .select({ id, startsAt, endsAt })
    .from(seasons)
    .where(eq(seasons.active, true))
    .orderBy(asc(startsAt))
}

/** Whether the catalogue has changed any season since then. */
export async function isSeasonChanged(reader: Reader, since: Date): Promise<boolean> {
  const { seasons } = reader.tables
  const found = await reader
    .select({ id: seasons.id })
    .from(seasons)
    .where(gt(seasons.updatedAt, since))
    .limit(1)
  return found.length > 0
}
