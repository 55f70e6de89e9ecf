import { Integer } from '../../core/schemas.ts'
import { readBalance } from '../../economy/points/account.ts'
import { insufficientPoints } from '../../economy/points/ledger.ts'
import { pointsProblems } from '../../economy/points/problems.ts'
import { defineRequirement } from './requirement.ts'

const LifetimePoints = Integer({ minimum: 1, description: 'Lifetime points of the fan.' })

/** Points that the fan has earned, spent ones included. */
export const points = defineRequirement({
  member: 'points',
  describe: { entry: LifetimePoints, shown: LifetimePoints },
  problems: [pointsProblems.insufficient_points],
  async check(reader, { userId }, asked) {
    const { lifetime } = await readBalance(reader, userId)
    return asked.map(({ stated }) => (lifetime < stated ? insufficientPoints(stated, lifetime) : null))
  },
})
