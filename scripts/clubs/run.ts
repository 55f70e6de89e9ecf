/** Runs a command for one club, in a process of its own with the settings of this club and no others. */
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { processOf } from '../../src/core/command-line.ts'
import { readPostgresSettings } from '../../src/platform/config/database.ts'
import { createEnvironmentReader } from '../../src/platform/config/environment.ts'
import { recordRun } from '../../src/platform/jobs/maintenance.ts'
import { openExisting } from '../command/database.ts'
import { explainError, redact } from '../command/explain.ts'
import { type Club, urlOf } from './club.ts'

export interface Outcome {
  ok: boolean
  /** What it printed, as one line. */
  said: string
}

/** Of the environment of this process: none that is a setting. */
const INHERITED = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR', 'NODE_ENV']

const environmentOf = ({ env }: Club) => ({
  NODE_ENV: 'production',
  ...Object.fromEntries(INHERITED.flatMap(name => (process.env[name] ? [[name, process.env[name]]] : []))),
  ...env,
})

async function spawn(command: string[], env: Record<string, string | undefined>): Promise<Outcome> {
  try {
    const child = Bun.spawn(command, { env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
    const texts = [child.stdout, child.stderr].map(stream => new Response(stream).text())
    const [out = '', err = ''] = await Promise.all(texts)
    const ok = (await child.exited) === 0
    // Killed by the system, it printed no reason: its last line is of its progress.
    const said = child.signalCode
      ? `was ended by ${child.signalCode}`
      : ok
        ? firstLineOf(out)
        : reasonOf(err || out)
    return { ok, said: redact(said) }
  } catch (error) {
    return { ok: false, said: `${command[0]} cannot be run (${(error as { code?: unknown }).code})` }
  }
}

const firstLineOf = (text: string) => text.trim().split('\n')[0] ?? ''

/** PostgreSQL's programs print the error first, and then details, as do usage errors; others of Matchday come last, after notes. */
function reasonOf(text: string): string {
  const lines = text.trim().split('\n')
  return lines.find(line => /^(pg_\w+: )?error: /.test(line)) ?? lines.at(-1) ?? ''
}

/** A command of Matchday with its parameters, such as `audit verify`. */
export async function runCommandOf(club: Club, command: string, ...parameters: string[]): Promise<Outcome> {
  const url = urlOf(club)
  // The process of the club has another working directory: this would be another file, new and without findings.
  if (url.startsWith('sqlite:') && !isAbsolute(url.slice('sqlite:'.length)))
    return { ok: false, said: `${url} is a relative path: write the whole path of the file` }
  // An `.env` of the working directory is of another club, or of development.
  const script = processOf(command, join(import.meta.dir, '..', `${command}.ts`), ['--no-env-file'])
  return spawn([...script, ...parameters], environmentOf(club))
}

const CHECKS = [['verify-ledger'], ['verify-quests'], ['verify-pictures'], ['audit', 'verify']] as const

/** All verifications, also after one that has found something, and none after a signal. */
export async function verifyClub(club: Club, isStopped: () => boolean): Promise<Outcome> {
  const failed = new Map<string, string[]>()
  for (const [command, ...parameters] of CHECKS) {
    const { ok, said } = isStopped()
      ? { ok: false, said: 'not started' }
      : await runCommandOf(club, command, ...parameters)
    if (!ok) failed.getOrInsertComputed(said, () => []).push([command, ...parameters].join(' '))
  }
  return failed.size > 0
    ? { ok: false, said: [...failed].map(([said, commands]) => `${commands.join(', ')}: ${said}`).join('; ') }
    : { ok: true, said: `${CHECKS.length} verifications without findings` }
}

/** A backup of SQLite with its pictures, or a dump of the schema of PostgreSQL, into `folder/NAME`. */
export async function backUpClub(
  club: Club,
  { folder, at, dryRun }: { folder: string; at: Date; dryRun: boolean },
): Promise<Outcome> {
  const own = join(folder, club.name)
  const file = join(own, at.toISOString().slice(0, 19).replaceAll(':', '-'))
  const url = urlOf(club)
  // `backup` explains a URL that cannot be read.
  const address = url.startsWith('postgres') ? URL.parse(url) : null
  if (address && dryRun) return { ok: true, said: `Would write ${file}.dump (--dry-run)` }
  if (!dryRun) mkdirSync(own, { recursive: true, mode: 0o700 })
  if (!address) return runCommandOf(club, 'backup', `${file}.db`, ...(dryRun ? ['--dry-run'] : []))
  // Other users of the machine see the arguments of processes, and not their environment.
  const { password } = address
  address.password = ''
  const { DATABASE_SCHEMA: schema, DATABASE_CA_FILE: ca } = club.env
  const settings = {
    ...environmentOf(club),
    ...(ca ? { PGSSLMODE: 'verify-full', PGSSLROOTCERT: ca } : {}),
    ...(password === '' ? {} : { PGPASSWORD: decodeURIComponent(password) }),
  }
  // A dump that failed must not look like the newest backup.
  const partial = `${file}.dump.partial`
  const dump = ['pg_dump', '--format=custom', `--file=${partial}`, `--dbname=${address.href}`]
  const dumped = await spawn([...dump, ...(schema ? [`--schema=${schema}`] : [])], settings)
  // Reads all of it, into nothing.
  const read = dumped.ok
    ? await spawn(['pg_restore', '--file=/dev/null', partial], environmentOf(club))
    : dumped
  if (!read.ok) {
    rmSync(partial, { force: true })
    return read
  }
  renameSync(partial, `${file}.dump`)
  return { ok: true, said: `Wrote ${file}.dump${await recordBackup(club)}` }
}

/** For the metrics of the club. Returns why it was not recorded, if so: the dump is there. */
async function recordBackup(club: Club): Promise<string> {
  try {
    const settings = readPostgresSettings(createEnvironmentReader(club.env))
    const db = await openExisting(urlOf(club), { ...settings, poolSize: 3 })
    await db.write(tx => recordRun(tx, 'backup')).finally(() => db.close())
    return ''
  } catch (error) {
    return `; missing in the metrics: ${explainError(error)}`
  }
}
