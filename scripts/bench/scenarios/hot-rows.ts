/**
 * Rows that many requests change, which PostgreSQL locks until the commit: what each carries a second, beside the same
 * requests without it. SQLite has one writer, and no hot rows.
 */
import { eq } from 'drizzle-orm'
import { openDatabase, type Tables } from '../../../db/index.ts'
import { realSources } from '../../../src/core/sources.ts'
import { rewardId } from '../catalogue.ts'
import { prepareEvents } from '../event-rules.ts'
import { runChains } from '../load/bun-generators.ts'
import type { Generator } from '../load/generator.ts'
import type { Plan } from '../plan.ts'
import { type Contender, compare } from '../rounds.ts'
import { type Bench, mergeOutcomes, type Outcome, row, type Scenario, skipped } from '../scenario.ts'
import { eventGenerator, eventPlan } from './events.ts'

/** Exceeds what a run can sell, and grant. */
const UNREACHED = 100_000_000
const PACK = 'starter'
const BATCH = 100

export const hotRows: Scenario = {
  name: 'hot-rows',
  summary: 'Stock, supply, budgets and counts that many requests change, on PostgreSQL',
  long: true,
  async run(bench) {
    if (!process.env.BENCH_POSTGRES_URL) return skipped('requires BENCH_POSTGRES_URL')
    const outcomes: Outcome[] = []
    for (const measure of [claims, purchases, openings, events(1), events(BATCH)])
      outcomes.push(await measure(bench))
    return { ...mergeOutcomes(outcomes), separateRows: true }
  },
}

const compareOnPostgres = (bench: Bench, contenders: Contender[], generator = bench.generator) =>
  compare({ ...bench, generator, options: { ...bench.options, engine: 'postgres' } }, contenders)

/** The stock of a reward: of the rewards of the bench, every second one has one. */
function claims(bench: Bench): Promise<Outcome> {
  const { matchday } = bench.subjects.on('postgres')
  const claim = (at: number): Plan => ({
    tokens: bench.tokensOf(bench.options.fans),
    requests: [
      { method: 'POST', path: '/api/rewards/claim', body: JSON.stringify({ rewardId: rewardId(at) }) },
    ],
    once: true,
    primePath: '/api/rewards',
  })
  return compareOnPostgres(bench, [
    { subject: matchday, label: 'claims of a reward without a stock', plan: claim(4) },
    { subject: matchday, label: 'claims of a reward with a stock', plan: claim(5) },
  ])
}

/** The row of a pack is locked by each purchase, if its supply is limited. */
function purchases(bench: Bench): Promise<Outcome> {
  const { matchday, prepared } = bench.subjects.on('postgres')
  const plan: Plan = {
    tokens: bench.tokensOf(bench.options.fans),
    requests: [{ method: 'POST', path: '/api/packs/purchase', body: JSON.stringify({ packId: PACK }) }],
    once: true,
    primePath: '/api/user/points',
  }
  return compareOnPostgres(bench, [
    { subject: matchday, label: 'purchases of a pack without a limit', plan },
    { subject: prepared(limitSupply), label: 'purchases of a pack with a limit', plan },
  ])
}

async function limitSupply(url: string): Promise<void> {
  const db = openDatabase(url, realSources)
  const { packs }: Tables = db.tables
  await db.write(tx => tx.update(packs).set({ supplyTotal: UNREACHED }).where(eq(packs.id, PACK)))
  await db.close()
}

/** Serial numbers: each opening increments the counter of each collectible that it draws. */
async function openings(bench: Bench): Promise<Outcome> {
  const { folder, options, subjects } = bench
  const tokens = bench.tokensOf(options.fans)
  const generator: Generator = {
    name: 'chain-process',
    async measure(origin, _, { seconds, connections, first = 0, core }) {
      const job = { origin, tokens, connections, seconds, first, packId: PACK }
      const { chains, failed, ...measured } = await runChains(job, folder, core)
      return { ...measured, requests: chains, failed, sent: chains + failed }
    },
  }
  const plan: Plan = { tokens, requests: [], primePath: '/api/user/points' }
  const subject = subjects.on('postgres').matchday
  const label = 'purchase, completion and opening of one pack'
  return compareOnPostgres(bench, [{ subject, label, plan }], generator)
}

/** The budget of a rule, and the counts of the leaderboard, which every grant changes. */
const events =
  (batch: number) =>
  async (bench: Bench): Promise<Outcome> => {
    const { prepared } = bench.subjects.on('postgres')
    const subject = (rules: { budget?: number; gate?: number }) =>
      prepared(url => prepareEvents(url, { types: 1, ...rules }))
    const inBatches = batch === 1 ? '' : ` in batches of ${batch}`
    const contenders = [
      { subject: subject({ gate: 8 }), label: `events${inBatches} that grant nothing`, plan: eventPlan },
      { subject: subject({}), label: `events${inBatches} that grant points`, plan: eventPlan },
      {
        subject: subject({ budget: UNREACHED }),
        label: `events${inBatches} that grant points of a budget`,
        plan: eventPlan,
      },
    ]
    const outcome = await compareOnPostgres(bench, contenders, eventGenerator(bench, { batch }))
    const rows = outcome.rows.map(each => {
      const perSecond = each.rounds.map(requests => requests * batch)
      return row(each.subject, 'events/s', perSecond, each.detail)
    })
    return { ...outcome, rows }
  }
