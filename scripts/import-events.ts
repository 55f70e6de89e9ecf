/** `bun run import-events FILE`: imports events of another system, from a spreadsheet or an export. */
import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { pino } from 'pino'
import { createLogOptions } from '../src/core/log.ts'
import { sourceFault } from '../src/identity/server-keys/keys.ts'
import { importEventsFile } from '../src/operate/admin/import/events-file.ts'
import { CELL_TYPES, type CellType, DECIMALS } from '../src/platform/files/cells.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { providerOf } from './command/database.ts'
import { failUsage } from './command/explain.ts'
import { importHooks } from './command/import-hooks.ts'
import { rowFileOf } from './command/row-file.ts'
import { stoppable } from './command/stop.ts'

const command = declareCommand({
  name: 'import-events',
  summary: `Imports events of another system. They earn points by the rules, as those of POST /api/events do.
Each event is recorded once: a second run changes nothing. After an interruption, run the command again.`,
  examples: [
    ['scans.csv --source turnstiles --dry-run', 'checks every line and shows what the events would earn'],
    ['scans.csv --source turnstiles', 'imports the file; a file with an invalid line is rejected as a whole'],
    ['scans.ndjson --skip-invalid', 'imports the valid lines and lists the invalid ones'],
  ],
  notes: `NDJSON (.ndjson, .jsonl): one event of POST /api/events per line. CSV (.csv): RFC 4180 with a header line. 
The columns of CSV are
  id                    unique within the source
  type                  such as ticket.scanned
  occurredAt            an instant with a time zone, such as 2026-11-22T19:30:00Z; at most 30 days ago
  subject or userId     the fan; with a column provider if it varies
  data, or data.NAME    data as JSON, or single members of it, of the type that rules and quests read: a number (500, 500.00, +500;
                        12,50 where semicolons separate the columns), true or false, or text. --column states another type
Columns are separated by commas, semicolons or tabs; UTF-16 and a first line sep=; are read as well. White space around a cell is
left out. A cell that cannot be read, and data of another type than rules and quests read, is an invalid line with its place.
A dry run also lists the lines for which a rule gives no points because of their data.
Events of the same source and id that a system reports to the API are the same events.
A dry run records all events in one unit of work, which it rolls back: until it ends, other writes of the database wait on SQLite, and
those of the same fans, budgets and stocks on PostgreSQL.`,
  changes: true,
})
  .argument('<file>', 'NDJSON or CSV, by file name extension')
  .option('--source <name>', 'the system that the events come from, as of its server key', 'operator')
  .option('--provider <name>', 'the provider of the subjects (default: IDP_NAME)')
  .option(
    '--column <name=type>',
    'number, boolean or text: the type of the column data.NAME; repeatable',
    column,
    {},
  )
  .addOption(
    new Option('--decimal <sign>', 'the decimal sign of the cells, where 1.234 has two meanings').choices(
      DECIMALS,
    ),
  )
  .option('--skip-invalid', 'import the valid lines of a file with invalid ones')
  .option('--exclusive', 'no other process writes: no pauses')

await runCommand(command, async ({ parameters: [path], options, openDatabase, progress, print }) => {
  const { source } = options
  const fault = source === 'operator' ? null : sourceFault(source)
  if (fault) failUsage(`--source ${fault}`)
  const file = rowFileOf(path)
  const terms = {
    ...options,
    provider: providerOf(options.provider),
    columns: options.column,
    dryRun: options.dryRun ? ('whole' as const) : undefined,
    elapsed: () => performance.now(),
  }
  const db = await openDatabase()
  const log = pino({ ...createLogOptions(), level: 'error' }, process.stderr)
  const { hooks, errors, warnings, end } = importHooks('events', { ...options, progress, print })
  const {
    lines: _,
    rejected,
    unreadable,
    changed,
    invalid,
    points,
    ...counts
  } = await stoppable(requested => importEventsFile({ db, log }, file, terms, hooks(requested))).finally(end)
  const { applied, duplicate, ignored, refused, unread } = counts
  const why = unreadable ? '' : ' --skip-invalid imports the others.'
  return {
    json: { ...counts, invalid, points, rejected, errors, warnings },
    text: rejected
      ? `${invalid} invalid line${invalid === 1 ? '' : 's'}; nothing was written.${why}`
      : `${applied} applied, ${duplicate} recorded before, ${ignored} ignored, ${refused} refused, ${invalid} invalid; ${points} points.${unread > 0 ? ` A rule gives no points for the data of ${unread} of them; a dry run lists them.` : ''}`,
    found: invalid + refused > 0,
    changed,
    textHasSummary: rejected,
  }
})

/** Parses `amount=number`, and adds it to earlier options. */
function column(text: string, before: Record<string, CellType>): Record<string, CellType> {
  const [, name, type] = /^(?:data\.)?([^=]+)=(.+)$/.exec(text) ?? []
  const found = CELL_TYPES.find(one => one === type)
  if (name === undefined || !found)
    throw new InvalidArgumentError(`It must be NAME=TYPE; types: ${CELL_TYPES.join(', ')}.`)
  return { ...before, [name]: found }
}
