/** The settlement of votes by the answer of a question, its corrections, and merges and erasures. */
import { expect, test } from 'bun:test'
import { and, eq } from 'drizzle-orm'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import type { Finding } from '../../../src/core/finding.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { answerQuestion, closeQuestion, openQuestion } from '../../../src/play/questions/change.ts'
import { readTally } from '../../../src/play/questions/questions.ts'
import { settleQuestions } from '../../../src/play/questions/settle.ts'
import { type Fan, onEachEngine, type World } from '../../support/world.ts'
import { balanceOf, expectStatus, patientFan, userIdOf } from '../packs/packs-world.ts'
import { addQuestion, MINUTE, readQuestion, sendVote, settleAll, vote, votesIn } from './questions-world.ts'

const answer = (world: World, id: string, correct: string | null) =>
  world.db.write(tx => answerQuestion(tx, id, correct))
const close = (world: World, id: string) => world.db.write(tx => closeQuestion(tx, id))

async function sound(world: World) {
  const findings: Finding[] = []
  await verifyLedger(world.db, { onFinding: finding => findings.push(finding) })
  expect(findings).toEqual([])
}

async function merge(world: World, from: Fan, into: Fan) {
  const [fromId, intoId] = [await userIdOf(world, from), await userIdOf(world, into)]
  await world.db.write(tx =>
    mergeFans(tx, {
      from: fromId ?? '',
      into: intoId ?? '',
      mergedBy: 'test',
      reason: 'One person.',
    }),
  )
}

/** Events `question.answered` of a fan that count. */
async function answersOf(world: World, fan: Fan) {
  const { events } = world.db.tables
  const rows = await world.db.read
    .select()
    .from(events)
    .where(and(eq(events.userId, (await userIdOf(world, fan)) ?? ''), eq(events.type, 'question.answered')))
  return rows.filter(({ voidedAt }) => voidedAt === null).map(({ data }) => JSON.parse(data ?? '{}'))
}

