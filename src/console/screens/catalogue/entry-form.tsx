/** The form of an entry: it is checked first, then saved with a view of the difference and a reason. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { api, type Data, hasCode, ProblemError } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { Form } from '../../parts/form.tsx'
import { useAction } from '../../parts/resource.ts'
import { Note } from '../../parts/states.tsx'
import { explained, languageAt, wordsOf } from './errors.ts'
import { ObjectFields } from './fields.tsx'
import { type KindName, nounOf, type ShownEntry } from './kinds.ts'
import { CurrentLanguage, LanguageTabs } from './languages.tsx'
import { EntryKind } from './picture-field.tsx'
import { ErrorPointers } from './rows.tsx'
import { SaveDialog } from './save-dialog.tsx'
import { isMembers, type Members, mergeChanges, type Schema } from './shapes.ts'
import { withoutEmptied } from './texts.ts'

interface FormProps {
  kind: KindName
  schema: Schema
  base: Members
  draft: Members
  setDraft: (draft: Members) => void
  isChanged: boolean
  isNew: boolean
  revision: number | null
  /** Of the catalogue, the first of the club first. */
  languages: string[]
  language: string
  onLanguage: (language: string) => void
  mayWrite: boolean
  onSaved: (id: string) => Promise<void>
  /** The stored entry on which the merged draft is based. */
  onMerged: (stored: Pick<ShownEntry, 'entry' | 'revision'>) => void
  /** Instead of the fields. */
  children: ComponentChildren
}

/** Members that cannot change once an entry exists. */
const fixedIn = ({ properties = {} }: Schema) =>
  Object.keys(properties).filter(name => properties[name]?.readOnly)

export function EntryForm(props: FormProps) {
  const { kind, schema, base, draft, setDraft, isChanged, isNew, revision, mayWrite, children } = props
  const { languages, language, onLanguage } = props
  const [first = 'en'] = languages
  const [plan, setPlan] = useState<Data<'planCatalogueEntry'> | null>(null)
  const [merged, setMerged] = useState<string[] | null>(null)
  const [error, setError] = useState<unknown>(null)
  const check = useAction<Members>(async written => {
    setError(null)
    const stripped = withoutEmptied(schema, written, first)
    const entry = isMembers(stripped) ? stripped : written
    setDraft(entry)
    setPlan(await api.planCatalogueEntry({ kind, entry }))
  })
  const id = typeof draft.id === 'string' ? draft.id : ''
  // After the dialog has closed, an error of the save is also shown at its field.
  const failed = check.error ?? error
  const failure = failed === null ? null : explained(failed, schema, draft, first)
  const show = (pointer: string) => {
    const of = languageAt(schema, pointer)
    if (of !== null) onLanguage(of)
  }
  useEffect(() => {
    // The first error is shown in its language.
    const [pointer] = pointers
    if (pointer !== undefined) show(pointer)
  }, [failed])
  const pointers =
    failure instanceof ProblemError
      ? (failure.problem.errors ?? []).flatMap(({ pointer }) => pointer ?? [])
      : []

  /** Somebody saved meanwhile: applies the user's changes to the new version, to be checked again. */
  async function merge() {
    const stored = await api.readCatalogueEntry({ kind, entryId: id })
    const { merged: next, both } = mergeChanges(base, draft, stored.entry)
    props.onMerged(stored)
    setDraft(next)
    setMerged(both)
  }
  return (
    <ErrorPointers.Provider value={pointers}>
      <Form
        action={{ isBusy: check.isBusy, error: failure }}
        onSubmit={() => check.run(draft)}
        byButton
        nameOf={pointer => wordsOf(schema, pointer)}
        onShow={show}
        foot={
          mayWrite && (
            <div class="save-bar">
              <span class="quiet" role="status">
                {isChanged ? 'Not saved yet' : isNew ? '' : 'No changes'}
              </span>
              {isChanged && !isNew && (
                <Button
                  onClick={() => {
                    setDraft(base)
                    check.clear()
                    setError(null)
                  }}
                >
                  Discard
                </Button>
              )}
              <Button
                submit
                kind="primary"
                busy={check.isBusy}
                blocked={!isChanged && !isNew && 'There is nothing to save.'}
              >
                {isNew ? `Create ${nounOf(kind)}` : 'Review and save'}
              </Button>
            </div>
          )
        }
      >
        {merged !== null && (
          <Note tone={merged.length > 0 ? 'warn' : 'info'}>
            <p>
              Somebody saved this {nounOf(kind)} while you edited it. Your changes are now on top of theirs.
            </p>
            {merged.length > 0 && (
              <p>
                You both changed {merged.join(', ')}: the form keeps your values, and the review shows what
                they replace.
              </p>
            )}
          </Note>
        )}
        {kind === 'match' && !isNew && <Note>Enter status and scores on the page “Match day”.</Note>}
        {!mayWrite && <Note>Your role can read the catalogue, but not change it.</Note>}
        {children ?? (
          <LanguageTabs
            schema={schema}
            draft={draft}
            known={languages}
            current={language}
            onChange={onLanguage}
            mayAdd={mayWrite}
          >
            <CurrentLanguage.Provider value={{ language, first }}>
              <EntryKind.Provider value={kind}>
                <div class="fields">
                  <ObjectFields
                    schema={schema}
                    value={draft}
                    pointer="/entry"
                    fixed={isNew ? [] : fixedIn(schema)}
                    disabled={!mayWrite}
                    onChange={setDraft}
                  />
                </div>
              </EntryKind.Provider>
            </CurrentLanguage.Provider>
          </LanguageTabs>
        )}
      </Form>
      {plan && (
        <SaveDialog
          title={isNew ? `Create the ${nounOf(kind)}` : `Save the ${nounOf(kind)}`}
          changes={plan.outcome === 'created' ? null : plan.changes}
          onClose={() => setPlan(null)}
          onConfirm={async reason => {
            try {
              await api.saveCatalogueEntry({ kind, entryId: id, entry: draft, revision, reason })
            } catch (failed) {
              if (hasCode(failed, 'revision_conflict') && !isNew) {
                await merge()
                setPlan(null)
                return
              }
              setError(failed)
              throw failed
            }
            setPlan(null)
            await props.onSaved(id)
          }}
        />
      )}
    </ErrorPointers.Provider>
  )
}
