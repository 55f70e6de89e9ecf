/** The questions of the bench, in which every fan votes once. */
import { openDatabase } from '../../db/index.ts'
import { createSpine } from '../../src/app/spine.ts'
import { realSources } from '../../src/core/sources.ts'
import { writeRecord } from '../../src/play/catalogue-file/kinds.ts'
import type { Plan } from './plan.ts'

const HOUR = 3_600_000
const ids = Array.from({ length: 8 }, (_, n) => `question-${n}`)
const options = ['home', 'draw', 'away']

/** Open for some hours, and everyone sees the results. */
export async function prepareQuestions(url: string): Promise<void> {
  const db = openDatabase(url, realSources, { spine: createSpine() })
  const at = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString()
  await db.write(async tx => {
    for (const id of ids)
      await writeRecord(tx, {
        kind: 'question',
        entry: {
          id,
          kind: 'poll',
          title: 'Who wins?',
          options: options.map(option => ({ id: option, text: option })),
          opensAt: at(-1),
          closesAt: at(12),
          results: 'live',
        },
      })
  })
  await db.close()
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
