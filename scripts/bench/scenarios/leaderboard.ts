/**
 * What a rank costs, in process and without HTTP, on the smallest and the largest database and on both engines: where
 * the fan stands and how many others there are must not matter.
 */
import { openDatabase, type Reader } from '../../../db/index.ts'
import { createCursors } from '../../../src/core/pagination.ts'
import { realSources } from '../../../src/core/sources.ts'
import { readBoardAround, readBoardPage } from '../../../src/leaderboard/page.ts'
import { readStanding } from '../../../src/leaderboard/ranked-entry.ts'
import type { Engine } from '../databases.ts'
import { type Bench, enginesOf, median, type Row, row, type Scenario } from '../scenario.ts'

const BOARD = 'all'
const LIMIT = 50
/** Places on the board that are asked for, evenly spread from the first to the last. */
const PLACES = 40
/** Of each place in a round. */
const REPEATS = 5

const cursors = createCursors('bench')

interface Place {
  userId: string
  /** Of the page after this place. */
  cursor: string
}

const operations: Record<string, (reader: Reader, place: Place) => Promise<unknown>> = {
  rank: (reader, { userId }) => readStanding(reader, BOARD, userId),
  'first page': reader => readBoardPage(reader, cursors, BOARD, { limit: LIMIT }),
  'deep page': (reader, { cursor }) => readBoardPage(reader, cursors, BOARD, { limit: LIMIT, cursor }),
  'around me': (reader, { userId }) => readBoardAround(reader, cursors, BOARD, LIMIT, userId),
}

export const leaderboard: Scenario = {
  name: 'leaderboard',
  about: 'A rank anywhere, first page, deep pages, around me: few fans beside many, in process',
  async run(bench) {
    const engines = enginesOf()
    const rows: Row[] = []
    for (const engine of engines) rows.push(...(await measure(bench, engine)))
    const notes = ['medians over places from the first to the last, in ms']
    if (engines.length === 1)
      notes.push('SQLite alone: BENCH_POSTGRES_URL names a server for the other engine')
    return { rows, notes }
  },
}

async function measure({ databases, options }: Bench, engine: Engine): Promise<Row[]> {
  const sizes = [options.sizes[0] ?? 10_000, options.sizes.at(-1) ?? 1_000_000]
  const opened = []
  for (const fans of sizes) {
    const { url, remove } = await databases.copy(engine, fans)
    const db = openDatabase(url, realSources)
    opened.push({ fans, db, remove, places: await spread(db.read) })
  }
  const times = new Map<string, number[]>()
  try {
    for (let round = 0; round < options.rounds; round++) {
      for (const [name, ask] of Object.entries(operations)) {
        // In alternation, so that what else the machine does meets both.
        for (const { fans, db, places } of opened) {
          const key = `${engine}, ${name} of ${fans}`
          const taken: number[] = []
          for (let repeat = 0; repeat < REPEATS; repeat++) {
            for (const place of places) taken.push(await timed(() => ask(db.read, place)))
          }
          times.set(key, [...(times.get(key) ?? []), median(taken)])
        }
      }
    }
  } finally {
    for (const { db, remove } of opened) {
      await db.close()
      await remove()
    }
  }
  return [...times].map(([subject, rounds]) => row(subject, 'ms', rounds))
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await run()
  return performance.now() - began
}

/** Fans from the first to the last place. */
async function spread(reader: Reader): Promise<Place[]> {
  const { leaderboardScores: scores } = reader.tables
  const all = await reader
    .select({ userId: scores.userId, minusPoints: scores.minusPoints, reachedAt: scores.reachedAt })
    .from(scores)
    .orderBy(scores.minusPoints, scores.reachedAt, scores.userId)
  return Array.from({ length: PLACES }, (_, at) => {
    const key = all[Math.floor((at * (all.length - 1)) / (PLACES - 1))]
    if (!key) throw new Error('the board is empty')
    const position = JSON.stringify(['after', key.minusPoints, key.reachedAt, key.userId])
    return { userId: key.userId, cursor: cursors.encode(`leaderboard ${BOARD}`, position) }
  })
}
