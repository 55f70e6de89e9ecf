/** Runs a command for one club, in a process of its own with the settings of this club and no others. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { processOf } from '../../src/core/command-line.ts'
import { redact } from '../command/explain.ts'
import { type Club, urlOf } from './club.ts'

export interface Outcome {
  ok: boolean
  /** The last line that it printed. */
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
    const said = (ok ? out : err || out).trim().split('\n').at(-1) ?? ''
    return { ok, said: redact(said) }
  } catch (error) {
    return { ok: false, said: `${command[0]} cannot be run (${(error as { code?: unknown }).code})` }
  }
}

/** A command of Matchday with its parameters, such as `audit verify`. */
export function runCommandOf(club: Club, command: string, ...parameters: string[]): Promise<Outcome> {
  // An `.env` of the working directory is of another club, or of development.
  const script = processOf(command, join(import.meta.dir, '..', `${command}.ts`), ['--no-env-file'])
  return spawn([...script, ...parameters], environmentOf(club))
}

const CHECKS = [['verify-ledger'], ['verify-quests'], ['verify-pictures'], ['audit', 'verify']] as const

/** All verifications, also after one that has found something. */
export async function verifyClub(club: Club): Promise<Outcome> {
  const failed: string[] = []
  for (const [command, ...parameters] of CHECKS) {
    const { ok, said } = await runCommandOf(club, command, ...parameters)
    if (!ok) failed.push(`${[command, ...parameters].join(' ')}: ${said}`)
  }
  return failed.length > 0
    ? { ok: false, said: failed.join('; ') }
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
  const address = url.startsWith('postgres') ? URL.parse(url) : null
  if (address && dryRun) return { ok: true, said: `Would write ${file}.dump (--dry-run)` }
  if (!dryRun) mkdirSync(own, { recursive: true, mode: 0o700 })
  if (!address) return runCommandOf(club, 'backup', `${file}.db`, ...(dryRun ? ['--dry-run'] : []))
  // Other users of the machine see the arguments of processes, and not their environment.
  const { password } = address
  address.password = ''
  const { DATABASE_SCHEMA: schema, DATABASE_CA_FILE: ca } = club.env
  const dump = ['pg_dump', '--format=custom', `--file=${file}.dump`, `--dbname=${address.href}`]
  const outcome = await spawn([...dump, ...(schema ? [`--schema=${schema}`] : [])], {
    ...environmentOf(club),
    ...(ca ? { PGSSLMODE: 'verify-full', PGSSLROOTCERT: ca } : {}),
    ...(password === '' ? {} : { PGPASSWORD: decodeURIComponent(password) }),
  })
  return outcome.ok ? { ok: true, said: `Wrote ${file}.dump` } : outcome
}