onEachEngine(
  'An answer',
  world => {
    test('gives points to the fans who chose it, once, and is corrected', async () => {
      const [right, wrong, spender] = [
        await patientFan(world),
        await patientFan(world),
        await patientFan(world),
      ]
      const id = await addQuestion(world, { points: 10 })
      await vote(right, id, 'home')
      await vote(wrong, id, 'away')
      await vote(spender, id, 'home')
      await answer(world, id, 'home')
      await settleAll(world)
      // It was open until now.
      await settleAll(world)
      expect(await Promise.all([right, wrong].map(async fan => (await balanceOf(fan)).balance))).toEqual([
        10, 0,
      ])
      expect(await answersOf(world, right)).toMatchObject([
        { questionId: id, optionId: 'home', answer: 'home', correct: true, points: 10, revision: 1 },
      ])
      expect(await answersOf(world, wrong)).toMatchObject([{ correct: false, points: 0 }])
      const [own] = (await right.get('/api/user/votes')).body.votes
      expect(own.settled).toMatchObject({ correct: true, points: 10 })
      await sound(world)

      await world.grant(spender, -10)
      await answer(world, id, 'away')
      await settleAll(world)
      expect(
        await Promise.all([right, wrong, spender].map(async fan => (await balanceOf(fan)).balance)),
      ).toEqual([0, 10, 0])
      expect(await answersOf(world, right)).toMatchObject([{ revision: 2, correct: false, answer: 'away' }])
      await sound(world)

      // What could not be taken back counts towards the points of the first answer again.
      await answer(world, id, 'home')
      await settleAll(world)
      expect(
        await Promise.all([right, wrong, spender].map(async fan => (await balanceOf(fan)).balance)),
      ).toEqual([10, 0, 0])
      await sound(world)

      await answer(world, id, null)
      await settleAll(world)
      expect((await readQuestion(world.anonymous, id)).state).toBe('closed')
      expect(await Promise.all([right, wrong].map(async fan => (await balanceOf(fan)).balance))).toEqual([
        0, 0,
      ])
      expect(await answersOf(world, right)).toEqual([])
      await sound(world)
    })

    test('that is prepared settles the votes at the close, by the clock or by hand', async () => {
      const fan = await patientFan(world)
      const [byClock, byHand] = [
        await addQuestion(world, { points: 10, correct: 'home' }),
        await addQuestion(world, { points: 5, correct: 'home' }),
      ]
      for (const id of [byClock, byHand]) await vote(fan, id, 'home')
      await settleQuestions(world.deps)
      expect((await balanceOf(fan)).balance).toBe(0)
      world.clock.advance(1)
      await close(world, byHand)
      await settleQuestions(world.deps)
      expect((await balanceOf(fan)).balance).toBe(5)
      world.clock.advance(MINUTE)
      await settleAll(world)
      expect((await balanceOf(fan)).balance).toBe(15)
      await sound(world)
    })

    test('stops the question from being opened again, which is possible without one', async () => {
      const fan = await patientFan(world)
      const id = await addQuestion(world)
      await vote(fan, id, 'home')
      world.clock.advance(1)
      await close(world, id)
      const later = () => new Date(world.clock.ms + MINUTE)
      const open = () => world.db.write(tx => openQuestion(tx, id, later()))
      await open()
      await vote(await patientFan(world), id, 'away')
      world.clock.advance(1)
      await close(world, id)
      await answer(world, id, 'home')
      const refused = await open().catch((error: unknown) => error)
      expect(refused).toMatchObject({ code: 'question_answered' })
      await answer(world, id, null)
      expect(await open().catch((error: unknown) => error)).toMatchObject({ code: 'question_answered' })
      await sound(world)
    })

    test.each([
      ['before', false],
      ['after', true],
    ])('leaves one vote of two fans who are merged %s it', async (_, isAnswered) => {
      const [from, into, other] = [await patientFan(world), await patientFan(world), await patientFan(world)]
      const [both, theirs] = [
        await addQuestion(world, { points: 10 }),
        await addQuestion(world, { points: 10 }),
      ]
      await vote(from, both, 'home')
      await vote(into, both, 'away')
      await vote(other, both, 'home')
      await vote(from, theirs, 'home')
      const settle = async () => {
        world.clock.advance(MINUTE)
        for (const id of [both, theirs]) await answer(world, id, 'home')
        await settleAll(world)
      }
      if (isAnswered) await settle()
      await merge(world, from, into)
      expect(Object.fromEntries(await readTally(world.db.read, both))).toEqual({ home: 1, away: 1 })
      expect(Object.fromEntries(await readTally(world.db.read, theirs))).toEqual({ home: 1 })
      await sound(world)
      if (!isAnswered) {
        expect((await readQuestion(into, theirs)).myVote).toBe('home')
        await settle()
      }
      expect((await balanceOf(into)).balance).toBe(isAnswered ? 20 : 10)
      for (const id of [both, theirs]) await answer(world, id, 'away')
      await settleAll(world)
      expect((await balanceOf(into)).balance).toBe(10)
      await sound(world)
    })

    test('settles the votes of erased fans, which the tallies keep', async () => {
      const fan = await patientFan(world)
      const id = await addQuestion(world, { points: 10 })
      await vote(fan, id, 'home')
      const user = { provider: world.config.identity.name, subject: fan.subject }
      await world.db.write(tx => eraseUser(tx, user))
      world.clock.advance(MINUTE)
      await answer(world, id, 'home')
      await settleAll(world)
      expect(votesIn(await readQuestion(world.anonymous, id))).toMatchObject({ home: 1 })
      await sound(world)
    })

    test('is not told before the close, by any list of the fan', async () => {
      const fan = await patientFan(world)
      const id = await addQuestion(world, { points: 10, correct: 'home', offsetMs: 120_000 })
      await vote(fan, id, 'home')
      world.clock.advance(MINUTE)
      await settleAll(world)
      expect((await fan.get('/api/user/votes')).body.votes[0].settled).toBeNull()
      world.clock.advance(120_000)
      await settleAll(world)
      expect((await fan.get('/api/user/votes')).body.votes[0].settled).not.toBeNull()
    })

    test('is of a question in which fans can no longer vote', async () => {
      const fan = await patientFan(world)
      const id = await addQuestion(world)
      await close(world, id)
      expect((await sendVote(fan, id, 'home')).body.code).toBe('question_closed')
      expectStatus(200, await fan.get('/api/questions'))
    })
  },
  { worldPer: 'test' },
)
