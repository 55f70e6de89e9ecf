/** Asks the questions of the live match with the verbs of the application, once: seeded fans vote, and two are settled. */
import { and, asc, eq, isNull, like, lt } from 'drizzle-orm'
import type { Database, Reader, Transaction } from '../../db/index.ts'
import type { Caller } from '../../src/core/caller.ts'
import { lockToCount } from '../../src/identity/users/locks.ts'
import { questionKind } from '../../src/play/questions/question-kind.ts'
import { settleBatch } from '../../src/play/questions/settle-batch.ts'
import { writeVote } from '../../src/play/questions/vote.ts'
import { MINUTE_MS, readCalendar } from './calendar.ts'
import { players } from './demo-players.ts'
import { PAST, questionsOf } from './demo-questions.ts'
import type { SeedParameters } from './groups.ts'
import { createSeedSources, type SeedSources, withSources } from './sources.ts'

/** Far from the indexes of fans, and of the other parts. */
const INDEX = 100_000_005
const VOTERS = 48
/** Of the fans: who votes in a question. */
const VOTING = 0.75
const SECOND_MS = 1_000

type Question = ReturnType<typeof questionsOf>[number]

/** Writes nothing the second time. */
export const seedQuestions = (
  db: Database,
  { seed, provider, instant }: Pick<SeedParameters, 'seed' | 'provider' | 'instant'>,
): Promise<void> =>
  db.write(async real => {
    const calendar = await readCalendar(real, instant ?? real.now())
    const start = new Date(calendar.now.getTime() - PAST.opens * MINUTE_MS)
    const fans = await readFans(real, provider.name, start)
    const [first, ...others] = fans
    if (!first) return
    // A concurrent seed waits here, and then finds the rows of this one.
    await lockToCount(real, first.userId)
    const questions = questionsOf(calendar)
    if ((await questionKind.read(real, [questions[0]?.id ?? ''])).length > 0) return
    const sources = createSeedSources(seed, calendar)(INDEX, start)
    const tx = withSources(real, sources)
    for (const question of questions) await questionKind.upsert(tx, question)
    const [past, open] = [true, false].map(isPast =>
      questions.filter(
        ({ correct, closesAt }) => isPast === (correct != null && new Date(closesAt) < calendar.now),
      ),
    )
    sources.pass(SECOND_MS)
    await voteIn(tx, sources, past ?? [], fans)
    sources.pass((PAST.opens - PAST.closes) * MINUTE_MS)
    for (const { id } of past ?? []) {
      // Votes are settled again when those that were being written at the close have ended.
      while (await isLeft(tx, id)) sources.pass(SECOND_MS)
      sources.pass(MINUTE_MS)
      while (await isLeft(tx, id)) sources.pass(SECOND_MS)
    }
    // The first fan, who shows the demonstration, has not voted in what is open.
    await voteIn(tx, sources, open ?? [], others)
  })

const isLeft = async (tx: Transaction, questionId: string) =>
  (await settleBatch(tx, questionId, VOTERS))?.more ?? false

async function voteIn(tx: Transaction, { faker, pass }: SeedSources, questions: Question[], fans: Caller[]) {
  for (const { id, options } of questions)
    for (const fan of fans) {
      if (!faker.datatype.boolean(VOTING)) continue
      pass(faker.number.int({ min: 100, max: SECOND_MS }))
      await writeVote(tx, fan, id, choose(options, faker))
    }
}

/** Earlier options are more popular. */
function choose(options: Question['options'], { number }: SeedSources['faker']) {
  const nth = (count: number) => Math.min(number.int({ max: count - 1 }), number.int({ max: count - 1 }))
  if ('scale' in options) return { rating: options.scale - nth(options.scale) }
  const ids = Array.isArray(options)
    ? options.map(({ id }) => id)
    : players.flatMap(({ entry }) => (entry.teamId === options.team ? entry.id : [])).toReversed()
  return { optionId: ids[nth(ids.length)] ?? '' }
}

/** The first fans of the seed. */
async function readFans(reader: Reader, provider: string, before: Date): Promise<Caller[]> {
  const { users, onboardings } = reader.tables
  const rows = await reader
    .select({ userId: users.id, provider: users.provider, subject: users.subject })
    .from(users)
    .innerJoin(onboardings, eq(onboardings.userId, users.id))
    .where(
      and(
        ...[eq(users.provider, provider), like(users.subject, 'fan-%'), isNull(users.erasedAt)],
        ...[isNull(users.suspendedUntil), lt(users.createdAt, before)],
      ),
    )
    .orderBy(asc(users.subject))
    .limit(VOTERS)
  return rows.map(row => ({ ...row, isNew: false }))
}
