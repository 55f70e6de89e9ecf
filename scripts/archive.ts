/** `bun run archive --before SEASON --out DIR`: moves old rows of fans to files. `archive restore --fan ID --from DIR` brings a past back. */
import { mkdirSync } from 'node:fs'
import { Argument } from '@commander-js/extra-typings'
import { eq } from 'drizzle-orm'
import type { Database, Transaction } from '../db/index.ts'
import { ArchiveFault, listArchiveFiles, namesOfAbsent } from '../src/economy/archive/files.ts'
import {
  archivedUntil,
  eachPlan,
  type Filed,
  fileFans,
  sealFan,
} from '../src/operate/admin/archive/archive-fans.ts'
import { type ArchiveRun, archiveAlone } from '../src/operate/admin/archive/archive-run.ts'
import { restoreFan } from '../src/operate/admin/archive/restore-fan.ts'
import { type CommandResult, declareCommand, runCommand } from './command/command.ts'
import { fail, failUsage } from './command/explain.ts'
import { Interrupted, stoppable } from './command/stop.ts'
import { requireUnfollowed } from './move/changes.ts'

const command = declareCommand({
  name: 'archive',
  summary: `Moves events of other systems from before a season, with the points entries that they earned, to compressed files, and deletes
their rows. Balances, ranks, quests and verifications stay as they are.`,
  examples: [
    ['--before 2026-27 --out /archive --dry-run', 'shows how many rows would move'],
    [
      '--before 2026-27 --out /archive',
      'moves them while the API serves; after an interruption, the same command continues',
    ],
    ['restore --fan 01981e2c-7c1f-7000-8000-000000000003 --from /archive', 'brings the past of a fan back'],
  ],
  notes: `Rows stay that are younger than 62 days, or on which something depends, such as an open quest; so do those of merged and erased fans.
Keep the files: the database has only their hashes, and a key for each fan. docs/archive.md describes their format.`,
  changes: true,
})
  .addArgument(
    new Argument('[action]', 'restore: bring the past of a fan back').choices(['restore'] as const),
  )
  .option('--before <season>', 'the season before which rows are archived')
  .option('--out <folder>', 'where to write the files')
  .option('--fan <id>', 'restore: the profile id of the fan')
  .option('--from <folder>', 'restore: the folder with the files')

await runCommand(command, async session => {
  const {
    parameters: [action],
    options: { before, out, fan, from, dryRun = false },
    openDatabase,
  } = session
  if (action === 'restore') {
    if (fan === undefined || from === undefined) failUsage('restore requires --fan and --from')
    if (before !== undefined || out !== undefined || dryRun) failUsage('restore takes only --fan and --from')
    const db = await openDatabase()
    await requireUnfollowed(db)
    return archiveAlone(
      db,
      tx => requireUnfollowed(db, tx),
      run => restore(db, from, fan, run),
    ).catch(explainFault)
  }
  if (before === undefined || out === undefined) failUsage('--before and --out are required')
  if (fan !== undefined || from !== undefined) failUsage('--fan and --from are for restore')
  const db = await openDatabase()
  if (!dryRun) await requireUnfollowed(db)
  const until = await readUntil(db, before)
  if (dryRun) return preview(db, until)
  mkdirSync(out, { recursive: true, mode: 0o700 })
  const absent = namesOfAbsent(out, await listArchiveFiles(db.read))
  if (absent.length > 0)
    session.note(
      `Not in ${out}: ${absent.length} files of earlier archives, such as ${absent[0]}. A restore, and commands with --archive, need all in one folder.`,
    )
  const report = { fans: 0, entries: 0, events: 0, left: 0 }
  const run = { folder: out, seasonId: before, until }
  await archiveAlone(
    db,
    tx => requireUnfollowed(db, tx),
    ({ hold }) =>
      session.writeInBatches(
        db,
        'fans',
        fileFans(db, run),
        async (tx, filed) => {
          await hold(tx)
          await sealAndCount(tx, filed)
        },
        { ahead: 50 },
      ),
  ).catch(explainFault)
  const { fans, entries, events, left } = report
  const lines = [
    `${events} events and ${entries} entries of ${fans} fans, from before ${until.toISOString()}, are in ${out}.`,
    ...(left > 0 ? [`${left} fans were left out, since they changed meanwhile: run it again.`] : []),
  ]
  return { json: { until, ...report }, text: lines.join('\n'), changed: entries + events }

  async function sealAndCount(tx: Transaction, filed: Filed) {
    const isSealed = await sealFan(tx, filed)
    // After the commit: a conflict repeats the unit of work.
    tx.afterCommit(() => {
      if (!isSealed) return void report.left++
      report.fans++
      report.entries += filed.entries.length
      report.events += filed.events.length
    })
  }
})

async function readUntil({ read }: Database, seasonId: string): Promise<Date> {
  const { seasons } = read.tables
  const [season] = await read.select().from(seasons).where(eq(seasons.id, seasonId))
  if (!season) fail(`There is no season ${seasonId}.`)
  return archivedUntil(season.startsAt, read.now())
}

async function preview(db: Database, until: Date): Promise<CommandResult> {
  const report = { fans: 0, entries: 0, events: 0 }
  await stoppable(async requested => {
    for await (const plans of eachPlan(db, until)) {
      report.fans += plans.length
      for (const { entries, events } of plans) {
        report.entries += entries.length
        report.events += events.length
      }
      const signal = requested()
      if (signal) throw new Interrupted(signal, report.fans)
    }
  })
  const { fans, entries, events } = report
  const text = `${events} events and ${entries} entries of ${fans} fans, from before ${until.toISOString()}, would be archived.`
  return { json: { until, ...report }, text, changed: entries + events }
}

async function restore(db: Database, from: string, fan: string, run: ArchiveRun): Promise<CommandResult> {
  const { users } = db.tables
  const [known] = await db.read.select({ id: users.id }).from(users).where(eq(users.id, fan))
  if (!known) fail('There is no such fan.')
  const restored = await restoreFan(db, from, fan, run)
  const { entries, events } = restored
  const text =
    entries + events === 0
      ? 'Nothing of this fan is archived.'
      : `${events} events and ${entries} entries of the fan are back.`
  return { json: restored, text, changed: entries + events }
}

function explainFault(error: unknown): never {
  if (error instanceof ArchiveFault) return fail(error.message)
  throw error
}
