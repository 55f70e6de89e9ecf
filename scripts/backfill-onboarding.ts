/** `bun run backfill-onboarding`: makes up for what historical fans miss of their onboarding. */
import { createReader, readOnboardingPoints } from '../src/config/reader.ts'
import { ConfigError } from '../src/config.ts'
import {
  type Concerned,
  correctOnboarding,
  listConcerned,
  type OnboardingRule,
  type OnboardingTerms,
} from '../src/user/backfill-onboarding.ts'
import { isProfileField, PROFILE_FIELDS } from '../src/user/profile-rules.ts'
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
  /** Ids of the first few. */
  examples: string[]
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
    const report: RuleReport = { concerned: 0, corrected: 0, examples: [] }
    reports.set(rule, report)
    const concerned = watch(listConcerned(db.read, rule, terms), ({ userId }) => {
      report.concerned++
      if (report.examples.length < EXAMPLES) report.examples.push(userId)
    })
    // Whoever declined left no trace: without being told, nobody who has completed is enrolled.
    if (options.dryRun || (rule === 'enrol' && options.enrol !== true)) {
      for await (const _ of concerned);
      continue
    }
    await writeInBatches(db, `fans (${rule})`, concerned, async (tx, fan) => {
      const changed = await correctOnboarding(tx, rule, fan, terms)
      if (changed) tx.afterCommit(() => void report.corrected++)
    })
  }
  const wanted = (rule: OnboardingRule) => rule !== 'enrol' || options.enrol === true
  const lines = [...reports].map(([rule, { concerned, corrected, examples }]) => {
    const done = options.dryRun
      ? ''
      : wanted(rule)
        ? `, ${corrected} corrected`
        : ', left as they are (--enrol enrols them)'
    const some =
      examples.length > 0 ? `: ${examples.join(', ')}${concerned > examples.length ? ', …' : ''}` : ''
    return `${rule.padEnd(8)}  ${concerned} concerned${done}${some}`
  })
  const changed = [...reports]
    .filter(([rule]) => wanted(rule))
    .reduce((sum, [, report]) => sum + (options.dryRun ? report.concerned : report.corrected), 0)
  return { answer: { rules: Object.fromEntries(reports) }, text: lines.join('\n'), changed }
})

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
