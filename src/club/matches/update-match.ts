/** Reports of the state of a match: by the club’s systems, or by hand. */

import { eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { instantIn } from '../../core/instant.ts'
import { DomainError } from '../../core/problems.ts'
import { refuseField, transportProblems } from '../../core/transport-problems.ts'
import { matchesTag } from '../../platform/cache/tags.ts'
import { CHECK_IN_STATUSES } from './check-in-window.ts'
import { matchKind } from './match-kind.ts'
import { findMatch, presentMatch } from './matches.ts'
import { matchProblems } from './problems.ts'
import { lockMatch, type MatchState, reviseMatch, stateFaults } from './revise.ts'
import { MAX_REVISION_STEP, type MatchUpdate } from './schema.ts'
import { findSettlement } from './settlements.ts'

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

/** A half. A result before its end is a slip of the finger. */
const SHORTEST_MATCH_MS = 45 * 60_000

/**
 * Calls the verb that the club's systems use, for a person. A result needs a reason, also one that differs from the settled one, and
 * `early` if the match cannot be over.
 */
export async function reportState(
  tx: Transaction,
  matchId: string,
  { reason, early = false, ...state }: MatchUpdate & { reason?: string; early?: boolean },
): Promise<void> {
  const match = await lockMatch(tx, matchId)
  if (match?.active && state.status === 'finished' && match.status !== 'finished') {
    const kickoffAt = instantIn(state.kickoffAt)
    if (!early && tx.now().getTime() < kickoffAt.getTime() + SHORTEST_MATCH_MS)
      throw new DomainError(matchProblems.match_not_over, { kickoffAt: kickoffAt.toISOString() })
    if (reason === undefined) refuseField({ pointer: '/reason', message: 'is required: it is a result' })
  }
  const before = await findSettlement(tx, matchId)
  await updateMatch(tx, matchId, state)
  if (before === undefined || reason !== undefined) return
  const after = await findSettlement(tx, matchId)
  if (after?.revision !== before.revision)
    refuseField({ pointer: '/reason', message: 'is required: it changes the result of a settlement' })
}

/**
 * Whether `CONSOLE_TWO_PERSON=money` asks for a second person. A result settles predictions, and rescheduling a match opens them again. Check-ins depend on the kick-off, so a new
 * kick-off, or a match that is no longer cancelled, opens check-ins.
 */
export async function reportGivesValue(
  reader: Reader,
  matchId: string,
  { status, kickoffAt }: Pick<MatchUpdate, 'status' | 'kickoffAt'>,
): Promise<boolean> {
  if (status === 'finished' || status === 'scheduled') return true
  const match = await findMatch(reader, matchId)
  if (!match) return false
  const takesCheckIns = CHECK_IN_STATUSES.includes(match.status)
  return instantIn(kickoffAt).getTime() !== match.kickoffAt.getTime() || (status === 'live' && !takesCheckIns)
}

/** The state of the match stays. Returns the match and the revision that it had. */
export async function resetRevision(tx: Transaction, matchId: string, revision: number) {
  const match = await lockMatch(tx, matchId)
  if (!match) throw new DomainError(matchProblems.match_not_found)
  const { revision: before } = match
  if (revision > before) refuseField({ parameter: 'revision', message: `must be at most ${before}` })
  const { matches } = tx.tables
  await matchKind.recordChange(tx, matchId, async () => {
    if (revision === before) return
    await tx.update(matches).set({ revision, updatedAt: tx.now() }).where(eq(matches.id, matchId))
  })
  tx.invalidate(matchesTag)
  return { match: { ...presentMatch(match), revision }, before }
}
