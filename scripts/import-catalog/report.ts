/** The result of an import as text. */
import type { RecordKind } from '../../src/admin/import/catalogue-records.ts'
import { CATALOGUE_LISTS } from '../../src/admin/import/catalogue-schema.ts'
import type { EntryChange } from '../../src/catalogue/entry.ts'
import type { Fault } from './located-json.ts'

interface Change {
  kind: RecordKind
  id: string
  outcome: EntryChange['outcome'] | 'deactivated'
  members: EntryChange['members']
}

export function describeFaults(faults: Fault[]): string {
  const lines = faults.map(
    ({ line, pointer, message }) => `line ${line}: ${pointer || 'the document'} ${message}`,
  )
  const count = faults.length === 1 ? '1 error' : `${faults.length} errors`
  return [...lines, `${count}; nothing was written.`].join('\n')
}

/** @param detailed also lists each record and member, as in a dry run */
export function describeChanges(
  changes: Change[],
  left: { kind: RecordKind; id: string }[],
  detailed: boolean,
): string {
  const due = changes.filter(({ outcome }) => outcome !== 'unchanged')
  const lines = detailed ? due.flatMap(describeChange) : []
  if (due.length === 0) lines.push('Nothing to change: the database matches the file.')
  for (const [list, kind] of Object.entries(CATALOGUE_LISTS)) {
    const ofKind = changes.filter(change => change.kind === kind)
    if (ofKind.length > 0) lines.push(`${list}: ${countOutcomes(ofKind)}`)
    const absent = left.filter(entry => entry.kind === kind).length
    if (absent > 0)
      lines.push(`${list} active that are not in the file: ${absent} (--prune deactivates them)`)
  }
  return lines.join('\n')
}

function countOutcomes(changes: Change[]): string {
  const counts = Map.groupBy(changes, ({ outcome }) => outcome)
  return [...counts].map(([outcome, group]) => `${group.length} ${outcome}`).join(', ')
}

function describeChange({ kind, id, outcome, members }: Change): string[] {
  const lines = Object.entries(members).map(
    ([name, [from, to]]) => `    ${name}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`,
  )
  return [`${outcome} ${kind} ${id}`, ...lines]
}
