import { askOnce } from '../ask.ts'
import type { Plan } from '../plan.ts'
import { compare } from '../rounds.ts'
import type { Scenario } from '../scenario.ts'

export const packs: Scenario = {
  name: 'packs',
  about: 'GET /api/packs, anonymous, beside `Bun.serve` with the same bytes',
  async run(bench) {
    const { matchday, matchdayCounting, bare } = bench.subjects
    const plan: Plan = { tokens: [], requests: [{ method: 'GET', path: '/api/packs' }] }
    return compare(bench, [
      { subject: matchday, plan },
      { subject: bare(await askOnce(bench, matchday, plan)), plan },
      // Every request is counted, as rate limits do.
      { subject: matchdayCounting, plan, label: 'with limits' },
    ])
  },
}
