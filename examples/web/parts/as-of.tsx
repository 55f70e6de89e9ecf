import { formatMoment, formatTime, text } from '../lang/lang.ts'

/** How old something is, which may be shown without a network. */
export const AsOf = ({ instant }: { instant: string | number }) => {
  const date = new Date(instant)
  const isToday = date.toDateString() === new Date().toDateString()
  return (
    <p class="quiet as-of">
      <time dateTime={date.toISOString()}>
        {text.states.asOf(isToday ? formatTime(date.toISOString()) : formatMoment(date.toISOString()))}
      </time>
    </p>
  )
}
