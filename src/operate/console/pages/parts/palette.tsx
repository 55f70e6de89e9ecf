/** Ctrl-K or ⌘-K: goes to a screen or finds a fan, without the mouse. */
import { signal } from '@preact/signals'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { navigate } from '../router.tsx'
import { Icon, type IconName } from './icon.tsx'

export interface Target {
  id: string
  title: string
  /** Such as the handle of a fan. */
  note?: string
  icon: IconName
  to: string
}

export const isPaletteOpen = signal(false)

addEventListener('keydown', event => {
  if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey)
    return
  event.preventDefault()
  isPaletteOpen.value = !isPaletteOpen.value
})

interface PaletteProps {
  screens: Target[]
  /** Absent where the role may not read fans. */
  findFans?: ((text: string, signal: AbortSignal) => Promise<Target[]>) | undefined
}

const PAUSE_MS = 150
const SHORTEST = 2

export const Palette = (props: PaletteProps) => (isPaletteOpen.value ? <OpenPalette {...props} /> : null)

function OpenPalette({ screens, findFans }: PaletteProps) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState('')
  const [result, setResult] = useState<{ text: string; fans: Target[] }>({ text: '', fans: [] })
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle')
  const [chosen, setChosen] = useState(0)
  const close = () => {
    isPaletteOpen.value = false
  }
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => shown?.close()
  }, [])

  const wanted = text.trim()
  useEffect(() => {
    setChosen(0)
    if (!findFans || wanted.length < SHORTEST) {
      setState('idle')
      return
    }
    const abort = new AbortController()
    setState('busy')
    const timer = setTimeout(async () => {
      try {
        setResult({ text: wanted, fans: await findFans(wanted, abort.signal) })
        if (!abort.signal.aborted) setState('idle')
      } catch {
        if (!abort.signal.aborted) setState('failed')
      }
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [wanted])

  const lower = wanted.toLowerCase()
  // The fans of a former text would be opened by Enter.
  const fans = result.text === wanted ? result.fans : []
  const found = [...screens.filter(({ title }) => title.toLowerCase().includes(lower)), ...fans]
  const open = (target: Target | undefined) => {
    if (!target) return
    close()
    navigate(target.to)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && found.length > 0) {
      event.preventDefault()
      const next = (chosen + step + found.length) % found.length
      setChosen(next)
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') {
      event.preventDefault()
      open(found[chosen])
    }
  }
  const status =
    state === 'busy'
      ? 'Searching…'
      : state === 'failed'
        ? 'The search failed.'
        : found.length === 0
          ? 'Nothing was found.'
          : ''
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Go to"
      onCancel={event => {
        event.preventDefault()
        close()
      }}
      onMouseDown={event => event.target === dialog.current && close()}
    >
      <div class="palette-box">
        <div class="palette-input">
          <Icon name="search" />
          <input
            type="text"
            role="combobox"
            aria-label={findFans ? 'Search fans and pages' : 'Search pages'}
            aria-expanded="true"
            aria-controls={`${id}-list`}
            aria-activedescendant={found.length > 0 ? `${id}-${chosen}` : undefined}
            aria-autocomplete="list"
            placeholder={findFans ? 'Search fans and pages' : 'Search pages'}
            autocomplete="off"
            spellcheck={false}
            dir="auto"
            autofocus
            value={text}
            onInput={event => setText(event.currentTarget.value)}
            onKeyDown={onKeyDown}
          />
          <span class="kbd" aria-hidden="true">
            Esc
          </span>
        </div>
        <div class="palette-list" role="listbox" id={`${id}-list`} aria-label="Results">
          {found.map((target, nth) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the focus and its keys choose an option
            <div
              key={target.id}
              id={`${id}-${nth}`}
              role="option"
              tabIndex={-1}
              aria-selected={nth === chosen}
              class="palette-option"
              onMouseMove={() => setChosen(nth)}
              onClick={() => open(target)}
            >
              <Icon name={target.icon} />
              <bdi>{target.title}</bdi>
              {target.note && <bdi class="quiet">{target.note}</bdi>}
            </div>
          ))}
        </div>
        <p class="palette-status quiet" role="status">
          {status}
        </p>
      </div>
    </dialog>
  )
}
