/** What went wrong, in one plain line for whoever ran the command: never a stack, never a secret. */
import { DrizzleQueryError } from 'drizzle-orm'
import { DatabaseError, translateDatabaseError } from '../../db/index.ts'
import { NewerSchemaError } from '../../db/migrate.ts'
import { ConfigError } from '../../src/config.ts'
import { DomainError } from '../../src/problems.ts'

/** The command cannot be done; leaves with 1. */
export class CommandFailure extends Error {}

/** The command was called wrongly; leaves with 2 and its usage. */
export class UsageError extends Error {}

export function fail(message: string): never {
  throw new CommandFailure(message)
}

export function misuse(message: string): never {
  throw new UsageError(message)
}

/** Text without the passwords of the URLs in it. */
export function redact(text: string): string {
  return text
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@]*):\S*@/gi, '$1:***@')
    .replace(/([?&]password=)[^&\s'"]*/gi, '$1***')
}

export function explainError(error: unknown): string {
  return redact(wordsOf(translateDatabaseError(error)))
}

function wordsOf(error: unknown): string {
  if (error instanceof DomainError) {
    const where = error.explanation.errors?.map(({ message, ...at }) => `${Object.values(at)[0]} ${message}`)
    return `${error.code}: ${where?.join('; ') ?? error.explanation.detail ?? 'try again later'}`
  }
  // Every problem of the configuration at once: it names variables, never values.
  if (error instanceof ConfigError || error instanceof NewerSchemaError) return error.message
  if (error instanceof DatabaseError) {
    return error.fault === 'outdated'
      ? 'The database is behind this version: run `bun run migrate` first.'
      : `The database cannot be used: ${error.message}.`
  }
  // Drizzle's own message holds the statement and its values.
  if (error instanceof DrizzleQueryError) return `The database refused: ${firstLine(error.cause)}`
  return firstLine(error)
}

const firstLine = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
