/** `bun run moderate queue | appeals | show | decide | lift | report`: reports and appeals of fans, and decisions of moderators. */
import { Argument, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import type { Database, Transaction } from '../db/index.ts'
import { rollBack } from '../db/roll-back.ts'
import { DomainError } from '../src/core/problems.ts'
import { decide } from '../src/fan/moderation/cases.ts'
import { presentAppeal, presentDecision } from '../src/fan/moderation/fan-record.ts'
import { type Appeal, decideAppeal } from '../src/identity/sanctions/appeals.ts'
import { type Decision, recordDecision } from '../src/identity/sanctions/decisions.ts'
import { SANCTIONS } from '../src/identity/sanctions/kinds.ts'
import { REASONS } from '../src/identity/sanctions/reasons.ts'
import { resolveHandle } from '../src/identity/users/handles.ts'
import { type CommandResult, declareCommand, runCommand } from './command/command.ts'
import { fail, failUsage } from './command/explain.ts'
import {
  describeAppeal,
  describeDecision,
  showAppeals,
  showFan,
  showQueue,
  showYear,
} from './moderate/texts.ts'

const ACTIONS = ['queue', 'appeals', 'show', 'decide', 'lift', 'report'] as const
const KINDS = ['dismiss', 'hide', 'mute', 'suspend', 'note', 'grant', 'reject'] as const

const command = declareCommand({
  name: 'moderate',
  summary:
    'Shows reports about fans, and records decisions of moderators. Decisions are never changed or deleted.',
  examples: [
    ['queue', 'open cases, the heaviest first'],
    ['show FAN', 'open reports about the fan, what was decided, and what is in force'],
    ['decide CASE dismiss --reason other --by Ana', 'resolves the reports; nothing changes for the fan'],
    ['decide FAN suspend --days 7 --reason harassment --by Ana', 'the fan can read, but not write'],
    [
      'decide FAN hide --reason impersonation --by Ana --facts "The name is a player’s."',
      'others do not see name, handle and picture; the fan sees the facts',
    ],
    ['decide FAN mute --reason spam --by Ana', 'activities of the fan appear in no feed'],
    ['decide FAN note --reason other --by Ana --note "Called on Monday."', 'a note, without effect'],
    ['appeals', 'open appeals, the oldest first'],
    ['decide APPEAL grant --reason other --by Bruno', 'lifts the sanction; reject leaves it'],
    ['lift FAN SANCTION --reason other --by Ana', 'ends a sanction'],
    ['report --year 2026', 'counts and median times of a year, to publish'],
  ],
  notes:
    'FAN is a handle or a user id, CASE an id of the queue, APPEAL an id of appeals. The person who decided a sanction cannot decide its appeal. A decision resolves the open reports of its case. A fan sees kind, reason, facts and times of sanctions; never who decided, and no note.',
  changes: true,
})
  .addArgument(new Argument('<action>', 'what to do').choices(ACTIONS))
  .argument('[subject]', 'handle or user id of the fan; show, decide: or id of the case or appeal')
  .argument('[what]', `decide: ${KINDS.join(', ')}; lift: the id of the sanction`)
  .addOption(new Option('--reason <reason>', 'why').choices(REASONS))
  .option('--by <name>', 'your name, up to 100 characters')
  .option('--facts <text>', 'hide, mute, suspend: what happened, up to 1000 characters; the fan sees it')
  .option('--note <text>', 'for moderators, up to 500 characters; an erasure of the fan deletes it')
  .option('--days <n>', 'suspend: for how many days, up to 3650', days)
  .option('--year <year>', 'report: the year, such as 2026', readYear)

type Recorded = { decision: Decision } | { appeal: Appeal }

await runCommand(command, async ({ parameters: [action, subject, what], options, openDatabase }) => {
  const { reason, facts, note, dryRun = false } = options
  if ((action === 'report') !== (options.year !== undefined))
    failUsage('report, and nothing else, requires --year')
  if (action === 'report') {
    if (subject !== undefined || reason || options.by || facts || note || options.days || dryRun)
      failUsage('report takes --year and --json only')
    return showYear(await openDatabase(), options.year ?? 0)
  }
  if (action === 'queue' || action === 'appeals' || action === 'show') {
    if (what !== undefined || reason || options.by || facts || note || options.days || dryRun)
      failUsage(`${action} takes no such options`)
    if (action === 'show') {
      const named = subject ?? failUsage('show requires a fan')
      return showFan(await openDatabase(), named)
    }
    if (subject !== undefined) failUsage(`${action} takes no fan`)
    return action === 'queue' ? showQueue(await openDatabase()) : showAppeals(await openDatabase())
  }
  if (subject === undefined) return failUsage(`${action} requires a fan`)
  const decidedBy = options.by?.trim() ?? ''
  if (decidedBy === '' || decidedBy.length > 100) failUsage(`${action} requires --by with a name`)
  if (!reason) return failUsage(`${action} requires --reason`)
  if (note !== undefined && (note.trim() === '' || note.length > 500))
    failUsage('--note has 1 to 500 characters')
  if (facts !== undefined && (facts.trim() === '' || facts.length > 1_000))
    failUsage('--facts has 1 to 1000 characters')
  if (action === 'decide' && !KINDS.some(kind => kind === what))
    failUsage(`decide requires ${KINDS.join(', ')}`)
  const isSuspension = action === 'decide' && what === 'suspend'
  if (isSuspension !== (options.days !== undefined)) failUsage('suspend, and nothing else, requires --days')
  const isSanction = action === 'decide' && SANCTIONS.some(kind => kind === what)
  if (facts !== undefined && !isSanction) failUsage('--facts is for hide, mute and suspend')
  const db = await openDatabase()
  const about = await resolveHandle(db.read, subject)
  const common = { reason, decidedBy, facts, note }
  const verb = ((): ((tx: Transaction) => Promise<Recorded>) => {
    const decided = async (decision: Promise<Decision>) => ({ decision: await decision })
    if (action === 'lift') {
      const liftsId = what ?? failUsage('lift requires a sanction')
      return tx => decided(recordDecision(tx, { ...common, fanId: about, kind: 'lift', liftsId }))
    }
    if (what === 'grant' || what === 'reject')
      return async tx => ({
        appeal: await decideAppeal(tx, about, { ...common, granted: what === 'grant' }),
      })
    if (what === 'dismiss' || what === 'hide' || what === 'mute' || what === 'note')
      return tx => decided(decide(tx, about, { ...common, kind: what }))
    if (what !== 'suspend') return failUsage(`decide requires ${KINDS.join(', ')}`)
    const until = new Date(db.read.now().getTime() + (options.days ?? 0) * 86_400_000)
    return tx => decided(decide(tx, about, { ...common, kind: what, until }))
  })()
  return record(db, verb, dryRun)
})

async function record(
  db: Database,
  verb: (tx: Transaction) => Promise<Recorded>,
  dryRun: boolean,
): Promise<CommandResult> {
  const recorded = await (dryRun ? rollBack(db, verb) : db.write(verb)).catch(error => {
    if (error instanceof DomainError) return fail(`${error.type.title}.`)
    throw error
  })
  const text = (words: string) => `${dryRun ? 'Would record' : 'Recorded'} ${words}`
  const changes = { changed: 1, textHasSummary: true }
  if ('appeal' in recorded) {
    const appeal = presentAppeal(recorded.appeal)
    return { json: { appeal }, text: text(describeAppeal(appeal)), ...changes }
  }
  const decision = presentDecision(recorded.decision)
  return { json: { decision }, text: text(describeDecision(decision)), ...changes }
}

function readYear(text: string): number {
  if (!/^2\d{3}$/.test(text)) throw new InvalidArgumentError('must be a year, such as 2026')
  return Number(text)
}

function days(text: string): number {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (count < 1 || count > 3_650) throw new InvalidArgumentError('must be 1 to 3650')
  return count
}
