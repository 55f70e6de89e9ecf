/** `bun run event-sink show | remove`: the position and the backlog of the event sink, and its removal. */
import { Argument } from '@commander-js/extra-typings'
import type { Database } from '../db/index.ts'
import { commandLine } from '../src/core/command-line.ts'
import { readSinkBacklog } from '../src/delivery/event-sink/backlog.ts'
import { findSink, removeSink } from '../src/delivery/event-sink/sink.ts'
import { type CommandResult, declareCommand, runCommand } from './command/command.ts'
import { fail, failUsage } from './command/explain.ts'

const command = declareCommand({
  name: 'event-sink',
  summary: 'Shows the position and the backlog of the event sink, or removes it.',
  examples: [
    ['show', 'what is published, and what waits'],
    ['remove --yes', 'publishes nothing more; first remove EVENT_SINK from every process'],
  ],
  changes: true,
})
  .addArgument(new Argument('<action>', 'what to do').choices(['show', 'remove'] as const))
  .option('--yes', 'remove: do it')

await runCommand(command, async ({ parameters: [action], options: { dryRun, yes }, openDatabase }) => {
  if (action === 'show' && (dryRun || yes))
    failUsage('show changes nothing: it takes no --dry-run and no --yes')
  const db = await openDatabase()
  if (action === 'show') return show(db)
  if (!(await findSink(db.read)))
    return { json: { done: false }, text: 'There is no event sink.', changed: 0 }
  if (!yes || dryRun) {
    const then = `Nothing was changed. To remove the sink: ${commandLine('event-sink remove --yes')}`
    return { json: { done: false }, text: then, changed: 1, textHasSummary: true }
  }
  const done = await db.write(removeSink)
  if (!done)
    fail('A process publishes: remove EVENT_SINK from every process, and stop them or wait for 30 s.')
  const text = 'The event sink was removed. Events that wait are no longer published.'
  return { json: { done }, text, changed: 1, textHasSummary: true }
})

async function show(db: Database): Promise<CommandResult> {
  const sink = await findSink(db.read)
  if (!sink) return { json: { sink: null }, text: 'There is no event sink.' }
  const { position, leaseEndsAt } = sink
  const isPublishing = leaseEndsAt !== null && leaseEndsAt > db.read.now()
  const backlog = await readSinkBacklog(db.read)
  const waiting = backlog
    ? `${backlog.events} events wait, since ${backlog.since.toISOString()}`
    : 'none waits'
  const publishing = isPublishing ? 'A process publishes.' : 'No process publishes.'
  return {
    json: { sink: { position, isPublishing, backlog } },
    text: `Published up to position ${position}; ${waiting}. ${publishing}`,
  }
}
