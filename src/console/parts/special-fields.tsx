/** Fields of values that need more than one control: instants in the staff's zone, money, a search. */
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { clubZone, zone } from '../preferences.ts'
import { FieldFrame, type FieldProps, useField } from './form.tsx'
import { fromWallTime, minorUnitsOf, nameOfOffset, toWallTime } from './format.ts'
import { Icon } from './icon.tsx'

interface TimeFieldProps extends FieldProps {
  /** An instant in UTC, as the API has it. What is no instant is shown as empty. */
  value: string | null
  onChange: (value: string | null) => void
}

/** A date and time, entered in the staff's zone, which it names. */
export function TimeField({ value: written, onChange, ...field }: TimeFieldProps) {
  // A draft has empty texts, and others if they were written as JSON.
  const value = written === null || Number.isNaN(Date.parse(written)) ? null : written
  const offset = value === null ? '' : nameOfOffset(value)
  const inBrackets = offset === '' || offset === zone.value ? '' : ` (${offset})`
  const whose = zone.value === clubZone.value ? ', the time zone of the club' : ''
  const place = `In ${zone.value}${inBrackets}${whose}.`
  const hint = field.hint ? (
    <>
      {field.hint} {place}
    </>
  ) : (
    place
  )
  const { id, error, control } = useField({ ...field, hint })
  return (
    <FieldFrame id={id} error={error} {...field} hint={hint}>
      <input
        {...control}
        type="datetime-local"
        value={toWallTime(value)}
        onChange={event => onChange(fromWallTime(event.currentTarget.value))}
      />
    </FieldFrame>
  )
}

interface MoneyFieldProps extends FieldProps {
  /** The amount as typed: see `minorUnitsOf`. */
  value: string
  currency: string
  onChange: (value: string) => void
}

/** An amount of a currency, written as on a price tag. */
export function MoneyField({ value, currency, onChange, ...field }: MoneyFieldProps) {
  const { id, error, control } = useField(field)
  const isWrong = value.trim() !== '' && minorUnitsOf(value, currency) === null
  return (
    <FieldFrame id={id} error={isWrong ? 'Write an amount such as 12.50.' : error} {...field}>
      <div class="with-unit">
        <input
          {...control}
          type="text"
          inputMode="decimal"
          autocomplete="off"
          aria-invalid={isWrong || control['aria-invalid']}
          value={value}
          onInput={event => onChange(event.currentTarget.value)}
        />
        <span class="quiet">{currency}</span>
      </div>
    </FieldFrame>
  )
}

interface SearchProps {
  label: string
  placeholder?: string
  value: string
  /** Called when the typing pauses. */
  onChange: (value: string) => void
  autofocus?: boolean
}

const PAUSE_MS = 200

/** A search above a table: keep its value in the address by `useParameter`. */
export function SearchField({ label, placeholder, value, onChange, autofocus }: SearchProps) {
  const id = useId()
  const [written, setWritten] = useState(value)
  const latest = useRef(onChange)
  latest.current = onChange
  useEffect(() => setWritten(value), [value])
  useEffect(() => {
    if (written === value) return
    const timer = setTimeout(() => latest.current(written), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [written])
  return (
    <div class="search">
      <label for={id} class="unseen">
        {label}
      </label>
      <Icon name="search" />
      <input
        id={id}
        placeholder={placeholder}
        autofocus={autofocus}
        type="search"
        dir="auto"
        autocomplete="off"
        spellcheck={false}
        value={written}
        onInput={event => setWritten(event.currentTarget.value)}
        onKeyDown={event => event.key === 'Enter' && latest.current(written)}
      />
    </div>
  )
}
