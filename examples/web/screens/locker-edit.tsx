/** Arranges the fan's locker: title, theme, shelves, and the cards on them in order. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import {
  hasCode,
  type Item,
  type Locker,
  readOwnItems,
  readOwnLocker,
  type WrittenLocker,
  writeLocker,
} from '../api.ts'
import { keyOf } from '../items.ts'
import { text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded, useWrite } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { Empty, Screen } from '../parts/layout.tsx'
import { Refused } from '../parts/refused.tsx'
import { ShelfEditor } from '../parts/shelf-editor.tsx'
import { addressOf, Link, navigate } from '../router.tsx'
import { addShelf, type Draft, draftOf, keepOwned, MAX_SHELVES, moveItem, writtenOf } from '../shelves.ts'

async function loadEdit() {
  const [locker, items] = await Promise.all([readOwnLocker(), readOwnItems()])
  return { locker, items }
}

export function LockerEdit() {
  const loaded = useLoaded('locker edit', loadEdit)
  return (
    <Screen title={text.locker.edit} up={addressOf('locker')}>
      <Loading of={loaded} skeleton={<Bones />}>
        {({ locker, items }) =>
          items.length === 0 ? (
            <Empty
              action={
                <Link to={addressOf('packs')} class="button main">
                  {text.collection.toPacks}
                </Link>
              }
            >
              {text.locker.noCards}
            </Empty>
          ) : (
            <Form locker={locker} items={items} />
          )
        }
      </Loading>
    </Screen>
  )
}

function Form({ locker, items }: { locker: Locker; items: Item[] }) {
  const [draft, setDraft] = useState(() => draftOf(locker))
  const [owned, setOwned] = useState(items)
  const { said, move } = useMoves(draft, setDraft)
  const save = useWrite(async (written: WrittenLocker, key) => {
    try {
      await writeLocker(written, key)
      navigate(addressOf('locker'))
    } catch (error) {
      if (hasCode(error, 'item_not_owned')) {
        const now = await readOwnItems()
        setOwned(now)
        setDraft(latest => keepOwned(latest, now))
      }
      throw error
    }
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    return save.run(writtenOf(draft))
  }
  return (
    <form class="form locker-form" onSubmit={submit}>
      <div class="panel form-part">
        <label>
          <span>{text.locker.title}</span>
          <input
            maxLength={50}
            value={draft.title}
            onInput={event => setDraft({ ...draft, title: event.currentTarget.value })}
          />
        </label>
        <Themes value={draft.theme} onChange={theme => setDraft({ ...draft, theme })} />
      </div>
      {draft.shelves.map((shelf, nth) => (
        <ShelfEditor key={shelf.key} draft={draft} nth={nth} owned={owned} setDraft={setDraft} move={move} />
      ))}
      <p class="unseen" role="status">
        {said}
      </p>
      {draft.shelves.length < MAX_SHELVES && (
        <p>
          <Button kind="plain" onClick={() => setDraft(addShelf(draft))}>
            {text.locker.addShelf}
          </Button>
        </p>
      )}
      <Refused write={save} />
      <div class="form-foot">
        <Button submit busy={save.isBusy}>
          {text.profile.save}
        </Button>
      </div>
    </form>
  )
}

/** Moves items, announces their new position, and keeps the focus on the button. */
function useMoves(draft: Draft, setDraft: (draft: Draft) => void) {
  const [said, setSaid] = useState('')
  const focused = useRef<string | null>(null)
  useLayoutEffect(() => {
    if (focused.current) document.getElementById(focused.current)?.focus()
    focused.current = null
  }, [draft])
  const move = (nth: number, place: number, by: 1 | -1) => {
    const item = draft.shelves[nth]?.items[place]
    const moved = moveItem(draft, nth, place, by)
    if (!item || moved === draft) return
    for (const [shelf, { title, items }] of moved.shelves.entries()) {
      const at = items.indexOf(item)
      if (at >= 0) setSaid(text.locker.moved(item.name, at + 1, title || text.locker.shelf(shelf + 1)))
    }
    focused.current = `${by === 1 ? 'later' : 'earlier'}:${keyOf(item)}`
    setDraft(moved)
  }
  return { said, move }
}

interface ThemesProps {
  value: Draft['theme']
  onChange: (theme: Draft['theme']) => void
}

const Themes = ({ value, onChange }: ThemesProps) => (
  <fieldset>
    <legend>{text.locker.theme}</legend>
    <div class="themes">
      {(Object.entries(text.locker.themes) as [Draft['theme'], string][]).map(([theme, name]) => (
        <label key={theme} class="radio theme">
          <input type="radio" name="theme" checked={theme === value} onChange={() => onChange(theme)} />
          <span class={`swatch theme-${theme}`} aria-hidden="true" />
          <span>{name}</span>
        </label>
      ))}
    </div>
  </fieldset>
)
