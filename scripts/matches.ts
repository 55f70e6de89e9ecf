/** `bun run matches reset-revision MATCH --to N`: makes reports of a match acceptable again after a wrong revision. */
import { Argument } from '@commander-js/extra-typings'
import { MAX_REVISION } from '../src/club/matches/schema.ts'
import { resetRevision } from '../src/club/matches/update-match.ts'
import { commandLine } from '../src/core/command-line.ts'
import { declareCommand, runCommand, wholeNumber } from './command/command.ts'
import { failUsage } from './command/explain.ts'

const command = declareCommand({
  name: 'matches',
  summary: `Lowers the revision of a match, after a report with a revision that is too high: all later reports are refused.
Status, scores and kick-off stay as they are until the next report.`,
  examples: [
    ['reset-revision derby --to 4', 'shows what would change'],
    ['reset-revision derby --to 4 --yes', 'accepts reports from revision 5 on; repeating it has no effect'],
  ],
  notes:
    'N is the last revision of the reporting system. With a smaller one, its late reports are accepted too.',
  changes: true,
})
  .addArgument(new Argument('<action>', 'what to do').choices(['reset-revision'] as const))
  .argument('<match>', 'id of the match')
  .requiredOption('--to <n>', 'the revision to set, from 1', wholeNumber(MAX_REVISION))
  .option('--yes', 'do it')

type Reset = Awaited<ReturnType<typeof resetRevision>>

/** Undoes a dry run. */
class Undone extends Error {
  constructor(readonly reset: Reset) {
    super('a dry run was undone')
  }
}

await runCommand(command, async ({ parameters: [, matchId], options, openDatabase }) => {
  const { to, yes = false, dryRun = false } = options
  if (to < 1) failUsage('--to must be at least 1')
  if (yes && dryRun) failUsage('--yes and --dry-run are mutually exclusive')
  const db = await openDatabase()
  const { match, before } = await db
    .write(async tx => {
      const reset = await resetRevision(tx, matchId, to)
      if (!yes) throw new Undone(reset)
      return reset
    })
    .catch(error => {
      if (error instanceof Undone) return error.reset
      throw error
    })
  const isDue = before !== to
  const again = `${commandLine('matches')} reset-revision ${matchId} --to ${to} --yes`
  const done = yes
    ? `Reports from revision ${to + 1} on are accepted.`
    : `Nothing was changed. To reset it: ${again}`
  return {
    json: { match, from: before, to, done: yes && isDue },
    text: isDue
      ? `${describe(match)}: revision ${before} → ${to}\n${done}`
      : `${describe(match)} has revision ${to} already. Nothing was changed.`,
    changed: isDue ? 1 : 0,
    textHasSummary: true,
  }
})

function describe({ id, status, kickoffAt, homeScore, awayScore }: Reset['match']): string {
  const score = homeScore === null ? '' : `, ${homeScore}:${awayScore}`
  return `${id} (${status}, kick-off ${kickoffAt}${score})`
}
