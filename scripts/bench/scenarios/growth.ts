import { askOnce } from '../ask.ts'
import { compare } from '../rounds.ts'
import type { Outcome, Scenario } from '../scenario.ts'

/** Reads that must not care how many others there are. */
const paths = [
  '/api/rewards',
  '/api/user/profile',
  '/api/user/points',
  '/api/dashboard',
  '/api/leaderboard',
  '/api/leaderboard?around=me',
]

export const growth: Scenario = {
  name: 'growth',
  about: 'Reads on databases of 10 thousand, 100 thousand and a million fans',
  async run(bench) {
    const { matchday } = bench.subjects
    const all: Outcome = { rows: [], notes: [] }
    for (const path of paths) {
      const plan = (fans: number) => ({
        // As many callers at each size, few enough to stay verified, spread over all fans.
        tokens: bench.tokensOf(fans, 1_000),
        requests: [{ method: 'GET' as const, path }],
      })
      const [fewest = 0] = bench.options.sizes
      const { status } = await askOnce(bench, matchday, plan(fewest), fewest)
      if (status === 404) {
        all.notes.push(`GET ${path} answers 404: left out`)
        continue
      }
      const contenders = bench.options.sizes.map(fans => ({
        subject: matchday,
        label: `${path} of ${fans}`,
        fans,
        plan: plan(fans),
      }))
      const { rows, notes, invalid } = await compare(bench, contenders)
      all.rows.push(...rows)
      all.notes.push(...notes)
      if (invalid) all.invalid = invalid
    }
    return all
  },
}
