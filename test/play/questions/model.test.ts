/**
 * Votes, changes, closes, openings, answers, corrections, voids, merges, erasures and sanctions in random orders: after each step the
 * tallies are those of a plain model, and `verify-ledger` counts and settles everything again.
 */
import { expect, test } from 'bun:test'
import { and, eq, isNull } from 'drizzle-orm'
import fc from 'fast-check'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import type { Finding } from '../../../src/core/finding.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { recordDecision } from '../../../src/identity/sanctions/decisions.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { answerQuestion, closeQuestion, openQuestion } from '../../../src/play/questions/change.ts'
import { readTally } from '../../../src/play/questions/questions.ts'
import { settleQuestions } from '../../../src/play/questions/settle.ts'
import { addRule } from '../../economy/rules/rules-world.ts'
import { type NamedFan, namedFan } from '../../identity/relations/relations-world.ts'
import { onEachEngine } from '../../support/world.ts'
import { addQuestion, MINUTE, sendVote } from './questions-world.ts'

const FANS = 4
const QUESTIONS = 2
const POINTS = 10
const DAY = 86_400_000
const fan = fc.nat(FANS - 1)
const question = fc.nat(QUESTIONS - 1)
const option = fc.constantFrom('home', 'draw', 'away')
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('vote' as const), fan, question, option }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('close' as const), question }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('open' as const), question }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      question,
      correct: fc.option(option, { nil: null, freq: 4 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('settle' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('spend' as const), fan }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('merge' as const), fan, into: fan }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const), fan }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('suspend' as const), fan }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lift' as const), fan }) },
)

interface Person {
  fan: NamedFan
  /** The person that this one was merged into. */
  into: Person | null
  isErased: boolean
  /** In force. */
  suspensions: string[]
}

interface Asked {
  id: string
  isOpen: boolean
  isChangeable: boolean
  /** The votes that count, by person. */
  votes: Map<Person, string>
  /** Answered after the close. */
  wasSettled: boolean
  correct: string | null
}

