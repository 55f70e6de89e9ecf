/** The result of an import as text. */

import type { Fault } from '../../src/platform/files/located-json.ts'
import type { CatalogueStep } from '../../src/play/catalogue-file/import-file.ts'
import { kinds, type RecordKind } from '../../src/play/catalogue-file/kinds.ts'

export function describeFaults(faults: Fault[]): string {
  const lines = faults.map(
    ({ line, pointer, message }) => `line ${line}: ${pointer || 'the document'} ${message}`,
  )
  const count = faults.length === 1 ? '1 error' : `${faults.length} errors`
  return [...lines, `${count}; nothing was written.`].join('\n')
}

/** @param detailed also lists each record and member, as in a dry run */
export function describeChanges(
  changes: CatalogueStep[],
  left: { kind: RecordKind; id: string }[],
  detailed: boolean,
): string {
  const due = changes.filter(({ outcome }) => outcome !== 'unchanged')
  const kept = changes.flatMap(describeKept)
  const lines = [...(detailed ? due.flatMap(describeChange) : []), ...kept]
  if (due.length === 0 && kept.length === 0) lines.push('Nothing to change: the database matches the file.')
  for (const { list, kind } of kinds) {
    const ofKind = changes.filter(change => change.kind === kind)
    if (ofKind.length > 0) lines.push(`${list}: ${countOutcomes(ofKind)}`)
    const absent = left.filter(entry => entry.kind === kind).length
    if (absent > 0)
      lines.push(`${list} active that are not in the file: ${absent} (--prune deactivates them)`)
  }
  return lines.join('\n')
}

/** Matches whose stored state is as new as the file, or newer. */
const describeKept = ({ kind, id, kept = {} }: CatalogueStep): string[] =>
  Object.entries(kept).map(
    ([name, [from, to]]) =>
      `kept ${kind} ${id}: ${name} stays ${JSON.stringify(from)}, the file has ${JSON.stringify(to)} without a greater revision (--force changes it)`,
  )

function countOutcomes(changes: CatalogueStep[]): string {
  const counts = Map.groupBy(changes, ({ outcome }) => outcome)
  return [...counts].map(([outcome, group]) => `${group.length} ${outcome}`).join(', ')
}

function describeChange({ kind, id, outcome, members }: CatalogueStep): string[] {
  const lines = Object.entries(members).map(
    ([name, [from, to]]) => `    ${name}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`,
  )
  return [`${outcome} ${kind} ${id}`, ...lines]
}
