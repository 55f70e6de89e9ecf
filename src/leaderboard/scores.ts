/** What enrolled fans have earned on each board. The caller holds the fan's points account: one write of a fan at a time. */
import type { Transaction } from '../../db/index.ts'
import { type Board, takesPart } from './boards.ts'
import { findEnrolment } from './enrolment.ts'
import { placeFan, readPlaces } from './rank-index/entries.ts'
import type { Place } from './rank-index/rank-index.ts'

const NOWHERE = { points: 0, reachedAt: 0 }

/** Points that a fan has earned, on those of `counting` that the fan takes part in. Nothing for a fan who has not enrolled. */
export async function raiseScores(
  tx: Transaction,
  userId: string,
  { gained, at, boards: counting }: { gained: number; at: Date; boards: Board[] },
): Promise<void> {
  const enrolledAt = await findEnrolment(tx, userId)
  if (!enrolledAt) return
  const boards = counting.filter(board => takesPart(enrolledAt, board)).map(({ id }) => id)
  const before = await readPlaces(tx, userId, boards)
  // Enrolled, and never placed: what is missing is made up as a whole (`points/repair-fan.ts`).
  if (!before.some(({ board }) => board === 'all')) return
  const after = boards.map(board =>
    raisePlace(
      board,
      before.find(place => place.board === board),
      { gained, at },
    ),
  )
  await placeFan(tx, userId, before, after)
}

/** Where somebody gets on a board by earning. */
export function raisePlace(
  board: string,
  { points, reachedAt }: Omit<Place, 'board'> = NOWHERE,
  { gained, at }: { gained: number; at: Date },
): Place {
  // A clock that was set back makes nobody the first to get there; who had nothing got nowhere before.
  const latest = points === 0 ? at.getTime() : Math.max(reachedAt, at.getTime())
  return { board, points: points + gained, reachedAt: latest }
}
