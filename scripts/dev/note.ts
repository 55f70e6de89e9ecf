/**
 * A file with the settings of a running `dev`, in the working directory, for commands in other terminals. Without it they
 * would use the default database, and report success.
 */
import { readFileSync, rmSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { commandLine } from '../../src/core/command-line.ts'
import type { Environment } from '../../src/platform/config/config.ts'
import { developmentDefaults } from '../../src/platform/config/environment.ts'
import { fail } from '../command/explain.ts'
import { identityOf, isAlive } from './process-identity.ts'

const SETTINGS = [
  'DATABASE_URL',
  'IDP_ISSUER',
  'PORT',
  'CONSOLE_PORT',
  'DOWNLOADS',
  'CASH_CURRENCIES',
] as const

/** Settings that belong to the database: a command uses them only together with it. */
const OF_THE_DATABASE = ['UPLOADS', 'ERASURE_LIST'] as const

type Settings = Partial<Record<(typeof SETTINGS)[number] | (typeof OF_THE_DATABASE)[number], string>>

interface Note {
  /** See `identityOf`. */
  process: string
  /** `starting`: `dev` migrates and seeds, so the database is not complete. */
  state: 'starting' | 'serving'
  settings: Settings
}

const fileOf = (env: Environment) => env.DEV_NOTE || 'data/dev.json'

/** Only the owner can read it: a URL may have a password. */
export async function writeNote(env: Environment, state: Note['state']): Promise<void> {
  const file = fileOf(env)
  const settings = Object.fromEntries([...SETTINGS, ...OF_THE_DATABASE].map(name => [name, env[name]]))
  const note: Note = { process: identityOf(process.pid), state, settings }
  await mkdir(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}`
  await writeFile(draft, JSON.stringify(note), { mode: 0o600 })
  await rename(draft, file)
}

/** Does not remove the file of another `dev` that started later. */
export function removeNote(env: Environment): void {
  if (parseNote(fileOf(env))?.process === identityOf(process.pid)) rmSync(fileOf(env), { force: true })
}

/**
 * Fills unset settings from a running `dev`. Returns a note for the operator if the settings of `dev` select the database,
 * or if the environment names another one; otherwise null. Does nothing in production and in tests. Fails while `dev`
 * prepares the database that would be used.
 */
export function applyNote(env: Environment): string | null {
  if (env.NODE_ENV && env.NODE_ENV !== 'development') return null
  const note = parseNote(fileOf(env))
  if (!note || !isAlive(note.process)) return null
  const { DATABASE_URL: running = developmentDefaults.DATABASE_URL } = note.settings
  const own = env.DATABASE_URL?.trim() || (env.DATABASE_URL_FILE?.trim() ? null : undefined)
  const dev = `\`${commandLine('dev')}\``
  const usesRunning = own === undefined || own === running
  if (usesRunning && note.state === 'starting')
    fail(`${dev} is starting, and its database is not ready: wait for its addresses, or name another one.`)
  for (const name of SETTINGS) {
    // A file that names the database counts like the variable.
    if (name === 'DATABASE_URL' && own === null) continue
    if (!env[name]?.trim()) assign(env, name, note.settings[name])
  }
  if (usesRunning) for (const name of OF_THE_DATABASE) assign(env, name, note.settings[name])
  if (own === undefined)
    return running === developmentDefaults.DATABASE_URL
      ? null
      : `Using the database of the running ${dev}: ${running}`
  return own === running
    ? null
    : `Using the database of DATABASE_URL, and not that of the running ${dev}, ${running}`
}

/** `process.env` would keep `undefined` as a text. */
function assign(env: Environment, name: string, value: string | undefined): void {
  if (value !== undefined) env[name] = value
}

function parseNote(file: string): Note | undefined {
  try {
    // Guarantee of the cast: `writeNote` wrote it; other content cannot be parsed or names no running process.
    return JSON.parse(readFileSync(file, 'utf8')) as Note
  } catch {
    return undefined
  }
}
