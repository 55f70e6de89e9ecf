/** Finds fans while staff type. The search is kept only in this page, while the same person is signed in. */
import { signal } from '@preact/signals'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty, Failed } from '../../parts/states.tsx'
import { addressOf, navigate } from '../../router.tsx'
import { may, session } from '../../session.ts'
import { FoundRow } from './found.tsx'
import { PriorityDialog } from './priority.tsx'
import { maySeveral, SeveralDialog } from './several.tsx'
import type { FoundFans } from './types.ts'

const PAUSE_MS = 150

/** The fans for one text. They are not shown as the result of another text. */
interface Result {
  text: string
  found: FoundFans
}

/** Kept so that Back shows the results again, but not in the address, which the browser's history would store. */
const last = signal<{ staffId: string; text: string; result: Result | null } | null>(null)

const lastOf = (staffId: string | undefined) => (last.peek()?.staffId === staffId ? last.peek() : null)

export function SearchScreen() {
  const id = useId()
  const staffId = session.value?.staff.id
  const [text, setText] = useState(lastOf(staffId)?.text ?? '')
  const [result, setResult] = useState<Result | null>(lastOf(staffId)?.result ?? null)
  const [error, setError] = useState<unknown>(null)
  const [chosen, setChosen] = useState(0)
  const [attempt, setAttempt] = useState(0)
  const [isSeveral, setSeveral] = useState(false)
  const [isPriority, setPriority] = useState(false)
  const wanted = text.trim()
  /** The text for which Enter was pressed before its fans had loaded. */
  const awaited = useRef('')
  const isBusy = wanted !== '' && error === null && result?.text !== wanted

  useEffect(() => {
    if (staffId !== undefined) last.value = { staffId, text, result }
  }, [staffId, text, result])
  useEffect(() => {
    setError(null)
    if (wanted === '') setResult(null)
    if (wanted === '' || wanted === result?.text) return
    const abort = new AbortController()
    const timer = setTimeout(async () => {
      try {
        const found = await api.searchFans({ text: wanted }, { signal: abort.signal })
        setResult({ text: wanted, found })
        setChosen(0)
        const [only, ...others] = found.fans
        if (awaited.current === wanted && only && others.length === 0) navigate(addressOf('fans', only.id))
      } catch (failure) {
        if (!abort.signal.aborted) setError(failure)
      }
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [wanted, attempt])

  // The fans of the previous text stay visible, but no key opens them.
  const shown = error === null ? (result?.found.fans ?? []) : []
  const fans = isBusy ? [] : shown
  const open = (index: number) => {
    const fan = fans[index]
    if (fan) navigate(addressOf('fans', fan.id))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && fans.length > 0) {
      event.preventDefault()
      const next = (chosen + step + fans.length) % fans.length
      setChosen(next)
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') {
      event.preventDefault()
      if (isBusy) awaited.current = wanted
      else open(chosen)
    } else if (event.key === 'Escape') setText('')
  }
  const status =
    wanted === '' || error !== null
      ? ''
      : isBusy
        ? 'Searching…'
        : `${fans.length === 0 ? 'No fan' : fans.length === 1 ? '1 fan' : `${fans.length} fans`} found${result?.found.more ? ', and there are more: type more characters' : ''}`
  return (
    <Page
      title="Fans"
      about="Find a fan by name, handle, e-mail, code or id."
      actions={
        <>
          {may('fans.export') && <Button onClick={() => setPriority(true)}>Priority list</Button>}
          {maySeveral() && <Button onClick={() => setSeveral(true)}>Several fans</Button>}
        </>
      }
    >
      {isPriority && <PriorityDialog onClose={() => setPriority(false)} />}
      {isSeveral && <SeveralDialog onClose={() => setSeveral(false)} />}
      <div class="fan-search">
        <label for={`${id}-input`} class="unseen">
          Search fans
        </label>
        <Icon name="search" />
        <input
          id={`${id}-input`}
          type="text"
          role="combobox"
          aria-expanded={fans.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={fans.length > 0 ? `${id}-${chosen}` : undefined}
          aria-autocomplete="list"
          aria-describedby={`${id}-status`}
          placeholder="Handle, name, e-mail, code, order …"
          maxLength={255}
          dir="auto"
          autocomplete="off"
          spellcheck={false}
          autofocus
          value={text}
          onInput={event => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      {error !== null && <Failed error={error} onRetry={() => setAttempt(count => count + 1)} />}
      <p class="quiet" role="status" id={`${id}-status`}>
        {status}
      </p>
      <div
        class="found"
        role="listbox"
        id={`${id}-list`}
        aria-label="Fans found"
        aria-busy={isBusy}
        hidden={shown.length === 0}
      >
        {shown.map((fan, index) => (
          <FoundRow
            key={fan.id}
            id={`${id}-${index}`}
            fan={fan}
            isChosen={!isBusy && index === chosen}
            onChoose={() => setChosen(index)}
          />
        ))}
      </div>
      {wanted === '' && error === null && <Hint />}
      {wanted !== '' && !isBusy && error === null && fans.length === 0 && (
        <Empty icon="search" title="No fan was found">
          <p>Handles and names are found by their first characters. Everything else must be complete.</p>
        </Empty>
      )}
    </Page>
  )
}

const Hint = () => (
  <Empty icon="fans" title="What you can search for">
    <ul class="plain-list">
      <li>The beginning of a handle or of a name; case and accents do not matter</li>
      {may('fans.personal') && <li>An e-mail address</li>}
      <li>A redemption or voucher code, also with O for 0 and I or L for 1</li>
      <li>
        The id of a fan, an order, a trade, a pack, a top-up or a payment, or the subject at the provider
      </li>
    </ul>
  </Empty>
)
