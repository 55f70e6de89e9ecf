/** `bun run erase-user ID | --subject SUB [--yes]`: erases a fan at their wish. */
import { existsSync } from 'node:fs'
import type { Database } from '../db/index.ts'
import { type Erasure, eraseUser, planErasure, type Whom } from '../src/admin/erase-user.ts'
import { appendErasures, exportErasures, readErasures, reapplyErasures } from '../src/admin/erasure-list.ts'
import type { Tombstone } from '../src/users/tombstone.ts'
import { declareCommand, type Outcome, runCommand } from './command/command.ts'
import { erasuresPathOf, isSqlite, sqlitePathOf } from './command/database.ts'
import { fail, misuse } from './command/explain.ts'

const command = declareCommand({
  name: 'erase-user',
  summary: `Erases a fan: profile, the provider's data and its name for them, devices, sealed tokens, redemption codes.
They are signed out at once and stay so: no token, webhook or sync of theirs is taken again.`,
  examples: [
    ['ID', 'shows what would go, and changes nothing'],
    ['ID --yes', 'does it; again, it does nothing'],
    ["--subject 'auth0|123' --yes", 'by the name that the provider has for them'],
    ['--export erasures.ndjson', 'appends to a list of erasures what it does not have yet'],
    ['--reapply erasures.ndjson --yes', 'after a restore: erases again whom the list names'],
  ],
  notes: `What stays names nobody: ledger entries (nothing personal is hashed), places on boards without a name or picture,
claims, purchases with the payment gateway's reference, drawn packs. Their proofs are public and stay as they were, with
the client seed that the fan chose. The provider, the gateway and your backups have to be asked for themselves.
The list of erasures holds hashes and no names. On SQLite each erasure is appended to DATABASE.erasures, which restore reads.
On PostgreSQL name a file outside of your backups by --erasures, or use --export; then VACUUM takes the old rows away.`,
  changes: true,
})
  .argument('[id]', 'the fan, by our id')
  .option('--subject <sub>', 'the fan, as the provider names them')
  .option('--provider <name>', 'which provider (default: IDP_NAME)')
  .option('--yes', 'do it')
  .option('--erasures <file>', 'the list that the erasure is appended to (SQLite: DATABASE.erasures)')
  .option('--export <file>', 'append the erasures of the database to a list, and do nothing else')
  .option('--reapply <file>', 'erase whom a list names')

/** For readers of an older state, which keep the WAL from being emptied. */
const LOG_PATIENCE_MS = 5_000

await runCommand(command, async session => {
  const {
    parameters: [id],
    options,
    configuration,
    databaseUrl,
    openDatabase,
    note,
  } = session
  const ways = [id, options.subject, options.export, options.reapply].filter(way => way !== undefined)
  if (ways.length !== 1) misuse('name the fan: an id or --subject; or a list: --export or --reapply')
  if (options.provider !== undefined && options.subject === undefined) misuse('--provider needs --subject')
  if (options.yes && options.dryRun) misuse('--yes and --dry-run contradict each other')
  if (options.export !== undefined) {
    const exported = options.dryRun ? 0 : await exportErasures((await openDatabase()).read, options.export)
    return {
      answer: { exported },
      text: `${exported} erasures appended to ${options.export}.`,
      changed: exported,
      told: true,
    }
  }
  const url = databaseUrl()
  const list = options.erasures ?? (isSqlite(url) ? erasuresPathOf(sqlitePathOf(url)) : undefined)
  if (options.reapply !== undefined)
    return reapply(await openDatabase(), options.reapply, list, options.yes ?? false, note)
  const named = async (subject: string): Promise<Whom> => {
    return { provider: options.provider ?? (await configuration()).identity.name, subject }
  }
  const whom = options.subject === undefined ? { id: id ?? '' } : await named(options.subject)
  const db = await openDatabase()
  const onErased = (tombstone: Tombstone) => list !== undefined && appendErasures(list, [tombstone])
  const erasure = await (options.yes
    ? db.write(tx => eraseUser(tx, whom, onErased))
    : planErasure(db.read, whom))
  if (!erasure) return fail('There is no such fan.')
  const outcome = report(erasure, options.yes ?? false)
  if (!options.yes && !options.dryRun) return outcome
  const done = { ...outcome, changed: isNothing(erasure) ? 0 : 1, told: true }
  if (!options.yes) return done
  if (list !== undefined) await exportErasures(db.read, list)
  return withLog(done, await db.truncateLog(LOG_PATIENCE_MS), list)
})

/** What is said of the places that the erasure itself does not reach. */
function withLog(outcome: Outcome, truncated: boolean | null, list: string | undefined): Outcome {
  const lines = [
    ...(list === undefined
      ? ['It is on no list: name one by --erasures or --export, or a restored backup brings the fan back.']
      : [`Listed in ${list}, for backups from before.`]),
    ...(truncated === null
      ? ['VACUUM takes the old rows away; archives of the WAL and backups keep them.']
      : []),
    ...(truncated === false
      ? [
          'The WAL still holds the old rows: another connection, such as a backup, reads an older state. Run the same again later.',
        ]
      : []),
  ]
  return {
    ...outcome,
    answer: { ...outcome.answer, list: list ?? null, logTruncated: truncated },
    text: [outcome.text, ...lines].join('\n'),
    found: truncated === false,
  }
}

async function reapply(
  db: Database,
  file: string,
  list: string | undefined,
  yes: boolean,
  note: (line: string) => void,
): Promise<Outcome> {
  if (!existsSync(file)) fail(`There is no file ${file}.`)
  const { tombstones, unreadable } = readErasures(file)
  if (unreadable.length > 0) note(`${file}: lines that cannot be read: ${unreadable.join(', ')}`)
  const listed = tombstones.length
  if (!yes) {
    const text = `${listed} erasures are listed. Nothing was changed. To apply them: the same with --yes`
    return { answer: { listed, done: false }, text }
  }
  const { erased, tombstones: made } = await reapplyErasures(db, tombstones)
  if (list !== undefined) await exportErasures(db.read, list)
  const text = `Of ${listed} listed erasures ${erased} were applied again.`
  const outcome = {
    answer: { listed, erased, tombstones: made, done: true },
    text,
    changed: erased + made,
    told: true,
  }
  return withLog(outcome, await db.truncateLog(LOG_PATIENCE_MS), list ?? file)
}

function report(erasure: Erasure, done: boolean): Outcome {
  const { userId, erasedAt, profile, identity, devices, redemptionCodes, deferredSyncs } = erasure
  const lines = [
    `Fan ${userId ?? 'without a record'}${erasedAt ? `, erased at ${erasedAt}` : ''}`,
    `  profile           ${profile.join(', ') || 'nothing'}`,
    `  identity          ${identity.join(', ') || 'nothing'}`,
    `  devices           ${devices}`,
    `  redemption codes  ${redemptionCodes}`,
    `  deferred syncs    ${deferredSyncs}`,
  ]
  const then = done ? 'Erased.' : 'Nothing was changed. To do it: the same with --yes'
  return { answer: { ...erasure, done }, text: [...lines, then].join('\n') }
}

/** Of a fan who was erased before. */
function isNothing({ profile, identity, devices, redemptionCodes, deferredSyncs }: Erasure): boolean {
  return profile.length + identity.length + devices + redemptionCodes + deferredSyncs === 0
}
