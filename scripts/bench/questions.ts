/** The questions of the bench, in which every fan votes once. */
import { openDatabase } from '../../db/index.ts'
import { createSpine } from '../../src/app/spine.ts'
import { realSources } from '../../src/core/sources.ts'
import { mintServerKey } from '../../src/identity/server-keys/key.ts'
import { createServerKey } from '../../src/identity/server-keys/keys.ts'
import { writeRecord } from '../../src/play/catalogue-file/kinds.ts'
import type { Plan } from './plan.ts'

const HOUR = 3_600_000
const OPENS_AT = Date.now() - HOUR
const ids = Array.from({ length: 8 }, (_, n) => `question-${n}`)
const options = ['home', 'draw', 'away']

const RANDOM = new Uint8Array(32).fill(9)
const KEY = mintServerKey(RANDOM)

const entryOf = (id: string, closesAt: number) => ({
  kind: 'poll' as const,
  title: 'Who wins?',
  options: options.map(option => ({ id: option, text: option })),
  opensAt: new Date(OPENS_AT).toISOString(),
  closesAt: new Date(closesAt).toISOString(),
  results: 'live' as const,
  id,
})

/** Open for some hours, and everyone sees the results. */
export async function prepareQuestions(url: string): Promise<void> {
  const sources = { ...realSources, randomBytes: () => RANDOM }
  const db = openDatabase(url, sources, { spine: createSpine() })
  await db.write(async tx => {
    await createServerKey(tx, { source: 'studio', scopes: ['questions:write'], expiresAt: null })
    for (const id of ids)
      await writeRecord(tx, { kind: 'question', entry: entryOf(id, OPENS_AT + 12 * HOUR) })
  })
  await db.close()
}

/** Closes the first question now, as the systems of a club do. */
export async function closeFirst(origin: string): Promise<void> {
  const { id, ...entry } = entryOf(ids[0] ?? '', Date.now())
  const response = await fetch(`${origin}/api/questions/${id}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(entry),
  })
  if (!response.ok) throw new Error(`the close of a question is answered with ${response.status}`)
}

/** All fans vote in one question, then in the next. */
export const votePlan = (tokens: string[]): Plan => ({
  tokens,
  requests: ids.map((id, n) => ({
    method: 'PUT',
    path: `/api/questions/${id}/vote`,
    body: JSON.stringify({ optionId: options[n % options.length] }),
  })),
  once: true,
  inTurn: true,
})
