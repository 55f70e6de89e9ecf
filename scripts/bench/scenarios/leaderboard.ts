/**
 * The cost of a rank, in process, on the smallest and the largest database and on both engines: it must not depend on
 * the rank and the number of fans.
 */
import { openDatabase, type Reader } from '../../../db/index.ts'
import { createCursors } from '../../../src/core/pagination.ts'
import { realSources } from '../../../src/core/sources.ts'
import { readBoardAround, readBoardPage } from '../../../src/leaderboard/page.ts'
import { readRankedEntry } from '../../../src/leaderboard/ranked-entry.ts'
import type { Engine } from '../databases.ts'
import { type Bench, enginesOf, median, type Row, row, type Scenario } from '../scenario.ts'

const BOARD = 'all'
const LIMIT = 50
/** Measured ranks, evenly sampleEntries from the first to the last. */
const SAMPLES = 40
/** Repetitions per rank in a round. */
const REPEATS = 5

const cursors = createCursors('bench')

interface Sample {
  userId: string
  /** The cursor of the page after this entry. */
  cursor: string
}

const operations: Record<string, (reader: Reader, sample: Sample) => Promise<unknown>> = {
  rank: (reader, { userId }) => readRankedEntry(reader, BOARD, userId),
  'first page': reader => readBoardPage(reader, cursors, BOARD, { limit: LIMIT }),
  'deep page': (reader, { cursor }) => readBoardPage(reader, cursors, BOARD, { limit: LIMIT, cursor }),
  'around me': (reader, { userId }) => readBoardAround(reader, cursors, BOARD, LIMIT, userId),
}

export const leaderboard: Scenario = {
  name: 'leaderboard',
  summary: 'Rank, first page, deep page, around me: few fans and many fans, in process',
  async run(bench) {
    const engines = enginesOf()
    const rows: Row[] = []
    for (const engine of engines) rows.push(...(await measure(bench, engine)))
    const notes = ['medians over ranks from the first to the last, in ms']
    if (engines.length === 1) notes.push('SQLite only: set BENCH_POSTGRES_URL for PostgreSQL')
    return { rows, notes }
  },
}

async function measure({ databases, options }: Bench, engine: Engine): Promise<Row[]> {
  const sizes = [options.sizes[0] ?? 10_000, options.sizes.at(-1) ?? 1_000_000]
  const opened = []
  for (const fans of sizes) {
    const { url, remove } = await databases.copy(engine, fans)
    const db = openDatabase(url, realSources)
    opened.push({ fans, db, remove, samples: await sampleEntries(db.read) })
  }
  const times = new Map<string, number[]>()
  try {
    for (let round = 0; round < options.rounds; round++) {
      for (const [name, read] of Object.entries(operations)) {
        // In alternation, so that other load affects both.
        for (const { fans, db, samples } of opened) {
          const key = `${engine}, ${name} of ${fans}`
          const taken: number[] = []
          for (let repeat = 0; repeat < REPEATS; repeat++) {
            for (const sample of samples) taken.push(await timed(() => read(db.read, sample)))
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
  const startedAt = performance.now()
  await run()
  return performance.now() - startedAt
}

/** Entries evenly sampleEntries over the board. */
async function sampleEntries(reader: Reader): Promise<Sample[]> {
  const { leaderboardScores: scores } = reader.tables
  const all = await reader
    .select({ userId: scores.userId, minusPoints: scores.minusPoints, reachedAt: scores.reachedAt })
    .from(scores)
    .orderBy(scores.minusPoints, scores.reachedAt, scores.userId)
  return Array.from({ length: SAMPLES }, (_, at) => {
    const key = all[Math.floor((at * (all.length - 1)) / (SAMPLES - 1))]
    if (!key) throw new Error('the board is empty')
    const position = JSON.stringify(['after', key.minusPoints, key.reachedAt, key.userId])
    return { userId: key.userId, cursor: cursors.encode(`leaderboard ${BOARD}`, position) }
  })
}
