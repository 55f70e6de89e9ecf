import { askOnce, sameAnswer } from '../ask.ts'
import type { Plan } from '../plan.ts'
import { compare } from '../rounds.ts'
import type { Scenario } from '../scenario.ts'
import { verifyOnOneCore } from './verification.ts'

export const rewardsNew: Scenario = {
  name: 'rewards-new',
  about: 'GET /api/rewards, each request by a caller whose token must be verified',
  async run(bench) {
    const { matchday, express } = bench.subjects
    const tokens = bench.unknownTokens(bench.options.fans)
    const plan: Plan = { tokens, requests: [{ method: 'GET', path: '/api/rewards' }] }
    const differs = await sameAnswer(bench, express, plan, await askOnce(bench, matchday, plan))
    const outcome = await compare(bench, [
      { subject: matchday, plan },
      { subject: express, plan },
    ])
    const { rows, notes } = await verifyOnOneCore(bench)
    return {
      ...outcome,
      rows: [...outcome.rows, ...rows],
      notes: [...outcome.notes, ...notes],
      ...(differs ? { invalid: differs } : {}),
    }
  },
}
