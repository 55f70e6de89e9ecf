/** What another system reports of a match. */

import type { Transaction } from '../../../db/index.ts'
import { instantIn } from '../../core/instant.ts'
import { DomainError } from '../../core/problems.ts'
import { refuseField, transportProblems } from '../../core/transport-problems.ts'
import { presentMatch } from './matches.ts'
import { matchProblems } from './problems.ts'
import { lockMatch, type MatchState, reviseMatch, stateFaults } from './revise.ts'
import { MAX_REVISION_STEP, type MatchUpdate } from './schema.ts'
import { matchKind } from './upsert-match.ts'

/** A repeat of the stored revision returns the match. */
export const updateMatch = (tx: Transaction, matchId: string, update: MatchUpdate) =>
  matchKind.recordChange(tx, matchId, () => writeUpdate(tx, matchId, update))

async function writeUpdate(tx: Transaction, matchId: string, update: MatchUpdate) {
  const { revision, ...stated } = update
  const state = { ...stated, kickoffAt: instantIn(stated.kickoffAt) }
  const errors = stateFaults(state)
  if (errors.length > 0) throw new DomainError(transportProblems.validation_failed, { errors })
  const match = await lockMatch(tx, matchId)
  if (!match?.active) throw new DomainError(matchProblems.match_not_found)
  if (revision === match.revision && isSameState(match, state)) return presentMatch(match)
  if (revision <= match.revision)
    throw new DomainError(matchProblems.stale_revision, { revision: match.revision })
  const greatest = match.revision + MAX_REVISION_STEP
  if (revision > greatest) refuseField({ pointer: '/revision', message: `must be at most ${greatest}` })
  return presentMatch(await reviseMatch(tx, match, { revision, ...state }))
}

const isSameState = (a: MatchState, b: MatchState) =>
  a.status === b.status &&
  a.homeScore === b.homeScore &&
  a.awayScore === b.awayScore &&
  a.kickoffAt.getTime() === b.kickoffAt.getTime()
