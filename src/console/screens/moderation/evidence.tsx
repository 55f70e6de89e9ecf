/**
 * The content of a subject at the time of the report. Fans wrote it, so it is shown as text, never as a link. Only an uploaded
 * picture is shown, blurred.
 */
import type { ComponentChildren } from 'preact'
import { Facts } from '../../parts/page.tsx'
import { ReportedPicture } from '../../parts/picture.tsx'

const TITLES: Record<string, string> = {
  handle: 'Handle',
  displayName: 'Name',
  avatarUrl: 'Picture',
  bio: 'Bio',
  texts: 'Texts',
  locker: 'Locker room',
  trade: 'Trade',
  league: 'League',
}

export function Evidence({ of }: { of: Record<string, unknown> }) {
  const shown = Object.entries(of).filter(([, value]) => value !== null && value !== undefined)
  if (shown.length === 0) return <p class="quiet">Nothing was shown.</p>
  return (
    <Facts
      of={shown.map(([name, value]) => [
        TITLES[name] ?? name,
        name === 'avatarUrl' && typeof value === 'string' ? (
          <ReportedPicture key={name} address={value} />
        ) : (
          <Value key={name} of={value} />
        ),
      ])}
    />
  )
}

/** Lists and objects as nested lists. */
function Value({ of }: { of: unknown }): ComponentChildren {
  if (typeof of === 'string')
    return (
      <bdi class="written" dir="auto">
        {of}
      </bdi>
    )
  if (typeof of !== 'object' || of === null) return <span>{String(of)}</span>
  const entries = Array.isArray(of)
    ? of.map((value, nth): [string, unknown] => [String(nth + 1), value])
    : Object.entries(of).filter(([, value]) => value !== null)
  return (
    <ul class="nested">
      {entries.map(([name, value]) => (
        <li key={name}>
          {!Array.isArray(of) && <span class="quiet">{TITLES[name] ?? name}: </span>}
          <Value of={value} />
        </li>
      ))}
    </ul>
  )
}
