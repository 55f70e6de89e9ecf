/**
 * A process that moves quests of one fan, eight units of work at a time: `bun racing-process.ts DATABASE_URL USER_ID record TYPE EVENTS`
 * records events of the ids 0, 1, 2 …; `… claim QUEST_ID TIMES` claims. Prints the outcomes as a JSON array.
 */
import type { Transaction } from '../../../db/index.ts'
import { DomainError } from '../../../src/core/problems.ts'
import { realSources } from '../../../src/core/sources.ts'
import { writeEvent } from '../../../src/economy/events/record-event.ts'
import { claimQuest } from '../../../src/play/quests/claim.ts'
import { openPatiently } from '../../support/patience.ts'

const AT_ONCE = 8
const [url = '', userId = '', action = '', what = '', times = ''] = process.argv.slice(2)
const db = openPatiently(url, realSources)
const occurredAt = new Date('2026-08-15T18:30:00.000Z')
const outcomes: string[] = []
let next = 0

async function act(tx: Transaction, n: number): Promise<string> {
  if (action === 'claim') {
    await claimQuest(tx, { provider: '', subject: '', userId, isNew: false }, { questId: what })
    return 'claimed'
  }
  const event = { source: 'shop', eventId: String(n), userId, type: what, occurredAt, data: {} }
  return (await writeEvent(tx, event)).recorded ? 'recorded' : 'duplicate'
}

const persist = (n: number) =>
  db
    .write(tx => act(tx, n))
    .catch(error => {
      if (error instanceof DomainError) return error.code
      throw error
    })

await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let n = next++; n < Number(times); n = next++) outcomes.push(await persist(n))
  }),
)
await db.close()
process.stdout.write(JSON.stringify(outcomes))
