/** Reads environment variables and collects their errors. Messages contain names of variables, never their values. */

import { readFileSync } from 'node:fs'
import { distance } from 'fastest-levenshtein'
import { attempt } from '../../core/attempt.ts'
import { decodeText } from '../../core/decode-text.ts'
import { isRemoved } from './removed.ts'

export type Environment = Record<string, string | undefined>

/** Defaults for development and tests. Production requires these variables. */
export const developmentDefaults = {
  DATABASE_URL: 'sqlite:data/matchday.db',
  IDP_ISSUER: 'http://localhost:4000',
  IDP_AUDIENCE: 'matchday-api',
  IDP_NAME: 'mock-idp',
} as const

export type EnvironmentReader = Readonly<ReturnType<typeof createEnvironmentReader>>

/** Short names are near too many others. */
const MIN_NEAR_MISS_CHARACTERS = 7

const MAX_EDITS = 2

/** At most two edits (a swap of two letters is two), or a different case. */
const isNearMiss = (name: string, setting: string) =>
  setting.length >= MIN_NEAR_MISS_CHARACTERS &&
  // Each difference in length is an edit: this spares computing most distances.
  Math.abs(name.length - setting.length) <= MAX_EDITS &&
  distance(name.toUpperCase(), setting) <= MAX_EDITS

/** Trimmed, without empty items. */
export const splitList = (text: string, separator: string): string[] =>
  text
    .split(separator)
    .map(item => item.trim())
    .filter(Boolean)

export function createEnvironmentReader(env: Environment) {
  const problems: string[] = []
  const production = env.NODE_ENV === 'production'
  const known = new Set<string>()
  /** The trimmed value; undefined if it is missing or empty. */
  const text = (name: string) => {
    known.add(name)
    return env[name]?.trim() || undefined
  }
  /** Secrets whose file was refused: that they are missing is no further problem. */
  const unread = new Set<string>()
  const refuse = (name: string, why: string) => {
    if (!unread.has(name)) problems.push(`${name} ${why}`)
  }
  /** As `text`, or the trimmed content of the file that `NAME_FILE` names, as container platforms mount secrets. */
  const secret = (name: string) => {
    const value = text(name)
    const fileName = `${name}_FILE`
    if (text(fileName) === undefined) return value
    if (value !== undefined) {
      refuse(name, `and ${fileName} are both set: set one of them`)
      return value
    }
    const content = contentOf(fileName)
    if (content === undefined) unread.add(name)
    return content
  }
  /** The trimmed content of the file that the variable names. */
  const contentOf = (name: string) => {
    const path = text(name)
    if (path === undefined) return undefined
    try {
      const content = decodeText(readFileSync(path))?.trim()
      if (content) return content
      refuse(
        name,
        content === '' ? 'names an empty file' : 'names a file that is not text in UTF-8: save it as UTF-8',
      )
    } catch (error) {
      // Guarantee of the cast: `node:fs` throws errors with the code of the operating system.
      refuse(name, `names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`)
    }
    return undefined
  }

  return {
    production,
    problems,
    text,
    secret,
    file: contentOf,
    refuse,
    /** Names of variables that begin with `prefix`, have a value, and have not been read so far. */
    unreadNames: (prefix: string) =>
      Object.keys(env).filter(name => name.startsWith(prefix) && env[name]?.trim() && !known.has(name)),
    /** Refuses variables that look like a misspelt setting. Called when every setting has been read. */
    refuseNearMisses(): void {
      for (const name of Object.keys(env)) {
        if (known.has(name) || isRemoved(name)) continue
        const meant = [...known].find(candidate => isNearMiss(name, candidate))
        if (meant) refuse(name, `is not a setting: did you mean ${meant}?`)
      }
    },
    /** Has a default in development only. Read with `text`, unless it is a secret. */
    required(name: keyof typeof developmentDefaults, read = text): string {
      const value = read(name)
      if (value === undefined && production) refuse(name, 'is required in production')
      return value ?? developmentDefaults[name]
    },
    /** Trimmed, without empty items. */
    list: (name: string, separator: string) => splitList(text(name) ?? '', separator),
    integer(name: string, fallback: number, min: number, max: number): number {
      const value = text(name)
      if (value === undefined) return fallback
      const number = Number(value)
      if (/^\d+$/.test(value) && number >= min && number <= max) return number
      refuse(name, `must be a whole number from ${min} to ${max}`)
      return fallback
    },
    /** `on` or `off`. */
    flag(name: string, fallback: boolean): boolean {
      const value = text(name)
      if (value === undefined) return fallback
      if (value !== 'on' && value !== 'off') refuse(name, 'must be on or off')
      return value === 'on'
    },
    oneOf<T extends string>(name: string, choices: readonly [T, ...T[]]): T {
      const value = text(name)
      const chosen = value === undefined ? choices[0] : choices.find(choice => choice === value)
      if (chosen === undefined) refuse(name, `must be one of ${choices.join(', ')}`)
      return chosen ?? choices[0]
    },
  }
}

/** `sqlite:PATH` or `postgres://…` */
export function readDatabaseUrl(reader: EnvironmentReader): string {
  const url = reader.required('DATABASE_URL', reader.secret)
  if (!/^sqlite:.+|^postgres(ql)?:\/\/.+/.test(url)) {
    reader.refuse('DATABASE_URL', 'must be sqlite:PATH or postgres://…')
  } else if (url.startsWith('sqlite::memory:')) {
    reader.refuse('DATABASE_URL', 'must name a file: the reader and the writer are two connections')
  } else refuseAddress(reader, 'DATABASE_URL', url)
  return url
}

/** An address of PostgreSQL, or of a SQLite file, that cannot be used as it is written. */
export function refuseAddress(reader: EnvironmentReader, name: string, url: string): void {
  if (url.startsWith('postgres') && !isReadable(url))
    reader.refuse(
      name,
      'cannot be read as a URL: in the user and the password write % as %25, # as %23, / as %2F, ? as %3F and : as %3A',
    )
  else refuseWeakTls(reader, name, url)
}

/** A `#` of a password begins a fragment, which no address has. */
function isReadable(text: string): boolean {
  const url = URL.parse(text)
  return (
    url?.hash === '' &&
    attempt(() => decodeURIComponent(url.username + url.password + url.pathname)) !== undefined
  )
}

function refuseWeakTls(reader: EnvironmentReader, name: string, url: string): void {
  if (mayFallBack(url))
    reader.refuse(name, 'must have an sslmode of disable, require, verify-ca or verify-full')
}

/** With `allow` and `prefer`, an attacker on the network can prevent the encryption. */
const mayFallBack = (url: string): boolean =>
  [...(URL.parse(url)?.searchParams ?? [])].some(
    ([name, mode]) =>
      /^(ssl[-_]?mode|ssl|tls)$/i.test(name) &&
      !/^(disable|require|verify-ca|verify-full|true|false|1|0)$/i.test(mode),
  )
