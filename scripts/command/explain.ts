/** Errors as one line for the operator, without stack traces and secrets. */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { DrizzleQueryError } from 'drizzle-orm'
import {
  BackupFault,
  DatabaseError,
  databaseCodeOf,
  describeRefusal,
  describeViolation,
  SchemaError,
  translateDatabaseError,
} from '../../db/index.ts'
import { commandLine } from '../../src/core/command-line.ts'
import { DomainError } from '../../src/core/problems.ts'
import { ConfigError } from '../../src/platform/config/config.ts'

/** The command failed; exits with 1. */
export class CommandFailure extends Error {}

/** A usage error; exits with 2 and prints the usage. */
export class UsageError extends Error {}

export function fail(message: string): never {
  throw new CommandFailure(message)
}

export function failUsage(message: string): never {
  throw new UsageError(message)
}

/** Removes the passwords of URLs from a text. */
export function redact(text: string): string {
  return text
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@]*):\S*@/gi, '$1:***@')
    .replace(/([?&]password=)[^&\s'"]*/gi, '$1***')
}

export function explainError(error: unknown): string {
  return redact(messageOf(translateDatabaseError(error)))
}

function messageOf(error: unknown): string {
  if (error instanceof DomainError) {
    const where = error.explanation.errors?.map(({ message, ...at }) => `${Object.values(at)[0]} ${message}`)
    const { code, explanation, type }: DomainError = error
    return `${code}: ${where?.join('; ') ?? explanation.detail ?? type.title}`
  }
  // Lists every configuration problem; it contains names of variables, not values.
  if (error instanceof ConfigError || error instanceof SchemaError) return error.message
  if (error instanceof DatabaseError) {
    const code = databaseCodeOf(error)
    return error.fault === 'outdated'
      ? `The database is behind this version: run \`${commandLine('migrate')}\` first.`
      : `The database cannot be used: ${error.message}${code === undefined ? '' : ` (${code})`}.`
  }
  // Written for the operator; may have several lines.
  if (error instanceof CommandFailure || error instanceof BackupFault) return error.message
  // Messages of the database and of Drizzle contain names, the statement and its values.
  const violation = describeViolation(error)
  if (violation !== undefined)
    return `The database refused the change, and nothing of it was kept: ${violation}. This is a defect of the command; report it.`
  const refusal = describeRefusal(error)
  if (refusal !== undefined || error instanceof DrizzleQueryError)
    return `The database rejected the statement: ${refusal ?? 'it gives no code'}.`
  if (error instanceof Error && error.name === 'S3Error')
    return `The bucket of UPLOADS cannot be used: ${firstLine(error)}`
  return fileErrorMessage(error) ?? firstLine(error)
}

const FILE_ERRORS: Record<string, string> = {
  EACCES: 'is not readable or writable by this user',
  EPERM: 'is not readable or writable by this user',
  EEXIST: 'already exists',
  'mkdir EEXIST': 'is a file, not a directory',
  EISDIR: 'is a directory, not a file',
  ENOENT: 'does not exist',
  ENOSPC: 'cannot be written: the disk is full',
  ENOTDIR: 'contains a file where a directory is needed',
  EROFS: 'cannot be written: the file system is read-only',
}

/** A file could not be written. `path` as the operator named it: the error may have a temporary name. */
export function failFile(error: unknown, path: string): never {
  const folder = dirname(path)
  if (!existsSync(folder))
    fail(`The folder ${folder} does not exist: create it first, or name a file in another one.`)
  fail(fileErrorMessage(error, path) ?? `${path} cannot be written: ${firstLine(error)}`)
}

/** A step of writing a file: explains its error. */
export function ofFile<Result>(path: string, step: () => Result): Result {
  try {
    return step()
  } catch (error) {
    return failFile(error, path)
  }
}

/** An error of the operating system as a sentence. */
function fileErrorMessage(error: unknown, named?: string): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '', syscall, path } = error as NodeJS.ErrnoException
  const words = FILE_ERRORS[`${syscall} ${code}`] ?? FILE_ERRORS[code]
  return words === undefined ? undefined : `${named ?? path ?? 'The path'} ${words}.`
}

const firstLine = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
