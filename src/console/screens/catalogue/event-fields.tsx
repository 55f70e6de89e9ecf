/** Types of events and members of their data by choice, in words, so that a rule is written without knowing a path. */
import { createContext } from 'preact'
import { useContext, useState } from 'preact/hooks'
import { api, type Data } from '../../api.ts'
import { type FieldProps, SelectField, TextField } from '../../parts/form.tsx'
import { useResource } from '../../parts/resource.ts'
import type { KindName } from './kinds.ts'

type EventType = Data<'listEventTypes'>['types'][number]
export type EventMember = EventType['members'][number]

/** The type of the events that the conditions within are about. */
export const EventTypeOf = createContext('')

/** Empty until it is read, and if it cannot be read: then text fields are shown. */
const useEventTypes = (): EventType[] =>
  useResource('event types', signal => api.listEventTypes({}, { signal })).data?.types ?? []

/** The members of the data of the events of this part of the form. */
export function useMembers(): EventMember[] {
  const type = useContext(EventTypeOf)
  return useEventTypes().find(one => one.type === type)?.members ?? []
}

const OTHER = '\u0000other'
const NONE = '\u0000none'

interface ChosenProps extends FieldProps {
  value: string
  onChange: (value: string) => void
  options: { value: string; title: string }[]
  placeholder?: string
}

/** One of the options, or other text. A stored value that is no option is other text. */
export function ChosenField({ value, onChange, options, placeholder, ...field }: ChosenProps) {
  const [isOther, setOther] = useState(false)
  const isKnown = options.some(option => option.value === value)
  if (options.length === 0 || isOther || (value !== '' && !isKnown))
    return (
      <TextField
        {...field}
        {...(placeholder === undefined ? {} : { placeholder })}
        value={value}
        onChange={onChange}
      />
    )
  const none = field.required ? [] : [{ value: NONE, title: 'None' }]
  return (
    <SelectField
      {...field}
      value={value === '' ? (field.required ? null : NONE) : value}
      options={[...none, ...options, { value: OTHER, title: 'Another…' }]}
      onChange={next => {
        setOther(next === OTHER)
        onChange(next === OTHER || next === NONE ? '' : next)
      }}
    />
  )
}

type TypeProps = Omit<ChosenProps, 'options'>

export function EventTypeField(props: TypeProps) {
  const options = useEventTypes().map(({ type, title, isOwn }) => ({
    value: type,
    title: isOwn ? title : `${title} (of another system)`,
  }))
  return <ChosenField {...props} options={options} placeholder="shop.purchase" />
}

const PAGES_MAX = 5

/** An entry of the kind by its title. In a catalogue with more entries than a list can show, its id. */
export function EntryField({ kind, ...props }: TypeProps & { kind: KindName }) {
  const entries = useResource(`entries to choose ${kind}`, async signal => {
    const options: { value: string; title: string }[] = []
    let cursor: string | undefined
    for (let page = 0; page < PAGES_MAX; page++) {
      const read = await api.listCatalogueEntries({ kind, cursor, limit: 100 }, { signal })
      options.push(...read.entries.map(({ id, title }) => ({ value: id, title })))
      if (read.nextCursor === null) return options.toSorted((a, b) => a.title.localeCompare(b.title))
      cursor = read.nextCursor
    }
    return []
  })
  return <ChosenField {...props} options={entries.data ?? []} />
}
