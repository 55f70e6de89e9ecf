/** Fields of an entry, as its JSON Schema describes them. */
import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { CheckField, type FieldProps, NumberField, SelectField, TextArea } from '../../parts/form.tsx'
import { TimeField } from '../../parts/special-fields.tsx'
import { PriceField } from './choice-fields.tsx'
import { ConditionRows } from './conditions.tsx'
import { EventTypeOf } from './event-fields.tsx'
import { FactConditionRows } from './fact-conditions.tsx'
import { LanguageField } from './languages.tsx'
import { ListField, type RowContent } from './list-field.tsx'
import { PictureField } from './picture-field.tsx'
import { RatesField } from './rates-field.tsx'
import { Enclosing } from './reference-fields.tsx'
import {
  escaped,
  hintOf,
  initialOf,
  isMembers,
  labelOf,
  type Members,
  type Schema,
  shapeOf,
  type Value,
  variantOf,
  withoutNull,
} from './shapes.ts'
import type { Text } from './texts.ts'
import { ColourField, JsonField, LineField } from './value-fields.tsx'

interface ObjectProps {
  schema: Schema
  value: Members
  pointer: string
  onChange: (value: Members) => void
  /** Members that cannot change. */
  fixed?: string[]
  disabled?: boolean
}

/** The members of an object, in the order of its schema. */
export function ObjectFields({
  schema,
  value,
  pointer,
  onChange,
  fixed = [],
  disabled = false,
}: ObjectProps) {
  const { properties = {}, required = [] } = schema
  const outer = useContext(EventTypeOf)
  const type = typeof value.eventType === 'string' ? value.eventType : outer
  return (
    <EventTypeOf.Provider value={type}>
      <Enclosing.Provider value={value}>
        {Object.entries(properties).map(([name, member]) => (
          <Field
            key={name}
            name={name}
            schema={member}
            disabled={disabled || fixed.includes(name)}
            required={required.includes(name)}
            pointer={`${pointer}/${escaped(name)}`}
            value={value[name]}
            onChange={next => {
              const { [name]: _, ...others } = value
              onChange(next === undefined ? others : { ...value, [name]: next })
            }}
          />
        ))}
      </Enclosing.Provider>
    </EventTypeOf.Provider>
  )
}

interface SchemaFieldProps {
  name: string
  /** Default: the name in words. */
  label?: string
  schema: Schema
  required: boolean
  pointer: string
  value: Value
  /** Undefined removes the member. */
  onChange: (value: Value) => void
  disabled?: boolean
}

const NONE = '\u0000none'

const FLAG = [
  { value: 'default', title: 'By default' },
  { value: 'on', title: 'On' },
  { value: 'off', title: 'Off' },
] as const

/** One member, for any shape of its schema. */
function Field({
  name,
  label = labelOf(name),
  schema: given,
  required,
  pointer,
  value,
  onChange,
  disabled = false,
}: SchemaFieldProps) {
  const { schema, nullable } = withoutNull(given)
  const shape = shapeOf(schema)
  const empty = nullable ? null : undefined
  const hint = hintOf(name, given)
  const isRequired = required && !nullable
  const field: FieldProps = { label, pointer, hint, required: isRequired, disabled }
  /** Empty text removes an optional member. */
  const changeText = (text: string) => onChange(text === '' && !isRequired ? empty : text)
  const text = typeof value === 'string' ? value : ''
  switch (shape.is) {
    case 'text': {
      const isOptional = !isRequired
      return (
        <LanguageField
          {...field}
          lines={(shape.max ?? 0) > 200}
          max={shape.max}
          // Guarantee of the cast: the schema allows texts here.
          value={(value ?? '') as Text}
          onChange={next => onChange(next === '' && isOptional ? empty : next)}
        />
      )
    }
    case 'choice': {
      // A member with a default is never left out.
      const isOpen = !isRequired && given.default === undefined && schema.default === undefined
      const [first = ''] = shape.options
      const chosen = shape.options.find(option => option === value)
      return (
        <SelectField
          {...field}
          value={String(chosen ?? (isOpen ? NONE : first))}
          options={[
            ...(isOpen ? [{ value: NONE, title: 'None' }] : []),
            ...shape.options.map(String).map(option => ({ value: option, title: labelOf(option) })),
          ]}
          onChange={next => onChange(shape.options.find(option => String(option) === next) ?? empty)}
        />
      )
    }
    case 'instant':
      return (
        <TimeField
          {...field}
          value={typeof value === 'string' ? value : null}
          onChange={at => onChange(at ?? empty)}
        />
      )
    case 'picture':
      return <PictureField {...field} value={text} onChange={changeText} />
    case 'colour':
      return <ColourField {...field} value={text} onChange={changeText} />
    case 'number':
      return (
        <NumberField
          {...field}
          {...(shape.min === undefined ? {} : { min: shape.min })}
          {...(shape.isWhole ? {} : { step: 0.01 })}
          value={typeof value === 'number' ? value : null}
          onChange={next => onChange(next ?? empty)}
        />
      )
    case 'rates':
      return <RatesField {...field} value={value} onChange={next => onChange(next ?? empty)} />
    case 'flag':
      // Without a value it is what its description says, which is not always off.
      if (nullable)
        return (
          <SelectField
            {...field}
            value={typeof value === 'boolean' ? (value ? 'on' : 'off') : 'default'}
            options={FLAG}
            onChange={next => onChange(next === 'default' ? empty : next === 'on')}
          />
        )
      return (
        <CheckField
          label={label}
          pointer={pointer}
          hint={hint}
          disabled={disabled}
          value={value === true}
          onChange={onChange}
        />
      )
    case 'conditions':
      return <ConditionRows {...field} value={Array.isArray(value) ? value : []} onChange={onChange} />
    case 'fact-conditions':
      return <FactConditionRows {...field} value={Array.isArray(value) ? value : []} onChange={onChange} />
    case 'list': {
      /** Without its last row, a list that may not be empty is left out. */
      const isLeftOut = !isRequired && !nullable && shape.min !== undefined
      return (
        <ListField
          {...field}
          nullable={nullable}
          onChange={rows => onChange(isLeftOut && rows?.length === 0 ? undefined : rows)}
          items={shape.items}
          max={shape.max}
          value={Array.isArray(value) ? value : nullable ? null : []}
          renderRow={row => <RowFields {...row} name={name} items={shape.items} disabled={disabled} />}
        />
      )
    }
    case 'object':
      return (
        <Group
          {...field}
          toggle={
            !isRequired && { isSet: isMembers(value), onSet: on => onChange(on ? initialOf(schema) : empty) }
          }
        >
          {isMembers(value) && (
            <MembersOf
              schema={schema}
              value={value}
              pointer={pointer}
              disabled={disabled}
              onChange={onChange}
            />
          )}
        </Group>
      )
    case 'short': {
      const { long, member } = shape
      const isShort = Array.isArray(value)
      /** Stays short while it says nothing else. */
      const shorten = (next: Value) =>
        isShort && isMembers(next) && Object.keys(next).every(name => name === member)
          ? (next[member] ?? [])
          : next
      return (
        <Field
          name={name}
          required={required}
          pointer={pointer}
          disabled={disabled}
          schema={nullable ? { anyOf: [long, { type: 'null' }] } : long}
          value={isShort ? { [member]: value } : value}
          onChange={next => onChange(shorten(next))}
        />
      )
    }
    case 'variants':
      return (
        <VariantsField
          name={name}
          field={field}
          value={value}
          pointer={pointer}
          onChange={onChange}
          variants={shape.variants}
        />
      )
    case 'string':
      return (shape.max ?? 0) > 200 && shape.example === undefined ? (
        <TextArea {...field} value={text} onChange={changeText} />
      ) : (
        <LineField {...field} {...shape} name={name} value={text} onChange={changeText} />
      )
    default:
      return <JsonField {...field} value={value} onChange={onChange} />
  }
}

