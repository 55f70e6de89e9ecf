/** Problems of the points ledger. */

import { defineProblems } from '../../core/problems.ts'
import { Type } from '../../core/typebox.ts'

const points = (description: string) => Type.Integer({ description, minimum: 0 })

export const pointsProblems = defineProblems({
  ref_reused: {
    status: 409,
    title: 'This reference was used for another grant',
    description:
      'A grant with this `ref` was booked for another fan or for other points. Use a new `ref` for each new grant.',
  },
  points_limit_reached: {
    status: 409,
    title: 'The fan has as many points as an account can hold',
    description:
      'Balance and lifetime points are at most 9007199254740991 (2^53 - 1), and these points would exceed it. Nothing was booked.',
  },
  insufficient_points: {
    status: 409,
    title: 'Not enough points',
    description:
      'The fan has fewer points than the price, or than the points to take. Points that are held for unpaid purchases cannot be spent; `detail` states them. Show `missingPoints`, and try again once the fan has earned them.',
    members: Type.Object({
      pointsRequired: points('The price, or the points to take.'),
      points: points('The points that the fan has; of a price, those that are not held.'),
      missingPoints: points('The difference.'),
    }),
    example: { pointsRequired: 500, points: 100, missingPoints: 400 },
  },
})