onEachEngine('Questions in random orders', world => {
  const by = { decidedBy: 'Ana', reason: 'harassment' } as const
  async function findings(): Promise<Finding[]> {
    const found: Finding[] = []
    await verifyLedger(world.db, { onFinding: finding => found.push(finding) })
    return found
  }
  const later = () => new Date(world.clock.ms + 60 * MINUTE)

  async function start() {
    const persons: Person[] = []
    for (let n = 0; n < FANS; n++)
      persons.push({ fan: await namedFan(world), into: null, isErased: false, suspensions: [] })
    const asked: Asked[] = []
    for (let n = 0; n < QUESTIONS; n++)
      asked.push({
        id: await addQuestion(world, {
          changeable: n === 0,
          points: POINTS,
          closesAt: later().toISOString(),
        }),
        isOpen: true,
        isChangeable: n === 0,
        votes: new Map(),
        wasSettled: false,
        correct: null,
      })
    return { persons, asked }
  }

  /** What a vote is answered with. */
  function expectVote(person: Person, { isOpen, isChangeable, votes }: Asked, option: string) {
    if (person.isErased || person.into) return 'invalid_token'
    if (person.suspensions.length > 0) return 'suspended'
    if (!isOpen) return 'question_closed'
    const before = votes.get(person)
    if (before !== undefined && before !== option && !isChangeable) return 'already_voted'
    votes.set(person, option)
    return undefined
  }

  async function run(steps: (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]) {
    const { persons, asked } = await start()
    for (const one of steps) {
      world.clock.advance(1_000)
      const person = 'fan' in one ? persons[one.fan] : undefined
      const target = 'question' in one ? asked[one.question] : undefined
      if (one.kind === 'vote' && person && target) {
        const expected = expectVote(person, target, one.option)
        const { status, body } = await sendVote(person.fan, target.id, one.option)
        expect([status === 200 ? undefined : body.code]).toEqual([expected])
      } else if (one.kind === 'close' && target) {
        await world.db.write(tx => closeQuestion(tx, target.id))
        target.isOpen = false
        if (target.correct !== null) target.wasSettled = true
      } else if (one.kind === 'open' && target) {
        const opened = await world.db
          .write(tx => openQuestion(tx, target.id, later()))
          .catch((error: unknown) => error)
        const isRefused = !target.isOpen && target.wasSettled && target.votes.size > 0
        expect(opened).toEqual(isRefused ? expect.objectContaining({ code: 'question_answered' }) : undefined)
        if (!isRefused) target.isOpen = true
      } else if (one.kind === 'answer' && target) {
        await world.db.write(tx => answerQuestion(tx, target.id, one.correct))
        target.correct = one.correct
        if (one.correct !== null) target.wasSettled = true
      } else if (one.kind === 'settle') await settleQuestions(world.deps)
      else if (one.kind === 'spend' && person && !person.isErased && !person.into) {
        // What was spent cannot be taken back by another answer.
        const { balance } = (await person.fan.get('/api/user/points')).body
        if (balance > 0) await world.grant(person.fan, -1)
      } else if (one.kind === 'merge' && person) {
        const into = persons[one.into]
        if (!into || into === person || [person, into].some(of => of.isErased || of.into)) continue
        // A sanction in force refuses the merge.
        if (person.suspensions.length > 0) continue
        await world.db.write(tx =>
          mergeFans(tx, { from: person.fan.id, into: into.fan.id, mergedBy: 'Ana', reason: null }),
        )
        person.into = into
        for (const { votes } of asked) {
          const own = votes.get(person)
          votes.delete(person)
          if (own !== undefined && !votes.has(into)) votes.set(into, own)
        }
      } else if (one.kind === 'erase' && person && !person.isErased && !person.into) {
        const user = { provider: world.config.identity.name, subject: person.fan.subject }
        await world.db.write(tx => eraseUser(tx, user))
        person.isErased = true
      } else if (one.kind === 'suspend' && person && !person.isErased && !person.into) {
        const until = new Date(world.clock.ms + DAY)
        const { id } = await world.db.write(tx =>
          recordDecision(tx, { ...by, fanId: person.fan.id, kind: 'suspend', until }),
        )
        person.suspensions.push(id)
      } else if (one.kind === 'lift' && person && !person.isErased && !person.into) {
        const fanId = person.fan.id
        for (const liftsId of person.suspensions.splice(0))
          await world.db.write(tx => recordDecision(tx, { ...by, fanId, kind: 'lift', liftsId }))
      }
      for (const { id, votes } of asked) {
        const tally = await readTally(world.db.read, id)
        const counted = Object.fromEntries([...tally].filter(([, of]) => of > 0))
        const expected = Map.groupBy(votes.values(), option => option)
        expect(counted).toEqual(
          Object.fromEntries([...expected].map(([option, all]) => [option, all.length])),
        )
      }
      expect(await findings()).toEqual([])
    }
    // At the end everything is closed and settled: one event counts for each vote with an answer.
    for (const { id } of asked) await world.db.write(tx => closeQuestion(tx, id))
    for (let n = 0; n < 2; n++) {
      world.clock.advance(2 * MINUTE)
      await settleQuestions(world.deps)
    }
    expect(await findings()).toEqual([])
    const { questionVotes, questionSettlements, events } = world.db.tables
    for (const { id, correct } of asked) {
      const [left] = await world.db.read
        .select()
        .from(questionSettlements)
        .where(eq(questionSettlements.questionId, id))
      expect(left?.dueAt ?? null).toBeNull()
      const rows = await world.db.read.select().from(questionVotes).where(eq(questionVotes.questionId, id))
      for (const vote of rows) expect(vote.correct).toBe(correct === null ? null : vote.optionId === correct)
      const told = await world.db.read
        .select({ data: events.data })
        .from(events)
        .where(and(eq(events.type, 'question.answered'), isNull(events.voidedAt)))
      const own = told.filter(({ data }) => data?.includes(`"${id}"`))
      expect(own).toHaveLength(correct === null ? 0 : rows.length)
    }
  }

  test('have tallies that equal a recount after each step, and one settlement of each vote', async () => {
    // A correction takes back what a rule gave for the answer before.
    await addRule(world, { eventType: 'question.answered', points: { fixed: 3 } })
    await addRule(world, { eventType: 'question.voted', points: { fixed: 2 } })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 18 }), async steps => run(steps)),
      { numRuns: 6, interruptAfterTimeLimit: 60_000 },
    )
  })
})
