/**
 * A process that makes the same grants to two fans, eight at a time: `bun granting-process.ts DATABASE_URL PROVIDER REFS FAN FAN`.
 * Prints the outcome of each grant as JSON.
 */
import { DomainError } from '../../../src/core/problems.ts'
import { realSources } from '../../../src/core/sources.ts'
import { grantPoints } from '../../../src/economy/points/grants.ts'
import { openPatiently } from '../../support/patience.ts'

const AT_ONCE = 8
const [url = '', provider = '', refs = '', ...subjects] = process.argv.slice(2)
const db = openPatiently(url, realSources)
const grants = Array.from({ length: Number(refs) }, (_, n) => `grant-${n}`).flatMap(ref =>
  subjects.map(subject => ({ ref, subject })),
)
const outcomes: { ref: string; subject: string; outcome: string }[] = []

async function grant(ref: string, subject: string): Promise<string> {
  try {
    const granted = await db.write(tx =>
      grantPoints(tx, { source: 'shop', provider }, { fan: { provider, subject }, delta: 10, ref }),
    )
    return granted.created ? 'created' : 'repeated'
  } catch (error) {
    if (error instanceof DomainError) return error.code
    throw error
  }
}

await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let next = grants.shift(); next; next = grants.shift())
      outcomes.push({ ...next, outcome: await grant(next.ref, next.subject) })
  }),
)
await db.close()
process.stdout.write(`${JSON.stringify(outcomes)}\n`)
