/** Forms: fields with their hints, and the errors of a problem document at the field that they name. */
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useId, useLayoutEffect, useRef } from 'preact/hooks'
import { ProblemError } from '../api.ts'
import { FormErrors, type FormState, NamedErrors } from './form-errors.tsx'
import type { Action } from './resource.ts'

const FormContext = createContext<FormState | null>(null)

interface FormProps {
  // Only its state is read.
  action: Pick<Action<never>, 'isBusy' | 'error'>
  onSubmit: () => unknown
  children: ComponentChildren
  /** The buttons. */
  foot?: ComponentChildren
  /** The place of an error in words: then each error is listed with it, and leads to its field. */
  nameOf?: (pointer: string) => string
  /** Shows the field of an error that is not in sight. */
  onShow?: (pointer: string) => void
  /** Only its button sends it. */
  byButton?: boolean
}

/** A form of an `useAction`. Errors that no field shows are above the buttons. */
export function Form({ action, onSubmit, children, foot, nameOf, onShow, byButton = false }: FormProps) {
  const { error } = action
  const form = useRef<HTMLFormElement>(null)
  const errors = new Map<string, string>()
  if (error instanceof ProblemError)
    for (const { pointer, message } of error.problem.errors ?? [])
      if (pointer !== undefined && !errors.has(pointer)) errors.set(pointer, message)
  const state = useRef<FormState>({ errors, shown: new Set() })
  state.current.errors = errors
  useLayoutEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [error])
  /** Enter in a line of text sends nothing half: it goes to the first field that is required and empty. */
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.defaultPrevented || !(event.target instanceof HTMLInputElement)) return
    if (['submit', 'button', 'file'].includes(event.target.type)) return
    const fields = form.current?.querySelectorAll<HTMLInputElement>(':is(input, textarea, select)[required]')
    const empty = [...(fields ?? [])].find(({ value }) => value.trim() === '')
    if (!byButton && !empty) return
    event.preventDefault()
    empty?.focus()
  }
  const goTo = (pointer: string) => {
    onShow?.(pointer)
    // After the field is drawn.
    requestAnimationFrame(() =>
      [...(form.current?.querySelectorAll<HTMLElement>('[data-pointer]') ?? [])]
        .find(({ dataset }) => dataset.pointer === pointer)
        ?.focus(),
    )
  }
  return (
    <FormContext.Provider value={{ errors, shown: state.current.shown }}>
      <form
        ref={form}
        class="form"
        noValidate
        onKeyDown={onKeyDown}
        onSubmit={event => {
          event.preventDefault()
          if (!action.isBusy && form.current?.querySelector('[data-empty]') === null) void onSubmit()
        }}
      >
        <div class="fields">{children}</div>
        {error !== null && nameOf && errors.size > 0 ? (
          <NamedErrors errors={errors} nameOf={nameOf} onGoTo={goTo} />
        ) : (
          error !== null && <FormErrors error={error} state={state.current} />
        )}
        {foot && <div class="form-foot">{foot}</div>}
      </form>
    </FormContext.Provider>
  )
}

/** The error of a pointer, or of one below it. */
function useFieldError(pointer: string | undefined): string | undefined {
  const form = useContext(FormContext)
  useLayoutEffect(() => {
    if (form === null || pointer === undefined) return
    form.shown.add(pointer)
    return () => void form.shown.delete(pointer)
  }, [form?.shown, pointer])
  if (form === null || pointer === undefined) return undefined
  form.shown.add(pointer)
  return form.errors.get(pointer)
}

export interface FieldProps {
  label: string
  /** The pointer of the value in the request's body. Errors with this pointer are shown here. */
  pointer?: string | undefined
  hint?: ComponentChildren
  required?: boolean
  disabled?: boolean
}

interface FrameProps extends FieldProps {
  /** Id of the control. */
  id: string
  count?: string | undefined
  /** After the label, such as the language of a text. */
  badge?: ComponentChildren
  children: ComponentChildren
}

