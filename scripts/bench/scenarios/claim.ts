import { askOnce, sameAnswer } from '../ask.ts'
import { claimable } from '../catalogue.ts'
import { subjectsOf } from '../data.ts'
import type { Plan } from '../plan.ts'
import { compare } from '../rounds.ts'
import type { Scenario } from '../scenario.ts'

export const claim: Scenario = {
  name: 'claim',
  about: 'POST /api/rewards/claim, each a new pair of fan and reward, durable before its answer',
  async run(bench) {
    const { matchday, groupCommit, express } = bench.subjects
    const { fans, engine } = bench.options
    const requests = claimable.map(rewardId => ({
      method: 'POST' as const,
      path: '/api/rewards/claim',
      body: JSON.stringify({ rewardId }),
    }))
    const plan: Plan = { tokens: bench.tokensOf(fans), requests, once: true }
    const differs = await sameAnswer(bench, express, plan, await askOnce(bench, matchday, plan))
    const outcome = await compare(bench, [
      { subject: matchday, plan },
      // Verifies nothing: the token is the subject itself.
      { subject: groupCommit, plan: { ...plan, tokens: subjectsOf(fans) } },
      { subject: express, plan },
    ])
    const notes = engine === 'postgres' ? ['group commit and express are on SQLite'] : []
    return {
      ...outcome,
      notes: [...outcome.notes, ...notes],
      ...(differs ? { invalid: differs } : {}),
    }
  },
}
