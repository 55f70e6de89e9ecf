/**
 * The layer under every operator's command. A command declares itself once and gets: `--help` with examples,
 * `--database`, `--json` (one document on standard output, nothing else there), `--dry-run` where it changes data,
 * progress on standard error, batches that a signal stops in between, a summary, and exit codes that mean something:
 * 0 done, 1 found or failed, 2 called wrongly, 130 or 143 stopped by a signal.
 */
import { Command, CommanderError, InvalidArgumentError } from '@commander-js/extra-typings'
import type { Database, Transaction } from '../../db/index.ts'
import type { Config } from '../../src/config/config.ts'
import { type BatchOptions, writeInBatches } from './batches.ts'
import { configurationOf, databaseUrlOf, openExisting } from './database.ts'
import { explainError, redact, UsageError } from './explain.ts'
import { createProgress, durationOf, type Progress } from './progress.ts'
import { Interrupted, stoppable } from './stop.ts'

export interface Declaration {
  name: string
  summary: string
  /** What follows `bun run NAME`, and what that does. */
  examples: [parameters: string, meaning: string][]
  /** Whatever else a reader of `--help` must know. */
  notes?: string
  /** Whether it works on a database. Default: true. */
  database?: boolean
  /** Whether it changes data, and so takes `--dry-run`. Default: false. */
  changes?: boolean
}

export type StandardOptions = {
  json?: true
  database?: string
  dryRun?: true
}

/** What a command found or did. */
export interface Outcome {
  /** The document of `--json`. */
  answer: object
  /** What a person reads; empty for nothing. */
  text: string
  /** Something was found that should not be: leaves with 1. */
  found?: boolean
  /** Rows (or migrations, purchases, fans) changed, or that would be; with it goes a summary. */
  changed?: number
  /** `text` says that already: the summary is for `--json` alone. */
  told?: boolean
}

export interface Session<Arguments, Options> {
  parameters: Arguments
  options: Options
  databaseUrl(): string
  /** The configuration of the API, with `--database` in it. @throws ConfigError */
  configuration(): Promise<Readonly<Config>>
  /** Closed at the end. */
  openDatabase(): Promise<Database>
  /** Closes at the end what the command opened itself. */
  closeAtEnd<T extends { close(): Promise<void> }>(opened: T): T
  progress(noun: string): Progress
  /**
   * Writes item by item, beside a live API; see `batches.ts`. A signal stops it between two batches. `total` is for
   * the progress, where `items` is no array and somebody knows it.
   */
  writeInBatches<Item>(
    db: Database,
    noun: string,
    items: Iterable<Item> | AsyncIterable<Item>,
    write: (tx: Transaction, item: Item) => Promise<unknown>,
    options?: Pick<BatchOptions, 'beforeCommit' | 'exclusive'> & { total?: number },
  ): Promise<number>
  /** A line on standard error. */
  note(line: string): void
  /** Text on standard output, once it has been taken. */
  print(text: string): Promise<void>
}

const EXIT_NOTES =
  'Leaves with 0 when it is done, 1 when something was found or failed, 2 when it is called wrongly.'

/** Arguments and options of its own are added to what this answers. */
export function declareCommand({ name, summary, examples, notes, database = true, changes }: Declaration) {
  const command = new Command(`bun run ${name}`)
    .description(summary)
    .option('--json', 'answer with one JSON document')
  if (database) command.option('--database <url>', 'sqlite:PATH or postgres://… (default: DATABASE_URL)')
  if (changes) command.option('--dry-run', 'show what would change, and change nothing')
  const lines = examples.map(([parameters]) => `bun run ${name} ${parameters}`.trimEnd())
  const width = Math.max(...lines.map(line => line.length))
  const shown = examples.map(([, meaning], at) =>
    `  ${(lines[at] ?? '').padEnd(width)}  ${meaning}`.trimEnd(),
  )
  command.addHelpText(
    'after',
    `\nExamples:\n${shown.join('\n')}\n\n${notes ? `${notes}\n\n` : ''}${EXIT_NOTES}`,
  )
  // Guarantee: an option that was not added above is never set.
  return command as unknown as Command<[], StandardOptions>
}

