/** The history of an entry as the console shows it. */
import type { Reader } from '../../../../db/index.ts'
import { compareEntries } from '../../../club/catalogue/entry.ts'
import { listRevisions, type RevisionSource, readRevision } from '../../../club/catalogue/history.ts'
import { type Cursors, cutPage, pageOf } from '../../../core/pagination.ts'
import type { PageQuery } from '../../../core/schemas.ts'
import type { Static, TObject } from '../../../core/typebox.ts'
import type { RecordKind } from '../../../play/catalogue-file/kinds.ts'
import { changesIn } from './change-entry.ts'

interface EntryParams {
  kind: RecordKind
  entryId: string
}

/** Newest first. */
export async function listHistory(
  { read, cursors }: { read: Reader; cursors: Cursors },
  { kind, entryId }: EntryParams,
  query: Static<TObject<typeof PageQuery>>,
) {
  const { limit, cursor } = pageOf(query)
  const list = `console catalogue history ${JSON.stringify([kind, entryId])}`
  const before = cursors.decode(list, cursor)
  const rows = await listRevisions(read, {
    kind,
    id: entryId,
    limit: limit + 1,
    ...(before === undefined ? {} : { before: Number(before) }),
  })
  const { shown, nextCursor } = cutPage(rows, limit, ({ revision }) => cursors.encode(list, revision))
  return { revisions: shown.map(present), nextCursor }
}

/** A revision, and how it differs from an older one. @throws DomainError `revision_not_found` */
export async function compareRevisions(
  reader: Reader,
  { kind, entryId, revision: number }: EntryParams & { revision: string },
  { with: older }: { with?: string },
) {
  const { entry: text, ...revision } = await readRevision(reader, kind, entryId, Number(number))
  const [previous] =
    older === undefined
      ? await listRevisions(reader, { kind, id: entryId, before: revision.revision, limit: 1 })
      : []
  const otherNumber = older === undefined ? previous?.revision : Number(older)
  const other = otherNumber === undefined ? undefined : await readRevision(reader, kind, entryId, otherNumber)
  const [before, after] = [other?.entry ?? '{}', text].map(membersOf)
  return {
    ...present(revision),
    // Guarantee of the cast: only valid entries are kept.
    entry: JSON.parse(text) as Record<string, unknown>,
    with: otherNumber ?? null,
    changes: changesIn(compareEntries(before, after ?? {})),
  }
}

const present = <Row extends { createdAt: Date; source: string }>({ createdAt, source, ...row }: Row) => ({
  ...row,
  // Guarantee of the cast: a constraint allows no other source.
  source: source as RevisionSource,
  createdAt: createdAt.toISOString(),
})

/** The members to compare, with separate items, steps and variants. */
function membersOf(text: string): Record<string, unknown> {
  const members: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(JSON.parse(text) as Record<string, unknown>))
    if (isListOfNamed(value)) for (const part of value) members[`${name}/${part.id}`] = part
    else members[name] = value
  return members
}

const isListOfNamed = (value: unknown): value is { id: string }[] =>
  Array.isArray(value) && value.length > 0 && value.every(part => typeof part?.id === 'string')
