/**
 * Measures the settlement of a match and of a corrected result, in the background of a server that onboards new fans and
 * accepts claims. It ends with the first pass over the predictions: the second one, a minute later, finds none.
 */
import { eq } from 'drizzle-orm'
import { openDatabase } from '../../../db/index.ts'
import { realSources } from '../../../src/core/sources.ts'
import { claimPlan } from '../catalogue.ts'
import type { Engine } from '../databases.ts'
import { claimsOf, onboardingsOf, startPaced } from '../load/paced.ts'
import { cpuSecondsOf } from '../process.ts'
import { type Bench, row, type Scenario, type ScenarioResult, type Unit } from '../scenario.ts'
import { MATCH_ID, MATCH_KEY, type MatchOptions, prepareMatch } from '../settlement-match.ts'

const PREDICTIONS = 100_000
/** Interval of onboardings and of claims: 50 a second each. */
const WRITE_EVERY_MS = 20
/** Fans who claim, each once for every reward. */
const CLAIMING = 20_000
const MAX_SECONDS = 600

/** Each changes nearly all predictions. */
const RESULTS = [
  { name: 'result', homeScore: 2, awayScore: 1 },
  { name: 'corrected result', homeScore: 1, awayScore: 1 },
]

const settlementOf = (name: string, what: string, match: MatchOptions): Scenario => ({
  name,
  summary: `Settling ${PREDICTIONS.toLocaleString('en')} predictions ${what}, during 50 onboardings and 50 claims a second`,
  long: true,
  async run(bench) {
    const all: ScenarioResult = { rows: [], notes: [], separateRows: true }
    for (const engine of bench.options.engines) {
      const rounds: Settled[][] = []
      for (let round = 0; round < bench.options.rounds; round++)
        rounds.push(await settle(bench, engine, match))
      for (const [index, { name }] of RESULTS.entries()) {
        const of = (read: (result: Settled) => number) =>
          rounds.flatMap(results => results.slice(index, index + 1).map(read))
        const add = (name: string, unit: Unit, read: (result: Settled) => number) =>
          all.rows.push(row(`${engine}, ${name}`, unit, of(read)))
        add(name, 's', ({ seconds }) => seconds)
        add(`${name}, CPU of the server`, 's', ({ cpuSeconds }) => cpuSeconds)
        add(`${name}, onboardings, p99`, 'ms', ({ onboardings }) => onboardings.p99)
        add(`${name}, claims, p50`, 'ms', ({ claims }) => claims.p50)
        add(`${name}, claims, p99`, 'ms', ({ claims }) => claims.p99)
      }
      const failed = rounds
        .flat()
        .reduce((sum, { onboardings, claims }) => sum + onboardings.failed + claims.failed, 0)
      if (failed > 0) all.invalid = `${engine}: ${failed} onboardings or claims failed`
    }
    return all
  },
})

export const settlement = settlementOf('settlement', 'of a match', {})

/** Each third prediction has a joker. */
export const jokers = settlementOf('jokers', 'with jokers and points by the crowd', { withRules: true })

type Paced = Awaited<ReturnType<ReturnType<typeof startPaced>['stop']>>

interface Settled {
  seconds: number
  /** NaN if the system does not report it. */
  cpuSeconds: number
  onboardings: Paced
  claims: Paced
}

async function settle(bench: Bench, engine: Engine, match: MatchOptions): Promise<Settled[]> {
  const { subjects, options, databases, newTokens, tokensOf } = bench
  const fans = options.quick ? options.fans : PREDICTIONS
  const { url, remove } = await databases.copy(engine, fans)
  const kickoffAt = await prepareMatch(url, match)
  const running = await subjects.matchdayOn(url)
  const db = openDatabase(url, realSources)
  const claims = claimsOf(tokensOf(fans, Math.min(fans, CLAIMING)), claimPlan([]).requests)
  const onboardings = onboardingsOf(newTokens())
  const startAll = () => {
    const pace = { everyMs: WRITE_EVERY_MS }
    const [onboarding, claiming] = [
      startPaced(running.origin, onboardings, pace),
      startPaced(running.origin, claims, pace),
    ]
    return async () => ({ onboardings: await onboarding.stop(), claims: await claiming.stop() })
  }
  try {
    // Lets the JIT compile the code of onboardings and claims.
    const warmingUp = startAll()
    await Bun.sleep(options.seconds * 1_000)
    await warmingUp()
    const settled: Settled[] = []
    for (const [index, { homeScore, awayScore }] of RESULTS.entries()) {
      const stop = startAll()
      const started = performance.now()
      const cpuBefore = cpuSecondsOf(running.pid) ?? Number.NaN
      const state = { status: 'finished', kickoffAt: kickoffAt.toISOString(), homeScore, awayScore }
      const response = await fetch(`${running.origin}/api/matches/${MATCH_ID}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${MATCH_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ revision: index + 2, ...state }),
      })
      if (!response.ok) throw new Error(`the result is answered with ${response.status}`)
      const { matchSettlements } = db.tables
      const isPassed = async () => {
        const isMatch = eq(matchSettlements.matchId, MATCH_ID)
        const [found] = await db.read.select().from(matchSettlements).where(isMatch)
        return found?.revision === index + 2 && found.lastPass
      }
      while (!(await isPassed())) {
        if (performance.now() - started > MAX_SECONDS * 1_000) throw new Error('the settlement does not end')
        await Bun.sleep(20)
      }
      const seconds = (performance.now() - started) / 1_000
      const cpuSeconds = (cpuSecondsOf(running.pid) ?? Number.NaN) - cpuBefore
      settled.push({ seconds, cpuSeconds, ...(await stop()) })
    }
    return settled
  } finally {
    await db.close()
    await running.stop()
    await remove()
  }
}
