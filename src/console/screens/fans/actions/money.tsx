/** Points and cash of a fan: grants, and voids of events. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { api, asWritten } from '../../../api.ts'
import { ReasonDialog } from '../../../parts/dialog.tsx'
import { NumberField, SelectField, TextField } from '../../../parts/form.tsx'
import { formatCount, formatMoney, minorUnitsOf } from '../../../parts/format.ts'
import { useResource } from '../../../parts/resource.ts'
import { MoneyField, TimeField } from '../../../parts/special-fields.tsx'
import { Note } from '../../../parts/states.tsx'
import { toast } from '../../../parts/toast.tsx'
import { Money, Points } from '../../../parts/values.tsx'
import { type ActionProps, nameOf } from './fan.ts'

/** No id of an account is empty. */
const SPENDABLE = ''

/** One reference per dialog, so that pressing twice books once. */
const useReference = () => useState(() => `console-${crypto.randomUUID().slice(0, 13)}`)

const REFERENCE = 'Identifies the booking: each reference is booked only once. The fan sees it.'

export function GrantPoints({ fan, onClose, onDone }: ActionProps) {
  const [delta, setDelta] = useState<number | null>(null)
  const [ref, setRef] = useReference()
  const [accountId, setAccountId] = useState(SPENDABLE)
  const status = useResource(`fan ${fan.id} accounts`, signal =>
    api.readFanAccounts({ fanId: fan.id }, { signal }),
  )
  const accounts = status.data?.accounts ?? []
  const account = accounts.find(({ id }) => id === accountId)
  const balance = account ? account.total : fan.points.balance
  const after = balance + (delta ?? 0)
  return (
    <ReasonDialog
      title={`Points of ${nameOf(fan)}`}
      action={(delta ?? 0) < 0 ? 'Take the points' : 'Grant the points'}
      tone={(delta ?? 0) < 0 ? 'danger' : 'primary'}
      fields={
        <>
          {accounts.length > 0 && (
            <SelectField
              label="Account"
              pointer="/account"
              value={accountId}
              options={[
                { value: SPENDABLE, title: 'Points that fans spend' },
                ...accounts.map(({ id, name }) => ({ value: id, title: name })),
              ]}
              onChange={setAccountId}
            />
          )}
          <NumberField
            label="Points"
            pointer="/delta"
            hint={
              account
                ? 'A negative number takes points, and with them a tier that rests on them.'
                : 'A negative number takes points. It lowers neither lifetime points nor ranks.'
            }
            required
            value={delta}
            onChange={setDelta}
          />
          <TextField
            label="Reference"
            pointer="/ref"
            hint={REFERENCE}
            required
            max={128}
            value={ref}
            onChange={setRef}
          />
          <Change
            label={account ? 'Total of the seasons that count' : 'Balance'}
            before={<Points value={balance} />}
            after={after < 0 ? 'not enough points' : <Points value={after} />}
          />
          {!account && (delta ?? 0) > 0 && <Boards fan={fan} delta={delta ?? 0} />}
        </>
      }
      onConfirm={async reason => {
        const booked = await api.grantPointsToFan({
          fanId: fan.id,
          delta: asWritten(delta),
          ref,
          reason,
          account: account?.id,
        })
        const words = `The balance is ${formatCount(booked.balance)}.`
        toast(booked.created ? `Booked. ${words}` : `This reference was already booked. ${words}`)
        onDone()
      }}
      onClose={onClose}
    />
  )
}

/** Granted points count like earned ones. */
const Boards = ({ fan: { points, leaderboard }, delta }: Pick<ActionProps, 'fan'> & { delta: number }) => {
  const isRanked = leaderboard.enrolledAt !== null && leaderboard.leftAt === null
  return (
    <Note tone={isRanked ? 'warn' : 'info'}>
      Lifetime points rise to {formatCount(points.lifetime + delta)}.{' '}
      {isRanked
        ? `The grant moves the fan up on the boards of all time, of this month and of this week${
            leaderboard.rank === null ? '' : `; their rank is ${formatCount(leaderboard.rank)} now`
          }. Taking the points again does not move the fan down.`
        : 'The fan is on no board, so no board changes now.'}
    </Note>
  )
}

