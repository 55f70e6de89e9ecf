/** The rules by which fans predict a match, and how they chose: the same for everyone. */
import { findCompetition } from '../../club/competitions/competition-kind.ts'
import { readDeadline, requireMatch } from '../../club/matches/matches.ts'
import type { ReadSource } from '../../platform/cache/public-reads.ts'
import { matchesTag } from '../../platform/cache/tags.ts'
import { crowdBonus, pointsOfMatch, type Split } from './score.ts'
import { findSplit } from './split.ts'

/** @throws DomainError `match_not_found` */
export const getPredictionRules = ({ read, cache }: ReadSource, matchId: string) =>
  cache.get(`predictions of ${matchId}`, async () => {
    const match = await requireMatch(read, matchId)
    const competition = await findCompetition(read, match)
    const split = await findSplit(read, matchId)
    const points = await pointsOfMatch(read, matchId)
    const value = {
      matchId,
      competition: competition?.id ?? null,
      deadline: competition?.deadline ?? ('match' as const),
      closesAt: (await readDeadline(read, match, competition)).toISOString(),
      points,
      joker: competition?.joker ?? null,
      crowd: competition?.crowd ?? false,
      split: split ? presentSplit(split, points.outcome) : null,
    }
    return { value, tags: [matchesTag, 'competitions', 'settings'] }
  })

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
