import { askOnce, sameAnswer } from '../ask.ts'
import type { Plan } from '../plan.ts'
import { compare } from '../rounds.ts'
import type { Scenario } from '../scenario.ts'
import { verifyOnOneCore } from './verification.ts'

const ANY_CORE = 'matchday may use both cores, the one of the load generator too: its threads verify on any'

export const rewardsNew: Scenario = {
  name: 'rewards-new',
  about: 'GET /api/rewards, each request by a caller whose token must be verified',
  async run(bench) {
    const { subjects, cores } = bench
    const { express } = subjects.on('sqlite')
    // Bun verifies in threads of its own: held to one core they and the one that answers would only take turns.
    const matchday = subjects.matchdayInWorkers(bench.options.engine, 1)
    const tokens = bench.unknownTokens(bench.options.fans)
    const plan: Plan = { tokens, requests: [{ method: 'GET', path: '/api/rewards' }] }
    const differs = await sameAnswer(bench, express, plan, await askOnce(bench, matchday, plan))
    const outcome = await compare(bench, [
      { subject: matchday, plan },
      ...(cores.pinned ? [{ subject: subjects.matchday, plan, label: 'matchday, one core' }] : []),
      { subject: express, plan },
    ])
    const { rows, notes } = await verifyOnOneCore(bench)
    return {
      ...outcome,
      rows: [...outcome.rows, ...rows],
      notes: [...outcome.notes, ...notes, ...(cores.pinned ? [ANY_CORE] : [])],
      ...(differs ? { invalid: differs } : {}),
    }
  },
}
