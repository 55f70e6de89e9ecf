/** `bun run backfill-onboarding`: completes the onboarding of historical fans. */

import { commandLine } from '../src/core/command-line.ts'
import { isProfileField, PROFILE_FIELDS } from '../src/identity/users/profile-fields.ts'
import {
  type Concerned,
  type Correction,
  correctOnboarding,
  listConcerned,
  type OnboardingRule,
  type OnboardingTerms,
} from '../src/operate/admin/backfill-onboarding.ts'
import { settingsOf } from '../src/platform/settings/settings.ts'
import { declareCommand, instant, listOf, runCommand } from './command/command.ts'

const command = declareCommand({
  name: 'backfill-onboarding',
  summary: `Completes, rewards and enrols earlier fans with the operations of the API, each at most once:
  complete  the profile is complete, but there is no onboarding record
  grant     completed, but no reward was booked
  enrol     completed, but not enrolled in the leaderboard; only with --enrol
  place     enrolled, but not on the leaderboards`,
  examples: [
    ['--dry-run', 'shows counts and examples for each rule'],
    ['--before 2026-08-01', 'only fans from before August'],
    ['--no-grant --enrol', 'grants no points, but enrols all fans'],
  ],
  notes: `Rows get the time of the correction. A second run finds nothing to do.
Fans who completed while the setting onboardingPoints was 0, or who declined the leaderboard, are not recorded as such: limit the run with
--since and --before to the time in which a reward was due, and use --enrol only if fans could not decline.`,
  changes: true,
})
  .option(
    '--since <instant>',
    'records created, completed or enrolled at or after this time; ISO 8601, UTC',
    instant,
  )
  .option('--before <instant>', 'records created, completed or enrolled before this time', instant)
  .option(
    '--complete-when <fields>',
    `members of a complete profile, of ${PROFILE_FIELDS.join(', ')}`,
    listOf(isProfileField),
    ['displayName' as const, 'handle' as const],
  )
  .option('--grant', 'book missing onboardingPoints of the settings (default)')
  .option('--no-grant', 'complete without booking points')
  .option('--enrol', 'enrol completed fans who are not enrolled')
  .option('--no-enrol', 'complete without enrolling')

interface RuleReport {
  concerned: number
  corrected: number
  /** Granted points; in a dry run, those that would be granted. */
  points: number
  /** Fans whose points account is full or does not match their ledger entries. */
  refused: number
  /** Ids of the first few affected fans, and of the first few rejected ones. */
  examples: string[]
  refusedExamples: string[]
}
const MAX_EXAMPLES = 5

await runCommand(command, async ({ options, openDatabase, writeInBatches }) => {
  const db = await openDatabase()
  const { onboardingPoints } = await settingsOf(db.read)
  const points = options.grant === false ? 0 : onboardingPoints
  const terms: OnboardingTerms = { ...options, points, enrol: options.enrol !== false }
  const rules: OnboardingRule[] = [
    'complete',
    ...(points > 0 ? (['grant'] as const) : []),
    ...(options.enrol === false ? [] : (['enrol'] as const)),
    'place',
  ]
  const reports = new Map<OnboardingRule, RuleReport>()
  for (const rule of rules) {
    const report: RuleReport = {
      concerned: 0,
      corrected: 0,
      points: 0,
      refused: 0,
      examples: [],
      refusedExamples: [],
    }
    reports.set(rule, report)
    const grants = rule === 'complete' || rule === 'grant'
    const concerned = tap(listConcerned(db.read, rule, terms), ({ userId, rewarded }) => {
      report.concerned++
      if (options.dryRun && grants && !rewarded) report.points += points
      if (report.examples.length < MAX_EXAMPLES) report.examples.push(userId)
    })
    // A fan who declined is not recorded as such, so completed fans are enrolled only on request.
    if (options.dryRun || (rule === 'enrol' && options.enrol !== true)) {
      for await (const _ of concerned);
      continue
    }
    await writeInBatches(db, `fans (${rule})`, concerned, async (tx, fan) => {
      const correction = await correctOnboarding(tx, rule, fan, terms)
      tx.afterCommit(() => count(report, fan, correction))
    })
  }
  const selected = (rule: OnboardingRule) => rule !== 'enrol' || options.enrol === true
  const lines = [...reports].flatMap(([rule, report]) => {
    const { concerned, corrected, refused, examples, refusedExamples } = report
    const done = options.dryRun
      ? ''
      : selected(rule)
        ? `, ${corrected} corrected`
        : ', not changed (--enrol enrols them)'
    const amount = report.points > 0 ? `, ${report.points} points` : ''
    const line = `${rule.padEnd(8)}  ${concerned} concerned${done}${amount}${someOf(examples, concerned)}`
    const why = `the points account is full, or does not match the ledger entries (${commandLine('verify-ledger')})`
    return refused > 0
      ? [line, `          ${refused} refused, ${why}${someOf(refusedExamples, refused)}`]
      : [line]
  })
  const changed = [...reports]
    .filter(([rule]) => selected(rule))
    .reduce((sum, [, report]) => sum + (options.dryRun ? report.concerned : report.corrected), 0)
  const all = [...reports.values()]
  const granted = all.reduce((sum, report) => sum + report.points, 0)
  lines.push(`${granted} points ${options.dryRun ? 'would be granted' : 'granted'} in all`)
  return {
    json: { rules: Object.fromEntries(reports), points: granted },
    text: lines.join('\n'),
    changed,
    found: all.some(({ refused }) => refused > 0),
  }
})

function count(report: RuleReport, { userId }: Concerned, { outcome, points }: Correction): void {
  report.points += points
  if (outcome === 'corrected') report.corrected++
  if (outcome !== 'refused') return
  report.refused++
  if (report.refusedExamples.length < MAX_EXAMPLES) report.refusedExamples.push(userId)
}

function someOf(examples: string[], all: number): string {
  return examples.length > 0 ? `: ${examples.join(', ')}${all > examples.length ? ', …' : ''}` : ''
}

async function* tap(fans: AsyncIterable<Concerned>, onFan: (fan: Concerned) => void) {
  for await (const fan of fans) {
    onFan(fan)
    yield fan
  }
}