/** Parses the command line, runs, reports, and ends the process. */
export async function runCommand<Arguments extends unknown[], Options extends StandardOptions>(
  command: Command<Arguments, Options>,
  run: (session: Session<Arguments, Options>) => Promise<Outcome | undefined>,
): Promise<never> {
  const started = performance.now()
  const opened: { close(): Promise<void> }[] = []
  command
    .exitOverride()
    .showHelpAfterError()
    .configureOutput({ outputError: (text, write) => write(redact(text)) })

  async function attempt(): Promise<number> {
    command.parse()
    const session = createSession(command, opened)
    const outcome = await run(session).finally(() => closeAll(opened))
    if (!outcome) return 0
    const { answer, text, found, changed, told } = outcome
    const ms = performance.now() - started
    const { json, dryRun } = session.options
    if (json) {
      const summary =
        changed === undefined ? {} : { dryRun: dryRun ?? false, changed, seconds: Math.round(ms) / 1000 }
      await session.print(`${JSON.stringify({ ...answer, ...summary })}\n`)
    } else {
      const summary = changed === undefined || told ? [] : [summaryOf(changed, ms, dryRun ?? false)]
      const lines = [...(text === '' ? [] : [text]), ...summary]
      if (lines.length > 0) await session.print(`${lines.join('\n')}\n`)
    }
    return found ? 1 : 0
  }
  process.exit(await attempt().catch(error => leave(command, error)))
}

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
  const databaseUrl = () => databaseUrlOf(options.database)
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

interface Called {
  name(): string
  opts(): StandardOptions
  error(message: string): never
}

/** Says why, and answers the exit code. */
async function leave(command: Called, error: unknown): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof UsageError) {
    try {
      command.error(`error: ${error.message}`)
    } catch {
      return 2
    }
  }
  if (error instanceof Interrupted) {
    process.stderr.write(`Stopped after ${error.done}. To go on: ${commandLineOf(command.name())}\n`)
    return error.exitCode
  }
  const message = explainError(error)
  process.stderr.write(`${message}\n`)
  if (command.opts().json) await printAll(`${JSON.stringify({ error: message })}\n`)
  return 1
}

/** The very command line, as a shell takes it; without passwords. */
function commandLineOf(name: string): string {
  const quoted = process.argv
    .slice(2)
    .map(word => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
  return redact([name, ...quoted].join(' '))
}

/** Resolves when the text has been handed over: a process that leaves earlier cuts a pipe short. */
function printAll(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, error => (error ? reject(error) : resolve()))
  })
}

/** Reads a whole number up to `most`, for an option or argument. */
export const wholeNumber =
  (most: number) =>
  (text: string): number => {
    if (/^\d+$/.test(text) && Number(text) <= most) return Number(text)
    throw new InvalidArgumentError(`It must be a whole number up to ${most}.`)
  }

/** Reads an instant of ISO 8601; a date alone is its midnight, UTC. */
export function instant(text: string): Date {
  const at = new Date(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : (text.match(ZONED)?.[0] ?? ''))
  if (!Number.isNaN(at.getTime())) return at
  throw new InvalidArgumentError(
    'It must be a date, or an instant with its zone, such as 2026-08-01T12:00:00Z.',
  )
}

const ZONED = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/

/** Reads words parted by commas, all of which must be of the kind. */
export const listOf =
  <Word extends string>(isOne: (word: string) => word is Word) =>
  (text: string): Word[] => {
    const words = text.split(',').map(word => word.trim())
    if (words.every(isOne)) return words
    throw new InvalidArgumentError(`There is no ${words.find(word => !isOne(word)) || 'empty name'}.`)
  }
