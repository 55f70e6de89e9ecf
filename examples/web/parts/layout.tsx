/** Headings, lists and the other frames that screens share. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { text } from '../lang/lang.ts'
import { addressOf, Link } from '../router.tsx'
import { Icon } from './icon.tsx'

interface ScreenProps {
  title: string
  lead?: ComponentChildren
  /** The screen above this one. */
  up?: string
  /** The title is in the content. */
  bare?: boolean
  children: ComponentChildren
}

export function Screen({ title, lead, up, bare = false, children }: ScreenProps) {
  useLayoutEffect(() => {
    document.title = `${title} · ${text.appName}`
  }, [title])
  return (
    <>
      {up && (
        <Link to={up} class="up">
          <Icon name="back" />
          {text.nav.back}
        </Link>
      )}
      {!bare && (
        <div class="screen-head">
          <h1>{title}</h1>
          {lead && <p class="quiet">{lead}</p>}
        </div>
      )}
      {children}
    </>
  )
}

interface SectionProps {
  title: string
  /** The screen with all of it. */
  more?: string
  children: ComponentChildren
}

export const Section = ({ title, more, children }: SectionProps) => (
  <section class="section">
    <div class="section-head">
      <h2>{title}</h2>
      {more && (
        <Link to={more} class="more" aria-label={`${text.home.seeAll}: ${title}`}>
          {text.home.seeAll}
          <Icon name="next" />
        </Link>
      )}
    </div>
    {children}
  </section>
)

export const Empty = ({ children, action }: { children: ComponentChildren; action?: ComponentChildren }) => (
  <div class="empty">
    <svg viewBox="0 0 64 64" aria-hidden="true">
      <circle cx="32" cy="32" r="22" />
      <path d="m32 21 10.500 7.600-4 12.400h-13l-4-12.400zM32 10v11M11.500 25.500l10 3M52.500 25.500l-10 3M19 50l6.500-9M45 50l-6.500-9" />
    </svg>
    <p>{children}</p>
    {action}
  </div>
)

export const NotFound = () => (
  <Screen title={text.states.notFoundTitle}>
    <Empty
      action={
        <Link to={addressOf()} class="button main">
          {text.states.toHome}
        </Link>
      }
    >
      {text.states.notFound}
    </Empty>
  </Screen>
)

interface ProgressProps {
  label: string
  value: number
  max: number
}

export const Progress = ({ label, value, max }: ProgressProps) => (
  <progress aria-label={label} value={Math.min(value, max)} max={Math.max(max, 1)} />
)

/** One of a few views of the same screen. */
export function Choice<T extends string>(props: {
  label: string
  names: Record<T, string>
  value: T
  onChange: (value: T) => void
}) {
  return (
    <fieldset class="choice" aria-label={props.label}>
      {(Object.entries(props.names) as [T, string][]).map(([value, name]) => (
        <button
          type="button"
          key={value}
          aria-pressed={value === props.value}
          onClick={() => props.onChange(value)}
        >
          {name}
        </button>
      ))}
    </fieldset>
  )
}
