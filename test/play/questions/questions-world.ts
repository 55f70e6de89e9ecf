/** Questions of a test, and votes. */

import { questionKind } from '../../../src/play/questions/question-kind.ts'
import { settleQuestions } from '../../../src/play/questions/settle.ts'
import type { Client } from '../../support/client.ts'
import type { World } from '../../support/world.ts'
import { expectStatus } from '../packs/packs-world.ts'

export const MINUTE = 60_000

type Entry = Parameters<typeof questionKind.upsert>[1]

/** Open now, for a minute: the options home, draw and away. */
export async function addQuestion(
  { db, clock }: Pick<World, 'db' | 'clock'>,
  members: Partial<Entry> = {},
): Promise<string> {
  const id = members.id ?? `question-${crypto.randomUUID()}`
  const entry: Entry = {
    id,
    kind: 'prediction',
    title: 'Who wins?',
    options: ['home', 'draw', 'away'].map(option => ({ id: option, text: option })),
    opensAt: clock.now().toISOString(),
    closesAt: new Date(clock.ms + MINUTE).toISOString(),
    ...members,
  }
  await db.write(tx => questionKind.upsert(tx, entry))
  return id
}

export const sendVote = (fan: Client, questionId: string, optionId: string) =>
  fan.put(`/api/questions/${questionId}/vote`, { optionId })

export const vote = async (fan: Client, questionId: string, optionId: string) =>
  expectStatus(200, await sendVote(fan, questionId, optionId))

/** As the caller sees it in the list. */
export async function readQuestion(client: Client, questionId: string) {
  const { questions } = expectStatus(200, await client.get('/api/questions?limit=100'))
  return questions.find(({ id }: { id: string }) => id === questionId)
}

/** Runs all batches, also those that wait for older writes to end. */
export async function settleAll(world: World): Promise<void> {
  await settleQuestions(world.deps)
  world.clock.advance(MINUTE)
  await settleQuestions(world.deps)
}

/** The results by option. */
export const votesIn = ({ results }: { results: { optionId: string; votes: number }[] | null }) =>
  results && Object.fromEntries(results.map(({ optionId, votes }) => [optionId, votes]))
