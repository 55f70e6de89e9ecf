import type { Running } from '../process.ts'
import { requestOnce } from '../request-once.ts'
import { compare } from '../rounds.ts'
import type { Outcome, Scenario } from '../scenario.ts'
import type { Subject } from '../subjects.ts'

/** Reads whose cost must not depend on the number of fans. */
const paths = [
  '/api/rewards',
  '/api/user/profile',
  '/api/user/points',
  '/api/dashboard',
  '/api/leaderboard',
  '/api/leaderboard?around=me',
]

/**
 * The callers at each size, spread over all fans: few enough for the token cache, and too many for cached responses,
 * which would favour the faster size.
 */
const CALLERS = 10_000

/** Uses one server for all paths: copying a million fans six times takes too long. */
const shared = (running: Running): Subject => ({
  name: 'matchday',
  start: async () => ({ ...running, stop: async () => {} }),
})

export const growth: Scenario = {
  name: 'growth',
  summary: 'Reads on databases of 10 thousand, 100 thousand and a million fans',
  async run(bench) {
    const all: Outcome = { rows: [], notes: [] }
    const servers: { fans: number; running: Running }[] = []
    try {
      for (const fans of bench.options.sizes) {
        servers.push({ fans, running: await bench.subjects.matchday.start(fans) })
      }
      for (const path of paths) {
        const contenders = servers.map(({ fans, running }) => ({
          subject: shared(running),
          label: `${path} of ${fans}`,
          fans,
          plan: { tokens: bench.tokensOf(fans, CALLERS), requests: [{ method: 'GET' as const, path }] },
        }))
        const [first] = contenders
        const response = first && (await requestOnce(bench, first.subject, first.plan, first.fans))
        if (response?.status === 404) {
          all.notes.push(`GET ${path} responds with 404: skipped`)
          continue
        }
        const { rows, notes, invalid } = await compare(bench, contenders)
        all.rows.push(...rows)
        all.notes.push(...notes)
        if (invalid) all.invalid = invalid
      }
    } finally {
      await Promise.all(servers.map(({ running }) => running.stop()))
    }
    return all
  },
}
