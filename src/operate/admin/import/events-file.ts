/** Imports a file of events: checks every line, then records them, each once. Repeated after an interruption, it continues. */
import type { Database } from '../../../../db/index.ts'
import { rollBack } from '../../../../db/roll-back.ts'
import { refreshStatistics } from '../../../../db/statistics.ts'
import { type RecordDeps, recordEvents } from '../../../economy/events/record-events.ts'
import type { EventResult } from '../../../economy/events/schema.ts'
import type { CellType, Decimal } from '../../../platform/files/cells.ts'
import type { FaultyLine, ImportHooks, RowFile } from '../../../platform/files/row-file.ts'
import { chunksOf } from '../../../platform/files/rows.ts'
import { readMemberTypes } from './member-types.ts'
import { readEvents } from './read-events.ts'

/** Events that are recorded at the same time. */
const CHUNK = 100

interface EventsImport {
  /** The system that the events come from. */
  source: string
  provider: string
  /**
   * `whole`: all events in one unit of work, which is rolled back. Exact, but other writes wait until it ends. `parts`: a hundred at a
   * time, for a server that serves: limits and budgets of rules do not count what another part of the file would have earned.
   */
  dryRun?: 'whole' | 'parts' | undefined
  /** Types of columns `data.NAME`, by name, where they are not those that rules and quests read. */
  columns?: Record<string, CellType> | undefined
  /** The decimal sign of the cells, where the file leaves it open. */
  decimal?: Decimal | undefined
  /** Import the valid lines of a file with invalid ones. */
  skipInvalid?: boolean | undefined
  /** No other process writes: no pauses. */
  exclusive?: boolean | undefined
  /** A monotonic clock, in milliseconds. */
  elapsed: () => number
}

export interface EventsHooks extends ImportHooks {
  /** A line of a dry run that a rule listens to and gives no points for, because of its data. */
  onUnread?(line: FaultyLine): void | Promise<void>
}

export async function importEventsFile(
  { db, log }: { db: Database } & Pick<RecordDeps, 'log'>,
  file: RowFile,
  { source, provider, dryRun, columns, decimal, skipInvalid, exclusive, elapsed }: EventsImport,
  { onChecked, onFaulty, onUnread, onWritten }: EventsHooks,
) {
  const deps = { identity: { name: provider }, log }
  const members = await readMemberTypes(db.read)
  const read = { provider, members, columns, decimal }
  let [lines, invalid, unread, unreadable] = [0, 0, 0, false]
  for await (const line of readEvents(file, read)) {
    lines++
    const faults = line.event ? members.unreadBy(line.event.type, line.event.data) : []
    if (faults.length > 0) {
      unread++
      if (dryRun) await onUnread?.({ line: line.line, faults })
    }
    if (line.faults.length > 0) {
      invalid++
      await onFaulty(line)
    }
    unreadable ||= line.fatal === true
    await onChecked(lines)
  }
  const counts = { applied: 0, duplicate: 0, ignored: 0, refused: 0 }
  const sums = { points: 0, changed: 0 }
  const rejected = unreadable || (invalid > 0 && !skipInvalid)
  const total = lines - invalid
  let done = 0

  async function report({ outcome, code, grants }: EventResult, line: number): Promise<void> {
    counts[outcome]++
    // Ignored for a reason: not recorded.
    if (outcome === 'applied' || (outcome === 'ignored' && code === undefined)) sums.changed++
    if (outcome === 'applied') sums.points += grants.reduce((sum, grant) => sum + grant.points, 0)
    if (outcome === 'refused')
      await onFaulty({ line, faults: [{ field: '', message: `is refused: ${code}` }] })
  }

  async function importChunks(write: Database['write']): Promise<void> {
    for await (const chunk of chunksOf(validLines(file, read), CHUNK)) {
      const startedAt = elapsed()
      const { results } = await recordEvents(write, deps, source, { events: chunk.map(({ event }) => event) })
      for (const [index, result] of results.entries()) await report(result, chunk[index]?.line ?? 0)
      done += results.length
      await onWritten(done, total)
      // As long as the events took: the writes of the API proceed meanwhile.
      if (!exclusive) await Bun.sleep(elapsed() - startedAt)
    }
  }

  /** One after the other in one unit of work, so that limits and budgets count what came before. */
  async function tryAll(): Promise<void> {
    const found = await rollBack(db, async tx => {
      const found: { result: EventResult; line: number }[] = []
      // Reading the file holds up no other unit of work: this process has none.
      for await (const { line, event } of validLines(file, read)) {
        const { results } = await recordEvents(work => work(tx), deps, source, { events: [event] })
        found.push(...results.map(result => ({ result, line })))
        await onWritten(++done, total)
      }
      return found
    })
    for (const { result, line } of found) await report(result, line)
  }

  if (!rejected) {
    if (dryRun === 'whole') await tryAll()
    else await importChunks(dryRun ? work => rollBack(db, work) : work => db.write(work))
    if (!dryRun && sums.changed > 0) await refreshStatistics(db)
  }
  return { lines, ...counts, invalid, unread, ...sums, rejected, unreadable }
}

async function* validLines(file: RowFile, read: Parameters<typeof readEvents>[1]) {
  for await (const { line, event } of readEvents(file, read)) if (event) yield { line, event }
}
