/** The parts of a screen: its head, sections, facts and figures. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { hasNavigated, Link, restoreScroll } from '../router.tsx'
import { Icon } from './icon.tsx'

interface PageProps {
  title: string
  /** Shown instead of the words of the title, such as a name with a badge. */
  head?: ComponentChildren
  /** The purpose of the screen, in one sentence. */
  about?: ComponentChildren
  /** The list that the screen belongs to. */
  back?: { to: string; title: string }
  /** Buttons; at most one of them primary. */
  actions?: ComponentChildren
  children: ComponentChildren
}

/** A screen: its head, the title of the tab, and the focus after a navigation. */
export function Page({ title, head, about, back, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Matchday console`
  }, [title])
  useEffect(() => {
    restoreScroll()
    // After a navigation, screen readers start at the new screen. A field that has the focus keeps it.
    if (hasNavigated && (document.activeElement === document.body || document.activeElement === null))
      heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <div class="page">
      <header class="page-head">
        <div class="page-title">
          {back && (
            <Link to={back.to} class="back">
              <Icon name="back" />
              <span>{back.title}</span>
            </Link>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {head ?? <bdi>{title}</bdi>}
          </h1>
          {about && <p class="quiet">{about}</p>}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

interface SectionProps {
  title: string
  about?: ComponentChildren
  actions?: ComponentChildren
  /** Without padding, for a table that fills it. */
  flush?: boolean
  children: ComponentChildren
}

/** A part of a screen with a heading, in a frame. */
export const Section = ({ title, about, actions, flush = false, children }: SectionProps) => (
  <section class={flush ? 'section flush' : 'section'}>
    <header class="section-head">
      <div>
        <h2>{title}</h2>
        {about && <p class="quiet">{about}</p>}
      </div>
      {actions && <div class="actions">{actions}</div>}
    </header>
    <div class="section-body">{children}</div>
  </section>
)

/** Sections in as many columns as fit: `aside` puts the second one into a narrow column on the right. */
export const Columns = ({ aside = false, children }: { aside?: boolean; children: ComponentChildren }) => (
  <div class={aside ? 'columns aside' : 'columns'}>{children}</div>
)

/** Facts with their names: [['Handle', '@ana'], ['Joined', <Time … />]]. */
export const Facts = ({ of }: { of: [string, ComponentChildren][] }) => (
  <dl class="facts">
    {of.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

export const Figures = ({ children }: { children: ComponentChildren }) => (
  <div class="figures">{children}</div>
)

interface FigureProps {
  name: string
  value: ComponentChildren
  /** Such as the change since the period before. */
  note?: ComponentChildren
  /** For a figure that needs attention. */
  tone?: 'warn' | 'bad' | undefined
  to?: string | undefined
}

/** One number with its name; `to` links to the source of the number. */
export function Figure({ name, value, note, tone, to }: FigureProps) {
  const inner = (
    <>
      <span class="figure-name">{name}</span>
      <span class="figure-value">{value}</span>
      {note && <span class="figure-note">{note}</span>}
    </>
  )
  const kind = `figure${tone ? ` ${tone}` : ''}`
  return to ? (
    <Link to={to} class={kind}>
      {inner}
    </Link>
  ) : (
    <div class={kind}>{inner}</div>
  )
}

/** Search, filters and their like above a table. */
export const Toolbar = ({ children }: { children: ComponentChildren }) => (
  <div class="toolbar">{children}</div>
)
