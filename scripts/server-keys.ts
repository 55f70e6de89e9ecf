/** `bun run server-keys create | list | rotate | revoke | check`: the keys with which other systems call the API. */
import { Argument } from '@commander-js/extra-typings'
import type { Database } from '../db/index.ts'
import { commandLine } from '../src/core/command-line.ts'
import { identifyServerKey, UNIDENTIFIED } from '../src/identity/server-keys/authenticate.ts'
import {
  createServerKey,
  type IssuedKey,
  listServerKeys,
  revokeServerKeys,
  rotateServerKey,
  type ServerKeyRow,
  scopesOf,
  sourceFault,
  stateOf,
} from '../src/identity/server-keys/keys.ts'
import { isServerScope, SERVER_SCOPES, type ServerScope } from '../src/identity/server-keys/scopes.ts'
import { type CommandResult, declareCommand, runCommand } from './command/command.ts'
import { fail, failUsage } from './command/explain.ts'
import { parseExpiry } from './server-keys/expiry.ts'

const ACTIONS = ['create', 'list', 'rotate', 'revoke', 'check'] as const
const meanings = Object.entries(SERVER_SCOPES).map(
  ([scope, { meaning }]) => `  ${scope.padEnd(18)} ${meaning}`,
)

const command = declareCommand({
  name: 'server-keys',
  summary: `Manages the keys with which the club's own systems call the API.
NAME is the source of the events that a system reports. A rotation does not change it.`,
  examples: [
    ['create turnstiles --scope events:write', 'prints a new key, which is not shown again'],
    ['create desk --scope redemptions:read redemptions:write --expires 365d', 'a key that expires'],
    ['list', 'keys with their scopes, state and last use'],
    ['rotate turnstiles', 'prints a second key; the first one works for another 24 hours'],
    ['revoke turnstiles', 'refuses every key of the source from now on, in every process'],
    ['revoke turnstiles --key ID', 'refuses one of them'],
    ['check < FILE', 'tells a misspelt key from an unknown, expired or revoked one'],
  ],
  notes: `Scopes:\n${meanings.join('\n')}`,
  changes: true,
})
  .addArgument(new Argument('<action>', 'what to do').choices(ACTIONS))
  .argument('[name]', 'the source')
  .option('--scope <scopes...>', 'create: what the key may do')
  .option('--expires <when>', 'create, rotate: 90d, or a date (default: never; rotate: the same lifetime)')
  .option('--key <id>', 'revoke: only the key of this id')

await runCommand(command, async ({ parameters: [action, name], options, openDatabase, note }) => {
  const { scope: scopes = [], expires, key: keyId, dryRun } = options
  if (scopes.length > 0 !== (action === 'create'))
    failUsage('create requires --scope, and no other action takes it')
  if (expires !== undefined && action !== 'create' && action !== 'rotate')
    failUsage(`${action} takes no --expires`)
  if (keyId !== undefined && action !== 'revoke') failUsage(`${action} takes no --key`)
  if (action === 'list' || action === 'check') {
    if (dryRun) failUsage(`${action} changes nothing: it takes no --dry-run`)
    if (action === 'check' && name !== undefined) failUsage('check reads the key from standard input')
    const db = await openDatabase()
    return action === 'list' ? list(db, name) : check(db, (await Bun.stdin.text()).trim())
  }
  if (name === undefined) return failUsage(`${action} requires the name of a source`)
  const fault = sourceFault(name)
  if (fault !== null) failUsage(`the name ${fault}`)
  const db = await openDatabase()
  const expiresAt = expires === undefined ? undefined : requireExpiry(expires, db.read.now())
  if (action === 'revoke') return revoke(db, name, keyId, dryRun ?? false)
  if (dryRun) return planIssue(db, action, name)
  const issued =
    action === 'create'
      ? await create(db, name, scopes.map(requireScope), expiresAt)
      : await rotate(db, name, expiresAt, note)
  note(`The key of ${name} (${issued.row.scopes}), ${expiryOf(issued.row)}. It is not shown again.`)
  return {
    json: { ...present(issued.row, db), key: issued.key },
    text: issued.key,
    changed: 1,
    textHasSummary: true,
  }
})

function requireScope(text: string): ServerScope {
  return isServerScope(text)
    ? text
    : failUsage(`${text} is not a scope; they are ${Object.keys(SERVER_SCOPES).join(', ')}`)
}

