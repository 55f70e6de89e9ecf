/** Conditions, a row each; and those on the data of an event, with member, comparison and value. */
import type { ComponentChildren } from 'preact'
import type { Operator } from '../../../club/catalogue/operators.ts'
import { Button } from '../../parts/button.tsx'
import { type FieldProps, SelectField, TextField } from '../../parts/form.tsx'
import { ChosenField, EntryField, type EventMember, useMembers } from './event-fields.tsx'
import { kindOfMember } from './references.ts'
import { moved, RowButtons } from './rows.tsx'
import { isMembers, type Members, type Value } from './shapes.ts'

export const OPERATOR_WORDS: Record<Operator, string> = {
  eq: 'is',
  ne: 'is not',
  gt: 'is greater than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  in: 'is one of',
  exists: 'exists',
}

export const isOperator = (value: unknown): value is Operator =>
  typeof value === 'string' && Object.hasOwn(OPERATOR_WORDS, value)

const CHOICES = Object.keys(OPERATOR_WORDS)
  .filter(isOperator)
  .map(value => ({ value, title: OPERATOR_WORDS[value] }))

export interface ConditionsProps extends FieldProps {
  value: Value[]
  onChange: (value: Value[]) => void
}

interface ListProps extends ConditionsProps {
  /** A new condition. */
  added: Members
  children: (row: Omit<ConditionProps, 'members'>) => ComponentChildren
}

export function ConditionRows(props: ConditionsProps) {
  const members = useMembers()
  return (
    <ConditionList {...props} added={{ path: '', op: 'eq', value: '' }}>
      {row => <Condition {...row} members={members} />}
    </ConditionList>
  )
}

/** Rows that are added, moved and removed. */
export function ConditionList({
  label,
  hint,
  pointer = '',
  disabled = false,
  value,
  onChange,
  added,
  children,
}: ListProps) {
  return (
    <fieldset class="group">
      <legend>{label}</legend>
      {hint && <p class="field-hint">{hint}</p>}
      <ol class="rows">
        {value.map((condition, index) => (
          <li key={index} class="row">
            {children({
              disabled,
              pointer: `${pointer}/${index}`,
              value: isMembers(condition) ? condition : {},
              onChange: next => onChange(value.map((one, nth) => (nth === index ? next : one))),
            })}
            {!disabled && (
              <RowButtons
                name={`condition ${index + 1}`}
                index={index}
                count={value.length}
                onMove={to => onChange(moved(value, index, to))}
                onRemove={() => onChange(value.filter((_, nth) => nth !== index))}
              />
            )}
          </li>
        ))}
      </ol>
      {!disabled && (
        <div>
          <Button
            small
            icon="add"
            blocked={value.length >= 20 && 'At most 20 conditions are possible.'}
            onClick={() => onChange([...value, added])}
          >
            Add condition
          </Button>
        </div>
      )}
    </fieldset>
  )
}

interface ConditionProps {
  value: Members
  pointer: string
  disabled: boolean
  members: EventMember[]
  onChange: (value: Members) => void
}

function Condition({ value: condition, pointer, disabled, members, onChange }: ConditionProps) {
  const { path, op, value } = condition
  // Shows the stored operator; only a person chooses another.
  const operator = isOperator(op) ? op : null
  const member = members.find(one => one.path === path)
  const kind = typeof path === 'string' ? kindOfMember(path.split('/').at(-1) ?? '') : undefined
  const valueField = {
    disabled,
    label: 'Value',
    required: true,
    pointer: `${pointer}/value`,
    value: typeof value === 'string' ? value : '',
    onChange: (next: string) => onChange({ ...condition, value: next }),
  }
  return (
    <div class="condition">
      <ChosenField
        disabled={disabled}
        label="Member"
        required
        placeholder="/amount"
        pointer={`${pointer}/path`}
        value={typeof path === 'string' ? path : ''}
        options={members.map(one => ({ value: one.path, title: one.title }))}
        onChange={next => onChange({ ...condition, path: next })}
      />
      <SelectField
        disabled={disabled}
        label="Comparison"
        required
        pointer={`${pointer}/op`}
        value={operator}
        options={CHOICES}
        onChange={next => onChange({ ...condition, op: next, value: valueFor(next, value) })}
      />
      {operator === 'exists' ? (
        <YesNoField
          disabled={disabled}
          pointer={`${pointer}/value`}
          value={value !== false}
          onChange={next => onChange({ ...condition, value: next })}
        />
      ) : operator !== 'in' && member && member.values.length > 0 ? (
        <ChosenField
          {...valueField}
          options={member.values.map(one => ({ value: one, title: one.replaceAll('_', ' ') }))}
        />
      ) : operator !== 'in' && kind ? (
        <EntryField {...valueField} kind={kind} />
      ) : (
        <TextField
          disabled={disabled}
          label={operator === 'in' ? 'Values' : 'Value'}
          required
          hint={operator === 'in' ? 'Separated by commas' : undefined}
          pointer={`${pointer}/value`}
          value={written(value)}
          onChange={next =>
            onChange({ ...condition, value: operator === 'in' ? next.split(',').map(parsed) : parsed(next) })
          }
        />
      )}
    </div>
  )
}

interface YesNoProps {
  disabled: boolean
  pointer: string
  value: boolean
  onChange: (value: boolean) => void
}

export const YesNoField = ({ value, onChange, ...field }: YesNoProps) => (
  <SelectField
    {...field}
    label="Value"
    required
    value={value ? 'yes' : 'no'}
    options={[
      { value: 'yes', title: 'Yes' },
      { value: 'no', title: 'No' },
    ]}
    onChange={next => onChange(next === 'yes')}
  />
)

/** `12`, `true` and `null` are not text; text that looks like them must be in quotes. */
function parsed(text: string): Value {
  const trimmed = text.trim()
  if (/^(-?(0|[1-9]\d*)(\.\d+)?|true|false|null|".*")$/.test(trimmed))
    try {
      return JSON.parse(trimmed)
    } catch {
      return text
    }
  return text
}

function written(value: Value): string {
  if (Array.isArray(value)) return value.map(written).join(',')
  if (typeof value !== 'string') return value === undefined ? '' : JSON.stringify(value)
  return typeof parsed(value) === 'string' && !/^".*"$/.test(value) ? value : JSON.stringify(value)
}

/** A value that the comparison takes. */
function valueFor(operator: Operator, value: Value): Value {
  if (operator === 'exists') return true
  if (operator === 'in') return Array.isArray(value) ? value : [value]
  return Array.isArray(value)
    ? (value[0] ?? '')
    : typeof value === 'boolean' && /^[gl]t/.test(operator)
      ? 0
      : value
}
