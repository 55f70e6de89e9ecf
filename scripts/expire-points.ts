/** `bun run expire-points`: books expired points, and warns of points that expire soon. */
import type { Database } from '../db/index.ts'
import { rollBack } from '../db/roll-back.ts'
import { type ExpiredPage, expirePage } from '../src/economy/expiry/expire-page.ts'
import { expireBatch, FANS } from '../src/economy/expiry/expire-points.ts'
import { dayOf, findPass } from '../src/economy/points/expiry.ts'
import { settingsOf } from '../src/platform/settings/settings.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { fail } from './command/explain.ts'
import { Interrupted, stoppable } from './command/stop.ts'

const command = declareCommand({
  name: 'expire-points',
  summary: `Books expired points (pointsExpireAfterDays of the settings), and records points.expiring for points that expire in 30 days.
The API does the same by itself, once a day: this command shows it before, or does it at once.`,
  examples: [
    ['--dry-run', 'shows how many fans would lose and be warned of how many points today'],
    ['', 'books them; repeating it on the same day changes nothing'],
  ],
  notes: `No points expire in the first 30 days of a setting, so that fans are warned first. After an interruption, the next run continues.`,
  changes: true,
})

await runCommand(command, async ({ options, openDatabase, note }) => {
  const db = await openDatabase()
  const { pointsExpireAfterDays: days } = await settingsOf(db.read)
  if (days === 0) fail('The setting pointsExpireAfterDays is 0: points never expire.')
  const report = { fans: 0, points: 0, warnings: 0, mismatched: [] as string[] }
  const pages = options.dryRun ? previewPages(db, days) : expiredPages(db, days)
  await stoppable(async requested => {
    for await (const page of pages) {
      report.fans += page.fans
      report.points += page.points
      report.warnings += page.warnings
      report.mismatched.push(...page.mismatched)
      const signal = requested()
      if (signal) throw new Interrupted(signal, report.fans)
    }
  })
  for (const userId of report.mismatched) note(`Left out, because the ledger is damaged: ${userId}`)
  const { fans, points, warnings, mismatched } = report
  return {
    json: report,
    text: options.dryRun
      ? `${points} points of ${fans} fans would expire; ${warnings} warnings would be recorded.`
      : `${points} points of ${fans} fans have expired; ${warnings} warnings were recorded.`,
    changed: fans + warnings,
    found: mismatched.length > 0,
  }
})

async function* expiredPages(db: Database, days: number): AsyncGenerator<ExpiredPage> {
  for (;;) {
    const page = await db.write(tx => expireBatch(tx, days))
    if (!page) return
    yield page
  }
}

/** Previews the pages of a pass that starts now. */
async function* previewPages(db: Database, days: number): AsyncGenerator<ExpiredPage> {
  const day = dayOf(db.read.now())
  const term = (await findPass(db.read, days)) ?? { days, since: day }
  let after: string | null = ''
  while (after !== null) {
    const asked = { term, day, after, limit: FANS }
    const page: ExpiredPage = await rollBack(db, tx => expirePage(tx, asked))
    yield page
    after = page.cursor
  }
}
