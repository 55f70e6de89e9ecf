/** The settlement of votes in several processes that are killed between batches. */
import { describe, expect, test } from 'bun:test'
import { and, count, eq, isNull } from 'drizzle-orm'
import { insertRows } from '../../../db/bulk.ts'
import type { Database } from '../../../db/index.ts'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { realSources } from '../../../src/core/sources.ts'
import { boxOf } from '../../../src/play/questions/boxes.ts'
import { answerQuestion } from '../../../src/play/questions/change.ts'
import { questionKind } from '../../../src/play/questions/question-kind.ts'
import { engines } from '../../support/engines.ts'
import { commandOf } from '../../support/executable.ts'
import { waitUntil } from '../../support/wait-until.ts'

const FANS = 600
/** While answers are corrected. */
const RACING = 240
const QUESTION = 'first-goal'
const OPTIONS = ['home', 'draw', 'away'] as const
const POINTS = 10
const HOUR = 3_600_000

/** A question that closed an hour ago, with as many votes for each option. Its last pass is due once it is answered. */
async function addClosedQuestion(db: Database, fans: number) {
  const at = new Date(Date.now() - 2 * HOUR)
  await db.write(async tx => {
    const { users, questionVotes, questionBoxes, questionTallies } = tx.tables
    await questionKind.upsert(tx, {
      id: QUESTION,
      kind: 'quiz',
      title: 'Who scores first?',
      options: OPTIONS.map(id => ({ id, text: id })),
      opensAt: at.toISOString(),
      closesAt: new Date(at.getTime() + HOUR).toISOString(),
      points: POINTS,
    })
    const ids = Array.from({ length: fans }, () => tx.newId())
    const stamps = { createdAt: at, updatedAt: at }
    await insertRows(
      tx,
      users,
      ids.map(id => ({ id, provider: 'mock-idp', subject: id, ...stamps })),
    )
    const votes = ids.map((userId, n) => ({
      questionId: QUESTION,
      userId,
      box: boxOf(tx, userId),
      optionId: OPTIONS[n % OPTIONS.length] ?? '',
    }))
    const open = { createdAt: at, changedAt: at, counted: true, points: 0, booked: 0 }
    await insertRows(
      tx,
      questionVotes,
      votes.map(vote => ({ ...vote, ...open })),
    )
    const sums = Map.groupBy(votes, ({ box, optionId }) => `${box} ${optionId}`)
    const tallies = [...sums.values()].map(same => ({
      questionId: QUESTION,
      box: same[0]?.box ?? 0,
      optionId: same[0]?.optionId ?? '',
      votes: same.length,
    }))
    await insertRows(tx, questionTallies, tallies)
    for (const [box, same] of Map.groupBy(votes, vote => vote.box))
      await tx
        .update(questionBoxes)
        .set({ votes: same.length })
        .where(and(eq(questionBoxes.questionId, QUESTION), eq(questionBoxes.box, box)))
  })
}

const startSettling = (url: string | null) =>
  Bun.spawn([...commandOf('test/play/questions/settling-process.ts'), url ?? ''], {
    stdout: 'ignore',
    stderr: 'inherit',
  })

async function countFollowing(db: Database, revision: number): Promise<number> {
  const { questionVotes: votes } = db.tables
  const [row] = await db.read.select({ rows: count() }).from(votes).where(eq(votes.revision, revision))
  return Number(row?.rows)
}

/** As if the older writes had ended: the last pass is due now. */
async function endWait(db: Database) {
  const { questionSettlements } = db.tables
  const past = new Date(Date.now() - HOUR)
  await db.write(tx => tx.update(questionSettlements).set({ revisedAt: past, dueAt: past }))
}

/** Until nothing is due. */
async function settleRest(db: Database, url: string | null) {
  const others = [startSettling(url), startSettling(url)]
  expect(await Promise.all(others.map(({ exited }) => exited))).toEqual([0, 0])
  const [left] = await db.read.select().from(db.tables.questionSettlements)
  expect(left?.dueAt).toBeNull()
}

async function findingsOf(db: Database) {
  const findings: string[] = []
  await verifyLedger(db, { onFinding: ({ what }) => findings.push(what) })
  return findings
}

describe.each(engines)('A settlement of votes in several processes ($name)', engine => {
  test('continues after SIGKILL, and settles each vote once', async () => {
    const { db, url, remove } = await engine.open(realSources)
    await addClosedQuestion(db, FANS)
    await db.write(tx => answerQuestion(tx, QUESTION, 'home'))
    await endWait(db)
    const killed = startSettling(url)
    await waitUntil('a batch is committed', async () => (await countFollowing(db, 1)) > 0)
    killed.kill('SIGKILL')
    await killed.exited
    await settleRest(db, url)
    expect(await countFollowing(db, 1)).toBe(FANS)
    const { events, pointsEntries } = db.tables
    const entries = await db.read.select().from(pointsEntries)
    expect(entries.map(({ delta }) => delta)).toEqual(Array(FANS / OPTIONS.length).fill(POINTS))
    expect(new Set(entries.map(({ userId }) => userId)).size).toBe(FANS / OPTIONS.length)
    const isAnswer = eq(events.type, 'question.answered')
    const [told] = await db.read.select({ rows: count() }).from(events).where(isAnswer)
    expect(Number(told?.rows)).toBe(FANS)
    expect(await findingsOf(db)).toEqual([])
    await remove()
  })

  test('that are killed at random moments while the answer is corrected leave the points of the last answer', async () => {
    const { db, url, remove } = await engine.open(realSources)
    await addClosedQuestion(db, RACING)
    const answers = ['home', 'away', null, 'draw']
    for (const [index, answer] of answers.entries()) {
      const killed = startSettling(url)
      await db.write(tx => answerQuestion(tx, QUESTION, answer))
      await endWait(db)
      const enough = Math.floor(Math.random() * RACING)
      // It may have ended before the correction was written.
      const other = startSettling(url)
      await waitUntil('batches are committed', async () => (await countFollowing(db, index + 1)) >= enough)
      for (const process of [killed, other]) process.kill('SIGKILL')
      await Promise.all([killed.exited, other.exited])
    }
    await endWait(db)
    await settleRest(db, url)
    const { questionVotes, events } = db.tables
    const rows = await db.read.select().from(questionVotes)
    expect(rows).toHaveLength(RACING)
    expect(rows.map(({ optionId, booked, correct }) => [optionId, booked, correct])).toEqual(
      rows.map(({ optionId }) => [optionId, optionId === 'draw' ? POINTS : 0, optionId === 'draw']),
    )
    // One event of each fan counts: that of the answer by which the vote is settled.
    const counting = await db.read
      .select()
      .from(events)
      .where(and(eq(events.type, 'question.answered'), isNull(events.voidedAt)))
    expect(counting.map(({ eventId }) => eventId).toSorted()).toEqual(
      rows.map(({ userId, settledBy }) => `question:${userId}:${QUESTION}:${settledBy}`).toSorted(),
    )
    expect(await findingsOf(db)).toEqual([])
    await remove()
  })
})
