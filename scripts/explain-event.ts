/** `bun run explain-event SOURCE ID`: why an event earned what it did. */
import { describeEvent } from '../src/operate/admin/describe-event.ts'
import { explainEvent } from '../src/operate/admin/explain-event.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { fail } from './command/explain.ts'

const command = declareCommand({
  name: 'explain-event',
  reads: true,
  summary:
    'Shows rule by rule why an event earned what it did, by the rules of the time when it was recorded.',
  examples: [
    ['shop 4711', 'an event that the source shop reported'],
    ['matchday 01981e2c-7c1f-7000-8000-000000000003', 'an event of the application'],
  ],
})
  .argument('<source>', 'the source: the name of a server key, or matchday')
  .argument('<id>', 'the id of the event within its source')

await runCommand(command, async ({ parameters: [source, eventId], openDatabase }) => {
  const { read } = await openDatabase()
  const event = await explainEvent(read, { source, eventId })
  if (event === null) return fail(`Source ${source} has reported no event ${eventId}.`)
  if (event === 'void') return fail(`Event ${eventId} of ${source} was voided and has not arrived.`)
  return { json: event, text: describeEvent(event) }
})
