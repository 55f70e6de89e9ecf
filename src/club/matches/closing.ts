/** Matches whose predictions close soon. */
import { and, asc, eq, gt, lte } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { timeZoneOf } from '../../platform/settings/settings.ts'
import { findCompetition } from '../competitions/competition-kind.ts'
import { readSides } from '../teams/teams.ts'
import { readDeadline } from './matches.ts'

/** A round that closes with its first match is at most this long. */
const ROUND_MS = 14 * 86_400_000

/** By kick-off. */
export async function listClosing(reader: Reader, untilMs: number) {
  const now = reader.now()
  const { matches } = reader.tables
  const until = now.getTime() + untilMs
  const rows = await reader
    .select()
    .from(matches)
    .where(
      and(
        eq(matches.active, true),
        eq(matches.status, 'scheduled'),
        gt(matches.kickoffAt, now),
        lte(matches.kickoffAt, new Date(until + ROUND_MS)),
      ),
    )
    .orderBy(asc(matches.kickoffAt), asc(matches.id))
  const closing = []
  for (const row of rows) {
    const closesAt = await readDeadline(reader, row, await findCompetition(reader, row))
    if (closesAt > now && closesAt.getTime() <= until) closing.push({ ...row, closesAt })
  }
  return closing
}

/** What messages say about a match, with the default names of its teams. */
export async function describeMatch(
  reader: Reader,
  { id, homeTeamId, awayTeamId, kickoffAt, closesAt }: Awaited<ReturnType<typeof listClosing>>[number],
) {
  const [home, away] = await readSides(reader, [homeTeamId, awayTeamId])
  return {
    matchId: id,
    homeTeam: home.name,
    awayTeam: away.name,
    kickoffAt: kickoffAt.toISOString(),
    closesAt: closesAt.toISOString(),
    deadline: inWords(closesAt, await timeZoneOf(reader)),
  }
}

/** With the zone, since fans are in others: `2026-08-15 19:30 Europe/London`. */
function inWords(at: Date, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone)
  return `${local.toPlainDate()} ${local.toPlainTime().toString({ smallestUnit: 'minute' })} ${timeZone}`
}
