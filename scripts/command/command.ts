/**
 * The framework of the operators' commands. A declared command gets `--help` with examples, `--database`, `--json` (only one
 * document on standard output), `--dry-run` if it changes data, progress on standard error, batches that a signal
 * interrupts, a summary, and exit codes: 0 success, 1 finding or failure, 2 usage error, 130 or 143 stopped by a signal, 141
 * if the reader of its output has closed.
 */
import { Command, CommanderError, InvalidArgumentError } from '@commander-js/extra-typings'
import type { Database, Transaction } from '../../db/index.ts'
import { commandLine } from '../../src/core/command-line.ts'
import type { Config } from '../../src/platform/config/config.ts'
import { applyNote } from '../dev/note.ts'
import { type BatchOptions, writeInBatches } from './batches.ts'
import { configurationOf, databaseUrlOf, openExisting, replicaUrlOf } from './database.ts'
import { explainError, redact, UsageError } from './explain.ts'
import { createProgress, durationOf, type Progress } from './progress.ts'
import { Interrupted, stoppable } from './stop.ts'

export interface Declaration {
  name: string
  summary: string
  /** The parameters after the name, and their effect. */
  examples: [parameters: string, meaning: string][]
  /** Further text of `--help`. */
  notes?: string
  /** Whether it has a result, and so `--json`. Default: true. */
  json?: boolean
  /** Whether it uses a database. Default: true. */
  database?: boolean
  /** Whether it changes data and so has `--dry-run`. Default: false. */
  changes?: boolean
  /** Whether it only reads, and so has `--from-replica`. Default: false. */
  reads?: boolean
}

export type StandardOptions = {
  json?: true
  database?: string
  fromReplica?: true
  dryRun?: true
}

/** The result of a command. */
export interface CommandResult {
  /** The output of `--json`. */
  json: object
  /** The output without `--json`; may be empty. */
  text: string
  /** A problem was found: the command exits with 1. */
  found?: boolean
  /** The number of changed rows, or in a dry run of rows that would change. Adds a summary to the output. */
  changed?: number
  /** `text` contains the summary: it is added only to `--json`. */
  textHasSummary?: boolean
}

export interface Session<Arguments, Options> {
  parameters: Arguments
  options: Options
  databaseUrl(): string
  /** The configuration of the API, with the database of `--database`. @throws ConfigError */
  configuration(): Promise<Readonly<Config>>
  /** Opens the database; it is closed at the end. */
  openDatabase(): Promise<Database>
  /** Registers a resource that is closed at the end. */
  closeAtEnd<T extends { close(): Promise<void> }>(opened: T): T
  progress(noun: string): Progress
  /**
   * Writes item by item while the API serves; see `batches.ts`. A signal stops it between two batches. `total` is for
   * the progress if `items` is not an array.
   */
  writeInBatches<Item>(
    db: Database,
    noun: string,
    items: Iterable<Item> | AsyncIterable<Item>,
    write: (tx: Transaction, item: Item) => Promise<unknown>,
    options?: Pick<BatchOptions<Item>, 'ahead' | 'beforeCommit' | 'countOf' | 'exclusive'> & {
      total?: number
    },
  ): Promise<number>
  /** Prints a line to standard error. */
  note(line: string): void
  /** Prints text to standard output; resolves when it is written. */
  print(text: string): Promise<void>
}

const EXIT_NOTES = 'Exit codes: 0 success, 1 a problem was found or the command failed, 2 usage error.'

/** The exit code after SIGPIPE, which Bun ignores: the reader needs no more output, so the command ends. */
const OUTPUT_CLOSED = 141

/** The reader of standard output has closed it, as `head` does. */
class OutputClosed extends Error {}

/** Returns a commander command; add further arguments and options to it. */
export function declareCommand({ name, summary, examples, notes, ...uses }: Declaration) {
  const { json = true, database = true, changes = false, reads = false } = uses
  const command = new Command(commandLine(name)).description(summary)
  if (json) command.option('--json', 'print one JSON document')
  if (database) command.option('--database <url>', 'sqlite:PATH or postgres://… (default: DATABASE_URL)')
  if (reads) command.option('--from-replica', 'read the replica of DATABASE_READ_URL, which may be behind')
  if (changes) command.option('--dry-run', 'show what would change without changing it')
  const lines = examples.map(([parameters]) => `${commandLine(name)} ${parameters}`.trimEnd())
  const width = Math.max(...lines.map(line => line.length))
  const shown = examples.map(([, meaning], index) =>
    `  ${(lines[index] ?? '').padEnd(width)}  ${meaning}`.trimEnd(),
  )
  command.addHelpText(
    'after',
    `\nExamples:\n${shown.join('\n')}\n\n${notes ? `${notes}\n\n` : ''}${EXIT_NOTES}`,
  )
  // Guarantee: options that were not added above are never set.
  return command as unknown as Command<[], StandardOptions>
}

