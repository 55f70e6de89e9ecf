/** Reads a catalogue file: every record with its location, and all errors. */

import { withoutNullMembers } from '../../club/catalogue/null-members.ts'
import { explainFault } from '../../core/faults.ts'
import { errorsWithin } from '../../core/formats.ts'
import { type TSchema, Type, ValueErrorType } from '../../core/typebox.ts'
import {
  type Fault,
  JsonSyntaxError,
  type LocatedJson,
  parseLocated,
} from '../../platform/files/located-json.ts'
import { descriptionOf } from '../packs/upsert-collectibles.ts'
import {
  type CatalogueRecord,
  isRecordKind,
  kindNamed,
  kindNames,
  kinds,
  type RecordKind,
  recordFaults,
  recordOf,
} from './kinds.ts'
import { Catalogue, flatLineOf, wrappedLineOf } from './schema.ts'

interface LocatedRecord {
  record: CatalogueRecord
  /** An error at a part of the entry, by its pointer into the entry. */
  faultAt(pointer: string, message: string): Fault
}

export interface CatalogueFile {
  records: LocatedRecord[]
  /** The kinds in the file. The file is complete for these. */
  kinds: Set<RecordKind>
  /** Ordered by line. If there are any, nothing may be written. */
  faults: Fault[]
}

/** The state while reading; `named` also has invalid entries with an id. */
interface Reading extends CatalogueFile {
  named: { key: string; fault: Fault }[]
}

/** @param isLines the file is NDJSON; otherwise its first line decides */
export function readCatalogue(text: string, isLines: boolean): CatalogueFile {
  const file: Reading = { records: [], kinds: new Set(), faults: [], named: [] }
  if (isLines || startsWithRecord(text)) readLines(text, file)
  else readDocument(text, file)
  for (const { record, faultAt } of file.records) {
    for (const { pointer, message } of recordFaults(record)) file.faults.push(faultAt(pointer, message))
  }
  findDuplicates(file)
  findClashes(file)
  shareDescriptions(file)
  file.faults.sort((a, b) => a.line - b.line)
  return file
}

function startsWithRecord(text: string): boolean {
  try {
    return 'kind' in JSON.parse(text.trimStart().split('\n', 1)[0] ?? '')
  } catch {
    return false
  }
}

function readDocument(text: string, file: Reading): void {
  const parsed = tryParse(text, 1, file)
  const json = parsed && stating(parsed, Lists)
  if (!json || collectFaults(json, Catalogue, file).has('')) return
  const isBroken = (entry: string) =>
    file.faults.some(({ pointer }) => pointer === entry || pointer.startsWith(`${entry}/`))
  // Guarantee: validated above; invalid entries are skipped.
  const document = json.value as Record<string, unknown>
  for (const { list, kind, only } of kinds) {
    const stated = document[list]
    if (stated === undefined || (only === undefined && !Array.isArray(stated))) continue
    file.kinds.add(kind)
    const entries = Array.isArray(stated) ? stated : [stated]
    for (const [index, entry] of entries.entries()) {
      const pointer = only === undefined ? `/${list}/${index}` : `/${list}`
      nameEntry(json, kind, entry, pointer, file)
      if (!isBroken(pointer)) file.records.push(locate(json, recordOf(kind, entry), pointer))
    }
  }
}

function readLines(text: string, file: Reading): void {
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const parsed = tryParse(line, index + 1, file)
    if (!parsed) continue
    // Guarantee of the cast: nothing is known of the members.
    const { kind } = Object(parsed.value) as { kind?: unknown }
    if (!isRecordKind(kind)) {
      file.faults.push({
        line: index + 1,
        pointer: '/kind',
        message: `must be one of ${kindNames.join(', ')}`,
      })
      continue
    }
    file.kinds.add(kind)
    const flat = 'entry' in Object(parsed.value) ? undefined : flatLineOf(kind)
    const [root, schema] = flat ? ['', flat] : ['/entry', wrappedLineOf(kind)]
    const json = stating(parsed, schema)
    // Guarantee of the cast: as above.
    const { kind: _, ...entry } = json.value as { kind: unknown; entry?: unknown }
    const stated = flat ? entry : entry.entry
    nameEntry(json, kind, stated, root, file)
    if (collectFaults(json, schema, file).size > 0) continue
    // Guarantee: validated against the schema of its kind.
    file.records.push(locate(json, recordOf(kind, stated), root))
  }
}

