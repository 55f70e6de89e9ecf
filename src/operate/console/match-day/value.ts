/** Which reports of a match can create value. `CONSOLE_TWO_PERSON=money` asks for a second person there. */
import type { Reader } from '../../../../db/index.ts'
import { CHECK_IN_STATUSES } from '../../../club/matches/check-in-window.ts'
import { findMatch } from '../../../club/matches/matches.ts'
import type { MatchUpdate } from '../../../club/matches/schema.ts'
import { instantIn } from '../../../core/instant.ts'

/**
 * A result settles predictions, and rescheduling a match opens them again. Check-ins depend on the kick-off, so a new
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
