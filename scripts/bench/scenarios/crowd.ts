/**
 * Requests of all fans of the database in random order, one or two each, so that caches per fan hardly help. On both
 * engines if `BENCH_POSTGRES_URL` is set.
 */

import { claimable, claimPlan } from '../catalogue.ts'
import { countStatements } from '../count-statements.ts'
import { subjectsOf } from '../data.ts'
import type { Plan, RequestTemplate } from '../plan.ts'
import { requestOnce, sameResponse } from '../request-once.ts'
import type { Scenario } from '../scenario.ts'
import { onEngines } from './on-engines.ts'

/** A pseudo-random order, the same in every run. */
const shuffled = (texts: string[]) =>
  texts
    .map(text => ({ text, at: Bun.hash.xxHash32(text.slice(-40)) }))
    .sort((a, b) => a.at - b.at)
    .map(({ text }) => text)

/** The cheapest read primes the tokens. */
const primePath = '/api/user/onboarding'

/** Nine reads per claim. The number of tokens is a multiple of ten, so that claiming fans are never reading fans. */
function mixedPlan(tokens: string[], read: RequestTemplate): Plan {
  const crowd = tokens.slice(0, Math.floor(tokens.length / 10) * 10)
  const reads = Array.from({ length: 9 }, () => read)
  const requests = claimable.flatMap((rewardId): RequestTemplate[] => [
    ...reads,
    { method: 'POST', path: '/api/rewards/claim', body: JSON.stringify({ rewardId }) },
  ])
  return { tokens: crowd, requests, once: true, primePath }
}

const crowdRead = (name: string, path: string, withPeer = false): Scenario => ({
  name: `crowd-${name}`,
  summary: `GET ${path} by all fans in random order, alone and with 10 % claims`,
  run: bench =>
    onEngines(bench, async engine => {
      const { fans } = bench.options
      const { matchday, grown, oneList, express } = bench.subjects.on(engine)
      const read: RequestTemplate = { method: 'GET', path }
      const tokens = shuffled(bench.tokensOf(fans))
      const plan: Plan = { tokens, requests: [read], primePath }
      const response = await requestOnce(bench, matchday, plan)
      const invalid = withPeer ? await sameResponse(bench, express, plan, response) : undefined
      const statements = await countStatements(bench, engine, path)
      return {
        contenders: [
          { subject: matchday, plan },
          { subject: matchday, label: '10 % writes', plan: mixedPlan(tokens, read) },
          {
            subject: matchday,
            label: 'uncached tokens',
            plan: { tokens: shuffled(bench.uncachedTokens(fans)), requests: [read] },
          },
          ...(engine === 'postgres' ? [{ subject: grown, label: 'grown', plan }] : []),
          { subject: oneList, plan: { tokens: shuffled(subjectsOf(fans)), requests: [read] } },
          { subject: bench.subjects.bare(response), plan: { tokens, requests: [read] } },
          ...(withPeer ? [{ subject: express, plan: { tokens, requests: [read] } }] : []),
        ],
        notes: [
          `${statements} statements per request, ${Buffer.byteLength(response.body)} bytes per response`,
        ],
        ...(invalid ? { invalid } : {}),
      }
    }),
})

export const crowdReads = [
  crowdRead('rewards', '/api/rewards', true),
  crowdRead('profile', '/api/user/profile'),
  crowdRead('points', '/api/user/points'),
  crowdRead('dashboard', '/api/dashboard'),
  crowdRead('leaderboard', '/api/leaderboard'),
]

export const crowdClaims: Scenario = {
  name: 'crowd-claims',
  summary: 'POST /api/rewards/claim, each a new pair of caller and reward, durable before the response',
  run: bench =>
    onEngines(bench, async engine => {
      const { matchday, grown, rawClaims, express } = bench.subjects.on(engine)
      const { fans } = bench.options
      const plan = claimPlan(shuffled(bench.tokensOf(fans)))
      const invalid = await sameResponse(bench, express, plan, await requestOnce(bench, matchday, plan))
      return {
        contenders: [
          { subject: matchday, plan },
          ...(engine === 'postgres' ? [{ subject: grown, label: 'grown', plan }] : []),
          // It takes the token as the subject and verifies nothing.
          {
            subject: rawClaims,
            plan: { tokens: shuffled(subjectsOf(fans)), requests: plan.requests, once: true },
          },
          { subject: express, plan },
        ],
        notes: [],
        ...(invalid ? { invalid } : {}),
      }
    }),
}
