/** `bun run clubs list | create | migrate | verify | backup`: several clubs on one machine, each with a file of settings. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Argument } from '@commander-js/extra-typings'
import { realSources } from '../src/core/sources.ts'
import { type Club, databaseOf, findCollisions, isClubName, readClubs, writeClub } from './clubs/club.ts'
import { backUpClub, type Outcome, runCommandOf, verifyClub } from './clubs/run.ts'
import { type CommandResult, declareCommand, runCommand } from './command/command.ts'
import { isDirectory } from './command/database.ts'
import { explainError, fail, failUsage } from './command/explain.ts'
import { Interrupted, stoppable } from './command/stop.ts'

const ACTIONS = ['list', 'create', 'migrate', 'verify', 'backup'] as const

const command = declareCommand({
  name: 'clubs',
  summary:
    'Runs commands over several clubs, each with a file of settings (clubs/NAME.env), and shows the results.',
  examples: [
    ['list', 'the clubs, with their ports and databases; fails if two share one'],
    [
      'create harbour --template club.env',
      'writes clubs/harbour.env, with ports, schema and secrets of its own',
    ],
    ['migrate --all', 'migrates the databases of all clubs'],
    ['verify --all', 'verify-ledger, verify-quests, verify-pictures and audit verify, for each club'],
    ['backup harbour valley', 'a verified backup of SQLite, or a dump by pg_dump'],
  ],
  notes:
    'The template contains the settings that clubs share; {club} is replaced by the name of the club, such as\n' +
    'DATABASE_URL=postgres://matchday_{club}@127.0.0.1/clubs. Existing clubs are not changed.\n' +
    'After a failure, the command continues with the other clubs, and exits with 1.',
  database: false,
  changes: true,
})
  .addArgument(new Argument('<action>', 'what to do').choices(ACTIONS))
  .argument('[clubs...]', 'names of clubs')
  .option('--all', 'migrate, verify, backup: all clubs')
  .option('--folder <folder>', 'folder of the files of settings', 'clubs')
  .option('--template <file>', 'create: settings of each club')
  .option('--port <number>', 'create: the first port that a club may have', '3000')
  .option('--backups <folder>', 'backup: folder of the backups, in which each club has one', 'backups')

await runCommand(command, async ({ parameters: [action, names], options, note, print }) => {
  const { folder, all = false, dryRun = false } = options
  if (dryRun && (action === 'list' || action === 'verify'))
    failUsage(`${action} changes nothing: it takes no --dry-run`)
  if (action === 'list' && names.length > 0) failUsage('list shows all clubs: it takes no names')
  if (action === 'create') return create(names)
  if (!existsSync(folder)) fail(`There is no folder ${folder}: \`clubs create\` makes it.`)
  const clubs = readClubs(folder)
  if (clubs.length === 0) fail(`There are no clubs in ${folder}: \`clubs create\` makes them.`)
  if (action === 'list') return list(clubs)
  if (names.length > 0 === all) failUsage(`${action} requires names of clubs, or --all`)
  const missing = names.find(name => !clubs.some(club => club.name === name))
  if (missing !== undefined) fail(`There is no ${join(folder, `${missing}.env`)}.`)
  const at = realSources.now()
  type Run = (club: Club, isStopped: () => boolean) => Promise<Outcome>
  const runs: Record<typeof action, Run> = {
    migrate: club => runCommandOf(club, 'migrate', ...(dryRun ? ['--dry-run'] : [])),
    verify: verifyClub,
    backup: club => backUpClub(club, { folder: options.backups, at, dryRun }),
  }
  const results: Result[] = []
  const signal = await stoppable(async requested => {
    for (const club of clubs.filter(({ name }) => all || names.includes(name))) {
      const started = performance.now()
      const { fault } = club
      // A folder of one club that cannot be written must not keep the others from their turn.
      const outcome = fault
        ? { ok: false, said: fault }
        : await runs[action](club, () => requested() !== undefined).catch(error => ({
            ok: false,
            said: explainError(error),
          }))
      const seconds = Math.round(performance.now() - started) / 1_000
      results.push({ club: club.name, ...outcome, seconds })
      note(`${club.name}: ${outcome.ok ? 'done' : 'failed'} after ${seconds.toFixed(1)} s`)
      if (requested()) break
    }
    return requested()
  })
  const summary = summarize(results)
  if (!signal) return summary
  await print(`${options.json ? JSON.stringify(summary.json) : summary.text}\n`)
  throw new Interrupted(signal, results.length)

  async function create(wanted: string[]): Promise<CommandResult> {
    if (wanted.length === 0 || all) failUsage('create requires names of clubs')
    const wrong = wanted.find(name => !isClubName(name))
    if (wrong !== undefined)
      failUsage(
        `${wrong} is not a valid name of a club: at most 22 characters, a-z, 0-9 and _, the first a letter, not beginning with pg_`,
      )
    const { template: path, port } = options
    if (path === undefined) return failUsage('create requires --template')
    if (!existsSync(path)) fail(`There is no file ${path}.`)
    if (isDirectory(path)) fail(`${path} is a directory: name the file of the template.`)
    const base = Number(port)
    if (!Number.isInteger(base) || base < 1 || base > 65_000) failUsage('--port must be 1 to 65000')
    if (dryRun) return plan(folder, wanted)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const template = readFileSync(path, 'utf8')
    const created: Club[] = []
    for (const name of wanted) {
      const present = readClubs(folder)
      // Its ports are taken, and not known.
      const unread = present.find(({ fault }) => fault)
      if (unread?.fault) fail(unread.fault)
      if (present.some(club => club.name === name))
        note(`${join(folder, `${name}.env`)} exists, and was not changed.`)
      else created.push(await writeClub(folder, name, { template, base, clubs: present }))
    }
    const collisions = findCollisions(readClubs(folder))
    return {
      json: { created: created.map(({ name, path }) => ({ club: name, path })), collisions },
      text: [...created.map(({ path }) => `Wrote ${path}.`), ...collisions.map(one => `${one}.`)].join('\n'),
      found: collisions.length > 0,
    }
  }
})

function plan(folder: string, wanted: string[]): CommandResult {
  const paths = wanted.map(name => join(folder, `${name}.env`)).filter(path => !existsSync(path))
  const text = [...paths.map(path => `Would write ${path}.`), 'Nothing was written (--dry-run).'].join('\n')
  return { json: { dryRun: true, created: paths }, text }
}

function list(clubs: Club[]): CommandResult {
  const rows = clubs.map(club => ({
    club: club.name,
    port: club.env.PORT ?? '3000',
    database: club.fault ?? databaseOf(club),
  }))
  const collisions = findCollisions(clubs)
  return {
    json: { clubs: rows, collisions },
    text: [
      ...tableOf(rows.map(({ club, port, database }) => [club, port, database])),
      ...collisions.map(one => `${one}.`),
    ].join('\n'),
    found: collisions.length > 0 || clubs.some(({ fault }) => fault),
  }
}

type Result = Outcome & { club: string; seconds: number }

function summarize(results: Result[]): CommandResult {
  const failed = results.filter(({ ok }) => !ok).length
  const rows = results.map(({ club, ok, seconds, said }) => [
    ...[club, ok ? 'ok' : 'failed', `${seconds.toFixed(1)} s`, said],
  ])
  return {
    json: { results, failed },
    text: [...tableOf(rows), `${results.length - failed} of ${results.length} clubs succeeded.`].join('\n'),
    found: failed > 0,
  }
}

/** Lines with columns of equal width. */
function tableOf(rows: string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  return rows.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
