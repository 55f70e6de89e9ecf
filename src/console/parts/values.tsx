/** Single values as all screens show them: times, points, money, names of fans. */
import { signal } from '@preact/signals'
import { addressOf, Link } from '../router.tsx'
import {
  formatClock,
  formatCount,
  formatExactTime,
  formatMoney,
  formatRelative,
  formatSigned,
  formatTime,
} from './format.ts'
import { Face } from './picture.tsx'

const TICK_MS = 20_000
/** One timer for all relative times of the page. */
const now = signal(Date.now())
setInterval(() => {
  if (document.visibilityState === 'visible') now.value = Date.now()
}, TICK_MS)
document.addEventListener('visibilitychange', () => {
  now.value = Date.now()
})

/** The time of the page, at most a tick old; what reads it is drawn again as it changes. */
export const timeNow = () => Math.max(now.value, Date.now() - TICK_MS)

interface TimeProps {
  at: string
  /** "3 min ago". */
  relative?: boolean
  /** "14:03", below the day. */
  clock?: boolean
}

/** An instant in the staff's zone; the exact one is its title. */
export const Time = ({ at, relative = false, clock = false }: TimeProps) => (
  <time dateTime={at} title={formatExactTime(at)}>
    {relative ? formatRelative(at, timeNow()) : clock ? formatClock(at) : formatTime(at)}
  </time>
)

/** An amount of points. `signed`: a change, with its sign. */
export const Points = ({ value, signed = false }: { value: number; signed?: boolean }) => (
  <span class={signed ? `amount ${value < 0 ? 'loss' : 'gain'}` : 'amount'}>
    {signed ? formatSigned(value) : formatCount(value)}
  </span>
)

/** Minor units of a currency, or of `POINTS`. */
export const Money = ({ amount, currency }: { amount: number; currency: string }) => (
  <span class="amount">{formatMoney(amount, currency)}</span>
)

/** Shown if there is no value. */
export const None = ({ why = 'None' }: { why?: string }) => (
  <span class="none">
    <span aria-hidden="true">–</span>
    <span class="unseen">{why}</span>
  </span>
)

interface FanNameProps {
  fan: { id: string; displayName: string | null; handle?: string | null }
  /** False where the row itself leads to the fan. */
  link?: boolean
}

/** A fan with the first letter of their name. The name keeps its own text direction and stays on one line. */
export function FanName({ fan: { id, displayName, handle }, link = true }: FanNameProps) {
  const name = displayName ?? (handle ? `@${handle}` : 'No name')
  const inner = (
    <>
      <Face fanId={id} name={name} />
      <span class="fan-words">
        <bdi>{name}</bdi>
        {handle && displayName && <bdi class="quiet">@{handle}</bdi>}
      </span>
    </>
  )
  return link ? (
    <Link to={addressOf('fans', id)} class="fan-name">
      {inner}
    </Link>
  ) : (
    <span class="fan-name">{inner}</span>
  )
}
