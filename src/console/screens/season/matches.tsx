/** What fans do around a kick-off, in cells of five minutes. */
import { ChartFrame } from '../../parts/chart-frame.tsx'
import { Heat } from '../../parts/drawing.tsx'
import { formatCount, formatTime } from '../../parts/format.ts'
import { Section } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { Choice } from '../../parts/tabs.tsx'
import { useChoice } from '../../router.tsx'
import { type Season, sumOf } from './words.ts'

const KINDS = ['checkIns', 'predictions', 'packs'] as const
type Kind = (typeof KINDS)[number]
const TITLES = { checkIns: 'Check-ins', predictions: 'Predictions', packs: 'Packs opened' } as const
const [BEFORE, CELL] = [120, 5]

/** −45, +10: minutes from the kick-off. */
const minuteOf = (cell: number) => {
  const minute = cell * CELL - BEFORE
  return minute < 0 ? `−${-minute}` : `+${minute}`
}

/** Where a sentence says it. */
const peakOf = (cell: number) => {
  const minute = cell * CELL - BEFORE
  return minute < 0 ? `${-minute} minutes before the kick-off` : `${minute} minutes after the kick-off`
}

export function MatchHeat({ matches }: { matches: Season['matches'] }) {
  const [kind, setKind] = useChoice<Kind>('minutes', KINDS)
  const cells = matches[0]?.checkIns.length ?? 0
  const most = Math.max(0, ...matches.flatMap(match => match[kind]))
  const all = Array.from({ length: cells }, (_, nth) => sumOf(matches.map(match => match[kind][nth] ?? 0)))
  const busiest = all.indexOf(Math.max(...all))
  const meaning =
    most === 0
      ? `No ${TITLES[kind].toLowerCase()} around these kick-offs.`
      : `${TITLES[kind]} peak ${peakOf(busiest)}: ${formatCount(all[busiest] ?? 0)} within five minutes, of ${formatCount(sumOf(all))} around ${matches.length === 1 ? 'one match' : `${matches.length} matches`}. It counts all fans, at whatever match.`
  return (
    <Section
      title="Around the kick-off"
      about={matches.length === 0 ? undefined : meaning}
      actions={
        <Choice
          label="What"
          options={KINDS.map(value => ({ value, title: TITLES[value] }))}
          value={kind}
          onChange={setKind}
        />
      }
    >
      {matches.length === 0 ? (
        <Empty icon="matchDay" title="No match has begun in the period" />
      ) : (
        <ChartFrame
          label={`${TITLES[kind]} by minutes from the kick-off`}
          columns={['Match', 'Kick-off', ...Array.from({ length: cells }, (_, nth) => minuteOf(nth))]}
          rows={matches.map(match => [match.name, formatTime(match.kickoffAt), ...match[kind]])}
        >
          <Heat
            most={most}
            format={formatCount}
            every={6}
            columns={Array.from({ length: cells }, (_, nth) => minuteOf(nth))}
            markBefore={BEFORE / CELL}
            rows={matches.map(match => ({ id: match.id, name: match.name, values: match[kind] }))}
          />
        </ChartFrame>
      )}
    </Section>
  )
}
