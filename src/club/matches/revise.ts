/** Status, scores and kick-off of a match change by revisions. The sender counts them, so late and repeated messages do no harm. */
import { eq } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import { locksExclusively } from '../../../db/row-lock.ts'
import { matchesTag } from '../../platform/cache/tags.ts'
import type { MatchRow } from './matches.ts'
import { queueSettlement } from './settlements.ts'

/** What a revision states. */
export type MatchState = Pick<MatchRow, 'status' | 'homeScore' | 'awayScore' | 'kickoffAt'>

/** The rules of a state that a schema cannot express. */
export function stateFaults({ status, homeScore, awayScore }: Omit<MatchState, 'kickoffAt'>) {
  const scores = [
    ['/homeScore', homeScore],
    ['/awayScore', awayScore],
  ] as const
  const fault = (message: string, isWrong: (score: number | null) => boolean) =>
    scores.filter(([, score]) => isWrong(score)).map(([pointer]) => ({ pointer, message }))
  if (status === 'finished') return fault('must be given for a finished match', score => score === null)
  if (status !== 'live') return fault(`must be null for a ${status} match`, score => score !== null)
  return (homeScore === null) === (awayScore === null)
    ? []
    : fault('must be given for both teams or for neither', score => score === null)
}

/** Locks the row of a match until the unit of work ends, which puts its revisions in order. It waits for those who predict. */
export const lockMatch = preparedRow((tx: Transaction, matchId: string) => {
  const { matches } = tx.tables
  return locksExclusively(tx, tx.select().from(matches).where(eq(matches.id, matchId)))
})

declare module '../../../db/types.ts' {
  interface Spine {
    readonly matches: ReturnType<typeof createMatchesSpine>
  }
}

type Recorder = (tx: Transaction, match: MatchRow) => Promise<void>

/** `recordUpdate`: records the state of a locked match after a change, for other systems. */
export const createMatchesSpine = (recordUpdate: Recorder) => ({ recordUpdate })

/** Writes a revision of a locked match. The state is valid and the revision is greater. */
export async function reviseMatch(
  tx: Transaction,
  match: MatchRow,
  state: MatchState & Pick<MatchRow, 'revision'>,
): Promise<MatchRow> {
  const { matches } = tx.tables
  const updatedAt = tx.now()
  const after = { ...match, ...state, updatedAt }
  await tx
    .update(matches)
    .set({ ...state, updatedAt })
    .where(eq(matches.id, match.id))
  await queueSettlement(tx, after)
  await tx.spine.matches.recordUpdate(tx, after)
  tx.invalidate(matchesTag)
  return after
}
