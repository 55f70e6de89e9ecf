/** `bun run erase-user ID | --subject SUB [--yes]`: erases the personal data of a fan. */
import { existsSync } from 'node:fs'
import type { Database } from '../db/index.ts'
import type { UserReference } from '../src/core/caller.ts'
import { type Erasure, eraseUser, planErasure } from '../src/fan/account/erase-user.ts'
import { appendErasures, readErasures } from '../src/fan/account/erasure-list.ts'
import type { Tombstone } from '../src/identity/users/tombstone.ts'
import { exportErasures, reapplyErasures } from '../src/operate/admin/reapply-erasures.ts'
import { type CommandResult, declareCommand, runCommand } from './command/command.ts'
import { erasureListOf } from './command/database.ts'
import { fail, failUsage } from './command/explain.ts'

const command = declareCommand({
  name: 'erase-user',
  summary: `Erases a fan: profile, the provider's data and subject, devices, encrypted tokens, redemption codes, notes of grants.
The fan is signed out at once and permanently: tokens, webhooks and syncs of the fan are rejected.`,
  examples: [
    ['ID', 'shows what would be erased, without changing anything'],
    ['ID --yes', 'erases the fan; repeating it has no effect'],
    ["--subject 'auth0|123' --yes", 'by subject at the provider'],
    ['--export erasures.ndjson', 'appends missing erasures to a list'],
    ['--reapply erasures.ndjson --yes', 'after a restore: applies the listed erasures again'],
  ],
  notes: `Kept without personal data: ledger entries, leaderboard entries without name and picture, claims, purchases with the
reference of the payment gateway, opened packs. Proofs are public and unchanged, including the client seed that the fan
chose. Data at the provider and the gateway, and in your backups, must be erased there.
The list of erasures contains hashes, no names. Each erasure is appended to ERASURE_LIST, on SQLite by default DATABASE.erasures, which restore reads.
On PostgreSQL set it, or use --erasures, with a file outside your backups; then run VACUUM to remove the old rows.`,
  changes: true,
})
  .argument('[id]', 'user id of the fan')
  .option('--subject <sub>', 'subject of the fan at the provider')
  .option('--provider <name>', 'the provider of the subject (default: IDP_NAME)')
  .option('--yes', 'erase the fan')
  .option('--erasures <file>', 'list to append the erasure to (default: ERASURE_LIST)')
  .option('--export <file>', 'only append the erasures of the database to a list')
  .option('--reapply <file>', 'apply the erasures of a list')

/** How long to wait for readers of an older snapshot, which prevent truncating the WAL. */
const TRUNCATE_TIMEOUT_MS = 5_000

await runCommand(command, async session => {
  const {
    parameters: [id],
    options,
    configuration,
    databaseUrl,
    openDatabase,
    note,
  } = session
  const modes = [id, options.subject, options.export, options.reapply].filter(mode => mode !== undefined)
  if (modes.length !== 1) failUsage('give exactly one of: an id, --subject, --export, --reapply')
  if (options.provider !== undefined && options.subject === undefined)
    failUsage('--provider requires --subject')
  if (options.yes && options.dryRun) failUsage('--yes and --dry-run are mutually exclusive')
  if (options.export !== undefined) {
    const exported = options.dryRun ? 0 : await exportErasures((await openDatabase()).read, options.export)
    return {
      json: { exported },
      text: `${exported} erasures appended to ${options.export}.`,
      changed: exported,
      textHasSummary: true,
    }
  }
  const list = options.erasures ?? erasureListOf(databaseUrl()) ?? undefined
  if (options.reapply !== undefined)
    return reapply(await openDatabase(), options.reapply, list, options.yes ?? false, note)
  const named = async (subject: string): Promise<UserReference> => {
    return { provider: options.provider ?? (await configuration()).identity.name, subject }
  }
  const fan = options.subject === undefined ? { id: id ?? '' } : await named(options.subject)
  const db = await openDatabase()
  const onErased = (tombstone: Tombstone) => list !== undefined && appendErasures(list, [tombstone])
  const erasure = await (options.yes
    ? db.write(tx => eraseUser(tx, fan, onErased))
    : planErasure(db.read, fan))
  if (!erasure) return fail('There is no such fan.')
  const outcome = report(erasure, options.yes ?? false)
  if (!options.yes && !options.dryRun) return outcome
  const done = { ...outcome, changed: isNothing(erasure) ? 0 : 1, textHasSummary: true }
  if (!options.yes) return done
  if (list !== undefined) await exportErasures(db.read, list)
  return withRemains(done, await db.truncateLog(TRUNCATE_TIMEOUT_MS), list)
})

/** Adds notes about the list of erasures, and about old rows in WAL, archives and backups. */
function withRemains(
  outcome: CommandResult,
  truncated: boolean | null,
  list: string | undefined,
): CommandResult {
  const lines = [
    ...(list === undefined
      ? ['It is not listed: use --erasures or --export, otherwise restoring a backup restores the fan.']
      : [`Listed in ${list}, for restoring earlier backups.`]),
    ...(truncated === null ? ['Run VACUUM to remove the old rows; WAL archives and backups keep them.'] : []),
    ...(truncated === false
      ? [
          'The WAL still has the old rows, since another connection reads an older snapshot. Run the command again later.',
        ]
      : []),
  ]
  return {
    ...outcome,
    json: { ...outcome.json, list: list ?? null, logTruncated: truncated },
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
): Promise<CommandResult> {
  if (!existsSync(file)) fail(`There is no file ${file}.`)
  const { tombstones, unreadable } = readErasures(file)
  if (unreadable.length > 0) note(`${file}: unreadable lines: ${unreadable.join(', ')}`)
  const listed = tombstones.length
  if (!yes) {
    const text = `${listed} erasures are listed. Nothing was changed. To apply them, add --yes.`
    return { json: { listed, done: false }, text }
  }
  const { erased, tombstones: written } = await reapplyErasures(db, tombstones)
  if (list !== undefined) await exportErasures(db.read, list)
  const text = `Of ${listed} listed erasures ${erased} were applied again.`
  const outcome = {
    json: { listed, erased, tombstones: written, done: true },
    text,
    changed: erased + written,
    textHasSummary: true,
  }
  return withRemains(outcome, await db.truncateLog(TRUNCATE_TIMEOUT_MS), list ?? file)
}

function report(erasure: Erasure, done: boolean): CommandResult {
  const {
    userId,
    erasedAt,
    profile,
    identity,
    devices,
    redemptionCodes,
    grantNotes,
    eventData,
    deferredSyncs,
  } = erasure
  const lines = [
    `Fan ${userId ?? 'without a record'}${erasedAt ? `, erased at ${erasedAt}` : ''}`,
    `  profile           ${profile.join(', ') || 'nothing'}`,
    `  identity          ${identity.join(', ') || 'nothing'}`,
    `  devices           ${devices}`,
    `  redemption codes  ${redemptionCodes}`,
    `  notes of grants   ${grantNotes}`,
    `  data of events    ${eventData}`,
    `  deferred syncs    ${deferredSyncs}`,
  ]
  const then = done ? 'Erased.' : 'Nothing was changed. To erase the fan, add --yes.'
  return { json: { ...erasure, done }, text: [...lines, then].join('\n') }
}

/** Whether nothing was erased because the fan had already been erased. */
function isNothing(erasure: Erasure): boolean {
  const { profile, identity, devices, redemptionCodes, grantNotes, eventData, deferredSyncs } = erasure
  const rows = devices + redemptionCodes + grantNotes + eventData + deferredSyncs
  return profile.length + identity.length + rows === 0
}
