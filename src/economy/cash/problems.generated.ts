/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { userProblems } from '../../identity/users/problems.ts'
import { pointsProblems } from '../points/problems.ts'
import { cashProblems } from './problems.ts'

export const thrownBy = {
  grantCash: [cashProblems.cash_not_accepted, userProblems.fan_not_found, pointsProblems.ref_reused],
} as const
