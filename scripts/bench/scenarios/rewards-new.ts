import { askOnce, sameAnswer } from '../ask.ts'
import type { Plan } from '../plan.ts'
import { compare } from '../rounds.ts'
import type { Scenario } from '../scenario.ts'
import { verifyOnOneCore } from './verification.ts'

/** Verified tokens are remembered for 10,000 callers: more than twice as many, in a circle, are always new. */
const REMEMBERED = 10_000

export const rewardsNew: Scenario = {
  name: 'rewards-new',
  about: 'GET /api/rewards, each request by a caller whose token must be verified',
  async run(bench) {
    const { matchday, express } = bench.subjects
    const tokens = bench.tokensOf(bench.options.fans)
    const plan: Plan = { tokens, requests: [{ method: 'GET', path: '/api/rewards' }] }
    const differs = await sameAnswer(bench, express, plan, await askOnce(bench, matchday, plan))
    const outcome = await compare(bench, [
      { subject: matchday, plan },
      { subject: express, plan },
    ])
    const { rows, notes } = await verifyOnOneCore(bench)
    const warm =
      tokens.length < 2 * REMEMBERED
        ? [`only ${tokens.length} tokens: Matchday remembers ${REMEMBERED}, so these are not new to it`]
        : []
    return {
      ...outcome,
      rows: [...outcome.rows, ...rows],
      notes: [...outcome.notes, ...notes, ...warm],
      ...(differs ? { invalid: differs } : {}),
    }
  },
}
