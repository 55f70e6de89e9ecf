/** Processes that vote, change votes and close at the same time. */
import { expect, test } from 'bun:test'
import { and, eq, gte } from 'drizzle-orm'
import { countRows } from '../../../db/pages.ts'
import { findWrongQuestions, findWrongTallies } from '../../../src/audit/play/verify-questions.ts'
import { readTally } from '../../../src/play/questions/questions.ts'
import { namedFan } from '../../identity/relations/relations-world.ts'
import { engines } from '../../support/engines.ts'
import { commandOf } from '../../support/executable.ts'
import { onEngine } from '../../support/world.ts'
import { addQuestion } from './questions-world.ts'

/** Processes have the clock of the machine. */
const DAY = 86_400_000

for (const engine of engines) {
  onEngine(engine, 'Processes that vote', world => {
    async function run(work: {
      fans: { userId: string }[]
      questionId: string
      times?: number
      close?: boolean
    }) {
      const given = { options: ['home', 'draw', 'away'], times: 1, close: false, ...work }
      const child = Bun.spawn(
        [
          ...commandOf('test/play/questions/racing-process.ts'),
          ...[world.databaseUrl ?? '', JSON.stringify(given)],
        ],
        { cwd: `${import.meta.dir}/../../..`, stdout: 'pipe', stderr: 'pipe' },
      )
      const [out, err] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ])
      if ((await child.exited) !== 0) throw new Error(err)
      return JSON.parse(out) as Record<string, number>
    }
    const makeFans = async (count: number) => {
      const made: { provider: string; subject: string; userId: string }[] = []
      for (let n = 0; n < count; n++) {
        const { id: userId, subject } = await namedFan(world)
        made.push({ provider: world.config.identity.name, subject, userId })
      }
      return made
    }
    const opened = (members: object = {}) => {
      const now = Date.now()
      const times = {
        opensAt: new Date(now - DAY).toISOString(),
        closesAt: new Date(now + DAY).toISOString(),
      }
      return addQuestion(world, { ...times, ...members })
    }
    const sound = async () => {
      expect(await findWrongTallies(world.db.read)).toEqual([])
      expect(await findWrongQuestions(world.db.read)).toEqual([])
    }
    const countVotes = async (questionId: string) => {
      const { questionVotes } = world.db.tables
      return countRows(world.db.read, questionVotes, eq(questionVotes.questionId, questionId))
    }
    const sumOf = (all: Record<string, number>[], name: string) =>
      all.reduce((sum, outcomes) => sum + (outcomes[name] ?? 0), 0)

    test('count one vote of each fan, also when it changes', async () => {
      const fans = await makeFans(8)
      const questionId = await opened({ changeable: true })
      const done = await Promise.all([1, 2, 3].map(() => run({ fans, questionId, times: 6 })))
      expect(sumOf(done, 'done')).toBe(3 * 6 * fans.length)
      const tally = await readTally(world.db.read, questionId)
      expect([...tally.values()].reduce((sum, votes) => sum + votes, 0)).toBe(fans.length)
      expect(await countVotes(questionId)).toBe(fans.length)
      await sound()
    })

    test('of a fan in each process keep the first vote', async () => {
      const fans = await makeFans(4)
      const questionId = await opened()
      const done = await Promise.all([1, 2, 3].map(() => run({ fans, questionId, times: 3 })))
      expect(sumOf(done, 'done') + sumOf(done, 'already_voted')).toBe(3 * 3 * fans.length)
      expect(await countVotes(questionId)).toBe(fans.length)
      await sound()
    })

    test('have no vote after the close, and what was accepted before is counted', async () => {
      const questionId = await opened({ changeable: true })
      const groups = [await makeFans(10), await makeFans(10), await makeFans(10)]
      const done = await Promise.all(
        groups.map((fans, index) => run({ fans, questionId, times: 3, close: index === 0 })),
      )
      expect(sumOf(done, 'done') + sumOf(done, 'question_closed')).toBe(3 * 30)
      expect(sumOf(done, 'question_closed')).toBeGreaterThan(0)
      const { questionVotes: votes, questions } = world.db.tables
      const [question] = await world.db.read.select().from(questions).where(eq(questions.id, questionId))
      const isLate = and(
        eq(votes.questionId, questionId),
        gte(votes.changedAt, question?.closesAt ?? new Date(0)),
      )
      expect(await countRows(world.db.read, votes, isLate)).toBe(0)
      await sound()
    })
  })
}
