/** Fields of one value: a line of text by its name, a colour, and JSON for what has no field of its own. */
import { useId, useState } from 'preact/hooks'
import { type FieldProps, TextField } from '../../parts/form.tsx'
import { CurrencyField, WordField, ZoneField } from './choice-fields.tsx'
import { ReferenceField } from './reference-fields.tsx'
import { isReference } from './references.ts'
import type { Value } from './shapes.ts'

interface LineProps extends FieldProps {
  name: string
  value: string
  max: number | undefined
  example: string | undefined
  onChange: (value: string) => void
}

export function LineField({ example: placeholder, ...line }: LineProps) {
  if (isReference(line.name)) return <ReferenceField {...line} />
  if (line.name === 'timeZone') return <ZoneField {...line} />
  if (line.name === 'currency') return <CurrencyField {...line} />
  return <WordField {...line} placeholder={placeholder} />
}

/** A colour with a sample of it. */
export function ColourField({
  value,
  onChange,
  ...field
}: FieldProps & { value: string; onChange: (value: string) => void }) {
  const id = useId()
  return (
    <div class="colour">
      <TextField {...field} value={value} onChange={onChange} placeholder="#c8102e" max={7} />
      <label class="unseen" for={id}>
        Choose {field.label.toLowerCase()}
      </label>
      <input
        id={id}
        type="color"
        disabled={field.disabled}
        value={/^#[0-9a-f]{6}$/.test(value) ? value : '#808080'}
        onInput={event => onChange(event.currentTarget.value)}
      />
    </div>
  )
}

/** A value that has no field of its own, as JSON. */
export function JsonField({
  value,
  onChange,
  ...field
}: FieldProps & { value: Value; onChange: (value: Value) => void }) {
  const [text, setText] = useState(JSON.stringify(value ?? null))
  return (
    <TextField
      {...field}
      value={text}
      onChange={next => {
        setText(next)
        try {
          onChange(JSON.parse(next))
        } catch {
          // Not JSON yet.
        }
      }}
    />
  )
}
