/** One entry: its form, its JSON, its history, and a preview for rules and quests. */
import { useState } from 'preact/hooks'
import { api, type Data } from '../../api.ts'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { Page } from '../../parts/page.tsx'
import { useResource } from '../../parts/resource.ts'
import { Loaded } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { toast } from '../../parts/toast.tsx'
import { addressOf, navigate, unsaved, useChoice, useParameter, useUnsaved } from '../../router.tsx'
import { may, session } from '../../session.ts'
import { CampaignReport } from './campaign.tsx'
import { Suggestions } from './choice-fields.tsx'
import { StateBadge, titleOfState } from './columns.tsx'
import { EntryForm } from './entry-form.tsx'
import { HistoryPanel } from './history.tsx'
import { JsonPanel } from './json.tsx'
import { type Kind, type KindName, nounOf, type ShownEntry, titleOf } from './kinds.ts'
import { Phone } from './phone.tsx'
import { PreviewPanel } from './preview.tsx'
import { ActivationDialog } from './quick-edits.tsx'
import { Collectibles, type Option } from './reference-fields.tsx'
import { SegmentPanel } from './segment.tsx'
import { isEqual, isMembers, type Members, newEntry, type Schema } from './shapes.ts'

interface EntryProps {
  kind: Kind
  /** Null: a new one. */
  id: string | null
}

export function EntryScreen({ kind, id }: EntryProps) {
  const { kind: name } = kind
  const [from] = useParameter('from')
  const copied = id === null && from !== '' ? from : null
  const resource = useResource<ShownEntry | Data<'readCatalogueSchema'>>(
    `catalogue entry ${name} ${id ?? copied}`,
    signal => {
      const entryId = id ?? copied
      return entryId === null
        ? api.readCatalogueSchema({ kind: name }, { signal })
        : api.readCatalogueEntry({ kind: name, entryId }, { signal })
    },
  )
  const isOnly = kind.only !== null
  const back = isOnly
    ? { to: addressOf('catalogue'), title: 'Catalogue' }
    : { to: addressOf('catalogue', name), title: titleOf(kind) }
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
      isOnly={isOnly}
      stored={stored}
      stateTitle={stored ? titleOfState(kind, stored.state) : ''}
      initial={stored?.entry ?? (known ? copyOf(known) : inCurrencyOfClub(newEntry(data.schema)))}
      back={back}
      schema={data.schema}
      languages={data.languages}
      suggestions={data.suggestions}
      collectibles={data.collectibles.map(({ id: value, title }) => ({ value, title }))}
      onStored={async () => {
        await resource.reload()
        setFirst(null)
      }}
    />
  )
}

/** A new entry with a price has it in the currency of the club. */
function inCurrencyOfClub(entry: Members): Members {
  const currency = session.value?.club.currency ?? null
  return currency !== null && isMembers(entry.price)
    ? { ...entry, price: { ...entry.price, currency } }
    : entry
}

/** A draft of a new entry like another one: off, until somebody has looked at it. */
function copyOf({ id, entry }: ShownEntry): Members {
  return { ...entry, id: `${id}-copy`, ...('active' in entry ? { active: false } : {}) }
}

interface EditorProps {
  kind: KindName
  /** The only entry of its kind, which is never off. */
  isOnly: boolean
  stored: ShownEntry | null
  stateTitle: string
  /** What is edited first. */
  initial: Members
  schema: Schema
  languages: string[]
  suggestions: Record<string, string[]>
  collectibles: Option[]
  back: { to: string; title: string }
  /** Called after a change of the entry, to read it again. */
  onStored: () => Promise<void>
}

