/** `bun run segments count | export`: who is in a segment of the catalogue. */
import { Argument } from '@commander-js/extra-typings'
import { findSegment, parseWhen } from '../src/club/segments/segment-kind.ts'
import { countMembers } from '../src/operate/admin/segments/count-members.ts'
import { memberPages, segmentCsv } from '../src/operate/admin/segments/segments.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { fail, failUsage } from './command/explain.ts'

const command = declareCommand({
  name: 'segments',
  summary: 'Counts or exports the fans of a segment of the catalogue.',
  examples: [
    ['count young-regulars', 'how many fans are in it now'],
    ['export young-regulars > fans.ndjson', 'their ids, one JSON object in each line'],
    ['export young-regulars --csv > fans.csv', 'for a spreadsheet'],
  ],
  notes:
    'Erased and merged fans are in no segment. A segment that is switched off can be counted and exported.',
  reads: true,
})
  .addArgument(new Argument('<action>', 'what to do').choices(['count', 'export'] as const))
  .argument('<segment>', 'id of the segment')
  .option('--csv', 'export: as CSV')

await runCommand(command, async ({ parameters: [action, id], options, openDatabase, print }) => {
  const { csv = false, json = false } = options
  if (csv && action !== 'export') failUsage('count takes no --csv')
  if (json && action === 'export') failUsage('export prints rows: it takes no --json')
  const { read } = await openDatabase()
  const segment = (await findSegment(read, id)) ?? fail(`There is no segment ${id}.`)
  const when = parseWhen(segment.definition)
  if (action === 'count') {
    const fans = await countMembers(read, when)
    return { json: { segment: id, fans }, text: String(fans) }
  }
  const pieces = csv ? segmentCsv(read, when) : linesOf(memberPages(read, when))
  for await (const piece of pieces) if (piece !== '') await print(piece)
  return undefined
})

async function* linesOf(pages: AsyncIterable<object[]>) {
  for await (const fans of pages) yield fans.map(fan => `${JSON.stringify(fan)}\n`).join('')
}
