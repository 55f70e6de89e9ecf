/**
 * A stadium: every fan of the database, each asking once or twice, in random order. What a cache keeps for a fan who asks
 * again and again does not help here. On both engines where `BENCH_POSTGRES_URL` names a server.
 */
import { askOnce, sameAnswer } from '../ask.ts'
import { claimable } from '../catalogue.ts'
import { claimPlan } from '../claim-plan.ts'
import { countStatements } from '../count-statements.ts'
import { subjectsOf } from '../data.ts'
import type { Engine } from '../databases.ts'
import type { Plan, RequestTemplate } from '../plan.ts'
import { type Contender, compare } from '../rounds.ts'
import { type Bench, enginesOf, type Outcome, type Scenario } from '../scenario.ts'

/** The same order in every run, with nothing of the order in which the fans came. */
const shuffled = (texts: string[]) =>
  texts
    .map(text => ({ text, at: Bun.hash.xxHash32(text.slice(-40)) }))
    .sort((a, b) => a.at - b.at)
    .map(({ text }) => text)

/** Introduced by the lightest read of all, so that each token is known. */
const introduction = '/api/user/onboarding'

/** Nine reads to a claim. The number of fans is a multiple of ten, so that those who claim are never those who read. */
function mixedPlan(tokens: string[], read: RequestTemplate): Plan {
  const crowd = tokens.slice(0, Math.floor(tokens.length / 10) * 10)
  const reads = Array.from({ length: 9 }, () => read)
  const requests = claimable.flatMap((rewardId): RequestTemplate[] => [
    ...reads,
    { method: 'POST', path: '/api/rewards/claim', body: JSON.stringify({ rewardId }) },
  ])
  return { tokens: crowd, requests, once: true, introduction }
}

async function onEngines(
  bench: Bench,
  measure: (engine: Engine) => Promise<{ contenders: Contender[]; notes: string[]; invalid?: string }>,
): Promise<Outcome> {
  const all: Outcome = { rows: [], notes: [], unlike: true }
  const wrong: string[] = []
  for (const engine of enginesOf()) {
    const { contenders, notes, invalid } = await measure(engine)
    const labelled = contenders.map(contender => ({
      ...contender,
      label: `${engine}, ${contender.label ?? contender.subject.name}`,
    }))
    const outcome = await compare({ ...bench, options: { ...bench.options, engine } }, labelled)
    all.rows.push(...outcome.rows)
    all.notes.push(...notes.map(note => `${engine}: ${note}`), ...outcome.notes)
    for (const problem of [invalid, outcome.invalid]) if (problem) wrong.push(problem)
  }
  return wrong.length > 0 ? { ...all, invalid: wrong.join('; ') } : all
}

const crowdRead = (name: string, path: string, withPeer = false): Scenario => ({
  name: `crowd-${name}`,
  about: `GET ${path} by all fans in random order, alone and with one claim in ten requests`,
  run: bench =>
    onEngines(bench, async engine => {
      const { fans } = bench.options
      const { matchday, grown, oneRead, express } = bench.subjects.on(engine)
      const read: RequestTemplate = { method: 'GET', path }
      const tokens = shuffled(bench.tokensOf(fans))
      const plan: Plan = { tokens, requests: [read], introduction }
      const answer = await askOnce(bench, matchday, plan)
      const invalid = withPeer ? await sameAnswer(bench, express, plan, answer) : undefined
      const statements = await countStatements(bench, engine, path)
      return {
        contenders: [
          { subject: matchday, plan },
          { subject: matchday, label: 'one write in ten', plan: mixedPlan(tokens, read) },
          {
            subject: matchday,
            label: 'new tokens',
            plan: { tokens: shuffled(bench.unknownTokens(fans)), requests: [read] },
          },
          ...(engine === 'postgres' ? [{ subject: grown, label: 'grown', plan }] : []),
          { subject: oneRead, plan: { tokens: shuffled(subjectsOf(fans)), requests: [read] } },
          { subject: bench.subjects.bare(answer), plan: { tokens, requests: [read] } },
          ...(withPeer ? [{ subject: express, plan: { tokens, requests: [read] } }] : []),
        ],
        notes: [`${statements} statements a request, ${Buffer.byteLength(answer.body)} bytes an answer`],
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
  about: 'POST /api/rewards/claim, each a new pair of known caller and reward, durable before its answer',
  run: bench =>
    onEngines(bench, async engine => {
      const { matchday, grown, rawClaims, express } = bench.subjects.on(engine)
      const { fans } = bench.options
      const plan = claimPlan(shuffled(bench.tokensOf(fans)))
      const invalid = await sameAnswer(bench, express, plan, await askOnce(bench, matchday, plan))
      return {
        contenders: [
          { subject: matchday, plan },
          ...(engine === 'postgres' ? [{ subject: grown, label: 'grown', plan }] : []),
          // Verifies nothing: the token is the subject itself.
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
