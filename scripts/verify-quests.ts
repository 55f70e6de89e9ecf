/** `bun run verify-quests`: recomputes progress and streaks from the events. */
import type { QuestFinding } from '../src/operate/admin/audit/audit-quests.ts'
import { verifyQuests } from '../src/operate/admin/audit/verify-quests.ts'
import { declareCommand, runCommand, wholeNumber } from './command/command.ts'
import { runVerification } from './command/verification.ts'

const command = declareCommand({
  name: 'verify-quests',
  reads: true,
  summary:
    'Recomputes the progress, completions and streaks of every fan from their events, compares what was given, and reports differences.',
  examples: [
    ['', 'verifies everything; takes no lock, writes the time of a run without findings'],
    ['--json', 'as JSON: findings with expected and actual values'],
  ],
  notes: `Events that a quest should have counted since its last change are findings. Earlier events count by backfill-quests only.
Conditions are not checked on events whose data was deleted (EVENT_RETENTION_DAYS).`,
}).option('--max <n>', 'maximum of listed findings; further ones are counted', wholeNumber(1_000_000), 100)

await runCommand(command, async session => {
  const db = await session.openDatabase()
  return runVerification(session, {
    command: 'verify-quests',
    noun: 'fans',
    verify: observer => verifyQuests(db, observer),
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
