/** `bun run import-memberships FILE`: imports the memberships of a ticket office. */
import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { isTimeZone } from '../src/core/windows.ts'
import type { FaultyLine } from '../src/platform/files/row-file.ts'
import { timeZoneOf } from '../src/platform/settings/settings.ts'
import { DATE_ORDERS } from '../src/play/memberships/file-columns.ts'
import { type ChangedMembership, importMembershipsFile } from '../src/play/memberships/import-file.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { fanEmails, providerOf } from './command/database.ts'
import { failUsage } from './command/explain.ts'
import { importHooks } from './command/import-hooks.ts'
import { rowFileOf } from './command/row-file.ts'
import { stoppable } from './command/stop.ts'

const command = declareCommand({
  name: 'import-memberships',
  summary: `Imports memberships, as a ticket office exports them.
Each is written once: a second run changes nothing. After an interruption, run the command again.`,
  examples: [
    ['tickets.csv --dry-run', 'checks every line and shows what would change'],
    ['tickets.csv', 'imports the file; a file with an invalid line is rejected as a whole'],
    ["tickets.csv --map 'Card no.=number' --map 'Name=holder'", 'names columns of the file'],
    ['tickets.csv --dates dmy', 'reads 03/04/2026 as 3 April'],
  ],
  notes: `CSV (.csv): UTF-8 with a header line; commas, semicolons or tabs. Other columns are left out. NDJSON has the same members.
  ref, kind             id in the ticket office, and id of the kind of membership
  number, holder        what is printed on the card; leading zeros stay
  subject, provider     the fan who attends, at the identity provider; a new subject gets a record
  email                 used without a subject, with FANS_BY_EMAIL=on: an address that one fan has verified
  startsAt, endsAt      instants, or days such as 2026-07-01 and 30.06.2027; the last day belongs to the membership
Listed and left out: a line without a known fan, which a later run may find; one whose e-mail several fans may have; one whose ref
is of another fan. A line that repeats an earlier one is counted. A cell that cannot be read is an invalid line.`,
  changes: true,
})
  .argument('<file>', 'NDJSON or CSV, by file name extension')
  .option('--map <column=name>', 'a column of the file, and our name of it; repeatable', mapped, {})
  .addOption(new Option('--dates <order>', 'for dates with two meanings').choices(DATE_ORDERS))
  .option('--time-zone <name>', 'of days without a time (default: timeZone of the settings, else UTC)')
  .option('--provider <name>', 'the provider of the subjects (default: IDP_NAME)')
  .option('--skip-invalid', 'import the valid lines of a file with invalid ones')
  .option('--exclusive', 'no other process writes: long batches without pauses')

function mapped(text: string, before: Record<string, string>): Record<string, string> {
  const [column = '', name = ''] = text.split('=')
  if (column === '' || name === '') throw new InvalidArgumentError('It must be COLUMN=NAME.')
  return { ...before, [column]: name }
}

await runCommand(command, async ({ parameters: [path], options, openDatabase, progress, print }) => {
  const file = rowFileOf(path)
  const naming = { provider: providerOf(options.provider), fanEmails: await fanEmails() }
  const db = await openDatabase()
  const timeZone = options.timeZone ?? (await timeZoneOf(db.read))
  if (!isTimeZone(timeZone)) failUsage('--time-zone must be an IANA time zone like Europe/London')
  const { dryRun, skipInvalid, exclusive, dates, map } = options
  const terms = {
    naming,
    timeZone,
    dates,
    map,
    dryRun,
    skipInvalid,
    exclusive,
    elapsed: () => performance.now(),
  }
  const { hooks, errors, warnings, end } = importHooks('memberships', { ...options, progress, print })
  const {
    invalid,
    refused,
    unreadable,
    lines: _,
    ...counts
  } = await stoppable(requested => {
    const { onUnread, ...rest } = hooks(requested)
    const onNote = (line: FaultyLine) => onUnread?.(line)
    const onChanged = ({ line, members }: ChangedMembership) =>
      onNote({ line, faults: [{ field: '', message: describe(members) }] })
    return importMembershipsFile(db, file, terms, { ...rest, onNote, onChanged })
  }).finally(end)
  const { created, changed, unchanged, repeated, unmatched, ambiguous, ofAnotherFan, overlapping } = counts
  const summary = [
    `${created} created, ${changed} changed, ${unchanged} unchanged, ${repeated} repeated, ${invalid} invalid`,
    `left out: ${unmatched} without a known fan, ${ambiguous} with an ambiguous fan, ${ofAnotherFan} of another fan`,
    ...(overlapping > 0 ? [`${overlapping} overlap another membership of the fan`] : []),
  ]
  const why = unreadable ? '' : ' --skip-invalid imports the others.'
  return {
    json: { ...counts, invalid, refused, errors, notes: warnings },
    text: refused ? `${invalid} invalid lines; nothing was written.${why}` : `${summary.join('; ')}.`,
    found: invalid > 0,
    changed: refused ? 0 : created + changed,
    textHasSummary: refused,
  }
})

function describe(members: ChangedMembership['members']): string {
  return `changes ${members.map(({ member, from, to }) => `${member} ${from} -> ${to}`).join(', ')}`
}
