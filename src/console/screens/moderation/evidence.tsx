/**
 * The content of a subject at the time of the report. Fans wrote it, so it is shown as text, never as a link. A picture is
 * shown blurred, and only from the origin of the console.
 */
import type { ComponentChildren } from 'preact'
import { sentence } from '../../parts/capital.ts'
import { Facts } from '../../parts/page.tsx'
import { ReportedPicture } from '../../parts/picture.tsx'

/** Unlike the name of the member. */
const TITLES: Record<string, string> = {
  displayName: 'Name',
  avatarUrl: 'Picture',
  locker: 'Locker room',
  theme: 'Colours',
  items: 'Cards',
  give: 'Gives',
  want: 'Wants',
  madeBy: 'Made by',
}

const titleOf = (name: string) => TITLES[name] ?? sentence(name)

interface EvidenceProps {
  of: Record<string, unknown>
  /** Whose it is; null for an erased fan. */
  fanId: string | null
}

export function Evidence({ of, fanId }: EvidenceProps) {
  const shown = Object.entries(of).filter(([, value]) => value !== null && value !== undefined)
  if (shown.length === 0) return <p class="quiet">Nothing was shown.</p>
  return (
    <Facts
      of={shown.map(([name, value]) => [
        titleOf(name),
        name === 'avatarUrl' && typeof value === 'string' ? (
          <ReportedPicture key={name} address={value} fanId={fanId} />
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
  if ('collectibleId' in of && 'serialNumber' in of)
    return (
      <bdi class="written">
        {String(of.collectibleId)} #{String(of.serialNumber)}
      </bdi>
    )
  const entries = Array.isArray(of)
    ? of.map((value, nth): [string, unknown] => [String(nth + 1), value])
    : Object.entries(of).filter(([, value]) => value !== null)
  return (
    <ul class="nested">
      {entries.map(([name, value]) => (
        <li key={name}>
          {!Array.isArray(of) && <span class="quiet">{titleOf(name)}: </span>}
          <Value of={value} />
        </li>
      ))}
    </ul>
  )
}
