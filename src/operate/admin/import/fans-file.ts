/** Imports a file of fans: checks every line, then writes what is due. Repeated after an interruption, it continues. */
import type { Database } from '../../../../db/index.ts'
import { rowsTogether, writeInBatches } from '../../../../db/write-in-batches.ts'
import type { ImportHooks, RowFile } from '../../../platform/files/row-file.ts'
import { chunksOf } from '../../../platform/files/rows.ts'
import { type FanPlan, type ImportedFan, importFans, isDue, planFans } from './fans.ts'
import { type FanLine, readFans } from './read-fans.ts'

/** Fans per lookup, and per write without other processes. */
const CHUNK = 500

interface FansImport {
  provider: string
  dryRun?: boolean | undefined
  /** Import the valid lines of a file with invalid ones. */
  skipInvalid?: boolean | undefined
  /** No other process writes: no pauses. */
  exclusive?: boolean | undefined
  /** A monotonic clock, in milliseconds. */
  elapsed: () => number
}

interface Counts {
  created: number
  changed: number
  unchanged: number
  /** Sum of the booked opening balances; in a dry run, of those that would be booked. */
  points: number
}

export async function importFansFile(
  db: Database,
  file: RowFile,
  { provider, dryRun, skipInvalid, exclusive, elapsed }: FansImport,
  { onChecked, onFaulty, onWritten }: ImportHooks,
) {
  const read = { provider, now: db.read.now() }
  const planned = createCounts()
  let [lines, invalid, profilesKept, unreadable] = [0, 0, 0, false]
  for await (const line of planLines(db, file, read)) {
    lines++
    if ('plan' in line) {
      count(planned, line.plan)
      if (line.plan.keepsProfile) profilesKept++
    } else {
      invalid++
      await onFaulty(line)
      unreadable ||= line.fatal === true
    }
    await onChecked(lines)
  }
  const refused = unreadable || (invalid > 0 && !skipInvalid)
  if (dryRun || refused) {
    const counts = dryRun ? planned : { ...createCounts(), unchanged: planned.unchanged }
    return { lines, ...counts, invalid, profilesKept, refused, unreadable }
  }
  const written = { ...createCounts(), unchanged: planned.unchanged }
  const late: FanLine[] = []
  const total = planned.created + planned.changed
  const chunks = chunksOf(dueLines(db, file, read), exclusive ? CHUNK : rowsTogether(db))
  await writeInBatches(
    db,
    chunks,
    async (tx, due) => {
      const fans = due.map(({ fan }) => fan)
      const plans = await importFans(tx, fans)
      // A handle was taken or a fan erased since the line was checked.
      tx.afterCommit(() => {
        for (const [index, plan] of plans.entries()) {
          if (plan.faults.length === 0) count(written, plan)
          else late.push({ line: due[index]?.line ?? 0, faults: plan.faults })
        }
      })
    },
    {
      ...(exclusive ? { exclusive } : {}),
      ahead: CHUNK / rowsTogether(db),
      countOf: due => due.length,
      elapsed,
      onBatch: ({ done }) => onWritten(done, total),
    },
  )
  for (const line of late) await onFaulty(line)
  return { lines, ...written, invalid: invalid + late.length, profilesKept, refused, unreadable }
}

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

type ReadOptions = Parameters<typeof readFans>[1]

/** Yields every line in order, with the plan for its fan or with its faults. */
async function* planLines(
  db: Database,
  file: RowFile,
  read: ReadOptions,
): AsyncGenerator<PlannedFan | FanLine> {
  for await (const lines of chunksOf(readFans(file, read), CHUNK)) {
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

async function* dueLines(db: Database, file: RowFile, read: ReadOptions): AsyncGenerator<PlannedFan> {
  for await (const line of planLines(db, file, read)) {
    if ('plan' in line && isDue(line.plan)) yield line
  }
}
