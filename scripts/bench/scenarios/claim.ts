import { MOST_TOKENS } from '../../../src/identity/token-cache.ts'
import { askOnce, sameAnswer } from '../ask.ts'
import { claimPlan } from '../claim-plan.ts'
import { subjectsOf } from '../data.ts'
import { compare } from '../rounds.ts'
import type { Scenario } from '../scenario.ts'

export const claim: Scenario = {
  name: 'claim',
  about: 'POST /api/rewards/claim, each a new pair of known caller and reward, durable before its answer',
  async run(bench) {
    const { matchday, groupCommit, express } = bench.subjects
    const { fans, engine } = bench.options
    // Not one more than Matchday remembers: in a circle, each would then be forgotten before it comes again.
    const tokens = bench.tokensOf(fans, MOST_TOKENS)
    const plan = claimPlan(tokens)
    const differs = await sameAnswer(bench, express, plan, await askOnce(bench, matchday, plan))
    const outcome = await compare(bench, [
      { subject: matchday, plan },
      // Verifies nothing: the token is the subject itself.
      { subject: groupCommit, plan: { ...plan, tokens: subjectsOf(fans, MOST_TOKENS) } },
      { subject: express, plan },
    ])
    const notes = [
      'every caller has read the rewards before, with the same token: what new ones cost is rewards-new',
      ...(engine === 'postgres' ? ['group commit and express are on SQLite'] : []),
    ]
    return {
      ...outcome,
      notes: [...notes, ...outcome.notes],
      ...(differs ? { invalid: differs } : {}),
    }
  },
}
