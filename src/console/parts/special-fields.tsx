/** Fields of values that need more than one control: instants in the staff's zone, texts in several languages, a search. */
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { zone } from '../preferences.ts'
import { Button } from './button.tsx'
import { FieldFrame, type FieldProps, useField } from './form.tsx'
import { fromWallTime, minorUnitsOf, toWallTime } from './format.ts'
import { Icon } from './icon.tsx'

interface TimeFieldProps extends FieldProps {
  /** An instant in UTC, as the API has it. */
  value: string | null
  onChange: (value: string | null) => void
}

/** A date and time, entered in the staff's zone, which it names. */
export function TimeField({ value, onChange, ...field }: TimeFieldProps) {
  const { id, error, control } = useField({ ...field, hint: field.hint ?? zone.value })
  return (
    <FieldFrame id={id} error={error} {...field} hint={field.hint ?? `In ${zone.value}`}>
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

/** A text of the catalogue: one for all languages, or one for each. */
export type LocalizedText = string | Record<string, string>

interface LocalizedFieldProps extends FieldProps {
  value: LocalizedText
  onChange: (value: LocalizedText) => void
  /** The language of a text without languages. */
  language?: string
  lines?: boolean
  max?: number
}

const LANGUAGE_TAG = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/

/** A text in one or more languages. With one language it stays a plain string. */
export function LocalizedField({
  value,
  onChange,
  language = 'en',
  lines,
  max,
  ...field
}: LocalizedFieldProps) {
  const { id, error, control } = useField(field)
  const [added, setAdded] = useState('')
  const texts: [string, string][] = typeof value === 'string' ? [[language, value]] : Object.entries(value)
  const write = (entries: [string, string][]) => {
    const [only, ...others] = entries
    onChange(only && others.length === 0 && only[0] === language ? only[1] : Object.fromEntries(entries))
  }
  const canAdd = LANGUAGE_TAG.test(added) && !texts.some(([tag]) => tag === added)
  const Control = lines ? 'textarea' : 'input'
  return (
    <FieldFrame id={id} error={error} {...field}>
      <div class="languages">
        {texts.map(([tag, text], nth) => (
          <div key={tag} class="language">
            <span class="language-tag">{tag}</span>
            <Control
              {...control}
              id={nth === 0 ? id : `${id}-${tag}`}
              aria-label={texts.length > 1 ? `${field.label}, ${tag}` : undefined}
              lang={tag}
              dir="auto"
              maxLength={max}
              value={text}
              onInput={(event: Event & { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
                const written = event.currentTarget.value
                write(texts.map(entry => (entry[0] === tag ? [tag, written] : entry)))
              }}
            />
            {texts.length > 1 && (
              <Button
                kind="quiet"
                icon="remove"
                label={`Remove ${tag}`}
                onClick={() => write(texts.filter(([other]) => other !== tag))}
              />
            )}
          </div>
        ))}
        {!field.disabled && (
          <div class="language add">
            <input
              class="language-tag"
              aria-label={`Language to add to ${field.label}`}
              placeholder="pt"
              value={added}
              onInput={event => setAdded(event.currentTarget.value.trim())}
            />
            <Button
              small
              kind="quiet"
              icon="add"
              blocked={!canAdd && 'Write a language tag first, such as pt or pt-BR.'}
              onClick={() => {
                write([...texts, [added, '']])
                setAdded('')
              }}
            >
              Add language
            </Button>
          </div>
        )}
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
