/** `bun run verify-quests`: recomputes progress and streaks from the events. */
import type { QuestFinding } from '../src/operate/admin/audit/audit-quests.ts'
import { verifyQuests } from '../src/operate/admin/audit/verify-quests.ts'
import { declareCommand, runCommand, wholeNumber } from './command/command.ts'
import { databaseUrlOf } from './command/database.ts'
import { recordMaintenance } from './command/record-maintenance.ts'
import { Interrupted, stoppable } from './command/stop.ts'

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

await runCommand(command, async ({ options, databaseUrl, openDatabase, note, progress }) => {
  const db = await openDatabase()
  const findings: QuestFinding[] = []
  const onProgress = progress('fans')
  const report = await stoppable(requested =>
    verifyQuests(db, {
      onProgress(done) {
        onProgress(done)
        const signal = requested()
        if (signal) throw new Interrupted(signal, done)
      },
      onFinding: finding => void (findings.length < options.max && findings.push(finding)),
    }),
  ).finally(() => onProgress.end())
  const all = `${report.fans} fans, ${report.periods} periods`
  // A replica takes no writes.
  const primary = options.fromReplica ? databaseUrlOf(undefined) : databaseUrl()
  if (report.findings === 0) await recordMaintenance(primary, 'verify-quests', note)
  const unlisted = report.findings - findings.length
  const text =
    report.findings === 0
      ? `No findings in ${all}.`
      : [
          ...findings.map(describe),
          ...(unlisted > 0 ? [`… and ${unlisted} more (--max)`] : []),
          `${report.findings} findings in ${all}.`,
        ].join('\n')
  return { json: { ...report, found: report.findings, findings }, text, found: report.findings > 0 }
})

function describe({ userId, questId, period, what, expected, actual }: QuestFinding): string {
  const where = [
    ...(userId === null ? [] : [`fan ${userId}`]),
    period === null ? questId : `${questId} ${period}`,
  ]
  return `${where.join(', ')}: ${what} is ${actual ?? 'missing'}, must be ${expected ?? 'absent'}`
}
