/** Types of events in words, and the choice of those that an endpoint receives. */
import { useState } from 'preact/hooks'
import { sentence } from '../../parts/capital.ts'
import { CheckField, TextField } from '../../parts/form.tsx'

/** `reward.claimed` as “Reward claimed”. */
export function typeInWords(type: string): string {
  if (type === '*') return 'All events'
  const [namespace = '', rest] = type.split('.', 2)
  const words = `${namespace} ${rest === '*' ? '' : (rest ?? '')}`.replaceAll(/[_-]/g, ' ').trim()
  const title = sentence(words)
  return rest === '*' ? `All of ${title.toLowerCase()}` : title
}

const namespaceOf = (type: string) => type.split('.', 1)[0] ?? ''

interface TypesProps {
  /** Types of Matchday. */
  known: string[]
  value: string[]
  onChange: (value: string[]) => void
}

/** All events, groups, or single types; and those of other systems by name. */
export function TypesField({ known, value, onChange }: TypesProps) {
  const groups = Map.groupBy(known, namespaceOf)
  const patterns = [...groups.keys()].map(group => `${group}.*`)
  const isOwn = (type: string) => type === '*' || patterns.includes(type) || known.includes(type)
  const [others, setOthers] = useState(value.filter(type => !isOwn(type)).join(' '))
  const isAll = value.includes('*')
  const has = (type: string) => value.includes(type)
  const set = (type: string, on: boolean) =>
    onChange(on ? [...value, type] : value.filter(one => one !== type))
  /** A group replaces the types in it. */
  const setGroup = (group: string, on: boolean) =>
    onChange([...value.filter(type => namespaceOf(type) !== group), ...(on ? [`${group}.*`] : [])])
  return (
    <fieldset class="field types-field">
      <legend class="field-label">Events</legend>
      <CheckField
        label="All events"
        hint="Also those of types that are added later, and of other systems."
        pointer="/types"
        value={isAll}
        onChange={on => onChange(on ? ['*'] : [])}
      />
      {!isAll && (
        <>
          <div class="types-list">
            {[...groups].map(([group, types]) => {
              const pattern = `${group}.*`
              return (
                <div key={group}>
                  <CheckField
                    label={typeInWords(pattern)}
                    value={has(pattern)}
                    onChange={on => setGroup(group, on)}
                  />
                  {!has(pattern) && types.length > 1 && (
                    <div class="types-group">
                      {types.map(type => (
                        <CheckField
                          key={type}
                          label={typeInWords(type)}
                          value={has(type)}
                          onChange={on => set(type, on)}
                        />
                      ))}
                    </div>
                  )}
                </div>
              )
            })}
          </div>
          <TextField
            label="Types of other systems"
            hint="As they are reported, such as shop.purchase or shop.*, separated by spaces."
            value={others}
            onChange={text => {
              setOthers(text)
              const written = text.split(/[\s,]+/).filter(word => word !== '')
              onChange([...value.filter(isOwn), ...written])
            }}
          />
        </>
      )}
    </fieldset>
  )
}
