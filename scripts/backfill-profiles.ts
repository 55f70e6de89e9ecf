/** `bun run backfill-profiles`: makes stored fans agree with the ledger, the provider and today's rules. */
import { pino } from 'pino'
import type { Database } from '../db/index.ts'
import { countMirrors, listPullable, pullMirror } from '../src/admin/pull-mirrors.ts'
import type { Config } from '../src/config/config.ts'
import { realSources } from '../src/core/sources.ts'
import { createGuardedFetch } from '../src/core/ssrf-guard.ts'
import { createDeps } from '../src/deps.ts'
import { repairLedger, repairProfiles, reportOrphans, type Tally } from './backfill-profiles/repairs.ts'
import { openChangeReport } from './command/change-report.ts'
import { declareCommand, runCommand, wholeNumber } from './command/command.ts'
import { misuse } from './command/explain.ts'
import type { Progress } from './command/progress.ts'
import { Interrupted, stoppable } from './command/stop.ts'

const DAY_MS = 86_400_000

const command = declareCommand({
  name: 'backfill-profiles',
  summary: `Makes what is stored of fans consistent:
  ledger    accounts and places by the entries, never the other way; a broken chain is named and left
  profiles  display names, handles, countries, locales by today's rules: put into form, or named
  orphans   rows whose user is gone: named
  mirrors   the provider's data, missing or old: counted, and with --sync pulled as far as anybody may`,
  examples: [
    ['--dry-run', 'what would change, and what is for a person to decide'],
    ['--report changes.ndjson', 'does it; every change, before and after, is in the file before it is made'],
    ['--sync --rate 2', 'asks the provider as well, twice a second'],
    ['--sync --after USER', 'goes on where an earlier --sync was stopped'],
  ],
  notes: `The provider answers for a fan to their own session token alone, so --sync can pull only those whose token is held:
of a sync that an outage put off, or of a device that signed in lately. All others come with the fan's next sign-in or the
provider's next webhook. The report holds what fans wrote: keep it as you keep the database.`,
  changes: true,
})
  .option('--report <file>', 'append every change to it as a line of JSON')
  .option('--sync', 'pull mirrors from the provider')
  .option('--rate <n>', 'questions to the provider a second', wholeNumber(1_000), 5)
  .option('--after <user>', 'pull those after this user id')
  .option('--stale-days <n>', 'a mirror is old after so many days', wholeNumber(36_500), 30)

await runCommand(command, async session => {
  const { options, openDatabase, closeAtEnd, configuration, writeInBatches, progress, note } = session
  const dryRun = options.dryRun ?? false
  if (options.after !== undefined && !options.sync) misuse('--after needs --sync')
  if (options.rate === 0) misuse('--rate must be at least 1')
  const report = closeAtEnd(openChangeReport(options.report))
  const db = await openDatabase()
  const bench = {
    db,
    dryRun,
    report,
    write: <Item>(noun: string, items: Item[], work: Parameters<typeof writeInBatches<Item>>[3]) =>
      writeInBatches(db, noun, items, work, { beforeCommit: report.flush }),
    onProgress: progress('fans read'),
  }
  const staleBefore = new Date(db.read.now().getTime() - options.staleDays * DAY_MS)
  const tallies: Record<string, Tally> = {
    orphans: await reportOrphans(bench),
    ledger: await repairLedger(bench),
    profiles: await repairProfiles(bench),
  }
  bench.onProgress.end()
  const found = await countMirrors(db.read, staleBefore)
  const pull = options.sync
    ? await pullMirrors({
        ...options,
        db,
        config: await configuration(),
        staleBefore,
        dryRun,
        note,
        progress: progress('mirrors'),
      })
    : { pullable: null, pulled: 0 }
  const mirrors = { ...found, ...pull }
  const changed = Object.values(tallies).reduce((sum, tally) => sum + tally.changed, mirrors.pulled)
  const left = Object.values(tallies).reduce((sum, tally) => sum + tally.left, 0)
  const pulled = pull.pullable === null ? '' : `, ${pull.pullable} with a token, ${pull.pulled} pulled`
  const lines = [
    ...Object.entries(tallies).map(([name, tally]) => lineOf(name, tally, dryRun)),
    `mirrors   ${found.missing} missing, ${found.stale} older than ${options.staleDays} days${pulled}`,
  ]
  const plain = Object.fromEntries(
    Object.entries(tallies).map(([name, { changed, left, examples, points }]) => [
      name,
      { changed, left, examples, points },
    ]),
  )
  return { answer: { ...plain, mirrors }, text: lines.join('\n'), changed, found: left > 0 }
})

function lineOf(name: string, { changed, left, examples, points }: Tally, dryRun: boolean): string {
  const more = left > examples.length ? '\n    …' : ''
  const some = examples.length > 0 ? `:\n    ${examples.join('\n    ')}${more}` : ''
  const moved = points && points.added + points.removed > 0
  const amount = moved ? `, balances ${points.added} points up and ${points.removed} down` : ''
  return `${name.padEnd(8)}  ${changed} ${dryRun ? 'to repair' : 'repaired'}${amount}, ${left} left${some}`
}

interface Pull {
  db: Database
  config: Config
  staleBefore: Date
  after?: string
  rate: number
  dryRun: boolean
  note(line: string): void
  progress: Progress
}

/** One question at a time, and no more than `rate` a second. A signal stops it between two. */
async function pullMirrors({ db, config, staleBefore, after, rate, dryRun, note, progress }: Pull) {
  const log = pino({ level: 'silent' })
  const fetch = createGuardedFetch({ publicOnly: config.identity.publicOnly })
  const deps = await createDeps({ config, db, log, sources: realSources, fetch })
  const tally = { pullable: 0, pulled: 0 }
  await stoppable(async requested => {
    let last = after
    for await (const fan of listPullable(db.read, staleBefore, after)) {
      const signal = requested()
      if (signal) {
        if (last !== undefined) note(`Pulled up to ${last}: --after ${last} goes on behind it.`)
        throw new Interrupted(signal, tally.pullable)
      }
      last = fan.userId
      tally.pullable++
      if (dryRun) continue
      const next = performance.now() + 1000 / rate
      if (await pullMirror(deps, fan)) tally.pulled++
      progress(tally.pullable)
      await Bun.sleep(Math.max(0, next - performance.now()))
    }
  }).finally(() => progress.end())
  return tally
}
