/** Members that are chosen: a price with its currency, a word that entries already use, a time zone. */
import { createContext } from 'preact'
import { useContext, useState } from 'preact/hooks'
import { type FieldProps, NumberField, SelectField, TextField } from '../../parts/form.tsx'
import { formatMoney, minorUnitsOf, nameOfCurrency, writtenMoney } from '../../parts/format.ts'
import { MoneyField } from '../../parts/special-fields.tsx'
import { ZONES } from '../../preferences.ts'
import type { Members } from './shapes.ts'

/** By member, the words that entries of the kind already use. */
export const Suggestions = createContext<Record<string, string[]>>({})

const POINTS = 'POINTS'
/** Those of most clubs come first. */
const CURRENCIES = [...new Set([POINTS, 'EUR', 'GBP', 'USD', 'BRL', ...Intl.supportedValuesOf('currency')])]

interface PriceProps extends FieldProps {
  value: Members
  onChange: (value: Members) => void
}

/** An amount of minor units, written as on a price tag. */
export function PriceField({ value, onChange, pointer = '', disabled = false }: PriceProps) {
  const amount = typeof value.amount === 'number' ? value.amount : null
  const currency = typeof value.currency === 'string' && value.currency !== '' ? value.currency : null
  const isMoney = currency !== null && currency !== POINTS
  const [text, setText] = useState(() => (isMoney && amount !== null ? writtenMoney(amount, currency) : ''))
  const known = isMoney ? minorUnitsOf(text, currency) : null
  // A discard or a merge replaced the amount.
  if (isMoney && amount !== null && known !== amount && known !== null)
    setText(writtenMoney(amount, currency))
  const choose = (next: string) => {
    const written = isMoney ? text : String(amount ?? '')
    if (next === POINTS) onChange({ ...value, currency: next, amount: wholeOf(written) })
    else {
      setText(written)
      onChange({ ...value, currency: next, amount: minorUnitsOf(written, next) })
    }
  }
  return (
    <div class="price">
      <SelectField
        label="Currency"
        required
        disabled={disabled}
        pointer={`${pointer}/currency`}
        value={currency}
        options={CURRENCIES.map(code => ({ value: code, title: nameOfCurrency(code) }))}
        onChange={choose}
      />
      {isMoney ? (
        <MoneyField
          label="Amount"
          required
          disabled={disabled}
          pointer={`${pointer}/amount`}
          currency={currency}
          value={text}
          hint={known === null ? undefined : `Fans see ${formatMoney(known, currency)}.`}
          onChange={written => {
            setText(written)
            onChange({ ...value, amount: minorUnitsOf(written, currency) })
          }}
        />
      ) : (
        <NumberField
          label="Amount"
          required
          min={0}
          disabled={disabled}
          pointer={`${pointer}/amount`}
          value={amount}
          hint={
            amount === null || currency === null ? undefined : `Fans see ${formatMoney(amount, currency)}.`
          }
          onChange={next => onChange({ ...value, amount: next })}
        />
      )}
    </div>
  )
}

const wholeOf = (text: string): number | null => {
  const number = Number.parseFloat(text.replace(',', '.'))
  return Number.isFinite(number) ? Math.round(number) : null
}

interface WordProps extends FieldProps {
  name: string
  value: string
  max: number | undefined
  placeholder: string | undefined
  onChange: (value: string) => void
}

const OTHER = '\u0000other'
const NONE = '\u0000none'

/** A word of one line. Where entries already use some, one of these or another. */
export function WordField({ name, value, max, placeholder, onChange, ...field }: WordProps) {
  const suggested = useContext(Suggestions)[name] ?? []
  const words = value === '' || suggested.includes(value) ? suggested : [value, ...suggested]
  const [isOther, setOther] = useState(false)
  const text = (
    <TextField
      {...field}
      {...(max === undefined ? {} : { max })}
      {...(placeholder === undefined ? {} : { placeholder })}
      value={value}
      onChange={onChange}
    />
  )
  if (suggested.length === 0) return text
  if (isOther) return text
  return (
    <SelectField
      {...field}
      value={value === '' ? (field.required ? null : NONE) : value}
      options={[
        ...(field.required ? [] : [{ value: NONE, title: 'None' }]),
        ...words.map(word => ({ value: word, title: word })),
        { value: OTHER, title: 'Another…' },
      ]}
      onChange={next => {
        setOther(next === OTHER)
        onChange(next === OTHER || next === NONE ? '' : next)
      }}
    />
  )
}

type ChoiceProps = Omit<WordProps, 'name' | 'max' | 'placeholder'>

export const ZoneField = (props: ChoiceProps) => (
  <ChoiceField {...props} values={ZONES} titleOf={zone => zone.replaceAll('_', ' ')} />
)

export const CurrencyField = (props: ChoiceProps) => (
  <ChoiceField {...props} values={CURRENCIES.filter(code => code !== POINTS)} titleOf={nameOfCurrency} />
)

interface ValuesProps extends ChoiceProps {
  values: string[]
  titleOf: (value: string) => string
}

/** One of the values, or a stored one that is none of them. */
const ChoiceField = ({ value, values, titleOf, onChange, ...field }: ValuesProps) => (
  <SelectField
    {...field}
    value={value === '' ? (field.required ? null : NONE) : value}
    options={[
      ...(field.required ? [] : [{ value: NONE, title: 'None' }]),
      ...[...new Set([...(value === '' ? [] : [value]), ...values])].map(one => ({
        value: one,
        title: titleOf(one),
      })),
    ]}
    onChange={next => onChange(next === NONE ? '' : next)}
  />
)
