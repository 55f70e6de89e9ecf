/** What another system reports of a match. */
import type { Transaction } from '../../db/index.ts'
import { instantIn } from '../core/instant.ts'
import { DomainError } from '../core/problems.ts'
import { presentMatch } from './matches.ts'
import { lockMatch, type MatchState, reviseMatch, stateFaults } from './revise.ts'
import type { MatchUpdate } from './schema.ts'

/** A repeat of the stored revision returns the match. */
export async function updateMatch(tx: Transaction, matchId: string, update: MatchUpdate) {
  const { revision, ...stated } = update
  const state = { ...stated, kickoffAt: instantIn(stated.kickoffAt) }
  const errors = stateFaults(state)
  if (errors.length > 0) throw new DomainError('validation_failed', { errors })
  const match = await lockMatch(tx, matchId)
  if (!match?.active) throw new DomainError('match_not_found')
  if (revision === match.revision && isSameState(match, state)) return presentMatch(match)
  if (revision <= match.revision) throw new DomainError('stale_revision', { revision: match.revision })
  return presentMatch(await reviseMatch(tx, match, { revision, ...state }))
}
updateMatch.problems = ['validation_failed', 'match_not_found', 'stale_revision'] as const

const isSameState = (a: MatchState, b: MatchState) =>
  a.status === b.status &&
  a.homeScore === b.homeScore &&
  a.awayScore === b.awayScore &&
  a.kickoffAt.getTime() === b.kickoffAt.getTime()
