import type { Plan } from '../plan.ts'
import { compare } from '../rounds.ts'
import type { Scenario } from '../scenario.ts'

export const onboarding: Scenario = {
  name: 'onboarding',
  summary: 'POST /api/user/onboarding, each by a new fan: record, mirror, points, enrolment',
  async run(bench) {
    const body = JSON.stringify({ profile: { displayName: 'A new fan' } })
    const plan: Plan = {
      tokens: bench.newTokens(),
      requests: [{ method: 'POST', path: '/api/user/onboarding', body }],
      once: true,
    }
    return compare(bench, [{ subject: bench.subjects.matchday, plan }])
  },
}
