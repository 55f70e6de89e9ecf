/**
 * A process that redeems codes for one fan, three units of work at a time: `bun racing-process.ts DATABASE_URL USER_ID FILE START`.
 * Begins at the code of the number START. Prints as JSON how many had each outcome.
 */
import { readFileSync } from 'node:fs'
import { DomainError } from '../../../src/core/problems.ts'
import { realSources } from '../../../src/core/sources.ts'
import { redeemCode } from '../../../src/play/codes/redeem.ts'
import { openPatiently, POOL_SIZE } from '../../support/patience.ts'

const AT_ONCE = 3
const [url = '', userId = '', file = '', start = ''] = process.argv.slice(2)
// Eight processes share the connections of a server with other tests.
const db = openPatiently(url, realSources, { postgres: { poolSize: POOL_SIZE } })
const codes = readFileSync(file, 'utf8').trim().split('\n')
const outcomes: Record<string, number> = {}
let next = 0

async function redeem(code: string): Promise<string> {
  const caller = { provider: '', subject: '', userId, isNew: false }
  try {
    await db.write(tx => redeemCode(tx, caller, { code }))
    return 'redeemed'
  } catch (error) {
    if (error instanceof DomainError) return error.code
    throw error
  }
}

await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let n = next++; n < codes.length; n = next++) {
      const outcome = await redeem(codes[(n + Number(start)) % codes.length] ?? '')
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    }
  }),
)
await db.close()
process.stdout.write(JSON.stringify(outcomes))
