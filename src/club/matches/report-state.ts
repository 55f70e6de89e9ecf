/** Live scores and corrections, by hand. */
import type { Transaction } from '../../../db/index.ts'
import { refuseField } from '../../core/transport-problems.ts'
import { lockMatch } from './revise.ts'
import type { MatchUpdate } from './schema.ts'
import { findSettlement } from './settlements.ts'
import { updateMatch } from './update-match.ts'

/** Calls the verb that the club's systems use. A result that differs from the settled one needs a reason. */
export async function reportState(
  tx: Transaction,
  matchId: string,
  { reason, ...state }: MatchUpdate & { reason?: string },
): Promise<void> {
  await lockMatch(tx, matchId)
  const before = await findSettlement(tx, matchId)
  await updateMatch(tx, matchId, state)
  if (before === undefined || reason !== undefined) return
  const after = await findSettlement(tx, matchId)
  if (after?.revision !== before.revision)
    refuseField({ pointer: '/reason', message: 'is required: it changes the result of a settlement' })
}
