/** A field for another fan, found by name, handle, e-mail, id or order. */
import { useState } from 'preact/hooks'
import { findFans } from '../../../find-fans.ts'
import { Options, useCombobox, useSearch, wordsOf } from '../../../parts/combobox.tsx'
import { FieldFrame, type FieldProps, useField } from '../../../parts/form.tsx'
import type { Target } from '../../../parts/palette.tsx'

interface FanFieldProps extends FieldProps {
  /** The fan to leave out. */
  except: string
  value: Target | null
  onChange: (fan: Target | null) => void
}

/** Null until a fan is selected, and again after the text changes. */
export function FanField({ except, value, onChange, ...field }: FanFieldProps) {
  const [text, setText] = useState('')
  const { id, error, control } = useField(field)
  const { state, found } = useSearch(text, value === null ? findFans : undefined)
  const options = value === null ? (found ?? []).filter(fan => fan.id !== except) : []
  const combobox = useCombobox(text.trim(), options, fan => {
    onChange(fan)
    setText(fan.title)
  })
  return (
    <FieldFrame id={id} error={error} {...field}>
      <input
        {...control}
        {...combobox.field}
        autofocus
        value={text}
        onInput={event => {
          setText(event.currentTarget.value)
          if (value !== null) onChange(null)
        }}
      />
      {options.length > 0 && <Options {...combobox.list} />}
      <p class="found-fan" role="status">
        {value === null ? (
          (found !== null || state !== 'idle') && wordsOf(state, options.length)
        ) : (
          <>
            <bdi>{value.note ?? value.title}</bdi> <code>{value.id}</code>
          </>
        )}
      </p>
    </FieldFrame>
  )
}
