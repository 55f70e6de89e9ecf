/** A field with a list of suggestions, by the combobox pattern of ARIA: the focus stays in the field. */
import type { InputHTMLAttributes } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'
import { Icon, type IconName } from './icon.tsx'

/** Pause in typing before a search starts. Milliseconds. */
const PAUSE_MS = 150
/** Minimum characters of a search. */
const SHORTEST = 2

export type Find<T> = (text: string, signal: AbortSignal) => Promise<T[]>

/** The result of `find` for this text, never for an earlier one. Empty without `find`, or for a shorter text. */
export function useSearch<T>(text: string, find: Find<T> | undefined) {
  const wanted = text.trim()
  const [result, setResult] = useState<{ text: string; found: T[] }>({ text: '', found: [] })
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle')
  useEffect(() => {
    if (!find || wanted.length < SHORTEST) {
      setState('idle')
      return
    }
    const abort = new AbortController()
    setState('busy')
    const timer = setTimeout(async () => {
      try {
        setResult({ text: wanted, found: await find(wanted, abort.signal) })
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
  return { state, found: result.text === wanted ? result.found : null }
}

export interface Option {
  id: string
  title: string
  /** Such as the handle of a fan. */
  note?: string
  icon: IconName
}

/** Key handlers of the field, and attributes of field and list. A change of the typed `text` selects the first option. */
export function useCombobox<T extends Option>(text: string, options: T[], onPick: (option: T) => void) {
  const id = useId()
  const [chosen, setChosen] = useState(0)
  useEffect(() => setChosen(0), [text])
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && options.length > 0) {
      event.preventDefault()
      const next = (chosen + step + options.length) % options.length
      setChosen(next)
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') {
      const option = options[chosen]
      if (!option) return
      event.preventDefault()
      onPick(option)
    }
  }
  const field: InputHTMLAttributes = {
    type: 'text',
    role: 'combobox',
    'aria-expanded': options.length > 0,
    'aria-controls': `${id}-list`,
    'aria-activedescendant': options.length > 0 ? `${id}-${chosen}` : undefined,
    'aria-autocomplete': 'list',
    autocomplete: 'off',
    spellcheck: false,
    dir: 'auto',
    onKeyDown,
  }
  return { field, list: { id, options, chosen, onChoose: setChosen, onPick } }
}

interface OptionsProps<T> {
  id: string
  options: T[]
  chosen: number
  onChoose: (index: number) => void
  onPick: (option: T) => void
}

export const Options = <T extends Option>({ id, options, chosen, onChoose, onPick }: OptionsProps<T>) => (
  <div class="options" role="listbox" id={`${id}-list`} aria-label="Results">
    {options.map((option, nth) => (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and its keys choose an option
      <div
        key={option.id}
        id={`${id}-${nth}`}
        role="option"
        tabIndex={-1}
        aria-selected={nth === chosen}
        class="option"
        onMouseMove={() => onChoose(nth)}
        onClick={() => onPick(option)}
      >
        <Icon name={option.icon} />
        <bdi>{option.title}</bdi>
        {option.note && <bdi class="quiet">{option.note}</bdi>}
      </div>
    ))}
  </div>
)

/** The status text below the options, which screen readers announce. */
export function wordsOf(state: 'idle' | 'busy' | 'failed', count: number): string {
  if (state === 'busy') return 'Searching…'
  if (state === 'failed') return 'The search failed.'
  return count === 0 ? 'Nothing was found.' : ''
}