function requireExpiry(text: string, now: Date): Date {
  const expiresAt =
    parseExpiry(text, now) ?? failUsage('--expires must be a number of days such as 90d, or a date')
  return expiresAt > now ? expiresAt : failUsage('--expires is in the past')
}

async function create(db: Database, source: string, scopes: ServerScope[], expiresAt: Date | undefined) {
  const issued = await db.write(tx => createServerKey(tx, { source, scopes, expiresAt: expiresAt ?? null }))
  return issued ?? failWithCurrent(source)
}

function failWithCurrent(source: string): never {
  fail(`${source} has a key. Rotate it for another one, or revoke it first.`)
}

function failWithoutCurrent(source: string): never {
  fail(`${source} has no key to rotate.`)
}

async function rotate(
  db: Database,
  source: string,
  expiresAt: Date | undefined,
  note: (line: string) => void,
): Promise<IssuedKey> {
  const rotated = await db.write(tx => rotateServerKey(tx, source, expiresAt))
  if (!rotated) return failWithoutCurrent(source)
  note(
    `The previous key ${expiryOf(rotated.previous)}. To refuse it now: ${commandLine('server-keys')} revoke ${source} --key ${rotated.previous.id}`,
  )
  return rotated
}

async function planIssue(db: Database, action: 'create' | 'rotate', source: string): Promise<CommandResult> {
  const hasCurrent = (await listServerKeys(db.read, source)).some(({ currentOf }) => currentOf !== null)
  if (hasCurrent && action === 'create') failWithCurrent(source)
  if (!hasCurrent && action === 'rotate') failWithoutCurrent(source)
  return { json: { source }, text: `A key of ${source} would be issued.`, changed: 1, textHasSummary: true }
}

async function revoke(
  db: Database,
  source: string,
  keyId: string | undefined,
  dryRun: boolean,
): Promise<CommandResult> {
  const keys = (await listServerKeys(db.read, source)).filter(({ id }) => keyId === undefined || id === keyId)
  if (keys.length === 0)
    fail(keyId === undefined ? `There is no key of ${source}.` : `${source} has no key ${keyId}.`)
  const revoked = dryRun
    ? keys.filter(({ revokedAt }) => revokedAt === null)
    : await db.write(tx => revokeServerKeys(tx, source, keyId))
  const count = revoked.length === 1 ? '1 key' : `${revoked.length} keys`
  return {
    json: { revoked: revoked.map(({ id }) => id) },
    text: dryRun ? `${count} of ${source} would be revoked.` : `${count} of ${source} revoked.`,
    changed: revoked.length,
    textHasSummary: true,
  }
}

async function list(db: Database, source: string | undefined): Promise<CommandResult> {
  const keys = (await listServerKeys(db.read, source)).map(row => present(row, db))
  const rows = keys.map(({ id, source, state, scopes, expiresAt, lastUsedAt }) => [
    source,
    state,
    scopes.join(' '),
    expiresAt === null ? 'never expires' : `expires ${expiresAt.toISOString()}`,
    lastUsedAt === null ? 'never used' : `used ${lastUsedAt.toISOString()}`,
    id,
  ])
  return { json: { keys }, text: rows.length === 0 ? 'There are no server keys.' : alignColumns(rows) }
}

async function check(db: Database, key: string): Promise<CommandResult> {
  if (key === '') failUsage('check reads the key from standard input')
  const found = await identifyServerKey(db.read, key)
  if (typeof found === 'string') return { json: { state: found }, text: UNIDENTIFIED[found], found: true }
  const { source, state, scopes, ...rest } = present(found, db)
  const text = `A key of ${source}: ${state}, ${scopes.join(' ')}, ${expiryOf(found)}.`
  return { json: { source, state, scopes, ...rest }, text, found: state === 'revoked' || state === 'expired' }
}

function present(row: ServerKeyRow, db: Database) {
  const { id, source, createdAt, expiresAt, revokedAt, lastUsedAt } = row
  const state = stateOf(row, db.read.now())
  return { id, source, state, scopes: scopesOf(row), createdAt, expiresAt, revokedAt, lastUsedAt }
}

function expiryOf({ expiresAt }: ServerKeyRow): string {
  return expiresAt === null ? 'never expires' : `expires at ${expiresAt.toISOString()}`
}

function alignColumns(rows: string[][]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0))) ?? []
  return rows
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
