/**
 * A process that changes points, takes some back, and enrols fans: `bun changing-process.ts DATABASE_URL SEED CHANGES PROVIDER SUBJECTS…`, eight
 * changes at a time. Prints the number of changes.
 */
import type { Transaction } from '../../../db/index.ts'
import { realSources } from '../../../src/core/sources.ts'
import { joinLeaderboard } from '../../../src/economy/points/join-leaderboard.ts'
import { appendEntry, takeBack } from '../../../src/economy/points/ledger.ts'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import { openPatiently } from '../../support/patience.ts'
import { seededNumbers } from './board-model.ts'

const AT_ONCE = 8
const [url = '', seed = '', changes = '', provider = '', ...subjects] = process.argv.slice(2)
const db = openPatiently(url, realSources)
const pick = seededNumbers(Number(seed))
let left = Number(changes)
let made = 0

async function change(tx: Transaction, kind: number, subject: string, delta: number, ref: string) {
  const { user } = await ensureUser(tx, { provider, subject })
  const userId = user.id
  if (kind === 0) return joinLeaderboard(tx, userId)
  // The processes grant, and take back, the same few.
  const grant = `grant-${delta}`
  if (kind === 2) return appendEntry(tx, { userId, delta, reason: 'rule', ref: grant })
  if (kind === 3) return takeBack(tx, { userId, reason: 'rule', ref: grant })
  return appendEntry(tx, { userId, delta: kind === 1 ? -delta : delta, reason: 'activity', ref })
}

await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (left-- > 0) {
      const [kind, subject = ''] = [pick(10), subjects[pick(subjects.length)]]
      const [delta, ref] = [[1, 100, 156, 256, 65_536][pick(5)] ?? 1, `${seed}-${left}`]
      await db.write(tx => change(tx, kind, subject, delta, ref))
      made++
    }
  }),
)
await db.close()
process.stdout.write(`${made}\n`)