export function GiveCash({ fan, onClose, onDone }: ActionProps) {
  const [written, setWritten] = useState('')
  const [currency, setCurrency] = useState(fan.cash?.[0]?.currency ?? 'EUR')
  const [expiresAt, setExpiresAt] = useState<string | null>(null)
  const [ref, setRef] = useReference()
  const amount = minorUnitsOf(written, currency)
  const isCode = /^[A-Z]{3}$/.test(currency)
  const available = fan.cash?.find(cash => cash.currency === currency)?.available ?? 0
  return (
    <ReasonDialog
      title={`Cash for ${nameOf(fan)}`}
      action="Give the cash"
      fields={
        <>
          <MoneyField
            label="Amount"
            pointer="/amount"
            required
            currency={currency}
            value={written}
            onChange={setWritten}
          />
          <TextField
            label="Currency"
            pointer="/currency"
            required
            max={3}
            value={currency}
            onChange={setCurrency}
          />
          <TimeField label="Ends" pointer="/expiresAt" value={expiresAt} onChange={setExpiresAt} />
          <TextField
            label="Reference"
            pointer="/ref"
            hint={REFERENCE}
            required
            max={128}
            value={ref}
            onChange={setRef}
          />
          {isCode && (
            <Change
              label="Available"
              before={<Money amount={available} currency={currency} />}
              after={<Money amount={available + (amount ?? 0)} currency={currency} />}
            />
          )}
        </>
      }
      onConfirm={async reason => {
        const booked = await api.grantCashToFan({
          fanId: fan.id,
          amount: asWritten(amount),
          currency,
          ref,
          reason,
          expiresAt: expiresAt ?? undefined,
        })
        toast(
          `${booked.created ? 'Given' : 'This reference was already given'}: ${formatMoney(booked.balance, currency)} can be spent.`,
        )
        onDone()
      }}
      onClose={onClose}
    >
      <p>It is spent before cash that the fan has paid in, and cannot be paid out.</p>
    </ReasonDialog>
  )
}

interface VoidProps extends ActionProps {
  /** The event of an item in the timeline. */
  event?: { source: string; eventId: string }
}

export function VoidEvent({ fan, event, onClose, onDone }: VoidProps) {
  const [source, setSource] = useState(event?.source ?? '')
  const [eventId, setEventId] = useState(event?.eventId ?? '')
  return (
    <ReasonDialog
      title="Void an event"
      action="Void the event"
      tone="danger"
      fields={
        <>
          <TextField
            label="Source"
            pointer="/source"
            required
            max={100}
            value={source}
            onChange={setSource}
          />
          <TextField
            label="Event"
            pointer="/eventId"
            hint="Its id, as the timeline shows it."
            required
            max={128}
            value={eventId}
            onChange={setEventId}
          />
        </>
      }
      onConfirm={async reason => {
        const { taken } = await api.voidEventOfFan({ fanId: fan.id, source, eventId, reason })
        const points = taken.reduce((sum, grant) => sum + grant.points, 0)
        const rest = taken.reduce((sum, grant) => sum + grant.uncollected, 0)
        toast(
          `Voided: ${formatCount(points)} points were taken back${rest > 0 ? `, ${formatCount(rest)} were spent` : ''}.`,
        )
        onDone()
      }}
      onClose={onClose}
    >
      <p>The points that it earned are taken back, up to the balance. This cannot be undone.</p>
    </ReasonDialog>
  )
}

interface ChangeProps {
  label: string
  before: ComponentChildren
  after: ComponentChildren
}

/** An amount before and after an action. */
const Change = ({ label, before, after }: ChangeProps) => (
  <p class="change" aria-live="polite">
    <span class="quiet">{label}</span>
    <span>{before}</span>
    <span aria-hidden="true">→</span>
    <span class="unseen">becomes</span>
    <strong>{after}</strong>
  </p>
)
