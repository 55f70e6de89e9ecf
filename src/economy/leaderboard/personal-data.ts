import type { Reader } from '../../../db/index.ts'
import { listBoards, readScores } from './rank-index/entries.ts'

/** A fan's points on each board. By the boards, since the index of the scores begins with them. */
export async function exportScores(reader: Reader, userId: string) {
  const scores = await readScores(reader, userId, await listBoards(reader))
  return scores
    .map(({ board, points, reachedAt }) => ({ board, points, reachedAt: new Date(reachedAt) }))
    .toSorted((a, b) => (a.board < b.board ? -1 : 1))
}
