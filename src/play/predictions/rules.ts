/** The rules by which fans predict a match, and how they chose: the same for everyone. */
import type { Reader } from '../../../db/index.ts'
import { findCompetition } from '../../club/competitions/competition-kind.ts'
import { type MatchRow, readDeadline, requireMatch } from '../../club/matches/matches.ts'
import type { ReadSource } from '../../platform/cache/public-reads.ts'
import { matchesTag } from '../../platform/cache/tags.ts'
import { crowdBonus, pointsOfMatch, type Split } from './score.ts'
import { findSplit } from './split.ts'

/** @throws DomainError `match_not_found` */
export const getPredictionRules = ({ read, cache }: ReadSource, matchId: string) =>
  cache.get(`predictions of ${matchId}`, async () => ({
    value: { matchId, ...(await readRulesOf(read, await requireMatch(read, matchId))) },
    tags: [matchesTag, 'competitions', 'settings'],
  }))

export async function readRulesOf(reader: Reader, match: MatchRow) {
  const competition = await findCompetition(reader, match)
  const split = await findSplit(reader, match.id)
  const points = await pointsOfMatch(reader, match.id)
  return {
    competition: competition?.id ?? null,
    deadline: competition?.deadline ?? ('match' as const),
    closesAt: (await readDeadline(reader, match, competition)).toISOString(),
    points,
    joker: competition?.joker ?? null,
    crowd: competition?.crowd ?? false,
    split: split ? presentSplit(split, points.outcome) : null,
  }
}

function presentSplit(split: Split, points: number) {
  const shareOf = (outcome: keyof Split) => ({
    predictions: split[outcome],
    points: points + crowdBonus(split, outcome, points),
  })
  return {
    predictions: split.home + split.draw + split.away,
    home: shareOf('home'),
    draw: shareOf('draw'),
    away: shareOf('away'),
  }
}
