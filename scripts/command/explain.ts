/** What went wrong, in one plain line for whoever ran the command: never a stack, never a secret. */
import { DrizzleQueryError } from 'drizzle-orm'
import { DatabaseError, translateDatabaseError } from '../../db/index.ts'
import { NewerSchemaError } from '../../db/migrate.ts'
import { ConfigError } from '../../src/config/config.ts'
import { DomainError } from '../../src/core/problems.ts'

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
      : `The database cannot be used: ${error.message}${reasonOf(error)}.`
  }
  // Written for whoever reads it, to the last line.
  if (error instanceof CommandFailure) return error.message
  // Drizzle's own message holds the statement and its values.
  if (error instanceof DrizzleQueryError) return `The database refused: ${firstLine(error.cause)}`
  return wordsOfFileError(error) ?? firstLine(error)
}

/** What the driver says of a database that cannot be reached, such as that it does not exist. */
function reasonOf({ fault, cause }: DatabaseError): string {
  if (fault !== 'unreachable') return ''
  let driver = cause
  // Drizzle's own message holds the statement and its values.
  while (driver instanceof Error && driver.cause !== undefined) driver = driver.cause
  return driver instanceof Error && !(driver instanceof DrizzleQueryError) ? ` (${firstLine(driver)})` : ''
}

const FILE_ERRORS: Record<string, string> = {
  EACCES: 'may not be read or written by this user',
  EPERM: 'may not be read or written by this user',
  EEXIST: 'is there already',
  'mkdir EEXIST': 'is a file where a folder should be',
  EISDIR: 'is a folder, not a file',
  ENOENT: 'does not exist',
  ENOSPC: 'cannot be written: the disk is full',
  ENOTDIR: 'leads through a file as if it were a folder',
  EROFS: 'cannot be written: the file system is read-only',
}

/** A refusal of the operating system, as a sentence. */
function wordsOfFileError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '', syscall, path } = error as NodeJS.ErrnoException
  const words = FILE_ERRORS[`${syscall} ${code}`] ?? FILE_ERRORS[code]
  return words === undefined ? undefined : `${path ?? 'The path'} ${words}.`
}

const firstLine = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
