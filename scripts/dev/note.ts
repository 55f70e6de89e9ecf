/**
 * What a running `dev` leaves in the working directory for commands in other terminals: the settings with which it serves. Without
 * it they would work on the database of the defaults, and report success.
 */
import { readFileSync, rmSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { commandLine } from '../../src/core/command-line.ts'
import type { Environment } from '../../src/platform/config/config.ts'
import { developmentDefaults } from '../../src/platform/config/environment.ts'

const SETTINGS = [
  'DATABASE_URL',
  'IDP_ISSUER',
  'PORT',
  'CONSOLE_PORT',
  'DOWNLOADS',
  'CASH_CURRENCIES',
] as const

type Settings = Partial<Record<(typeof SETTINGS)[number], string>>

interface Note {
  pid: number
  settings: Settings
}

const fileOf = (env: Environment) => env.DEV_NOTE || 'data/dev.json'

/** Only the owner can read it: a URL may have a password. */
export async function writeNote(env: Environment): Promise<void> {
  const file = fileOf(env)
  const settings = Object.fromEntries(SETTINGS.map(name => [name, env[name]]))
  await mkdir(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}`
  await writeFile(draft, JSON.stringify({ pid: process.pid, settings }), { mode: 0o600 })
  await rename(draft, file)
}

/** Not that of another `dev`, which came later. */
export function removeNote(env: Environment): void {
  if (parseNote(fileOf(env))?.pid === process.pid) rmSync(fileOf(env), { force: true })
}

/**
 * Takes settings that are not set from a running `dev`. Returns what the operator has to know: that they decide about the
 * database, or that the environment names another one; null if neither. In production and in tests there is no `dev`.
 */
export function applyNote(env: Environment): string | null {
  if (env.NODE_ENV && env.NODE_ENV !== 'development') return null
  const note = parseNote(fileOf(env))
  if (!note || !isRunning(note.pid)) return null
  const { DATABASE_URL: running = developmentDefaults.DATABASE_URL } = note.settings
  const own = env.DATABASE_URL?.trim() || (env.DATABASE_URL_FILE?.trim() ? null : undefined)
  for (const name of SETTINGS) {
    // A file that names the database is as good as a variable.
    if (name === 'DATABASE_URL' && own === null) continue
    if (!env[name]?.trim()) env[name] = note.settings[name]
  }
  const dev = `\`${commandLine('dev')}\``
  if (own === undefined)
    return running === developmentDefaults.DATABASE_URL
      ? null
      : `Using the database of the running ${dev}: ${running}`
  return own === running
    ? null
    : `Using the database of DATABASE_URL, and not that of the running ${dev}, ${running}`
}

function parseNote(file: string): Note | undefined {
  try {
    // Guarantee of the cast: `writeNote` wrote it; whatever else cannot be parsed or has no such process.
    return JSON.parse(readFileSync(file, 'utf8')) as Note
  } catch {
    return undefined
  }
}

/** Whether a process has this id. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}
