/** `bun run verify-quests`: recomputes progress and streaks from the events. */
import { verifyQuests } from '../src/audit/runs/verify-quests.ts'
import type { QuestFinding } from '../src/play/quests/audit/facts.ts'
import { declareCommand, runCommand, wholeNumber } from './command/command.ts'
import { COVERAGE_OPTIONS, chooseCoverage, partOf, runVerification } from './command/verification.ts'

const command = declareCommand({
  name: 'verify-quests',
  reads: true,
  summary:
    'Recomputes the progress, completions and streaks of every fan from their events, compares what was given, and reports differences.',
  examples: [
    ['', 'verifies everything; takes no lock, writes the time of a run without findings'],
    ['--since-last', 'verifies fans with changes since the last complete run without findings'],
    ['--part 3/7', 'verifies the third of seven parts; when all are done, everything is verified'],
    ['--json', 'as JSON: findings with expected and actual values'],
  ],
  notes: `Events that a quest should have counted since its last change are findings. Earlier events count by backfill-quests only.
Conditions are not checked on events whose data was deleted (eventRetentionDays).`,
})
  .option(...COVERAGE_OPTIONS.sinceLast)
  .option(...COVERAGE_OPTIONS.part, partOf)
  .option('--max <n>', 'maximum of listed findings; further ones are counted', wholeNumber(1_000_000), 100)

await runCommand(command, async session => {
  const db = await session.openDatabase()
  const coverage = await chooseCoverage(session, db, 'verify-quests')
  return runVerification(session, {
    command: 'verify-quests',
    noun: 'fans',
    coverage,
    verify: observer => verifyQuests(db, { coverage, ...observer }),
    describe,
    scopeOf: ({ fans, periods }) => `${fans} fans, ${periods} periods`,
  })
})

function describe({ userId, questId, period, what, expected, actual }: QuestFinding): string {
  const where = [
    ...(userId === null ? [] : [`fan ${userId}`]),
    period === null ? questId : `${questId} ${period}`,
  ]
  return `${where.join(', ')}: ${what} is ${actual ?? 'missing'}, must be ${expected ?? 'absent'}`
}
