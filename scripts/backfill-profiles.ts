/** `bun run backfill-profiles`: repairs stored fans, from the ledger, the provider and the current rules. */
import { pino } from 'pino'
import type { Database } from '../db/index.ts'
import { createDeps } from '../src/app/deps.ts'
import { realSources } from '../src/core/sources.ts'
import { createGuardedFetch } from '../src/core/ssrf-guard.ts'
import { countMirrors, listPullable, pullMirror } from '../src/operate/admin/pull-mirrors.ts'
import type { Config } from '../src/platform/config/config.ts'
import {
  type RepairSummary,
  repairLedger,
  repairProfiles,
  reportOrphans,
} from './backfill-profiles/repairs.ts'
import { openChangeReport } from './command/change-report.ts'
import { declareCommand, runCommand, wholeNumber } from './command/command.ts'
import { failUsage } from './command/explain.ts'
import type { Progress } from './command/progress.ts'
import { Interrupted, stoppable } from './command/stop.ts'

const DAY_MS = 86_400_000

const command = declareCommand({
  name: 'backfill-profiles',
  summary: `Repairs the stored data of fans:
  ledger    accounts and leaderboards are recomputed from the entries; broken hash chains are only reported
  profiles  display names, handles, countries, locales are normalized by the current rules, or reported
  orphans   rows without a user are reported
  mirrors   missing or old data of the provider is counted, and with --sync updated where a token is stored`,
  examples: [
    ['--dry-run', 'shows what would change, and what needs a decision'],
    ['--report changes.ndjson', 'repairs; writes each change with old and new value to the file first'],
    ['--sync --rate 2', 'also requests the provider, twice per second'],
    ['--sync --after USER', 'continues an interrupted --sync'],
  ],
  notes: `The provider returns a fan's data only for the fan's own session token. --sync can therefore update only fans with a
stored token: of a deferred sync, or of a recent sign-in on a device. The others are updated at their next sign-in or by
the provider's next webhook. The report contains personal data: protect it like the database.`,
  changes: true,
})
  .option('--report <file>', 'append every change as a line of JSON')
  .option('--sync', 'update mirrors from the provider')
  .option('--rate <n>', 'requests to the provider per second', wholeNumber(1_000), 5)
  .option('--after <user>', 'start after this user id')
  .option('--stale-days <n>', 'age in days after which a mirror is old', wholeNumber(36_500), 30)

await runCommand(command, async session => {
  const { options, openDatabase, closeAtEnd, configuration, writeInBatches, progress, note } = session
  const dryRun = options.dryRun ?? false
  if (options.after !== undefined && !options.sync) failUsage('--after requires --sync')
  if (options.rate === 0) failUsage('--rate must be at least 1')
  const report = closeAtEnd(openChangeReport(options.report))
  const db = await openDatabase()
  const context = {
    db,
    dryRun,
    report,
    write: <Item>(noun: string, items: Item[], work: Parameters<typeof writeInBatches<Item>>[3]) =>
      writeInBatches(db, noun, items, work, { beforeCommit: report.flush }),
    onProgress: progress('fans read'),
  }
  const staleBefore = new Date(db.read.now().getTime() - options.staleDays * DAY_MS)
  const summaries: Record<string, RepairSummary> = {
    orphans: await reportOrphans(context),
    ledger: await repairLedger(context),
    profiles: await repairProfiles(context),
  }
  context.onProgress.end()
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
  const changed = Object.values(summaries).reduce((sum, summary) => sum + summary.changed, mirrors.pulled)
  const left = Object.values(summaries).reduce((sum, summary) => sum + summary.left, 0)
  const pulled = pull.pullable === null ? '' : `, ${pull.pullable} with a token, ${pull.pulled} pulled`
  const lines = [
    ...Object.entries(summaries).map(([name, summary]) => lineOf(name, summary, dryRun)),
    `mirrors   ${found.missing} missing, ${found.stale} older than ${options.staleDays} days${pulled}`,
  ]
  const plain = Object.fromEntries(
    Object.entries(summaries).map(([name, { changed, left, examples, points }]) => [
      name,
      { changed, left, examples, points },
    ]),
  )
  return { json: { ...plain, mirrors }, text: lines.join('\n'), changed, found: left > 0 }
})

function lineOf(name: string, { changed, left, examples, points }: RepairSummary, dryRun: boolean): string {
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

/** Sends one request at a time, at most `rate` per second. A signal stops it between two requests. */
async function pullMirrors({ db, config, staleBefore, after, rate, dryRun, note, progress }: Pull) {
  const log = pino({ level: 'silent' })
  const fetch = createGuardedFetch({ publicOnly: config.identity.publicOnly })
  const deps = await createDeps({ config, db, log, sources: realSources, fetch })
  const summary = { pullable: 0, pulled: 0 }
  await stoppable(async requested => {
    let last = after
    for await (const fan of listPullable(db.read, staleBefore, after)) {
      const signal = requested()
      if (signal) {
        if (last !== undefined) note(`Updated up to ${last}: --after ${last} continues from there.`)
        throw new Interrupted(signal, summary.pullable)
      }
      last = fan.userId
      summary.pullable++
      if (dryRun) continue
      const next = performance.now() + 1000 / rate
      if (await pullMirror(deps, fan)) summary.pulled++
      progress(summary.pullable)
      await Bun.sleep(Math.max(0, next - performance.now()))
    }
  }).finally(() => progress.end())
  return summary
}
