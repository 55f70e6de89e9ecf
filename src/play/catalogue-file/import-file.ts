/** Imports a file of the catalogue: compares every record with the database, then writes the differences. Repeatable. */
import type { Database, Transaction } from '../../../db/index.ts'
import type { EntryChange } from '../../club/catalogue/entry.ts'
import type { Author } from '../../club/catalogue/history.ts'
import { DomainError } from '../../core/problems.ts'
import type { Fault } from '../../platform/files/located-json.ts'
import {
  type CatalogueRecord,
  entryKinds,
  namesOf,
  planRecord,
  type RecordKind,
  writeRecord,
} from './kinds.ts'
import type { CatalogueFile } from './read-file.ts'

/** A record to write, or an entry to deactivate. */
export interface CatalogueStep {
  kind: RecordKind
  id: string
  outcome: EntryChange['outcome'] | 'deactivated'
  members: EntryChange['members']
  kept?: EntryChange['kept']
  record?: CatalogueRecord
}

interface CatalogueImport {
  /** Also deactivate active entries that are not in the file, of the kinds in the file. */
  prune?: boolean | undefined
  /** Also move kick-offs of matches whose stored revision is not older. */
  force?: boolean | undefined
}

/** Plans an import, and writes nothing. With faults, nothing may be written. */
export async function planCatalogueFile(
  db: Database,
  file: CatalogueFile,
  { prune, force }: CatalogueImport,
) {
  const { steps, faults } = await planRecords(db, file, force)
  if (faults.length > 0) return { steps, due: [], left: [], faults }
  const absent = await listAbsent(db, file)
  const pruned: CatalogueStep[] = absent.map(entry => ({
    ...entry,
    outcome: 'deactivated',
    members: { active: [true, false] },
  }))
  const all = prune ? [...steps, ...pruned] : steps
  return {
    steps: all,
    due: all.filter(({ outcome }) => outcome !== 'unchanged'),
    /** Active entries that are not in the file, and stay. */
    left: prune ? [] : absent,
    faults,
  }
}

/** @throws DomainError `catalogue_conflict` after sales or claims since the plan, and as `writeRecord` */
export const writeStep = async (
  tx: Transaction,
  { kind, id, record }: CatalogueStep,
  { force, author }: Pick<CatalogueImport, 'force'> & { author: Author },
): Promise<void> => {
  // What it names was compared with the whole file.
  if (record) await writeRecord(tx, record, { force, author, isStated: () => true })
  else await entryKinds[kind].deactivate(tx, id, { author })
}

/** Compares every record with the database. */
async function planRecords(db: Database, { records }: CatalogueFile, force?: boolean) {
  const steps: CatalogueStep[] = []
  const faults: Fault[] = []
  const written = new Set<string>()
  const stated = new Set(records.flatMap(({ record }) => namesOf(record)))
  for (const { record, faultAt } of records) {
    const { kind, entry } = record
    try {
      const change = await planRecord(db.read, record, { written, stated, force })
      steps.push({ kind, id: entry.id, ...change, record })
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      for (const { message, ...at } of error.explanation.errors ?? []) {
        faults.push(faultAt('pointer' in at ? at.pointer : '', message))
      }
    }
    for (const name of namesOf(record)) written.add(name)
  }
  return { steps, faults }
}

/** Active entries that are not in the file, of the kinds in the file. */
async function listAbsent(db: Database, { records, kinds }: CatalogueFile) {
  const stated = new Set(records.map(({ record: { kind, entry } }) => `${kind} ${entry.id}`))
  const absent: { kind: RecordKind; id: string }[] = []
  for (const kind of kinds) {
    const ids = await entryKinds[kind].listActive(db.read)
    absent.push(...ids.filter(id => !stated.has(`${kind} ${id}`)).map(id => ({ kind, id })))
  }
  return absent
}
