/** `bun run moderate show | decide | lift`: decisions of moderators about fans. */
import { Argument, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import type { Database } from '../db/index.ts'
import { DomainError } from '../src/core/problems.ts'
import {
  type Decision,
  foldDecisions,
  listDecisions,
  type NewDecision,
  REASONS,
  readNotesAbout,
  recordDecision,
} from '../src/identity/sanctions/decisions.ts'
import { type CommandResult, declareCommand, runCommand } from './command/command.ts'
import { fail, failUsage } from './command/explain.ts'

const ACTIONS = ['show', 'decide', 'lift'] as const
const KINDS = ['hide', 'suspend', 'note'] as const

const command = declareCommand({
  name: 'moderate',
  summary: 'Shows and records decisions of moderators about fans. Decisions are never changed or deleted.',
  examples: [
    ['show FAN', 'what was decided about the fan, and what is in force'],
    ['decide FAN suspend --days 7 --reason harassment --by Ana', 'the fan reads, and does not write'],
    ['decide FAN hide --reason impersonation --by Ana', 'others do not see name, handle and picture'],
    ['decide FAN note --reason other --by Ana --note "Called on Monday."', 'a note, without effect'],
    ['lift FAN SANCTION --reason other --by Ana', 'ends a sanction'],
  ],
  notes: 'FAN is a user id. A fan sees kind, reason and times of sanctions; never who decided, and no note.',
  changes: true,
})
  .addArgument(new Argument('<action>', 'what to do').choices(ACTIONS))
  .argument('<fan>', 'user id of the fan')
  .argument('[what]', `decide: ${KINDS.join(', ')}; lift: the id of the sanction`)
  .addOption(new Option('--reason <reason>', 'why').choices(REASONS))
  .option('--by <name>', 'your name, up to 100 characters')
  .option('--note <text>', 'for moderators, up to 500 characters; an erasure of the fan deletes it')
  .option('--days <n>', 'suspend: for how many days, up to 3650', days)

/** Undoes a dry run. */
class Undone extends Error {
  constructor(readonly decision: Decision) {
    super('a dry run was undone')
  }
}

await runCommand(command, async ({ parameters: [action, fanId, what], options, openDatabase }) => {
  if (action === 'show') {
    if (what !== undefined || options.reason || options.by || options.note || options.days || options.dryRun)
      failUsage('show takes the fan alone')
    return show(await openDatabase(), fanId)
  }
  const { reason, note } = options
  const decidedBy = options.by?.trim() ?? ''
  if (decidedBy === '' || decidedBy.length > 100) failUsage(`${action} requires --by with a name`)
  if (!reason) return failUsage(`${action} requires --reason`)
  if (note !== undefined && (note.trim() === '' || note.length > 500))
    failUsage('--note has 1 to 500 characters')
  const isSuspension = action === 'decide' && what === 'suspend'
  if (isSuspension !== (options.days !== undefined)) failUsage('suspend, and nothing else, requires --days')
  const db = await openDatabase()
  const common = { fanId, reason, decidedBy, note }
  const decision = ((): NewDecision => {
    if (action === 'lift')
      return { ...common, kind: 'lift', liftsId: what ?? failUsage('lift requires a sanction') }
    if (what === 'hide' || what === 'note') return { ...common, kind: what }
    if (what !== 'suspend') return failUsage(`decide requires ${KINDS.join(', ')}`)
    const until = new Date(db.read.now().getTime() + (options.days ?? 0) * 86_400_000)
    return { ...common, kind: what, until }
  })()
  return decide(db, decision, options.dryRun ?? false)
})

async function decide(db: Database, decision: NewDecision, dryRun: boolean): Promise<CommandResult> {
  const recorded = await db
    .write(async tx => {
      const row = await recordDecision(tx, decision)
      if (dryRun) throw new Undone(row)
      return row
    })
    .catch(error => {
      if (error instanceof Undone) return error.decision
      if (error instanceof DomainError) return fail(`${error.type.title}.`)
      throw error
    })
  const json = present(recorded)
  const text = `${dryRun ? 'Would record' : 'Recorded'} ${describe(json)}`
  return { json: { decision: json }, text, changed: 1, textHasSummary: true }
}

async function show(db: Database, fanId: string): Promise<CommandResult> {
  const rows = await listDecisions(db.read, fanId)
  const notes = await readNotesAbout(db.read, fanId)
  const { hidden, suspended } = foldDecisions(rows)
  const isActive = suspended?.until && suspended.until > db.read.now()
  const inForce = [hidden?.id, isActive ? suspended?.id : undefined].filter(id => id !== undefined)
  const decisions = rows.map(row => ({ ...present(row), note: notes.get(row.id) ?? null }))
  const lines = decisions.map(row =>
    [describe(row), inForce.includes(row.id) ? 'in force' : '', row.note ?? ''].filter(Boolean).join('  '),
  )
  return {
    json: { fanId, inForce, decisions },
    text: lines.length > 0 ? lines.join('\n') : 'Nothing was decided about this fan.',
  }
}

function present({ seq: _, fanId, until, createdAt, ...row }: Decision) {
  return { ...row, fanId, until: until?.toISOString() ?? null, createdAt: createdAt.toISOString() }
}

function describe({ id, kind, reason, until, liftsId, decidedBy }: ReturnType<typeof present>): string {
  const more = [...(liftsId ? [`of ${liftsId}`] : []), ...(until ? [`until ${until}`] : [])]
  return [id, kind, ...more, reason, `by ${decidedBy}`].join('  ')
}

function days(text: string): number {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (count < 1 || count > 3_650) throw new InvalidArgumentError('must be 1 to 3650')
  return count
}
