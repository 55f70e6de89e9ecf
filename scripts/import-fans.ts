/** `bun run import-fans FILE`: imports fans of another system with their points. */
import type { Database } from '../db/index.ts'
import {
  type FanFault,
  type FanPlan,
  type ImportedFan,
  importFans,
  isDue,
  planFans,
} from '../src/operate/admin/import/fans.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { providerOf } from './command/database.ts'
import { formatOf } from './command/read-rows.ts'
import { Interrupted, stoppable } from './command/stop.ts'
import { type FanLine, type ReadOptions, readFans } from './import-fans/read-fans.ts'

const command = declareCommand({
  name: 'import-fans',
  summary: `Imports fans of another system: profile, points, onboarding, leaderboard.
Each fan is written once: a second run changes nothing. After an interruption, run the command again.`,
  examples: [
    ['fans.csv --dry-run', 'checks every line and shows what would be written'],
    ['fans.csv', 'imports the file; a file with an invalid line is rejected as a whole'],
    ['fans.ndjson --skip-invalid', 'imports the valid lines and lists the invalid ones'],
  ],
  notes: `NDJSON (.ndjson, .jsonl): one JSON object per line. CSV (.csv): RFC 4180 with a header line. Both are UTF-8 and have
  subject                 the subject of the fan at the provider; the only required member
  displayName, handle, avatarUrl, bio, country, locale, favoriteTeamId
                          the profile, by the rules of the API; written only if the fan has none
  openingBalance          points, booked once as one ledger entry with the reason opening_balance
  onboardingCompletedAt   a past instant, such as 2025-08-15T18:30:00Z; grants no points
  joinLeaderboard         true enrols the fan in the leaderboard
Members that are null, and empty cells, count as absent. Examples: scripts/import-fans/example.csv and example.ndjson.`,
  changes: true,
})
  .argument('<file>', 'NDJSON or CSV, by file name extension')
  .option('--provider <name>', 'the provider of the subjects (default: IDP_NAME)')
  .option('--skip-invalid', 'import the valid lines of a file with invalid ones')
  .option('--exclusive', 'no other process writes: long batches without pauses')

/** Fans per lookup, and per write without other processes. */
const CHUNK = 500
/** Fans that are written together: few enough that a batch of writes ends in time. */
const TOGETHER = 25

interface LocatedFault extends FanFault {
  line: number
}

interface Counts {
  created: number
  changed: number
  unchanged: number
  /** Sum of the booked opening balances; in a dry run, of those that would be booked. */
  points: number
}

await runCommand(
  command,
  async ({ parameters: [path], options, openDatabase, writeInBatches, progress, print }) => {
    const terms = { format: formatOf(path), provider: providerOf(options.provider) }
    const db = await openDatabase()
    const read: ReadOptions = { ...terms, now: db.read.now() }
    const errors: LocatedFault[] = []
    let invalid = 0

    async function report({ line, faults }: FanLine): Promise<void> {
      invalid++
      for (const fault of faults) {
        if (options.json) errors.push({ line, ...fault })
        else await print(`line ${line}: ${[fault.field, fault.message].filter(Boolean).join(' ')}\n`)
      }
    }

    const planned = createCounts()
    let profilesKept = 0
    let unreadable = false
    const checked = progress('lines checked')
    await stoppable(async requested => {
      let lines = 0
      for await (const line of planLines(db, path, read)) {
        checked(++lines)
        if ('plan' in line) {
          count(planned, line.plan)
          if (line.plan.keepsProfile) profilesKept++
        } else {
          await report(line)
          unreadable ||= line.fatal === true
        }
        const signal = requested()
        if (signal) throw new Interrupted(signal, 0)
      }
    }).finally(() => checked.end())

    const refused = unreadable || (invalid > 0 && !options.skipInvalid)
    const written = { ...createCounts(), unchanged: planned.unchanged }
    const late: FanLine[] = []
    if (!options.dryRun && !refused) {
      const total = planned.created + planned.changed
      await writeInBatches(
        db,
        'fans',
        chunksOf(dueLines(db, path, read), options.exclusive ? CHUNK : TOGETHER),
        async (tx, lines) => {
          const plans = await importFans(
            tx,
            lines.map(({ fan }) => fan),
          )
          // A handle was taken or a fan erased since the line was checked.
          tx.afterCommit(() => {
            for (const [index, plan] of plans.entries()) {
              if (plan.faults.length === 0) count(written, plan)
              else late.push({ line: lines[index]?.line ?? 0, faults: plan.faults })
            }
          })
        },
        { total, exclusive: options.exclusive, ahead: CHUNK / TOGETHER, countOf: lines => lines.length },
      )
    }
    for (const line of late) await report(line)
    const counts = options.dryRun ? planned : written
    const { created, changed, unchanged, points } = counts
    const kept =
      profilesKept > 0
        ? [`${profilesKept} fans have a different profile already, which was not changed.`]
        : []
    const summary = `${created} created, ${changed} changed, ${unchanged} unchanged, ${invalid} invalid; ${points} points in opening balances.`
    const why = unreadable ? '' : ' --skip-invalid imports the others.'
    return {
      json: { created, changed, unchanged, invalid, points, profilesKept, refused, errors },
      text: refused
        ? `${invalid} invalid line${invalid === 1 ? '' : 's'}; nothing was written.${why}`
        : [summary, ...kept].join('\n'),
      found: invalid > 0,
      changed: refused ? 0 : created + changed,
      textHasSummary: refused,
    }
  },
)

function createCounts(): Counts {
  return { created: 0, changed: 0, unchanged: 0, points: 0 }
}

function count(counts: Counts, plan: FanPlan): void {
  counts[plan.record ? 'created' : isDue(plan) ? 'changed' : 'unchanged']++
  counts.points += plan.points
}

/** A valid line with its plan. */
interface PlannedFan {
  line: number
  fan: ImportedFan
  plan: FanPlan
}

/** Yields every line in order, with the plan for its fan or with its faults. */
async function* planLines(
  db: Database,
  path: string,
  read: ReadOptions,
): AsyncGenerator<PlannedFan | FanLine> {
  for await (const lines of chunksOf(readFans(path, read), CHUNK)) {
    const plans = await planFans(
      db.read,
      lines.flatMap(({ fan }) => fan ?? []),
    )
    for (const { line, fan, faults, fatal } of lines) {
      const plan = fan && plans.shift()
      if (!plan) yield { line, faults, ...(fatal ? { fatal } : {}) }
      else if (plan.faults.length > 0) yield { line, faults: plan.faults }
      else yield { line, fan, plan }
    }
  }
}

async function* dueLines(db: Database, path: string, read: ReadOptions): AsyncGenerator<PlannedFan> {
  for await (const line of planLines(db, path, read)) {
    if ('plan' in line && isDue(line.plan)) yield line
  }
}

async function* chunksOf<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<Item[]> {
  let chunk: Item[] = []
  for await (const item of items) {
    if (chunk.push(item) < size) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}
