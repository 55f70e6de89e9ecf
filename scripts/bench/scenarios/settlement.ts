/**
 * Measures the settlement of a match and of a corrected result, in the background of a server that onboards new fans and
 * accepts claims. It ends with the first pass over the predictions: the second one, a minute later, finds none.
 */
import { eq } from 'drizzle-orm'
import { type Database, openDatabase } from '../../../db/index.ts'
import { realSources } from '../../../src/core/sources.ts'
import type { Engine } from '../databases.ts'
import { type Meanwhile, prepareWrites } from '../meanwhile.ts'
import { type Bench, row, type Scenario, type ScenarioResult, type Unit } from '../scenario.ts'
import { MATCH_ID, MATCH_KEY, type MatchOptions, prepareMatch } from '../settlement-match.ts'

const PREDICTIONS = 100_000

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
      const rounds: Meanwhile[][] = []
      for (let round = 0; round < bench.options.rounds; round++)
        rounds.push(await settle(bench, engine, match))
      for (const [index, { name }] of RESULTS.entries()) {
        const of = (read: (result: Meanwhile) => number) =>
          rounds.flatMap(results => results.slice(index, index + 1).map(read))
        const add = (name: string, unit: Unit, read: (result: Meanwhile) => number) =>
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

async function settle(bench: Bench, engine: Engine, match: MatchOptions): Promise<Meanwhile[]> {
  const { subjects, options, databases } = bench
  const fans = options.quick ? options.fans : PREDICTIONS
  const { url, remove } = await databases.copy(engine, fans)
  const kickoffAt = await prepareMatch(url, match)
  const running = await subjects.matchdayOn(url)
  const db = openDatabase(url, realSources)
  try {
    const measure = await prepareWrites(bench, running, fans)
    const settled: Meanwhile[] = []
    for (const [index, { homeScore, awayScore }] of RESULTS.entries())
      settled.push(
        await measure({
          problem: 'the settlement has stalled',
          everyMs: 20,
          async begin() {
            const state = { status: 'finished', kickoffAt: kickoffAt.toISOString(), homeScore, awayScore }
            const response = await fetch(`${running.origin}/api/matches/${MATCH_ID}`, {
              method: 'PUT',
              headers: { authorization: `Bearer ${MATCH_KEY}`, 'content-type': 'application/json' },
              body: JSON.stringify({ revision: index + 2, ...state }),
            })
            if (!response.ok) throw new Error(`the result is answered with ${response.status}`)
            return () => progressOf(db, index + 2)
          },
        }),
      )
    return settled
  } finally {
    await db.close()
    await running.stop()
    await remove()
  }
}

/** The last fan who was settled; null after the first pass. */
async function progressOf(db: Database, revision: number): Promise<string | null> {
  const { matchSettlements } = db.tables
  const [found] = await db.read.select().from(matchSettlements).where(eq(matchSettlements.matchId, MATCH_ID))
  if (found?.revision !== revision) return 'not begun'
  return found.lastPass ? null : found.cursor
}
