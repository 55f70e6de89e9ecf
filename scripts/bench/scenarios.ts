/**
 * All scenarios, in execution order. A comparison of servers is data: a name, a summary, and the contenders of an engine,
 * which `rounds.ts` loads in alternation. Other scenarios are in `scenarios/`. Targets are in `targets.ts`.
 */
import { labelAt } from './against.ts'
import { claimable, claimPlan } from './catalogue.ts'
import { subjectsOf } from './data.ts'
import type { Engine } from './databases.ts'
import { prepareEvents, SERVER_KEY } from './event-rules.ts'
import type { Plan, RequestTemplate } from './plan.ts'
import { prepareQuestions, votePlan } from './questions.ts'
import { requestOnce } from './request-once.ts'
import { type Contender, compare } from './rounds.ts'
import { type Bench, mergeResults, type Scenario, type ScenarioResult } from './scenario.ts'
import { cash } from './scenarios/cash.ts'
import { divisions } from './scenarios/divisions.ts'
import { loyalty } from './scenarios/loyalty.ts'
import { memberships } from './scenarios/memberships.ts'
import { pushes } from './scenarios/pushes.ts'
import { reminders } from './scenarios/reminders.ts'
import { season } from './scenarios/season.ts'
import { jokers, settlement } from './scenarios/settlement.ts'
import { sizes } from './scenarios/sizes.ts'
import { social } from './scenarios/social.ts'
import { start } from './scenarios/start.ts'
import { idleStreams, stream } from './scenarios/stream.ts'
import { webhooks } from './scenarios/webhooks.ts'

type Contenders = (bench: Bench, engine: Engine) => Promise<Contender[]>

/** Measures on SQLite, and on PostgreSQL if `BENCH_POSTGRES_URL` is set. Rows are labelled with the engine. */
const comparison = (
  name: string,
  summary: string,
  contendersOf: Contenders,
  more: Pick<Scenario, 'comparable'> = {},
): Scenario => ({
  name,
  summary,
  ...more,
  async run(bench) {
    const outcomes: ScenarioResult[] = []
    for (const engine of bench.options.engines) {
      const contenders = await contendersOf(bench, engine)
      const labelled = contenders.map(contender => ({
        ...contender,
        label: `${engine}, ${contender.label ?? contender.subject.name}`,
      }))
      const { checkout } = bench
      const measured = checkout
        ? labelled.flatMap(own => {
            const { other } = own.subject
            return other ? [own, { ...own, subject: other, label: labelAt(own.label, checkout.commit) }] : []
          })
        : labelled
      outcomes.push(await compare({ ...bench, options: { ...bench.options, engine } }, measured))
    }
    return { ...mergeResults(outcomes), separateRows: true }
  },
})

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

/** One or two requests of every fan of the database, so that caches per fan hardly help. */
const crowdRead = (name: string, path: string): Scenario =>
  comparison(
    `crowd-${name}`,
    `GET ${path} by all fans in random order, alone and with 10 % claims`,
    async (bench, engine) => {
      const { fans } = bench.options
      const { matchday, grown, oneList } = bench.subjects.on(engine)
      const read: RequestTemplate = { method: 'GET', path }
      const tokens = shuffled(bench.tokensOf(fans))
      const plan: Plan = { tokens, requests: [read], primePath }
      const uncached = shuffled(bench.uncachedTokens(fans))
      return [
        { subject: matchday, plan },
        { subject: matchday, label: '10 % writes', plan: mixedPlan(tokens, read) },
        { subject: matchday, label: 'uncached tokens', plan: { tokens: uncached, requests: [read] } },
        ...(engine === 'postgres' ? [{ subject: grown, label: 'grown', plan }] : []),
        { subject: oneList, plan: { tokens: shuffled(subjectsOf(fans)), requests: [read] } },
        {
          subject: bench.subjects.bare(await requestOnce(bench, matchday, plan)),
          plan: { tokens, requests: [read] },
        },
      ]
    },
    { comparable: true },
  )

const crowdClaims = comparison(
  'crowd-claims',
  'POST /api/rewards/claim, each a new pair of caller and reward, durable before the response',
  async (bench, engine) => {
    const { matchday, grown, rawClaims } = bench.subjects.on(engine)
    const { fans } = bench.options
    const plan = claimPlan(shuffled(bench.tokensOf(fans)))
    return [
      { subject: matchday, plan },
      ...(engine === 'postgres' ? [{ subject: grown, label: 'grown', plan }] : []),
      // It uses the token as the subject and verifies nothing.
      { subject: rawClaims, plan: { ...plan, tokens: shuffled(subjectsOf(fans)), primePath: undefined } },
    ]
  },
  { comparable: true },
)

const onboarding = comparison(
  'onboarding',
  'POST /api/user/onboarding, each by a new fan: record, mirror, points, enrolment',
  async (bench, engine) => {
    const body = JSON.stringify({ profile: { displayName: 'A new fan' } })
    const requests: RequestTemplate[] = [{ method: 'POST', path: '/api/user/onboarding', body }]
    return [
      {
        subject: bench.subjects.on(engine).matchday,
        plan: { tokens: bench.newTokens(), requests, once: true },
      },
    ]
  },
  { comparable: true },
)

const votes = comparison(
  'votes',
  'PUT /api/questions/{questionId}/vote, all fans in one question after the other, durable before the response',
  async ({ options: { fans }, subjects, tokensOf }, engine) => {
    const { prepared, rawVotes } = subjects.on(engine)
    return [
      { subject: prepared(prepareQuestions), plan: { ...votePlan(shuffled(tokensOf(fans))), primePath } },
      { subject: rawVotes(prepareQuestions), plan: votePlan(shuffled(subjectsOf(fans))) },
    ]
  },
)

/** With 20 rules each: 1,000 rules. */
const MANY_TYPES = 50

const events = comparison(
  'events',
  'POST /api/events, batches of 100, each event of another fan and worth a point; one rule and 1,000',
  async ({ subjects, options: { fans } }, engine) => {
    const { prepared, rawEvents } = subjects.on(engine)
    const matchday = (types: number) => prepared(url => prepareEvents(url, { types }))
    const plan = (types: number): Plan => ({
      tokens: [SERVER_KEY],
      requests: [{ method: 'POST', path: '/api/events' }],
      events: { batch: 100, types, fans },
    })
    return [
      { subject: matchday(1), plan: plan(1) },
      { subject: matchday(MANY_TYPES), label: '1,000 rules', plan: plan(MANY_TYPES) },
      { subject: rawEvents, plan: plan(1) },
    ]
  },
)

export const scenarios: Scenario[] = [
  crowdRead('rewards', '/api/rewards'),
  crowdRead('profile', '/api/user/profile'),
  crowdRead('dashboard', '/api/dashboard'),
  crowdClaims,
  votes,
  onboarding,
  events,
  stream,
  idleStreams,
  settlement,
  jokers,
  divisions,
  memberships,
  loyalty,
  sizes,
  season,
  social,
  cash,
  webhooks,
  pushes,
  reminders,
  start,
]
