/** `bun run segments count | export`: who is in a segment of the catalogue. */
import { Argument } from '@commander-js/extra-typings'
import { findSegment, parseWhen } from '../src/club/segments/segment-kind.ts'
import { csvLine } from '../src/core/csv.ts'
import { countMembers } from '../src/operate/admin/segments/count-members.ts'
import { listMembers } from '../src/operate/admin/segments/segments.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { fail, failUsage } from './command/explain.ts'

const PAGE = 1_000

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
  if (csv) await print(csvLine(['userId', 'provider', 'subject', 'handle']))
  for (let after = ''; ; ) {
    const fans = await listMembers(read, when, { after, size: PAGE })
    const lines = fans.map(fan =>
      csv ? csvLine([fan.userId, fan.provider, fan.subject, fan.handle]) : `${JSON.stringify(fan)}\n`,
    )
    if (lines.length > 0) await print(lines.join(''))
    after = fans.at(-1)?.userId ?? ''
    if (fans.length < PAGE) return undefined
  }
})