/** The content of a row in a list. */
function RowFields({ name, items, ...row }: RowContent & { name: string; items: Schema; disabled: boolean }) {
  const { schema } = withoutNull(items)
  const { value, pointer, disabled, label, onChange } = row
  if (isMembers(value))
    return (
      <ObjectFields schema={schema} value={value} pointer={pointer} disabled={disabled} onChange={onChange} />
    )
  return (
    <Field
      name={name}
      label={label}
      schema={items}
      required
      value={value}
      pointer={pointer}
      disabled={disabled}
      onChange={onChange}
    />
  )
}

interface GroupProps extends FieldProps {
  /** Of an optional object. */
  toggle?: false | { isSet: boolean; onSet: (on: boolean) => void }
  children: ComponentChildren
}

/** The members of an object in a frame. An optional object is switched on first. */
function Group({ label, hint, toggle = false, disabled = false, children }: GroupProps) {
  return (
    <fieldset class="group">
      <legend>{label}</legend>
      {hint && <p class="field-hint">{hint}</p>}
      {toggle && (
        <CheckField
          label={`Has ${label.toLowerCase()}`}
          value={toggle.isSet}
          disabled={disabled}
          onChange={toggle.onSet}
        />
      )}
      {children && <div class="group-fields">{children}</div>}
    </fieldset>
  )
}

/** The members of an object; those of a price together. */
const MembersOf = (props: ObjectProps) =>
  isPrice(props.schema) ? <PriceField label="Price" {...props} /> : <ObjectFields {...props} />

const isPrice = ({ properties = {} }: Schema) =>
  'amount' in properties && 'currency' in properties && Object.keys(properties).length === 2

interface VariantsProps {
  name: string
  field: FieldProps
  variants: Schema[]
  value: Value
  pointer: string
  onChange: (value: Value) => void
}

/** One of several forms of an object, named by their members. */
function VariantsField({ name, field, variants, value, pointer, onChange }: VariantsProps) {
  const nameOf = ({ type, required = [] }: Schema) =>
    type === 'array' ? 'A list' : required.map(labelOf).join(', ')
  const schema = variantOf(variants, value)
  return (
    <Group {...field}>
      <SelectField
        label="By"
        required
        disabled={field.disabled ?? false}
        value={String(variants.indexOf(schema))}
        options={variants.map((variant, index) => ({ value: String(index), title: nameOf(variant) }))}
        onChange={index => onChange(initialOf(variants[Number(index)] ?? {}))}
      />
      {schema.type === 'array' ? (
        <Field
          required
          name={name}
          schema={schema}
          pointer={pointer}
          onChange={onChange}
          disabled={field.disabled ?? false}
          value={value}
        />
      ) : (
        <ObjectFields
          schema={schema}
          pointer={pointer}
          onChange={onChange}
          disabled={field.disabled ?? false}
          value={isMembers(value) ? value : {}}
        />
      )}
    </Group>
  )
}
