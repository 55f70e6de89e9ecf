/** Checks the lines of a fan in a file: the chain, the events, and what they add to scores, limits and budgets. */
import { differs, type Finding } from '../../core/finding.ts'
import { createEventAudit } from '../events/audit-events.ts'
import type { ChainedEntry } from '../ledgers/chain.ts'
import { EMPTY_STATE, parseState, type Seam } from '../points/seams.ts'
import type { RuleHistory } from '../rules/rule-history.ts'
import { stateAfter } from './archived-state.ts'
import { filesOf } from './files.ts'
import { followEntries } from './follow-entries.ts'
import { digestOfLines, type FanLines } from './lines.ts'

/** Where the lines of a fan in a file end. */
export type End = Pick<Seam, (typeof COMPARED)[number]>

const COMPARED = ['seq', 'hash', 'balance', 'lifetime', 'sequence', 'state', 'digest'] as const

export interface Checked {
  file: string
  text: string
  seam: Seam
  /** Where the file before has ended. */
  before: End | undefined
  history: RuleHistory
}

export function checkLines(lines: FanLines, { file, text, seam, before, history }: Checked) {
  const { userId } = seam
  const { previous, entries, kept, events } = lines
  const nameOf = (what: string) => `archive ${file}: ${what}`
  const compare = (what: string, expected: End | undefined, actual: End | null) =>
    COMPARED.flatMap(column =>
      differs(userId, nameOf(`${what}.${column}`), expected?.[column] ?? null, actual?.[column] ?? null),
    )
  const gone = entries.filter(({ id }) => !kept.has(id))
  const state = JSON.stringify(stateAfter(parseState(previous?.state), gone, events))
  const { flaw, ...account } = followEntries(entries, previous)
  const end: End = {
    ...account,
    sequence: Math.max(
      previous?.sequence ?? 0,
      ...events.map(({ sequence, entryCount }) => (sequence ?? 0) + (entryCount ?? 0)),
    ),
    state,
    digest: digestOfLines(text),
  }
  const isLast = filesOf(seam).at(-1) === file
  const findings = [
    ...compare('the seam before', before, previous),
    ...(flaw ? [{ userId, ...flaw, what: nameOf(`points_entries.${flaw.what}`) }] : []),
    ...checkEvents({ ...lines, entries: gone }, { seam, state, history }),
    ...(isLast ? compare('archive_seams', end, seam) : []),
  ]
  return { findings, end }
}

/** Evaluates the events again. All of them count as events before a seam, among which others stay in the database. */
function checkEvents(
  { previous, entries, events }: FanLines,
  { seam, state, history }: { seam: Seam; state: string; history: RuleHistory },
): Finding[] {
  const until = { ...seam, sequence: Number.MAX_SAFE_INTEGER, keptEvents: events.length }
  const audit = createEventAudit(seam.userId, history, {
    seam: { ...until, state: previous?.state ?? JSON.stringify(EMPTY_STATE) },
  })
  for (const event of events) audit.add(event)
  const uses = parseState(state).uses.map(({ ruleId, window, held }) => ({ ruleId, window, uses: held }))
  return audit.conclude({ entries, uses, carried: [] })
}

/** Entries that were kept must be those of the file, unless a later file has them. */
export function compareKept(
  seam: Seam,
  { entries, kept }: FanLines,
  stored: ChainedEntry[],
  isLast: boolean,
): Finding[] {
  const rowOf = new Map(stored.map(row => [row.id, row]))
  return entries
    .filter(({ id }) => kept.has(id) && (isLast || rowOf.has(id)))
    .flatMap(entry => {
      const row = rowOf.get(entry.id)
      const actual = row ? JSON.stringify(row) : null
      return differs(seam.userId, `points_entries.row of ${entry.seq}`, JSON.stringify(entry), actual)
    })
}
