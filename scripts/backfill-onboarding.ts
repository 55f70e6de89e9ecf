/** `bun run backfill-onboarding`: makes up for what historical fans miss of their onboarding. */

import {
  type Concerned,
  type Correction,
  correctOnboarding,
  listConcerned,
  type OnboardingRule,
  type OnboardingTerms,
} from '../src/admin/backfill-onboarding.ts'
import { ConfigError } from '../src/config/config.ts'
import { createReader, readOnboardingPoints } from '../src/config/reader.ts'
import { isProfileField, PROFILE_FIELDS } from '../src/profile/rules.ts'
import { declareCommand, instant, listOf, runCommand } from './command/command.ts'

const command = declareCommand({
  name: 'backfill-onboarding',
  summary: `Completes, rewards and enrols fans from before, through the verbs of the API, each at most once:
  complete  the profile is complete, and there is no onboarding record
  grant     completed, and no reward was booked
  enrol     completed, and not enrolled in the leaderboard; only with --enrol
  place     enrolled, and not on the boards`,
  examples: [
    ['--dry-run', 'who is concerned: counts and examples of each rule'],
    ['--before 2026-08-01', 'fans from before August; later ones are left alone'],
    ['--no-grant --enrol', 'no points, but everybody onto the boards'],
  ],
  notes: `What is written bears the time of the correction, not an invented past. A second run finds nothing to do.
Whoever completed with ONBOARDING_POINTS=0 or declined the leaderboard left no trace of that: give --before and --since
for the time in which a reward was due, and --enrol only when nobody could decline.`,
  changes: true,
})
  .option('--since <instant>', 'records made, completed or enrolled then or later; ISO 8601, UTC', instant)
  .option('--before <instant>', 'and before then', instant)
  .option(
    '--complete-when <fields>',
    `what a complete profile has, of ${PROFILE_FIELDS.join(', ')}`,
    listOf(isProfileField),
    ['displayName' as const, 'handle' as const],
  )
  .option('--grant', 'book ONBOARDING_POINTS where they are missing (default)')
  .option('--no-grant', 'book none, and complete without')
  .option('--enrol', 'enrol whoever has completed and is not')
  .option('--no-enrol', 'enrol nobody, and complete without')

interface RuleReport {
  concerned: number
  corrected: number
  /** Granted, or in a dry run what would be. */
  points: number
  /** Whose points account does not match their ledger entries. */
  refused: number
  /** Ids of the first few concerned, and of the first few refused. */
  examples: string[]
  refusedExamples: string[]
}
const EXAMPLES = 5

await runCommand(command, async ({ options, openDatabase, writeInBatches }) => {
  const points = options.grant === false ? 0 : requireOnboardingPoints()
  const db = await openDatabase()
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
      ...{ concerned: 0, corrected: 0, points: 0, refused: 0 },
      ...{ examples: [], refusedExamples: [] },
    }
    reports.set(rule, report)
    const grants = rule === 'complete' || rule === 'grant'
    const concerned = watch(listConcerned(db.read, rule, terms), ({ userId, rewarded }) => {
      report.concerned++
      if (options.dryRun && grants && !rewarded) report.points += points
      if (report.examples.length < EXAMPLES) report.examples.push(userId)
    })
    // Whoever declined left no trace: without being told, nobody who has completed is enrolled.
    if (options.dryRun || (rule === 'enrol' && options.enrol !== true)) {
      for await (const _ of concerned);
      continue
    }
    await writeInBatches(db, `fans (${rule})`, concerned, async (tx, fan) => {
      const correction = await correctOnboarding(tx, rule, fan, terms)
      tx.afterCommit(() => count(report, fan, correction))
    })
  }
  const wanted = (rule: OnboardingRule) => rule !== 'enrol' || options.enrol === true
  const lines = [...reports].flatMap(([rule, report]) => {
    const { concerned, corrected, refused, examples, refusedExamples } = report
    const done = options.dryRun
      ? ''
      : wanted(rule)
        ? `, ${corrected} corrected`
        : ', left as they are (--enrol enrols them)'
    const amount = report.points > 0 ? `, ${report.points} points` : ''
    const line = `${rule.padEnd(8)}  ${concerned} concerned${done}${amount}${someOf(examples, concerned)}`
    const why = 'the points account does not match the ledger entries (bun run verify-ledger)'
    return refused > 0
      ? [line, `          ${refused} refused, ${why}${someOf(refusedExamples, refused)}`]
      : [line]
  })
  const changed = [...reports]
    .filter(([rule]) => wanted(rule))
    .reduce((sum, [, report]) => sum + (options.dryRun ? report.concerned : report.corrected), 0)
  const all = [...reports.values()]
  const granted = all.reduce((sum, report) => sum + report.points, 0)
  lines.push(`${granted} points ${options.dryRun ? 'would be granted' : 'granted'} in all`)
  return {
    answer: { rules: Object.fromEntries(reports), points: granted },
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
  if (report.refusedExamples.length < EXAMPLES) report.refusedExamples.push(userId)
}

function someOf(examples: string[], all: number): string {
  return examples.length > 0 ? `: ${examples.join(', ')}${all > examples.length ? ', …' : ''}` : ''
}

/** By the same rule as the API's, without the rest of its configuration. @throws ConfigError */
function requireOnboardingPoints(): number {
  const reader = createReader(process.env)
  const points = readOnboardingPoints(reader)
  if (reader.problems.length > 0) throw new ConfigError(reader.problems)
  return points
}

async function* watch(fans: AsyncIterable<Concerned>, see: (fan: Concerned) => void) {
  for await (const fan of fans) {
    see(fan)
    yield fan
  }
}