/** Parses the command line, runs the command, prints its outcome, and exits the process. */
export async function runCommand<Arguments extends unknown[], Options extends StandardOptions>(
  command: Command<Arguments, Options>,
  run: (session: Session<Arguments, Options>) => Promise<CommandResult | undefined>,
): Promise<never> {
  const started = performance.now()
  const opened: { close(): Promise<void> }[] = []
  // A closed standard error does not end the command.
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => {})
  command
    .exitOverride()
    .showHelpAfterError()
    .configureOutput({ outputError: (text, write) => write(redact(text)) })

  async function attempt(): Promise<number> {
    command.parse()
    const decided =
      usesDatabase(command) && command.opts().database === undefined ? applyNote(process.env) : null
    if (decided !== null) process.stderr.write(`${redact(decided)}\n`)
    const session = createSession(command, opened)
    const outcome = await run(session).finally(() => closeAll(opened))
    if (!outcome) return 0
    const { json: document, text, found, changed, textHasSummary } = outcome
    const ms = performance.now() - started
    const { json, dryRun } = session.options
    if (json) {
      const summary =
        changed === undefined ? {} : { dryRun: dryRun ?? false, changed, seconds: Math.round(ms) / 1000 }
      await session.print(`${JSON.stringify({ ...document, ...summary })}\n`)
    } else {
      const summary = changed === undefined || textHasSummary ? [] : [summaryOf(changed, ms, dryRun ?? false)]
      const lines = [...(text === '' ? [] : [text]), ...summary]
      if (lines.length > 0) await session.print(`${lines.join('\n')}\n`)
    }
    return found ? 1 : 0
  }
  process.exit(await attempt().catch(error => reportError(command, error)))
}

const usesDatabase = (command: { options: readonly { long?: string | undefined }[] }) =>
  command.options.some(({ long }) => long === '--database')

function createSession<Arguments extends unknown[], Options extends StandardOptions>(
  command: Command<Arguments, Options>,
  opened: { close(): Promise<void> }[],
): Session<Arguments, Options> {
  const options = command.opts()
  const note = (line: string) => void process.stderr.write(`${redact(line)}\n`)
  const closeAtEnd = <T extends { close(): Promise<void> }>(resource: T) => {
    opened.push(resource)
    return resource
  }
  const databaseUrl = () =>
    options.fromReplica ? replicaUrlOf(options.database) : databaseUrlOf(options.database)
  return {
    parameters: command.processedArgs,
    options: options as Options,
    databaseUrl,
    configuration: () => configurationOf(options.database),
    openDatabase: async () => closeAtEnd(await openExisting(databaseUrl())),
    closeAtEnd,
    progress: createProgress,
    note,
    print: printAll,
    writeInBatches(db, noun, items, write, { total, ...options } = {}) {
      const progress = createProgress(noun)
      const known = total ?? (Array.isArray(items) ? items.length : undefined)
      return stoppable(stopRequested =>
        writeInBatches(db, items, write, {
          ...options,
          stopRequested,
          onBatch: ({ done }) => progress(done, known),
        }),
      ).finally(() => progress.end())
    },
  }
}

async function closeAll(opened: { close(): Promise<void> }[]) {
  for (const resource of opened.toReversed()) await resource.close()
}

/** `3 rows changed in 0.4 s (8/s).` */
function summaryOf(changed: number, ms: number, dryRun: boolean): string {
  const rows = `${changed} row${changed === 1 ? '' : 's'}`
  if (dryRun) return `${rows} would change; nothing was written (--dry-run).`
  return `${rows} changed in ${durationOf(ms)} (${Math.round((changed * 1000) / Math.max(ms, 1))}/s).`
}

interface FailedCommand {
  name(): string
  opts(): StandardOptions
  error(message: string): never
}

/** Prints the error and returns the exit code. */
async function reportError(command: FailedCommand, error: unknown): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof UsageError) {
    try {
      command.error(`error: ${error.message}`)
    } catch {
      return 2
    }
  }
  if (error instanceof Interrupted) {
    process.stderr.write(`Stopped after ${error.done}. To continue: ${commandLineOf(command.name())}\n`)
    return error.exitCode
  }
  if (error instanceof OutputClosed) return OUTPUT_CLOSED
  const message = explainError(error)
  process.stderr.write(`${message}\n`)
  if (command.opts().json) await printAll(`${JSON.stringify({ error: message })}\n`)
  return 1
}

/** The command line, quoted for a shell, without passwords. */
function commandLineOf(name: string): string {
  const quoted = process.argv
    .slice(2)
    .map(word => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
  return redact([name, ...quoted].join(' '))
}

/** Resolves when the text is written: an earlier exit would truncate a pipe. */
function printAll(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, error => {
      if (!error) resolve()
      else reject((error as { code?: unknown }).code === 'EPIPE' ? new OutputClosed() : error)
    })
  })
}

/** Parses a whole number up to `max`, for an option or argument. */
export const wholeNumber =
  (max: number) =>
  (text: string): number => {
    if (/^\d+$/.test(text) && Number(text) <= max) return Number(text)
    throw new InvalidArgumentError(`It must be a whole number up to ${max}.`)
  }

/** Parses an ISO 8601 instant; a date without time means midnight UTC. */
export function instant(text: string): Date {
  const at = new Date(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : (text.match(ZONED)?.[0] ?? ''))
  if (!Number.isNaN(at.getTime())) return at
  throw new InvalidArgumentError(
    'It must be a date, or an instant with a time zone, such as 2026-08-01T12:00:00Z.',
  )
}

const ZONED = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/

/** Parses a comma-separated list of words that `isOne` accepts. */
export const listOf =
  <Word extends string>(isOne: (word: string) => word is Word) =>
  (text: string): Word[] => {
    const words = text.split(',').map(word => word.trim())
    if (words.every(isOne)) return words
    throw new InvalidArgumentError(`Unknown name: ${words.find(word => !isOne(word)) || '(empty)'}.`)
  }
