import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { useStrip } from './strip.ts'

interface TabOf<T> {
  id: T
  title: string
  count?: number | null
  /** Words after the title, such as what is missing. */
  note?: string
  tone?: 'good' | 'warn'
}

interface TabsProps<T extends string> {
  label: string
  tabs: readonly TabOf<T>[]
  current: T
  onChange: (id: T) => void
  /** A control after the tabs. */
  after?: ComponentChildren
  /** The panel of the current tab. */
  children: ComponentChildren
}

/** Views of one thing, one at a time. Arrow keys move between them. Keep the choice in the address by `useChoice`. */
export function Tabs<T extends string>({ label, tabs, current, onChange, after, children }: TabsProps<T>) {
  const id = useId()
  const strip = useStrip<HTMLDivElement>(current)
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const index = tabs.findIndex(tab => tab.id === current)
    const last = tabs.length - 1
    const to = Number.isFinite(step) ? (index + step + tabs.length) % tabs.length : step < 0 ? 0 : last
    const next = tabs[to]
    if (!next) return
    onChange(next.id)
    document.getElementById(`${id}-${next.id}`)?.focus()
  }
  return (
    <div class="tabbed">
      <div class={after ? 'tabs-row' : undefined}>
        <div class="tabs" role="tablist" aria-label={label} ref={strip}>
          {tabs.map(tab => (
            <button
              key={tab.id}
              type="button"
              role="tab"
              id={`${id}-${tab.id}`}
              aria-selected={tab.id === current}
              aria-controls={`${id}-panel`}
              tabIndex={tab.id === current ? 0 : -1}
              onClick={() => onChange(tab.id)}
              onKeyDown={move}
            >
              {tab.title}
              {tab.count != null && (
                <>
                  {' '}
                  <span class="tab-count">{tab.count}</span>
                </>
              )}
              {tab.note !== undefined && (
                <>
                  {' '}
                  <span class={`tab-note ${tab.tone ?? ''}`}>{tab.note}</span>
                </>
              )}
            </button>
          ))}
        </div>
        {after}
      </div>
      <div class="tab-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${current}`}>
        {children}
      </div>
    </div>
  )
}

interface ChoiceProps<T extends string> {
  label: string
  options: readonly { value: T; title: string }[]
  value: T
  onChange: (value: T) => void
}

/** One of a few values, all in sight: 7, 30 or 90 days. */
export function Choice<T extends string>({ label, options, value, onChange }: ChoiceProps<T>) {
  const strip = useStrip<HTMLFieldSetElement>(value)
  return (
    <fieldset class="choice" aria-label={label} ref={strip}>
      {options.map(option => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.title}
        </button>
      ))}
    </fieldset>
  )
}
