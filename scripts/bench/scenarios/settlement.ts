/**
 * How long the settlement of a match takes, and of a corrected result, in the background of a server that onboards new fans
 * meanwhile. It ends with the first pass over the predictions: the second one, a minute later, finds none.
 */
import { eq } from 'drizzle-orm'
import { openDatabase } from '../../../db/index.ts'
import { realSources } from '../../../src/core/sources.ts'
import type { Engine } from '../databases.ts'
import { percentiles } from '../load/bun-generators.ts'
import { type Bench, enginesOf, row, type Scenario, type ScenarioResult } from '../scenario.ts'
import { MATCH_ID, MATCH_KEY, prepareMatch } from '../settlement-match.ts'

const PREDICTIONS = 100_000
/** Between two onboardings: 50 a second. */
const WRITE_EVERY_MS = 20
const MAX_SECONDS = 600

/** Each changes nearly all predictions. */
const RESULTS = [
  { name: 'result', homeScore: 2, awayScore: 1 },
  { name: 'corrected result', homeScore: 1, awayScore: 1 },
]

export const settlement: Scenario = {
  name: 'settlement',
  summary: `Settling ${PREDICTIONS.toLocaleString('en')} predictions of a match, during 50 onboardings a second`,
  long: true,
  async run(bench) {
    const all: ScenarioResult = { rows: [], notes: [], separateRows: true }
    for (const engine of enginesOf()) {
      const rounds: Settled[][] = []
      for (let round = 0; round < bench.options.rounds; round++) rounds.push(await settle(bench, engine))
      for (const [index, { name }] of RESULTS.entries()) {
        const of = (read: (result: Settled) => number) =>
          rounds.flatMap(results => results.slice(index, index + 1).map(read))
        all.rows.push(
          row(
            `${engine}, ${name}`,
            's',
            of(({ seconds }) => seconds),
          ),
          row(
            `${engine}, ${name}, onboardings, p50`,
            'ms',
            of(({ p50 }) => p50),
          ),
          row(
            `${engine}, ${name}, onboardings, p99`,
            'ms',
            of(({ p99 }) => p99),
          ),
        )
      }
      const failed = rounds.flat().reduce((sum, settled) => sum + settled.failed, 0)
      if (failed > 0) all.invalid = `${engine}: ${failed} onboardings failed`
    }
    return all
  },
}

interface Settled {
  seconds: number
  p50: number
  p99: number
  failed: number
}

async function settle(bench: Bench, engine: Engine): Promise<Settled[]> {
  const { subjects, options, databases, newTokens } = bench
  const { url, remove } = await databases.copy(engine, options.quick ? options.fans : PREDICTIONS)
  const kickoffAt = await prepareMatch(url)
  const running = await subjects.matchdayOn(url)
  const db = openDatabase(url, realSources)
  const tokens = newTokens().values()
  try {
    // The code of an onboarding is compiled.
    const warmingUp = startOnboarding(running.origin, tokens)
    await Bun.sleep(options.seconds * 1_000)
    await warmingUp()
    const settled: Settled[] = []
    for (const [index, { homeScore, awayScore }] of RESULTS.entries()) {
      const stop = startOnboarding(running.origin, tokens)
      const started = performance.now()
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
      settled.push({ seconds, ...(await stop()) })
    }
    return settled
  } finally {
    await db.close()
    await running.stop()
    await remove()
  }
}

/** Onboards new fans at a fixed rate, until the returned function is called. Latencies count from the scheduled time. */
function startOnboarding(origin: string, tokens: Iterator<string>) {
  const times: number[] = []
  const pending: Promise<void>[] = []
  const started = performance.now()
  let failed = 0
  async function onboard(dueAt: number) {
    const headers = { authorization: `Bearer ${tokens.next().value}`, 'content-type': 'application/json' }
    const sent = fetch(`${origin}/api/user/onboarding`, { method: 'POST', headers, body: '{}' })
    const isDone = await sent.then(
      async response => {
        await response.arrayBuffer()
        return response.ok
      },
      () => false,
    )
    if (!isDone) failed++
    times.push(performance.now() - dueAt)
  }
  const nextAt = () => started + pending.length * WRITE_EVERY_MS
  const timer = setInterval(() => {
    while (nextAt() <= performance.now()) pending.push(onboard(nextAt()))
  }, WRITE_EVERY_MS / 4)
  return async () => {
    clearInterval(timer)
    await Promise.all(pending)
    const { p50, p99 } = percentiles(Float64Array.from(times))
    return { p50, p99, failed }
  }
}
