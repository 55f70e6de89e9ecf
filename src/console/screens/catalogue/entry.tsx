/** One entry: its form, its JSON, its history, and a preview for rules and quests. */
import { useState } from 'preact/hooks'
import { api, type Data } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { ReasonDialog } from '../../parts/dialog.tsx'
import { Page } from '../../parts/page.tsx'
import { useResource } from '../../parts/resource.ts'
import { Loaded } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { toast } from '../../parts/toast.tsx'
import { addressOf, navigate, unsaved, useChoice, useUnsaved } from '../../router.tsx'
import { may } from '../../session.ts'
import { EntryForm } from './entry-form.tsx'
import { HistoryPanel } from './history.tsx'
import { JsonPanel } from './json.tsx'
import { type Kind, type KindName, titleOf } from './kinds.ts'
import { StateBadge } from './list.tsx'
import { PreviewPanel } from './preview.tsx'
import { isEqual, newEntry, type Schema, type ShownEntry } from './shapes.ts'

interface EntryProps {
  kind: Kind
  /** Null: a new one. */
  id: string | null
}

export function EntryScreen({ kind, id }: EntryProps) {
  const { kind: name } = kind
  const resource = useResource<ShownEntry | Data<'readCatalogueSchema'>>(
    `catalogue entry ${name} ${id}`,
    signal =>
      id === null
        ? api.readCatalogueSchema({ kind: name }, { signal })
        : api.readCatalogueEntry({ kind: name, entryId: id }, { signal }),
  )
  const back = { to: addressOf('catalogue', name), title: titleOf(kind) }
  const { data } = resource
  // The first read is what is edited. A later read must not replace typed text.
  const [first, setFirst] = useState<ShownEntry | null>(null)
  const known = data && 'entry' in data ? data : null
  const shown = first ?? known
  if (data === null || (id !== null && shown === null))
    return (
      <Page title={id ?? `New ${name}`} back={back}>
        <Loaded of={resource}>{() => null}</Loaded>
      </Page>
    )
  if (id !== null && shown !== null && first === null) setFirst(shown)
  const stored = id === null ? null : shown
  return (
    <Editor
      // After a save, starts again with the stored entry.
      key={stored?.revision ?? 'new'}
      kind={name}
      stored={stored}
      back={back}
      schema={data.schema}
      onStored={async () => {
        await resource.reload()
        setFirst(null)
      }}
    />
  )
}

interface EditorProps {
  kind: KindName
  stored: ShownEntry | null
  schema: Schema
  back: { to: string; title: string }
  /** Called after a change of the entry, to read it again. */
  onStored: () => Promise<void>
}

function Editor({ kind, stored, schema, back, onStored }: EditorProps) {
  const [base, setBase] = useState(() => stored?.entry ?? newEntry(schema))
  const [revision, setRevision] = useState(stored?.revision ?? null)
  const [draft, setDraft] = useState(base)
  const mayWrite = may('catalogue.write')
  const isChanged = !isEqual(draft, base)
  useUnsaved(isChanged ? `Your changes of the ${kind}` : null)
  const hasPreview = mayWrite && (kind === 'rule' || kind === 'quest')
  const [tab, setTab] = useChoice('view', ['form', 'json', 'preview', 'history'])
  const tabs = [
    { id: 'form', title: 'Form' },
    { id: 'json', title: 'JSON' },
    ...(hasPreview ? [{ id: 'preview', title: 'Preview' } as const] : []),
    ...(stored ? [{ id: 'history', title: 'History', count: stored.revision } as const] : []),
  ] as const
  const current = tabs.some(({ id }) => id === tab) ? tab : 'form'

  const whenSaved = async (id: string) => {
    unsaved.value = null
    toast(stored ? `The ${kind} was saved.` : `The ${kind} was created.`)
    if (stored) await onStored()
    else navigate(addressOf('catalogue', kind, 'entry', id), { replace: true })
  }
  return (
    <Page
      title={stored?.title ?? `New ${kind}`}
      head={
        stored && (
          <>
            <bdi>{stored.title}</bdi> <StateBadge state={stored.state} />
          </>
        )
      }
      about={stored ? <code>{stored.id}</code> : undefined}
      back={back}
      actions={
        stored && mayWrite && <Switch kind={kind} stored={stored} onStored={onStored} isChanged={isChanged} />
      }
    >
      <Tabs label={`Views of the ${kind}`} tabs={tabs} current={current} onChange={setTab}>
        {(current === 'form' || current === 'json') && (
          <EntryForm
            kind={kind}
            schema={schema}
            draft={draft}
            setDraft={setDraft}
            isChanged={isChanged}
            revision={revision}
            mayWrite={mayWrite}
            isNew={stored === null}
            base={base}
            onMerged={({ entry, revision: newest }) => {
              setBase(entry)
              setRevision(newest)
            }}
            onSaved={whenSaved}
          >
            {current === 'json' ? (
              <JsonPanel draft={draft} onChange={setDraft} disabled={!mayWrite} />
            ) : undefined}
          </EntryForm>
        )}
        {current === 'preview' && hasPreview && (
          <PreviewPanel kind={kind === 'rule' ? 'rule' : 'quest'} draft={draft} />
        )}
        {current === 'history' && stored && (
          <HistoryPanel
            kind={kind}
            stored={stored}
            mayWrite={mayWrite}
            onRestored={onStored}
            isChanged={isChanged}
          />
        )}
      </Tabs>
    </Page>
  )
}

interface SwitchProps {
  kind: KindName
  stored: ShownEntry
  isChanged: boolean
  onStored: () => Promise<void>
}

/** Switches an entry off or on. */
function Switch({ kind, stored, isChanged, onStored }: SwitchProps) {
  const [isOpen, setOpen] = useState(false)
  const active = stored.state === 'off'
  const action = active ? 'Activate' : 'Deactivate'
  return (
    <>
      <Button blocked={isChanged && 'Save or discard your changes first.'} onClick={() => setOpen(true)}>
        {action}
      </Button>
      {isOpen && (
        <ReasonDialog
          title={`${action} the ${kind}`}
          action={action}
          onClose={() => setOpen(false)}
          onConfirm={async reason => {
            const { id: entryId, revision } = stored
            await api.switchCatalogueEntry({ kind, entryId, active, revision, reason })
            toast(`The ${kind} is ${active ? 'on' : 'off'}.`)
            await onStored()
          }}
        >
          <p>
            {active
              ? 'It is offered again, between its start and its end.'
              : 'It is not offered any more. Fans keep what they have.'}
          </p>
        </ReasonDialog>
      )}
    </>
  )
}
