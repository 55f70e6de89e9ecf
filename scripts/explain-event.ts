/** `bun run explain-event SOURCE ID`: explains the points of an event. */
import { describeEvent } from '../src/economy/events/describe-event.ts'
import { explainEvent } from '../src/economy/events/explain-event.ts'
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

await runCommand(command, async ({ parameters: [source, eventId], openDatabase }) => {
  const { read } = await openDatabase()
  const event = await explainEvent(read, { source, eventId })
  if (event === null) return fail(`Source ${source} has reported no event ${eventId}.`)
  if (event === 'void') return fail(`Event ${eventId} of ${source} was voided and has not arrived.`)
  return { json: event, text: describeEvent(event) }
})
