/** The conditions of a segment: a row each, with fact, comparison and value in words. */
import type { Operator } from '../../../club/catalogue/operators.ts'
import {
  type FactCondition,
  type FactName,
  type FactType,
  factNamed,
  operatorsOf,
} from '../../../club/segments/facts.ts'
import { NumberField, SelectField, TextField } from '../../parts/form.tsx'
import { ConditionList, type ConditionsProps, isOperator, OPERATOR_WORDS, YesNoField } from './conditions.tsx'
import { ChosenField, EntryField } from './event-fields.tsx'
import type { KindName } from './kinds.ts'
import type { Members, Value } from './shapes.ts'

/** `of`: what follows the dot of the fact. */
interface FactWords {
  title: string
  hint?: string
  of?: { label: string; kind?: KindName; placeholder?: string }
  /** What the values are: entries of a kind, or some words. */
  values?: KindName | Record<string, string>
}

const FACTS: Record<FactName, FactWords> = {
  country: { title: 'Country', hint: 'Two letters, such as PT' },
  locale: { title: 'Language', hint: 'Such as pt-PT' },
  favoriteTeamId: { title: 'Favourite team', values: 'team' },
  ageBand: {
    title: 'Age band',
    values: { under_13: 'Under 13', '13_15': '13 to 15', '16_17': '16 or 17', adult: 'Adult' },
  },
  membership: { title: 'Active membership', values: 'membership' },
  tier: { title: 'Tier', hint: 'Id of the tier', of: { label: 'Account', kind: 'account' } },
  points: { title: 'Points to spend' },
  lifetime: { title: 'Points ever earned' },
  registeredDaysAgo: { title: 'Days since the registration' },
  lastSeenDaysAgo: { title: 'Days since the last activity' },
  onboarded: { title: 'Onboarding completed' },
  checkIns: { title: 'Check-ins' },
  predictions: { title: 'Predictions' },
  ordersPaid: { title: 'Paid orders' },
  packsOpened: { title: 'Opened packs' },
  spent: {
    title: 'Amount spent in the shop',
    hint: 'In the smallest unit of the currency, such as cents',
    of: { label: 'Currency', placeholder: 'EUR' },
  },
  consent: { title: 'Consent', of: { label: 'Purpose', placeholder: 'marketing' } },
}

const isFact = (name: string): name is FactName => Object.hasOwn(FACTS, name)

// Guarantee of the cast: the keys of the constant.
const FACT_OPTIONS = (Object.entries(FACTS) as [FactName, FactWords][]).map(([value, { title }]) => ({
  value,
  title,
}))

/** The text before the dot, and after it. */
function partsOf(fact: Value): { name: FactName | null; of: string } {
  const text = typeof fact === 'string' ? fact : ''
  const dot = text.indexOf('.')
  const [name, of] = dot < 0 ? [text, ''] : [text.slice(0, dot), text.slice(dot + 1)]
  return { name: isFact(name) ? name : null, of }
}

/** A name that stands for any of the family. */
const typeOf = (name: FactName): FactType =>
  factNamed(FACTS[name].of ? `${name}.${name === 'spent' ? 'EUR' : 'any'}` : name)?.type ?? 'text'

export const FactConditionRows = (props: ConditionsProps) => (
  <ConditionList {...props} added={{ fact: 'country', op: 'eq', value: '' } satisfies FactCondition}>
    {row => <FactRow {...row} />}
  </ConditionList>
)

interface RowProps {
  value: Members
  pointer: string
  disabled: boolean
  onChange: (value: Members) => void
}

function FactRow({ value: condition, pointer, disabled, onChange }: RowProps) {
  const { name, of } = partsOf(condition.fact)
  const operator = isOperator(condition.op) ? condition.op : null
  const words = name ? FACTS[name] : undefined
  const type = name ? typeOf(name) : 'text'
  const field = { disabled, required: true }
  const ofField = {
    ...field,
    label: words?.of?.label ?? '',
    pointer: `${pointer}/fact`,
    value: of,
    onChange: (next: string) => onChange({ ...condition, fact: `${name}.${next}` }),
  }
  return (
    <div class="condition">
      <SelectField
        {...field}
        label="Fact"
        pointer={`${pointer}/fact`}
        value={name}
        options={FACT_OPTIONS}
        onChange={next => {
          const op = operator && operatorsOf(typeOf(next)).includes(operator) ? operator : 'eq'
          const fact = FACTS[next].of ? `${next}.` : next
          onChange({ fact, op, value: valueFor(typeOf(next), op, undefined) })
        }}
      />
      {words?.of?.kind ? (
        <EntryField {...ofField} kind={words.of.kind} />
      ) : (
        words?.of && <TextField {...ofField} placeholder={words.of.placeholder ?? ''} />
      )}
      <SelectField
        {...field}
        label="Comparison"
        pointer={`${pointer}/op`}
        value={operator}
        options={operatorsOf(type).map(value => ({
          value,
          title: value === 'exists' ? 'is known' : OPERATOR_WORDS[value],
        }))}
        onChange={op => onChange({ ...condition, op, value: valueFor(type, op, condition.value) })}
      />
      <ValueField
        disabled={disabled}
        pointer={`${pointer}/value`}
        type={type}
        operator={operator}
        words={words}
        value={condition.value}
        onChange={value => onChange({ ...condition, value })}
      />
    </div>
  )
}

interface ValueProps {
  disabled: boolean
  pointer: string
  type: FactType
  operator: Operator | null
  words: FactWords | undefined
  value: Value
  onChange: (value: Value) => void
}

function ValueField({ type, operator, words, value, onChange, ...place }: ValueProps) {
  const field = { ...place, label: 'Value', required: true, hint: words?.hint }
  if (operator === 'exists' || type === 'boolean')
    return <YesNoField {...place} value={value !== false} onChange={onChange} />
  const isNumber = type === 'number' || type === 'days'
  if (operator === 'in') {
    const read = (text: string) => (isNumber && /^-?\d+$/.test(text) ? Number(text) : text)
    return (
      <TextField
        {...field}
        label="Values"
        hint={['Separated by commas.', words?.hint].filter(Boolean).join(' ')}
        value={[value].flat().join(',')}
        onChange={next => onChange(next.split(',').map(one => read(one.trim())))}
      />
    )
  }
  if (isNumber)
    return (
      <NumberField
        {...field}
        value={typeof value === 'number' ? value : null}
        onChange={next => onChange(next ?? '')}
      />
    )
  const text = { ...field, value: typeof value === 'string' ? value : '', onChange }
  const { values } = words ?? {}
  if (typeof values === 'string') return <EntryField {...text} kind={values} />
  if (!values) return <TextField {...text} />
  return (
    <ChosenField {...text} options={Object.entries(values).map(([id, title]) => ({ value: id, title }))} />
  )
}

/** A value that the comparison takes, as far as the former one allows. */
function valueFor(type: FactType, operator: Operator, former: Value): Value {
  if (operator === 'exists' || type === 'boolean') return typeof former === 'boolean' ? former : true
  const [first] = [former].flat()
  const isNumber = type === 'number' || type === 'days'
  const one = typeof first === (isNumber ? 'number' : 'string') ? first : isNumber ? 1 : ''
  if (operator === 'in') return Array.isArray(former) ? former : [one]
  return one
}
