/** `bun run events tail | show | replay`: shows recorded events, and simulates their evaluation. */
import { Argument } from '@commander-js/extra-typings'
import type { Database, Reader } from '../db/index.ts'
import { commandLine } from '../src/core/command-line.ts'
import { findArchived } from '../src/economy/events/archived.ts'
import type { EventRow } from '../src/economy/events/event.ts'
import type { EventKey } from '../src/economy/events/event-rows.ts'
import { findToldEvent } from '../src/economy/events/folded.ts'
import { type EventFilter, listEventsSince, listNewestEvents } from '../src/economy/events/list-events.ts'
import { replayEvent } from '../src/economy/events/replay-event.ts'
import { type CommandResult, declareCommand, runCommand, wholeNumber } from './command/command.ts'
import { fail, failUsage } from './command/explain.ts'
import { stoppable } from './command/stop.ts'
import { describeReplay, describeRow, lineOf, toJson } from './events/describe.ts'

const command = declareCommand({
  name: 'events',
  reads: true,
  summary: `Shows the events of fans, and how rules and quests would process an event that is reported again. Changes nothing.`,
  examples: [
    ['tail', 'the newest events'],
    ['tail --follow --type reward.claimed', 'further ones too, until Ctrl-C'],
    ['tail --fan ID --limit 100', 'of one fan, by user id'],
    ['show gate scan-81422', 'one event, with what rules decided'],
    ['replay gate scan-81422', 'what would happen if it were voided and reported again now'],
  ],
  notes: `SOURCE is the name of a server key, or matchday for the application. With --follow and --json, each line is a document.`,
})
  .addArgument(new Argument('<action>', 'what to do').choices(['tail', 'show', 'replay'] as const))
  .argument('[source]', 'show, replay: the source of the event')
  .argument('[id]', 'show, replay: the id of the event within its source')
  .option('--follow', 'tail: print further events as they are recorded')
  .option('--limit <n>', 'tail: how many', wholeNumber(10_000), 20)
  .option('--fan <id>', 'tail: only events of this user id')
  .option('--source <name>', 'tail: only events of this source')
  .option('--type <type>', 'tail: only events of this type')

const POLL_MS = 500
/** Maximum time between the start of a unit of work, which is its time, and its commit. */
const LATE_MS = 30_000

await runCommand(command, async ({ parameters: [action, source, eventId], options, openDatabase, print }) => {
  const { follow, limit, fan, source: of, type, json } = options
  const filter = { userId: fan, source: of, type }
  if (action === 'tail') {
    if (source !== undefined) failUsage('tail takes options only: see --fan, --source and --type')
    const db = await openDatabase()
    if (follow) return followEvents(db, filter, limit, row => print(format(row, json)))
    const rows = (await listNewestEvents(db.read, filter, limit)).toReversed()
    return { json: { events: rows.map(toJson) }, text: rows.map(lineOf).join('\n') || 'There are no events.' }
  }
  if (source === undefined || eventId === undefined) return failUsage(`${action} requires a source and an id`)
  if (follow || fan || of || type) failUsage(`${action} takes no option of tail`)
  if (action === 'replay' && options.fromReplica)
    failUsage('replay tries the event in a transaction that it rolls back: leave out --from-replica')
  const db = await openDatabase()
  return action === 'show' ? show(db, { source, eventId }) : replay(db, { source, eventId })
})

function format(row: EventRow, json = false): string {
  return `${json ? JSON.stringify(toJson(row)) : lineOf(row)}\n`
}

/** Reads the last seconds repeatedly, since units of work do not commit in the order of their times. */
async function followEvents(
  db: Database,
  filter: EventFilter,
  limit: number,
  show: (row: EventRow) => Promise<void>,
): Promise<undefined> {
  const keyOf = ({ source, eventId }: EventRow) => JSON.stringify([source, eventId])
  const seen = new Map<string, Date>()
  const newest = (await listNewestEvents(db.read, filter, limit)).toReversed()
  const started = db.read.now()
  const sinceStart = await listEventsSince(db.read, filter, new Date(started.getTime() - LATE_MS))
  for (const row of newest) await show(row)
  for (const row of [...newest, ...sinceStart]) seen.set(keyOf(row), row.recordedAt)
  await stoppable(async requested => {
    while (!requested()) {
      const since = new Date(db.read.now().getTime() - LATE_MS)
      for (const row of await listEventsSince(db.read, filter, since)) {
        if (seen.has(keyOf(row))) continue
        seen.set(keyOf(row), row.recordedAt)
        await show(row)
      }
      for (const [key, at] of seen) if (at < since) seen.delete(key)
      await Bun.sleep(POLL_MS)
    }
  })
}

async function show(db: Database, key: EventKey): Promise<CommandResult> {
  const row = await findToldEvent(db.read, key)
  return row ? { json: toJson(row), text: describeRow(row) } : unknown(db.read, key)
}

async function replay(db: Database, key: EventKey): Promise<CommandResult> {
  const found = await replayEvent(db, key)
  if (found === null) return unknown(db.read, key)
  if (found === 'void') return fail(`Event ${key.eventId} of ${key.source} was voided and has not arrived.`)
  if (found === 'deleted') return fail(`The data of event ${key.eventId} of ${key.source} was deleted.`)
  return { json: found, text: describeReplay(found) }
}

async function unknown(reader: Reader, key: EventKey): Promise<never> {
  const userId = await findArchived(reader, key)
  if (userId === undefined) return fail(`Source ${key.source} has reported no event ${key.eventId}.`)
  const [explain, restore] = [commandLine('explain-event'), commandLine('archive restore')]
  return fail(
    `The event of fan ${userId} is archived: \`${explain}\` with --archive explains it, and \`${restore}\` brings it back.`,
  )
}
