/**
 * Lowers the revision of a match, for an operator, so that reports with smaller revisions are accepted again.
 */

import { eq } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import { refuseField } from '../../core/transport-problems.ts'
import { matchesTag } from '../../platform/cache/tags.ts'
import { presentMatch } from './matches.ts'
import { matchProblems } from './problems.ts'
import { lockMatch } from './revise.ts'
import { matchKind } from './upsert-match.ts'

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
