/**
 * The boards of the fans of a team and of a country: copies of their scores on the global board. Earning points does not write
 * them, which would double its cost: the task of automatic leagues does. What else changes them is written at once.
 */
import type { Transaction } from '../../../db/index.ts'
import { rowsByKeys } from '../../../db/keys.ts'
import { type Grouped, groupBoardsOf, groupNamed } from '../leaderboard/boards.ts'
import {
  listBoards,
  readScores,
  readScoresNamed,
  writeManyScores,
  writeScores,
} from '../leaderboard/rank-index/entries.ts'
import { lockLedgers } from './account.ts'

const readProfiles = rowsByKeys('users', ['id'])

/** Copies the scores of fans to the boards of their groups, and removes them from others: `left` are the groups of a fan before. */
export async function copyScores(
  tx: Transaction,
  userIds: string[],
  left: Map<string, Grouped> = new Map(),
): Promise<void> {
  await lockLedgers(tx, userIds)
  const fans = await readProfiles(
    tx,
    userIds.map(id => ({ id })),
  )
  const groups = new Map(fans.map(fan => [fan.id, groupBoardsOf(fan)]))
  const names = userIds.flatMap(userId => {
    const before = left.get(userId)
    const boards = ['all', ...(groups.get(userId) ?? []), ...(before ? groupBoardsOf(before) : [])]
    return [...new Set(boards)].map(board => ({ board, userId }))
  })
  const scores = Map.groupBy(await readScoresNamed(tx, names), ({ userId }) => userId)
  const changes = [...scores].map(([userId, own]) => {
    const all = own.find(({ board }) => board === 'all')
    const due = all ? (groups.get(userId) ?? []).map(board => ({ ...all, board })) : []
    const isEqual = (a: typeof due, b: (typeof due)[number]) =>
      a.some(
        ({ board, points, reachedAt }) =>
          board === b.board && points === b.points && reachedAt === b.reachedAt,
      )
    const copies = own.filter(({ board }) => board !== 'all')
    return {
      before: copies.filter(copy => !isEqual(due, copy)),
      after: due.filter(copy => !isEqual(copies, copy)),
    }
  })
  await writeManyScores(
    tx,
    changes.flatMap(({ before }) => before),
    changes.flatMap(({ after }) => after),
  )
}

/** For an erasure: takes the fan off the boards of all groups. The record is erased. */
export async function removeCopies(tx: Transaction, userId: string): Promise<void> {
  await lockLedgers(tx, [userId])
  const boards = (await listBoards(tx)).filter(groupNamed)
  const copies = await readScores(tx, userId, boards)
  if (copies.length > 0) await writeScores(tx, userId, copies, [])
}
