import type { Plan } from '../plan.ts'
import { requestOnce } from '../request-once.ts'
import { compare } from '../rounds.ts'
import type { Scenario } from '../scenario.ts'

export const packs: Scenario = {
  name: 'packs',
  summary: 'GET /api/packs, anonymous, and `Bun.serve` with the same response',
  async run(bench) {
    const { matchday, matchdayWithLimits, bare } = bench.subjects
    const plan: Plan = { tokens: [], requests: [{ method: 'GET', path: '/api/packs' }] }
    return compare(bench, [
      { subject: matchday, plan },
      { subject: bare(await requestOnce(bench, matchday, plan)), plan },
      // Counts every request for rate limits.
      { subject: matchdayWithLimits, plan, label: 'with limits' },
    ])
  },
}
