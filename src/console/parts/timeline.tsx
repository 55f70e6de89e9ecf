import type { ComponentChildren } from 'preact'
import type { Tone } from './badge.tsx'
import { formatDay } from './format.ts'
import { Icon, type IconName } from './icon.tsx'
import { Time } from './values.tsx'

export interface TimelineEntry {
  id: string
  at: string
  icon: IconName
  tone?: Tone
  title: ComponentChildren
  /** More of it, under the title. */
  detail?: ComponentChildren
  /** On the right, such as an amount or a badge. */
  end?: ComponentChildren
}

/** What happened, newest first, under the days of the staff's zone. */
export function Timeline({ entries }: { entries: TimelineEntry[] }) {
  const days = Map.groupBy(entries, ({ at }) => formatDay(at))
  return (
    <div class="timeline">
      {[...days].map(([day, ofDay]) => (
        <section key={day}>
          <h3>{day}</h3>
          <ol>
            {ofDay.map(({ id, at, icon, tone = 'neutral', title, detail, end }) => (
              <li key={id}>
                <span class={`timeline-icon ${tone}`}>
                  <Icon name={icon} />
                </span>
                <div class="timeline-text">
                  <div class="timeline-title">{title}</div>
                  {detail && <div class="quiet">{detail}</div>}
                </div>
                {end && <div class="timeline-end">{end}</div>}
                <Time at={at} clock />
              </li>
            ))}
          </ol>
        </section>
      ))}
    </div>
  )
}