function Editor(props: EditorProps) {
  const { kind, isOnly, stored, stateTitle, initial, schema, languages, suggestions, back, onStored } = props
  const { collectibles } = props
  const [chosenLanguage, setLanguage] = useParameter('language')
  const language = chosenLanguage || (languages[0] ?? 'en')
  const [base, setBase] = useState(initial)
  const [revision, setRevision] = useState(stored?.revision ?? null)
  const [draft, setDraft] = useState(base)
  const mayWrite = may('catalogue.write')
  const isChanged = !isEqual(draft, base)
  useUnsaved(isChanged ? `Your changes to the ${nounOf(kind)}` : null)
  const hasPreview = mayWrite && (kind === 'rule' || kind === 'quest')
  const hasFans = mayWrite && kind === 'segment'
  const [tab, setTab] = useChoice('view', ['form', 'json', 'preview', 'report', 'history'])
  const tabs = [
    { id: 'form', title: 'Form' },
    { id: 'json', title: 'JSON' },
    ...(hasPreview ? [{ id: 'preview', title: 'Preview' } as const] : []),
    ...(stored && kind === 'campaign' ? [{ id: 'report', title: 'Report' } as const] : []),
    ...(stored ? [{ id: 'history', title: 'History', count: stored.revision } as const] : []),
  ] as const
  const current = tabs.some(({ id }) => id === tab) ? tab : 'form'

  const withPhone = current === 'form' && !hasFans

  const whenSaved = async (id: string) => {
    unsaved.value = null
    toast(isOnly ? 'Saved.' : stored ? `The ${nounOf(kind)} was saved.` : `The ${nounOf(kind)} was created.`)
    if (stored) await onStored()
    else navigate(addressOf('catalogue', kind, 'entry', id), { replace: true })
  }
  return (
    <Page
      title={stored?.title ?? `New ${nounOf(kind)}`}
      head={
        stored && (
          <>
            <bdi>{stored.title}</bdi> {!isOnly && <StateBadge state={stored.state} title={stateTitle} />}
          </>
        )
      }
      about={stored && !isOnly ? <code>{stored.id}</code> : undefined}
      back={back}
      actions={
        stored &&
        mayWrite &&
        !isOnly && <Actions kind={kind} stored={stored} onStored={onStored} isChanged={isChanged} />
      }
    >
      <Tabs label={`Views of the ${nounOf(kind)}`} tabs={tabs} current={current} onChange={setTab}>
        {(current === 'form' || current === 'json') && (
          <div class={withPhone || hasFans ? 'editor with-phone' : 'editor'}>
            <Suggestions.Provider value={suggestions}>
              <Collectibles.Provider value={collectibles}>
                <EntryForm
                  kind={kind}
                  schema={schema}
                  languages={languages}
                  language={language}
                  onLanguage={setLanguage}
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
              </Collectibles.Provider>
            </Suggestions.Provider>
            {hasFans && (
              <aside aria-label="Fans of the segment">
                <SegmentPanel draft={draft} stored={stored?.id ?? null} isChanged={isChanged} />
              </aside>
            )}
            {withPhone && (
              <Phone
                kind={kind}
                schema={schema}
                draft={draft}
                language={language}
                first={languages[0] ?? 'en'}
              />
            )}
          </div>
        )}
        {current === 'preview' && hasPreview && (
          <PreviewPanel kind={kind === 'rule' ? 'rule' : 'quest'} draft={draft} />
        )}
        {current === 'report' && stored && <CampaignReport id={stored.id} />}
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

interface ActionsProps {
  kind: KindName
  stored: ShownEntry
  isChanged: boolean
  onStored: () => Promise<void>
}

/** Copies an entry, and switches it off or on. */
function Actions({ kind, stored, isChanged, onStored }: ActionsProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <ButtonLink
        to={`${addressOf('catalogue', kind, 'new')}?from=${encodeURIComponent(stored.id)}`}
        icon="copy"
      >
        Duplicate
      </ButtonLink>
      <Button blocked={isChanged && 'Save or discard your changes first.'} onClick={() => setOpen(true)}>
        {stored.state === 'off' ? 'Activate' : 'Deactivate'}
      </Button>
      {isOpen && (
        <ActivationDialog kind={kind} entry={stored} onDone={onStored} onClose={() => setOpen(false)} />
      )}
    </>
  )
}
