/** Members that name something else: an entry, a collectible, a country, a part of the same entry. All are chosen. */
import { createContext, type FunctionComponent } from 'preact'
import { useContext, useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { FieldFrame, type FieldProps, SelectField, useField } from '../../parts/form.tsx'
import { nameOfCountry } from '../../parts/format.ts'
import { useResource } from '../../parts/resource.ts'
import { TimeField } from '../../parts/special-fields.tsx'
import { COUNTRIES } from './countries.ts'
import { ChosenField, EntryField, EventTypeField, useMembers } from './event-fields.tsx'
import { CurrentLanguage } from './languages.tsx'
import { isListed, kindOfReference, type ListedName } from './references.ts'
import { isMembers, type Members, type Value } from './shapes.ts'
import { defaultOf, inLanguage, type Text } from './texts.ts'

/** The object that a field is in. */
export const Enclosing = createContext<Members>({})

export interface Option {
  value: string
  title: string
}

/** The collectibles of all packs. None if there are more than a list can show. */
export const Collectibles = createContext<Option[]>([])

interface ReferenceProps extends FieldProps {
  value: string
  onChange: (value: string) => void
}

const FIELDS: Record<ListedName, FunctionComponent<ReferenceProps>> = {
  eventType: EventTypeField,
  referralCompletes: EventTypeField,
  per: NumberMemberField,
  distinctBy: MemberField,
  collectibleId: CollectibleField,
  collectibleIds: CollectibleField,
  country: CountryField,
  countries: CountryField,
  notCountries: CountryField,
  shipsTo: CountryField,
  atLeast: TierField,
  correct: AnswerField,
  at: MomentField,
}

export function ReferenceField({ name, ...props }: ReferenceProps & { name: string }) {
  const kind = kindOfReference(name)
  if (kind) return <EntryField {...props} kind={kind} />
  if (!isListed(name)) return null
  const Chosen = FIELDS[name]
  return <Chosen {...props} />
}

function CollectibleField(props: ReferenceProps) {
  return <ChosenField {...props} options={useContext(Collectibles)} />
}

export const COUNTRY_OPTIONS = COUNTRIES.map(value => ({ value, title: nameOfCountry(value) })).toSorted(
  (a, b) => a.title.localeCompare(b.title),
)

function CountryField(props: ReferenceProps) {
  return <ChosenField {...props} options={COUNTRY_OPTIONS} />
}

/** A member of the data of the events of this part of the form, in words. */
function MemberField(props: ReferenceProps) {
  return <ChosenField {...props} placeholder="/amount" options={useMembers().map(memberOption)} />
}

function NumberMemberField(props: ReferenceProps) {
  const numbers = useMembers().filter(({ kind }) => kind === 'number')
  return <ChosenField {...props} placeholder="/amount" options={numbers.map(memberOption)} />
}

const memberOption = ({ path, title }: { path: string; title: string }) => ({ value: path, title })

/** A tier of the account next to it. */
function TierField(props: ReferenceProps) {
  const { account } = useContext(Enclosing)
  const { data } = useResource(
    typeof account === 'string' && account !== '' ? `tiers of ${account}` : null,
    signal => api.readCatalogueEntry({ kind: 'account', entryId: String(account) }, { signal }),
  )
  return <ChosenField {...props} options={useOptions(data?.entry.tiers)} />
}

/** The right one of the answers that the question offers. */
function AnswerField(props: ReferenceProps) {
  const { options } = useContext(Enclosing)
  const { language } = useContext(CurrentLanguage)
  const { team = null, scale = 0 } = isMembers(options) ? options : {}
  const listed = useOptions(options)
  const { data } = useResource(
    typeof team === 'string' && team !== '' ? `players of ${team} ${language}` : null,
    signal => api.readNamedEntries({ lang: language, playersOf: String(team) }, { signal }),
  )
  const players = data?.players.map(({ id, name }) => ({ value: id, title: name })) ?? []
  const ratings = Array.from({ length: Number(scale) }, (_, nth) => String(nth + 1))
  const rated = ratings.map(value => ({ value, title: value }))
  return <ChosenField {...props} options={[...listed, ...players, ...rated]} />
}

/** What has an id and a text, in the language of the form. */
function useOptions(list: Value): Option[] {
  const { language, first } = useContext(CurrentLanguage)
  if (!Array.isArray(list)) return []
  return list.filter(isMembers).flatMap(({ id, name, text }) => {
    // Guarantee of the cast: the schema allows texts here.
    const stated = (name ?? text ?? '') as Text
    const title = inLanguage(stated, language, first) || defaultOf(stated)
    return typeof id === 'string' && id !== '' ? [{ value: id, title: title || id }] : []
  })
}

/** An instant, or a time of the day where each fan is. */
function MomentField({ value, onChange, ...field }: ReferenceProps) {
  const isInstant = /(Z|[+-]\d\d:\d\d)$/.test(value)
  const [isOfClub, setOfClub] = useState(isInstant)
  return (
    <>
      <SelectField
        label={`${field.label}, by the clock`}
        disabled={field.disabled ?? false}
        required
        value={isOfClub ? 'instant' : 'local'}
        options={[
          { value: 'local', title: 'Of each fan' },
          { value: 'instant', title: 'Of the club: at once for all' },
        ]}
        onChange={next => {
          setOfClub(next === 'instant')
          onChange('')
        }}
      />
      {isOfClub ? (
        <TimeField {...field} value={isInstant ? value : null} onChange={at => onChange(at ?? '')} />
      ) : (
        <LocalTimeField {...field} value={value} onChange={onChange} />
      )}
    </>
  )
}

/** A date and time without a zone. */
function LocalTimeField({ value, onChange, ...field }: ReferenceProps) {
  const { id, error, control } = useField(field)
  return (
    <FieldFrame id={id} error={error} {...field}>
      <input
        {...control}
        type="datetime-local"
        value={value}
        onChange={event => onChange(event.currentTarget.value)}
      />
    </FieldFrame>
  )
}
