/** `bun run explain-event SOURCE ID`: explains the points of an event. */
import type { Reader } from '../db/index.ts'
import { ArchiveFault } from '../src/economy/archive/files.ts'
import { readPast } from '../src/economy/archive/past.ts'
import { findArchived } from '../src/economy/events/archived.ts'
import { describeEvent } from '../src/economy/events/describe-event.ts'
import type { EventKey } from '../src/economy/events/event-rows.ts'
import { explainEvent, explainRow } from '../src/economy/events/explain-event.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { fail } from './command/explain.ts'

const command = declareCommand({
  name: 'explain-event',
  reads: true,
  summary: 'Explains the points of an event, rule by rule, with the rules at the time of its recording.',
  examples: [
    ['shop 4711', 'an event that the source shop reported'],
    ['matchday 01981e2c-7c1f-7000-8000-000000000003', 'an event of the application'],
  ],
})
  .argument('<source>', 'the source: the name of a server key, or matchday')
  .argument('<id>', 'the id of the event within its source')
  .option('--archive <folder>', 'for an event that is archived: the folder with the files')

await runCommand(command, async ({ parameters: [source, eventId], options, openDatabase }) => {
  const { read } = await openDatabase()
  const key = { source, eventId }
  const event = (await explainEvent(read, key)) ?? (await explainArchived(read, key, options.archive))
  if (event === null) return fail(`Source ${source} has reported no event ${eventId}.`)
  if (event === 'void') return fail(`Event ${eventId} of ${source} was voided and has not arrived.`)
  return { json: event, text: describeEvent(event) }
})

/** Null for an event that is not archived. */
async function explainArchived(read: Reader, key: EventKey, folder: string | undefined) {
  const userId = await findArchived(read, key)
  if (userId === undefined) return null
  if (folder === undefined)
    return fail(`The event of fan ${userId} is archived: add --archive with the folder of the files.`)
  try {
    const { events } = await readPast(read, folder, userId)
    const row = events.find(({ source, eventId }) => source === key.source && eventId === key.eventId)
    return row ? await explainRow(read, row) : null
  } catch (error) {
    if (error instanceof ArchiveFault) return fail(error.message)
    throw error
  }
}
