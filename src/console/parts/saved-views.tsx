/** Filters of a screen under a name, kept in this browser. */
import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { applyQuery, queryText } from '../router.tsx'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Form, TextField } from './form.tsx'
import { toast } from './toast.tsx'

interface View {
  name: string
  /** The query of the address. */
  query: string
}

const KEY = 'matchday console views'
const NAME_MAX = 60
const VIEWS_MAX = 30

/** By area. What another version or a person has written there is left out. */
function readViews(): Record<string, View[]> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}')
    const isView = (one: unknown): one is View =>
      typeof Object(one).name === 'string' && typeof Object(one).query === 'string'
    return Object.fromEntries(
      Object.entries(Object(stored)).map(([area, views]) => [
        area,
        Array.isArray(views) ? views.filter(isView) : [],
      ]),
    )
  } catch {
    return {}
  }
}

const views = signal(readViews())

function write(area: string, next: View[]): void {
  views.value = { ...views.value, [area]: next }
  localStorage.setItem(KEY, JSON.stringify(views.value))
}

/** In the toolbar of a screen whose filters are in the address. */
export function SavedViews({ area }: { area: string }) {
  const [isSaving, setSaving] = useState(false)
  const own = views.value[area] ?? []
  const current = own.find(({ query }) => query === queryText.value)
  const remove = ({ name, query }: View) => {
    write(
      area,
      own.filter(view => view.name !== name),
    )
    toast(`The view “${name}” is removed.`, async () => {
      write(area, [...(views.value[area] ?? []), { name, query }])
      return `The view “${name}” is back.`
    })
  }
  return (
    <div class="saved-views">
      {own.length > 0 && (
        <select
          class="control"
          aria-label="Saved views"
          value={current?.name ?? ''}
          onChange={event => {
            const view = own.find(({ name }) => name === event.currentTarget.value)
            if (view) applyQuery(view.query)
          }}
        >
          <option value="">Saved views</option>
          {own.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
      {current ? (
        <Button small kind="quiet" icon="remove" onClick={() => remove(current)}>
          Remove view
        </Button>
      ) : (
        <Button
          small
          kind="quiet"
          icon="add"
          blocked={own.length >= VIEWS_MAX && 'Remove another view first.'}
          onClick={() => setSaving(true)}
        >
          Save view
        </Button>
      )}
      {isSaving && (
        <SaveDialog
          onSave={name => {
            write(area, [...own.filter(view => view.name !== name), { name, query: queryText.value }])
            setSaving(false)
          }}
          onClose={() => setSaving(false)}
        />
      )}
    </div>
  )
}

function SaveDialog({ onSave, onClose }: { onSave: (name: string) => void; onClose: () => unknown }) {
  const [name, setName] = useState('')
  const written = name.trim()
  return (
    <Dialog title="Save this view" onClose={onClose}>
      <Form
        action={{ isBusy: false, error: null }}
        onSubmit={() => written !== '' && onSave(written)}
        foot={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button submit kind="primary" blocked={written === '' && 'Write a name first.'}>
              Save
            </Button>
          </>
        }
      >
        <TextField
          label="Name"
          hint="The filters are kept in this browser. A view of this name is replaced."
          required
          autofocus
          max={NAME_MAX}
          value={name}
          onChange={setName}
        />
      </Form>
    </Dialog>
  )
}
