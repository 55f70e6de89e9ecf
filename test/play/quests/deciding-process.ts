/**
 * A process with one unit of work of a fan, which begins when it reads a line: `bun deciding-process.ts DATABASE_URL USER_ID record TYPE`
 * records an event; `… change TABLE` changes the fan's rows of a table, prints `changed`, and then locks the ledger. Prints how often
 * the unit of work ran.
 */
import { runStatement } from '../../../db/schema/shape.ts'
import { realSources } from '../../../src/core/sources.ts'
import { writeEvent } from '../../../src/economy/events/record-event.ts'
import { lockAccount } from '../../../src/economy/points/account.ts'
import { openPatiently } from '../../support/patience.ts'
import { changeRows } from './deciding-rows.ts'

const [url = '', userId = '', action = '', what = ''] = process.argv.slice(2)
const db = openPatiently(url, realSources)
await db.ping()
process.stdout.write('ready\n')
for await (const _ of process.stdin) break
let attempts = 0
await db.write(async tx => {
  attempts++
  if (action === 'change') {
    await runStatement(tx, changeRows(what, userId))
    process.stdout.write('changed\n')
    await lockAccount(tx, userId)
    return
  }
  const occurredAt = new Date('2026-08-15T18:30:00.000Z')
  await writeEvent(tx, { source: 'shop', eventId: userId, userId, type: what, occurredAt, data: {} })
})
await db.close()
process.stdout.write(`${attempts}\n`)
