/** Reads environment variables and collects their errors. Messages contain names of variables, never their values. */

import { distance } from 'fastest-levenshtein'

export type Environment = Record<string, string | undefined>

/** Defaults for development and tests. Production requires these variables. */
export const developmentDefaults = {
  DATABASE_URL: 'sqlite:data/matchday.db',
  IDP_ISSUER: 'http://localhost:4000',
  IDP_AUDIENCE: 'matchday-api',
  IDP_NAME: 'mock-idp',
} as const

export interface Reader {
  readonly production: boolean
  readonly problems: string[]
  /** The trimmed value; undefined if it is missing or empty. */
  text(name: string): string | undefined
  /** Has a default in development only. */
  required(name: keyof typeof developmentDefaults): string
  integer(name: string, fallback: number, min: number, max: number): number
  /** `on` or `off`. */
  flag(name: string, fallback: boolean): boolean
  oneOf<T extends string>(name: string, choices: readonly [T, ...T[]]): T
  refuse(name: string, why: string): void
  /** Refuses variables that look like a misspelt setting. Called when every setting has been read. */
  refuseNearMisses(): void
}

/** Short names are near too many others. */
const MIN_NEAR_MISS_CHARACTERS = 7

/** Two edits, as a swap is, or another case. */
const isNearMiss = (name: string, setting: string) =>
  setting.length >= MIN_NEAR_MISS_CHARACTERS && distance(name.toUpperCase(), setting) <= 2

export function createReader(env: Environment): Reader {
  const problems: string[] = []
  const production = env.NODE_ENV === 'production'
  const known = new Set<string>()
  const text = (name: string) => {
    known.add(name)
    return env[name]?.trim() || undefined
  }
  const refuse = (name: string, why: string) => void problems.push(`${name} ${why}`)

  return {
    production,
    problems,
    text,
    refuse,
    refuseNearMisses() {
      for (const name of Object.keys(env)) {
        if (known.has(name)) continue
        const meant = [...known].find(candidate => isNearMiss(name, candidate))
        if (meant) refuse(name, `is not a setting: did you mean ${meant}?`)
      }
    },
    required(name) {
      const value = text(name)
      if (value === undefined && production) refuse(name, 'is required in production')
      return value ?? developmentDefaults[name]
    },
    integer(name, fallback, min, max) {
      const value = text(name)
      if (value === undefined) return fallback
      const number = Number(value)
      if (/^\d+$/.test(value) && number >= min && number <= max) return number
      refuse(name, `must be a whole number from ${min} to ${max}`)
      return fallback
    },
    flag(name, fallback) {
      const value = text(name)
      if (value === undefined) return fallback
      if (value !== 'on' && value !== 'off') refuse(name, 'must be on or off')
      return value === 'on'
    },
    oneOf(name, choices) {
      const value = text(name)
      const chosen = value === undefined ? choices[0] : choices.find(choice => choice === value)
      if (chosen === undefined) refuse(name, `must be one of ${choices.join(', ')}`)
      return chosen ?? choices[0]
    },
  }
}

/** Points for completing the onboarding. */
export const readOnboardingPoints = (reader: Reader): number =>
  reader.integer('ONBOARDING_POINTS', 100, 0, 1_000_000_000)

/** `sqlite:PATH` or `postgres://…` */
export function readDatabaseUrl(reader: Reader): string {
  const url = reader.required('DATABASE_URL')
  if (!/^sqlite:.+|^postgres(ql)?:\/\/.+/.test(url)) {
    reader.refuse('DATABASE_URL', 'must be sqlite:PATH or postgres://…')
  } else if (url.startsWith('sqlite::memory:')) {
    reader.refuse('DATABASE_URL', 'must name a file: the reader and the writer are two connections')
  }
  return url
}