function tryParse(text: string, line: number, file: CatalogueFile): LocatedJson | undefined {
  try {
    return parseLocated(text, line)
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    file.faults.push({ line: error.line, pointer: '', message: error.message })
    return undefined
  }
}

/** Members of entries that are null are absent. A list that is null stays, and is refused. */
const Lists = Type.Required(Catalogue)

const stating = (json: LocatedJson, schema: TSchema): LocatedJson => ({
  ...json,
  value: withoutNullMembers(schema, json.value),
})

/** Adds the first schema error of each location and returns their pointers. */
function collectFaults(json: LocatedJson, schema: TSchema, { faults }: CatalogueFile): Set<string> {
  const seen = new Set<string>()
  for (const fault of json.faults) {
    seen.add(fault.pointer)
    faults.push(fault)
  }
  for (const error of errorsWithin(schema, json.value)) {
    const pointer = error.path
    if (seen.has(pointer)) continue
    seen.add(pointer)
    const unknown = error.type === ValueErrorType.ObjectAdditionalProperties
    const message = unknown ? 'is unknown' : explainFault(error)
    faults.push({ line: json.lineOf(pointer), pointer, message })
  }
  return seen
}

function locate(json: LocatedJson, record: CatalogueRecord, root: string): LocatedRecord {
  return {
    record,
    faultAt: (pointer, message) => ({ line: json.lineOf(root + pointer), pointer: root + pointer, message }),
  }
}

function nameEntry(
  json: LocatedJson,
  kind: RecordKind,
  entry: unknown,
  root: string,
  { named }: Reading,
): void {
  // Guarantee of the cast: nothing is known of the member.
  const { id } = Object(entry) as { id?: unknown }
  const { only } = kindNamed(kind)
  const [pointer, name] = only === undefined ? [`${root}/id`, id] : [root, only]
  if (typeof name !== 'string') return
  named.push({ key: `${kind} ${name}`, fault: { line: json.lineOf(pointer), pointer, message: '' } })
}

function findDuplicates({ named, faults }: Reading): void {
  const lines = new Map<string, number>()
  for (const { key, fault } of named) {
    const first = lines.get(key)
    if (first === undefined) lines.set(key, fault.line)
    else faults.push({ ...fault, message: `is a duplicate of line ${first}` })
  }
}

/** What the entries of a kind contradict of each other. */
function findClashes({ records, faults }: Reading): void {
  for (const [kind, own] of Map.groupBy(records, ({ record }) => record.kind)) {
    const places = new Map(own.map(({ record, faultAt }) => [record.entry, faultAt]))
    for (const { entry, pointer, message } of kindNamed(kind).clashesOf([...places.keys()]))
      faults.push(...[places.get(entry)].flatMap(faultAt => faultAt?.(pointer, message) ?? []))
  }
}

/** A collectible in several packs is described in at least one of them, always in the same way. */
function shareDescriptions({ records, faults }: CatalogueFile): void {
  const items = records.flatMap(({ record, faultAt }) =>
    record.kind === 'pack' ? record.entry.items.map((item, index) => ({ item, index, faultAt })) : [],
  )
  const known = new Map<string, { description: ReturnType<typeof descriptionOf>; line: number }>()
  for (const { item, index, faultAt } of items) {
    const description = descriptionOf(item)
    const first = known.get(item.id)
    if (!description) continue
    const fault = faultAt(`/items/${index}`, `describes ${item.id} differently from line ${first?.line}`)
    if (!first) known.set(item.id, { description, line: fault.line })
    else if (!Bun.deepEquals(first.description, description)) faults.push(fault)
  }
  for (const { item } of items) Object.assign(item, known.get(item.id)?.description)
}
