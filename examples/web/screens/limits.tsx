/** What the fan allows themselves to spend, and a pause. What is stricter holds at once, what is not after a day. */
import { useState } from 'preact/hooks'
import { changeLimits, type Limits as LimitsData, readCurrencies, readLimits } from '../api.ts'
import { formatInteger, formatMoment, formatMoney, minorUnitsOf, text } from '../lang/lang.ts'
import { Loading, useLoaded, useWrite } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { Screen, Section } from '../parts/layout.tsx'
import { Notice } from '../parts/notice.tsx'
import { addressOf } from '../router.tsx'

type Spending = NonNullable<LimitsData['spending']>
type Change = Parameters<typeof changeLimits>[0]

const PERIODS = ['day', 'week', 'month'] as const
const PAUSES = { day: 1, week: 7, month: 30 } as const
const DAY_MS = 86_400_000

const amountOf = ({ amount, currency }: Pick<Spending, 'amount' | 'currency'>) =>
  currency === 'POINTS' ? text.limits.points(formatInteger(amount)) : formatMoney(amount, currency)
const limitOf = (spending: Spending | null) =>
  spending === null ? text.limits.none : text.limits.per[spending.per](amountOf(spending))

export function Limits() {
  const loaded = useLoaded('limits', async () => {
    const [limits, currencies] = await Promise.all([readLimits(), readCurrencies()])
    return { limits, currencies }
  })
  const save = useWrite(async (change: Change, key) => {
    const limits = await changeLimits(change, key)
    if (loaded.data) loaded.set({ ...loaded.data, limits })
  })
  return (
    <Screen title={text.nav.limits} lead={text.limits.lead} up={addressOf('profile')}>
      {save.error !== null && <Notice error={save.error} />}
      <Loading of={loaded}>
        {({ limits, currencies }) => (
          <>
            <Spent limits={limits} />
            <LimitForm limits={limits} currencies={currencies} busy={save.isBusy} onSave={save.run} />
            <Pause limits={limits} busy={save.isBusy} onSave={save.run} />
          </>
        )}
      </Loading>
    </Screen>
  )
}

const Spent = ({ limits: { spending, spent, next } }: { limits: LimitsData }) => (
  <div class="panel" role="status">
    <strong class="line">{limitOf(spending)}</strong>
    {spending && spent && (
      <span class="line">{text.limits.spent(amountOf({ ...spending, amount: spent.amount }))}</span>
    )}
    {next && (
      <span class="quiet line">{text.limits.next(limitOf(next.spending), formatMoment(next.at))}</span>
    )}
  </div>
)

interface PartProps {
  limits: LimitsData
  busy: boolean
  onSave: (change: Change) => unknown
}

interface LimitFormProps extends PartProps {
  /** In which the club sells. */
  currencies: string[]
}

function LimitForm({ limits: { spending }, currencies, busy, onSave }: LimitFormProps) {
  const [currency, setCurrency] = useState(spending?.currency ?? currencies[0] ?? 'POINTS')
  const [per, setPer] = useState<Spending['per']>(spending?.per ?? 'month')
  const scale = currency === 'POINTS' ? 1 : minorUnitsOf(currency)
  const [amount, setAmount] = useState(spending ? String(spending.amount / scale) : '')
  const submit = (event: Event) => {
    event.preventDefault()
    if (!busy) onSave({ spending: { amount: Math.round(Number(amount) * scale), currency, per } })
  }
  return (
    <Section title={text.limits.title}>
      <form class="form panel" onSubmit={submit}>
        <label>
          <span>{text.limits.amount}</span>
          <input
            type="number"
            name="amount"
            inputmode="decimal"
            min="0"
            max="1000000"
            step={String(1 / scale)}
            required
            dir="ltr"
            value={amount}
            onInput={event => setAmount(event.currentTarget.value)}
          />
        </label>
        <label>
          <span>{text.limits.of}</span>
          <select name="currency" value={currency} onChange={event => setCurrency(event.currentTarget.value)}>
            {[...new Set([...currencies, currency])].map(one => (
              <option key={one} value={one}>
                {one === 'POINTS' ? text.nav.points : one}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{text.limits.period}</span>
          <select
            name="per"
            value={per}
            onChange={event => setPer(PERIODS[event.currentTarget.selectedIndex] ?? 'month')}
          >
            {PERIODS.map(one => (
              <option key={one} value={one}>
                {text.limits.periods[one]}
              </option>
            ))}
          </select>
        </label>
        <Button submit busy={busy}>
          {text.limits.save}
        </Button>
        {spending && (
          <Button kind="plain" onClick={() => busy || onSave({ spending: null })}>
            {text.limits.remove}
          </Button>
        )}
        <p class="quiet">{text.limits.wait}</p>
      </form>
    </Section>
  )
}

function Pause({ limits: { pauseUntil }, busy, onSave }: PartProps) {
  const begin = (days: number) => onSave({ pauseUntil: new Date(Date.now() + days * DAY_MS).toISOString() })
  return (
    <Section title={text.limits.pause}>
      <div class="form panel">
        <p role="status">
          {pauseUntil ? text.limits.pausedUntil(formatMoment(pauseUntil)) : text.limits.pauseLead}
        </p>
        {pauseUntil === null ? (
          PERIODS.map(one => (
            <Button key={one} kind="plain" onClick={() => busy || begin(PAUSES[one])}>
              {text.limits.pauses[one]}
            </Button>
          ))
        ) : (
          <Button kind="plain" onClick={() => busy || onSave({ pauseUntil: null })}>
            {text.limits.endPause}
          </Button>
        )}
      </div>
    </Section>
  )
}
