/** Reads of one path, beside `Bun.serve` with the same bytes and, where it has the path, the peer. */
import { askOnce, sameAnswer } from '../ask.ts'
import type { Plan } from '../plan.ts'
import { type Contender, compare } from '../rounds.ts'
import { type Scenario, skipped } from '../scenario.ts'

/** Callers who come again: well inside the cache of verified tokens. */
const WARM = 32

interface Read {
  name: string
  about: string
  path: string
  caller: 'anyone' | 'warm'
  withPeer?: true
  /** Also with every request counted, as rate limits do. */
  withLimits?: true
}

const read = ({ name, about, path, caller, withPeer, withLimits }: Read): Scenario => ({
  name,
  about,
  async run(bench) {
    const { matchday, matchdayCounting, express, bare } = bench.subjects
    const tokens = caller === 'anyone' ? [] : bench.tokensOf(bench.options.fans, WARM)
    const plan: Plan = { tokens, requests: [{ method: 'GET', path }] }
    const answer = await askOnce(bench, matchday, plan)
    if (answer.status === 404) return skipped(`GET ${path} answers 404`)
    const differs = withPeer ? await sameAnswer(bench, express, plan, answer) : undefined
    const contenders: Contender[] = [
      { subject: matchday, plan },
      { subject: bare(answer), plan },
    ]
    if (withLimits) contenders.push({ subject: matchdayCounting, plan, label: 'with limits' })
    if (withPeer) contenders.push({ subject: express, plan })
    const outcome = await compare(bench, contenders)
    return differs ? { ...outcome, invalid: differs } : outcome
  },
})

export const packs = read({
  name: 'packs',
  about: 'GET /api/packs, anonymous',
  path: '/api/packs',
  caller: 'anyone',
  withLimits: true,
})

export const rewardsWarm = read({
  name: 'rewards-warm',
  about: 'GET /api/rewards, 20 rewards, 32 callers who come again',
  path: '/api/rewards',
  caller: 'warm',
  withPeer: true,
  withLimits: true,
})

export const profile = read({
  name: 'profile',
  about: 'GET /api/user/profile, 32 callers who come again',
  path: '/api/user/profile',
  caller: 'warm',
})

export const dashboard = read({
  name: 'dashboard',
  about: 'GET /api/dashboard, 32 callers who come again',
  path: '/api/dashboard',
  caller: 'warm',
})

export const leaderboardPage = read({
  name: 'leaderboard-page',
  about: 'GET /api/leaderboard, 32 callers who come again',
  path: '/api/leaderboard',
  caller: 'warm',
})
