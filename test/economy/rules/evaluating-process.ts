/**
 * A process that evaluates events: `bun evaluating-process.ts DATABASE_URL NAME EVENTS TYPE USER_IDS…`, eight at a time, of each fan
 * in turn. Prints the decisions as a JSON array.
 */

import type { Transaction } from '../../../db/index.ts'
import { readVersion } from '../../../src/club/catalogue/versions.ts'
import { realSources } from '../../../src/core/sources.ts'
import { lockAccount } from '../../../src/economy/points/account.ts'
import type { Decision } from '../../../src/economy/rules/decision.ts'
import { openPatiently } from '../../support/patience.ts'
import { applyRules } from './rules-world.ts'

const AT_ONCE = 8
const [url = '', name = '', events = '', type = '', ...userIds] = process.argv.slice(2)
const db = openPatiently(url, realSources)
const occurredAt = new Date('2026-08-15T18:30:00.000Z')
const decisions: Decision[] = []
let next = 0

async function evaluate(tx: Transaction, n: number) {
  const userId = userIds[n % userIds.length] ?? ''
  await lockAccount(tx, userId)
  const version = await readVersion(tx)
  if (!version) throw new Error('there are no rules')
  const event = { source: name, eventId: String(n), userId, type, occurredAt, data: null }
  return (await applyRules(tx, event, version)) ?? []
}

await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let n = next++; n < Number(events); n = next++)
      decisions.push(...(await db.write(tx => evaluate(tx, n))))
  }),
)
await db.close()
process.stdout.write(JSON.stringify(decisions))
