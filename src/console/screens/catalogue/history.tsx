/** The revisions of an entry: who changed what, when and why, and how to restore one. */
import { useState } from 'preact/hooks'
import { api, type Data } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { DiffView } from '../../parts/diff.tsx'
import { SelectField } from '../../parts/form.tsx'
import { usePages, useResource } from '../../parts/resource.ts'
import { Empty, Loaded } from '../../parts/states.tsx'
import { type Column, DataTable } from '../../parts/table.tsx'
import { toast } from '../../parts/toast.tsx'
import { None, Time } from '../../parts/values.tsx'
import { type KindName, nounOf, type ShownEntry } from './kinds.ts'
import { SaveDialog } from './save-dialog.tsx'

type Revision = Data<'listCatalogueHistory'>['revisions'][number]

const SOURCES: Record<Revision['source'], string> = {
  before: 'Before the history',
  import: 'Import',
  console: 'Console',
  script: 'Script',
}

const COLUMNS: Column<Revision>[] = [
  { id: 'revision', title: 'Revision', width: '6rem', cell: ({ revision }) => <strong>{revision}</strong> },
  {
    id: 'who',
    title: 'By',
    cell: ({ source, staffName }) =>
      staffName === null ? <Badge>{SOURCES[source]}</Badge> : <bdi>{staffName}</bdi>,
  },
  {
    id: 'reason',
    title: 'Reason',
    hide: 'narrow',
    cell: ({ reason }) => (reason === null ? <None /> : <bdi>{reason}</bdi>),
  },
  { id: 'at', title: 'When', width: '9rem', cell: ({ createdAt }) => <Time at={createdAt} relative /> },
]

interface HistoryProps {
  kind: KindName
  stored: ShownEntry
  mayWrite: boolean
  isChanged: boolean
  onRestored: () => Promise<void>
}

export function HistoryPanel({ kind, stored, mayWrite, isChanged, onRestored }: HistoryProps) {
  const [open, setOpen] = useState<number | null>(null)
  const pages = usePages<Revision>(
    `catalogue history ${kind} ${stored.id} ${stored.revision}`,
    async (cursor, signal) => {
      const place = { kind, entryId: stored.id }
      const page = await api.listCatalogueHistory({ ...place, cursor, limit: 50 }, { signal })
      return { items: page.revisions, nextCursor: page.nextCursor }
    },
  )
  return (
    <>
      <DataTable
        label="Revisions"
        columns={COLUMNS}
        rowKey={({ revision }) => String(revision)}
        pages={pages}
        onOpen={({ revision }) => setOpen(revision)}
        empty={
          <Empty icon="history" title="No changes yet">
            <p>The first change also stores the entry as it is now.</p>
          </Empty>
        }
      />
      {open !== null && (
        <RevisionDialog
          kind={kind}
          stored={stored}
          mayWrite={mayWrite}
          isChanged={isChanged}
          onRestored={onRestored}
          number={open}
          numbers={pages.data?.map(({ revision }) => revision) ?? []}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  )
}

interface RevisionProps extends HistoryProps {
  number: number
  numbers: number[]
  onClose: () => void
}

function RevisionDialog(props: RevisionProps) {
  const { kind, stored, number, numbers, mayWrite, isChanged, onRestored, onClose } = props
  const older = numbers.filter(other => other < number)
  const [against, setAgainst] = useState<number | null>(null)
  const [isRestoring, setRestoring] = useState(false)
  const place = { kind, entryId: stored.id }
  const key = `catalogue revision ${kind} ${stored.id}`
  const compare = (revision: number, older: number | null, signal: AbortSignal) =>
    api.readCatalogueRevision(
      { ...place, revision: String(revision), with: older === null ? undefined : String(older) },
      { signal },
    )
  const compared = useResource(`${key} ${number} ${against}`, signal => compare(number, against, signal))
  const toRestore = useResource(isRestoring ? `${key} ${stored.revision} restore ${number}` : null, signal =>
    compare(stored.revision, number, signal),
  )
  if (isRestoring && toRestore.data)
    return (
      <SaveDialog
        title={`Restore revision ${number}`}
        action="Restore"
        // Reversed: from the stored state to the earlier one.
        changes={toRestore.data.changes.map(({ member, from, to }) => ({ member, from: to, to: from }))}
        onClose={onClose}
        onConfirm={async reason => {
          await api.restoreCatalogueEntry({ ...place, restore: number, revision: stored.revision, reason })
          onClose()
          toast(`The ${nounOf(kind)} is as it was at revision ${number}.`)
          await onRestored()
        }}
      />
    )
  const isCurrent = number === stored.revision
  return (
    <Dialog title={`Revision ${number}`} kind="wide" onClose={onClose}>
      <div class="dialog-text">
        <Loaded of={compared}>
          {({ reason, createdAt, staffName, source, changes, with: other }) => (
            <>
              <p>
                <bdi>{staffName ?? SOURCES[source]}</bdi>, <Time at={createdAt} />
                {reason !== null && (
                  <>
                    : <bdi>{reason}</bdi>
                  </>
                )}
              </p>
              {older.length > 1 && (
                <SelectField
                  label="Compared with"
                  required
                  value={String(other ?? '')}
                  options={older.map(revision => ({
                    value: String(revision),
                    title: `Revision ${revision}`,
                  }))}
                  onChange={value => setAgainst(Number(value))}
                />
              )}
              {other === null ? (
                <p class="quiet">There is no older revision.</p>
              ) : (
                <DiffView changes={changes} />
              )}
            </>
          )}
        </Loaded>
      </div>
      <div class="form-foot">
        <Button onClick={onClose}>Close</Button>
        {mayWrite && !isCurrent && (
          <Button
            icon="undo"
            busy={isRestoring && toRestore.error === null}
            blocked={isChanged && 'Save or discard your changes first.'}
            onClick={() => setRestoring(true)}
          >
            Restore this revision
          </Button>
        )}
      </div>
    </Dialog>
  )
}
