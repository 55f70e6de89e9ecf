/** Age bands that systems of the club state: `identity/users/age.ts` stores them in the fan's record. */
import type { Transaction } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import { refuseField } from '../../core/transport-problems.ts'
import { findAge, presentAge, type StatedAge, storeAge } from '../../identity/users/age.ts'
import { type FanNaming, type FanReference, resolveFan } from '../../identity/users/fan-reference.ts'
import { userProblems } from '../../identity/users/problems.ts'

interface AgeOfFan extends StatedAge {
  fan: FanReference
}

/** How far the clock of the system may be ahead. */
const CLOCK_DIFFERENCE_MS = 300_000

/** The band that was checked last counts, and so does the consent. A subject that is new here gets a record. */
export async function writeAgeBand(tx: Transaction, { fan, ...age }: AgeOfFan, naming: FanNaming) {
  if (age.assuredAt.getTime() > tx.now().getTime() + CLOCK_DIFFERENCE_MS)
    refuseField({ pointer: '/assuredAt', message: 'must not be in the future' })
  const resolved = await resolveFan(tx, fan, naming)
  if ('missing' in resolved) throw new DomainError(userProblems.fan_not_found)
  const { userId } = resolved
  await storeAge(tx, userId, age)
  return { userId, ...presentAge(await findAge(tx, userId)) }
}
