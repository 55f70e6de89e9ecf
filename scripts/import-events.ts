/** `bun run import-events FILE`: imports events of another system, from a spreadsheet or an export. */
import { pino } from 'pino'
import { refreshStatistics } from '../db/statistics.ts'
import { logOptions } from '../src/core/log.ts'
import { recordEvents } from '../src/economy/events/record-events.ts'
import type { EventResult } from '../src/economy/events/schema.ts'
import { sourceFault } from '../src/identity/server-keys/keys.ts'
import { rollBack } from '../src/operate/admin/roll-back.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { providerOf } from './command/database.ts'
import { failUsage } from './command/explain.ts'
import { formatOf, type RowFault } from './command/read-rows.ts'
import { Interrupted, stoppable } from './command/stop.ts'
import { type EventLine, readEvents } from './import-events/read-events.ts'

const command = declareCommand({
  name: 'import-events',
  summary: `Imports events of another system. They earn points by the rules, as those of POST /api/events do.
Each event is recorded once: a second run changes nothing. After an interruption, run the command again.`,
  examples: [
    ['scans.csv --source turnstiles --dry-run', 'checks every line and shows what the events would earn'],
    ['scans.csv --source turnstiles', 'imports the file; a file with an invalid line is rejected as a whole'],
    ['scans.ndjson --skip-invalid', 'imports the valid lines and lists the invalid ones'],
  ],
  notes: `NDJSON (.ndjson, .jsonl): one event of POST /api/events per line. CSV (.csv): RFC 4180 with a header line. Both are UTF-8.
The columns of CSV are
  id                    unique within the source
  type                  such as ticket.scanned
  occurredAt            an instant with a time zone, such as 2026-11-22T19:30:00Z; at most 30 days ago
  subject or userId     the fan; with a column provider if it varies
  data, or data.NAME    data as JSON, or single members of it: numbers, true, false, or text
Events of the same source and id that a system reports to the API are the same events.
A dry run records all events in one unit of work, which it rolls back: until it ends, other writes of the database wait on SQLite, and
those of the same fans, budgets and stocks on PostgreSQL.`,
  changes: true,
})
  .argument('<file>', 'NDJSON or CSV, by file name extension')
  .option('--source <name>', 'the system that the events come from, as of its server key', 'operator')
  .option('--provider <name>', 'the provider of the subjects (default: IDP_NAME)')
  .option('--skip-invalid', 'import the valid lines of a file with invalid ones')
  .option('--exclusive', 'no other process writes: no pauses')

/** Events that are recorded at the same time. */
const CHUNK = 100

type Requested = Parameters<Parameters<typeof stoppable>[0]>[0]

interface LocatedFault extends RowFault {
  line: number
}

await runCommand(command, async ({ parameters: [path], options, openDatabase, progress, print }) => {
  const { source, dryRun, exclusive } = options
  const fault = source === 'operator' ? null : sourceFault(source)
  if (fault) failUsage(`--source ${fault}`)
  const read = { format: formatOf(path), provider: providerOf(options.provider) }
  const db = await openDatabase()
  const counts = { applied: 0, duplicate: 0, ignored: 0, refused: 0 }
  const errors: LocatedFault[] = []
  let [invalid, points, lines, changed] = [0, 0, 0, 0]

  async function report(line: number, faults: RowFault[]): Promise<void> {
    for (const fault of faults) {
      if (options.json) errors.push({ line, ...fault })
      else await print(`line ${line}: ${[fault.field, fault.message].filter(Boolean).join(' ')}\n`)
    }
  }

  let unreadable = false
  const checked = progress('lines checked')
  await stoppable(async requested => {
    for await (const { line, faults, fatal } of readEvents(path, read)) {
      checked(++lines)
      if (faults.length > 0) {
        invalid++
        await report(line, faults)
      }
      unreadable ||= fatal === true
      const signal = requested()
      if (signal) throw new Interrupted(signal, 0)
    }
  }).finally(() => checked.end())

  const rejected = unreadable || (invalid > 0 && !options.skipInvalid)
  const recorded = progress('events')
  let done = 0
  const deps = {
    identity: { name: read.provider },
    log: pino({ ...logOptions, level: 'error' }, process.stderr),
  }
  const refusals: LocatedFault[] = []
  function count({ outcome, code, grants }: EventResult, line: number) {
    counts[outcome]++
    // Ignored for a reason: not recorded.
    if (outcome === 'applied' || (outcome === 'ignored' && code === undefined)) changed++
    if (outcome === 'applied') points += grants.reduce((sum, grant) => sum + grant.points, 0)
    if (outcome === 'refused') refusals.push({ line, field: '', message: `is refused: ${code}` })
    recorded(++done, lines - invalid)
  }
  async function importAll(requested: Requested) {
    for await (const chunk of chunksOf(readEvents(path, read))) {
      const startedAt = performance.now()
      const events = chunk.flatMap(({ event }) => event ?? [])
      const { results } = await recordEvents(db.write, deps, source, { events })
      for (const [index, result] of results.entries()) count(result, chunk[index]?.line ?? 0)
      const signal = requested()
      if (signal) throw new Interrupted(signal, done)
      // As long as the events took: the writes of the API proceed meanwhile.
      if (!exclusive) await Bun.sleep(performance.now() - startedAt)
    }
  }
  /** One after the other in one unit of work, so that limits and budgets count what came before. */
  async function tryAll(requested: Requested) {
    const found = await rollBack(db, async tx => {
      const found: { result: EventResult; line: number }[] = []
      // Reading the file holds up no other unit of work: this process has none.
      for await (const { line, event } of readEvents(path, read)) {
        if (!event) continue
        const { results } = await recordEvents(work => work(tx), deps, source, { events: [event] })
        found.push(...results.map(result => ({ result, line })))
        const signal = requested()
        if (signal) throw new Interrupted(signal, 0)
      }
      return found
    })
    for (const { result, line } of found) count(result, line)
  }
  if (!rejected) {
    await stoppable(dryRun ? tryAll : importAll).finally(async () => {
      recorded.end()
      for (const { line, ...fault } of refusals) await report(line, [fault])
    })
    if (!dryRun && changed > 0) await refreshStatistics(db)
  }

  const { applied, duplicate, ignored, refused } = counts
  const why = unreadable ? '' : ' --skip-invalid imports the others.'
  return {
    json: { ...counts, invalid, points, rejected, errors },
    text: rejected
      ? `${invalid} invalid line${invalid === 1 ? '' : 's'}; nothing was written.${why}`
      : `${applied} applied, ${duplicate} recorded before, ${ignored} ignored, ${refused} refused, ${invalid} invalid; ${points} points.`,
    found: invalid + refused > 0,
    changed,
    textHasSummary: rejected,
  }
})

/** Chunks of valid lines. */
async function* chunksOf(lines: AsyncIterable<EventLine>): AsyncGenerator<EventLine[]> {
  let chunk: EventLine[] = []
  for await (const line of lines) {
    if (!line.event || chunk.push(line) < CHUNK) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}
