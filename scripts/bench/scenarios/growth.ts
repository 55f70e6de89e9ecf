import { askOnce } from '../ask.ts'
import type { Running } from '../process.ts'
import { compare } from '../rounds.ts'
import type { Outcome, Scenario } from '../scenario.ts'
import type { Subject } from '../subjects.ts'

/** Reads that must not care how many others there are. */
const paths = [
  '/api/rewards',
  '/api/user/profile',
  '/api/user/points',
  '/api/dashboard',
  '/api/leaderboard',
  '/api/leaderboard?around=me',
]

/**
 * As many at each size, spread over all fans: few enough to stay verified, and too many to come again before a view of theirs is
 * too old, which a size that is a little faster would otherwise be spared.
 */
const CALLERS = 10_000

/** One server for all paths: a million fans are not copied six times. */
const shared = (running: Running): Subject => ({
  name: 'matchday',
  start: async () => ({ ...running, stop: async () => {} }),
})

export const growth: Scenario = {
  name: 'growth',
  about: 'Reads on databases of 10 thousand, 100 thousand and a million fans',
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
        const answer = first && (await askOnce(bench, first.subject, first.plan, first.fans))
        if (answer?.status === 404) {
          all.notes.push(`GET ${path} answers 404: left out`)
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
