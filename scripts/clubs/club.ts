/** The clubs of a folder: each has a file of settings, `NAME.env`, as systemd and containers read it. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from '../../src/core/attempt.ts'
import { explainError, ofFile } from '../command/explain.ts'
import { linesOf, makeSecrets } from '../command/make-secrets.ts'

export interface Club {
  name: string
  path: string
  env: Record<string, string>
  /** Why the file cannot be read, as a sentence: it then has no settings. */
  fault?: string
}

/** Of a new club: `matchday-NAME` is a user of Linux, whose names have at most 31 characters, and NAME a schema. */
const NAME = /^[a-z][a-z0-9_]{0,21}$/
export const isClubName = (name: string) => NAME.test(name) && !name.startsWith('pg_')

const EXTENSION = '.env'

/** In the order of their names, which may be other ones than `create` gives. @throws what reading the folder throws */
export function readClubs(folder: string): Club[] {
  return readdirSync(folder)
    .filter(file => file.endsWith(EXTENSION) && !file.startsWith('.'))
    .toSorted()
    .map(file => {
      const [name, path] = [file.slice(0, -EXTENSION.length), join(folder, file)]
      try {
        return { name, path, env: parseEnv(ofFile(path, () => readFileSync(path, 'utf8'))) }
      } catch (error) {
        return { name, path, env: {}, fault: explainError(error) }
      }
    })
}

/** As systemd reads an EnvironmentFile: a line is a setting, `#` begins a comment at its start alone, quotes enclose a value. */
export function parseEnv(text: string): Record<string, string> {
  const settings = text
    .split('\n')
    .map(line => /^\s*(?!#)([A-Za-z_]\w*)=(.*?)\s*$/.exec(line))
    .flatMap(match => (match ? [[match[1] ?? '', unquoted(match[2] ?? '')] as const] : []))
  return Object.fromEntries(settings)
}

const unquoted = (value: string) => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value

const PORTS = ['PORT', 'CONSOLE_PORT', 'METRICS_PORT'] as const
/** Room for workers, each of which has a port of its own for metrics. */
const PORTS_PER_CLUB = 10
/** Twelve such pools fit into the connections of a PostgreSQL with its defaults, with room for commands. */
const POOL_SIZE = '7'

/** The settings of a new club: those of the template, with its name for `{club}`, then ports, schema and secrets that it lacks. */
async function settingsOf(
  name: string,
  { template, base, clubs }: { template: string; base: number; clubs: Club[] },
): Promise<Record<string, string>> {
  const given = parseEnv(template.replaceAll('{club}', name))
  const taken = new Set(clubs.flatMap(({ env }) => PORTS.map(port => Number(env[port]))))
  let first = base
  while (Array.from({ length: PORTS_PER_CLUB }, (_, n) => first + n).some(port => taken.has(port)))
    first += PORTS_PER_CLUB
  const ports = Object.fromEntries(PORTS.map((port, n) => [port, String(first + n)]))
  const isPostgres = given.DATABASE_URL?.startsWith('postgres')
  const schema: Record<string, string> = isPostgres
    ? { DATABASE_SCHEMA: name, DATABASE_POOL_SIZE: POOL_SIZE }
    : {}
  return { ...ports, ...schema, ...(await makeSecrets()), ...given }
}

/** Writes the file of a new club, which root alone can read. @throws EEXIST where it has one: it stays as it is */
export async function writeClub(
  folder: string,
  name: string,
  options: Parameters<typeof settingsOf>[1],
): Promise<Club> {
  const path = join(folder, `${name}${EXTENSION}`)
  const env = await settingsOf(name, options)
  writeFileSync(path, `${linesOf(env).join('\n')}\n`, { flag: 'wx', mode: 0o600 })
  return { name, path, env }
}

/** DATABASE_URL, or the content of its file; empty where neither can be read. */
export function urlOf({ env }: Club): string {
  const { DATABASE_URL: url, DATABASE_URL_FILE: file = '' } = env
  return url || (attempt(() => readFileSync(file, 'utf8').trim()) ?? '')
}

/** Where its tables are, without credentials. */
export function databaseOf(club: Club): string {
  const url = urlOf(club)
  if (!url.startsWith('postgres')) return url
  const address = URL.parse(url)
  if (!address) return 'not a URL'
  return [`${address.host}${address.pathname}`, club.env.DATABASE_SCHEMA].filter(Boolean).join(' ')
}

/** What two clubs share that each must have for itself, as sentences. */
export function findCollisions(clubs: Club[]): string[] {
  const owners = new Map<string, string[]>()
  for (const club of clubs) {
    const shared = PORTS.flatMap(port => (club.env[port] ? [`port ${club.env[port]}`] : []))
    const [url, database] = [urlOf(club), databaseOf(club)]
    const isKnown = url.startsWith('sqlite:') || URL.canParse(url)
    for (const what of new Set([...shared, ...(isKnown ? [`database ${database}`] : [])]))
      owners.getOrInsertComputed(what, () => []).push(club.name)
  }
  return [...owners].flatMap(([what, names]) =>
    names.length > 1 ? [`${names.join(' and ')} have the same ${what}`] : [],
  )
}
