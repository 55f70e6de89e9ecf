import type { Plan } from '../plan.ts'
import { requestOnce, sameResponse } from '../request-once.ts'
import { compare } from '../rounds.ts'
import type { Scenario } from '../scenario.ts'
import { verifyOnOneCore } from './verification.ts'

const ANY_CORE =
  'matchday may use both cores, including that of the generator: its threads verify on any core'

export const rewardsNew: Scenario = {
  name: 'rewards-new',
  summary: 'GET /api/rewards with uncached tokens: each must be verified',
  async run(bench) {
    const { subjects, cores } = bench
    const { express } = subjects.on('sqlite')
    // Bun verifies in separate threads: pinned to one core, they would compete with the main thread.
    const matchday = subjects.matchdayInWorkers(bench.options.engine, 1)
    const tokens = bench.uncachedTokens(bench.options.fans)
    const plan: Plan = { tokens, requests: [{ method: 'GET', path: '/api/rewards' }] }
    const differs = await sameResponse(bench, express, plan, await requestOnce(bench, matchday, plan))
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