/** Attributes of the control of a field. */
export function useField({ pointer, hint, required, disabled }: FieldProps) {
  const id = useId()
  const error = useFieldError(pointer)
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`]
  const control = {
    id,
    required,
    disabled,
    'data-pointer': pointer,
    'aria-invalid': error !== undefined,
    'aria-describedby': described.filter(Boolean).join(' ') || undefined,
  }
  return { id, error, control }
}

/** Label, hint and error around a control. */
export const FieldFrame = ({
  id,
  label,
  hint,
  required,
  count,
  badge,
  error,
  children,
}: FrameProps & { error: string | undefined }) => (
  <div class="field">
    <div class="field-label">
      <label for={id}>{label}</label>
      {badge}
      {!required && <span class="quiet">optional</span>}
      {count !== undefined && <span class="quiet count">{count}</span>}
    </div>
    {children}
    {error !== undefined && (
      <p class="field-error" id={`${id}-error`}>
        {error}
      </p>
    )}
    {hint !== undefined && (
      <p class="field-hint" id={`${id}-hint`}>
        {hint}
      </p>
    )}
  </div>
)

interface TextProps extends FieldProps {
  value: string
  onChange: (value: string) => void
  /** Characters. */
  max?: number
  placeholder?: string
  autofocus?: boolean
}

/** One line of text. */
export function TextField({ value, onChange, max, placeholder, autofocus, ...field }: TextProps) {
  const { id, error, control } = useField(field)
  return (
    <FieldFrame id={id} error={error} {...field}>
      <input
        {...control}
        type="text"
        value={value}
        placeholder={placeholder}
        autofocus={autofocus}
        maxLength={max}
        dir="auto"
        autocomplete="off"
        spellcheck={false}
        onInput={event => onChange(event.currentTarget.value)}
      />
    </FieldFrame>
  )
}

/** Text of several lines. With `max`, shows the number of characters. */
export function TextArea({
  value,
  onChange,
  max,
  placeholder,
  autofocus,
  rows = 3,
  ...field
}: TextProps & { rows?: number }) {
  const { id, error, control } = useField(field)
  const count = max === undefined ? undefined : `${[...value].length} / ${max}`
  return (
    <FieldFrame id={id} error={error} count={count} {...field}>
      <textarea
        {...control}
        value={value}
        rows={rows}
        placeholder={placeholder}
        autofocus={autofocus}
        maxLength={max}
        dir="auto"
        onInput={event => onChange(event.currentTarget.value)}
      />
    </FieldFrame>
  )
}

interface NumberProps extends FieldProps {
  /** Null: nothing is written. */
  value: number | null
  onChange: (value: number | null) => void
  min?: number
  max?: number
  /** 1 for integers. */
  step?: number | 'any'
  unit?: string
}

/** A number; other text becomes null. */
export function NumberField({ value, onChange, min, max, step = 1, unit, ...field }: NumberProps) {
  const { id, error, control } = useField(field)
  return (
    <FieldFrame id={id} error={error} {...field}>
      <div class="with-unit">
        <input
          {...control}
          min={min}
          max={max}
          step={step}
          type="number"
          inputMode={step === 1 ? 'numeric' : 'decimal'}
          value={value ?? ''}
          onInput={event => {
            const { valueAsNumber } = event.currentTarget
            onChange(Number.isFinite(valueAsNumber) ? valueAsNumber : null)
          }}
        />
        {unit && <span class="quiet">{unit}</span>}
      </div>
    </FieldFrame>
  )
}

interface SelectProps<T extends string> extends FieldProps {
  /** Null: none of the options is chosen yet. */
  value: T | null
  options: readonly { value: T; title: string }[]
  onChange: (value: T) => void
}

/** One of some values. */
export function SelectField<T extends string>({ value, options, onChange, ...field }: SelectProps<T>) {
  const { id, error, control } = useField(field)
  return (
    <FieldFrame id={id} error={error} {...field}>
      <select
        {...control}
        value={value ?? ''}
        onChange={event => {
          const chosen = options.find(option => option.value === event.currentTarget.value)
          if (chosen) onChange(chosen.value)
        }}
      >
        {value === null && (
          <option value="" disabled>
            Choose…
          </option>
        )}
        {options.map(option => (
          <option key={option.value} value={option.value}>
            {option.title}
          </option>
        ))}
      </select>
    </FieldFrame>
  )
}

interface CheckProps extends Omit<FieldProps, 'required'> {
  value: boolean
  onChange: (value: boolean) => void
}

/** Yes or no. */
export function CheckField({ value, onChange, label, hint, ...field }: CheckProps) {
  const { id, error, control } = useField({ label, hint, ...field })
  return (
    <div class="field check">
      <input
        {...control}
        type="checkbox"
        checked={value}
        onChange={event => onChange(event.currentTarget.checked)}
      />
      <div>
        <label for={id}>{label}</label>
        {error !== undefined && (
          <p class="field-error" id={`${id}-error`}>
            {error}
          </p>
        )}
        {hint !== undefined && (
          <p class="field-hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}
