/** What fans see of a draft, as the example app draws it: on a phone, in the language of the form, light or dark. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { api, type Data } from '../../api.ts'
import { nameOfLanguage } from '../../parts/format.ts'
import { sourceOf } from '../../parts/picture.tsx'
import { useResource } from '../../parts/resource.ts'
import { Choice } from '../../parts/tabs.tsx'
import type { KindName } from './kinds.ts'
import { directionOf } from './languages.tsx'
import {
  isMembers,
  type Members,
  type Schema,
  shapeOf,
  type Value,
  variantOf,
  withoutNull,
} from './shapes.ts'
import { defaultOf, inLanguage, type Text } from './texts.ts'

/** Why there is nothing to draw of a kind. */
const UNSEEN: Partial<Record<KindName, string>> = {
  segment: 'Fans do not see segments. What names one is shown to its fans alone.',
  rule: 'Fans do not see rules, only the points that they give, in the history of their points.',
  settings: 'Fans do not see settings, only what follows from them.',
}

interface PhoneProps {
  kind: KindName
  schema: Schema
  draft: Members
  language: string
  /** Of texts without languages. */
  first: string
}

export function Phone(props: PhoneProps) {
  const why = UNSEEN[props.kind]
  return why === undefined ? (
    <Frame {...props} />
  ) : (
    <aside class="phone" aria-label="Preview on a phone">
      <div class="phone-head">
        <h2>On a phone</h2>
      </div>
      <p class="field-hint">{why}</p>
    </aside>
  )
}

function Frame({ kind, schema, draft, language, first }: PhoneProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [scheme, setScheme] = useState<'light' | 'dark'>('light')
  const [isReady, setReady] = useState(false)
  const entry = shown(schema, draft, language, first)
  const named = useNamed(draft, language)
  useEffect(() => {
    const listen = (event: MessageEvent) => {
      if (event.source === frame.current?.contentWindow && event.data === 'preview ready') setReady(true)
    }
    addEventListener('message', listen)
    return () => removeEventListener('message', listen)
  }, [])
  // The frame loads again in another language.
  useEffect(() => setReady(false), [language])
  useEffect(() => {
    const preview = { kind, entry, named, scheme }
    if (isReady) frame.current?.contentWindow?.postMessage({ preview }, location.origin)
  }, [isReady, kind, scheme, JSON.stringify([entry, named])])
  return (
    <aside class="phone" aria-label="Preview on a phone">
      <div class="phone-head">
        <h2>On a phone</h2>
        <Choice
          label="Colours of the preview"
          value={scheme}
          options={[
            { value: 'light', title: 'Light' },
            { value: 'dark', title: 'Dark' },
          ]}
          onChange={setScheme}
        />
      </div>
      <div class={`phone-frame ${scheme}`}>
        <iframe
          ref={frame}
          key={language}
          title={`Preview in ${nameOfLanguage(language)}`}
          src={`/preview.html?lang=${encodeURIComponent(language)}`}
          sandbox="allow-scripts allow-same-origin"
          dir={directionOf(language, '')}
        />
      </div>
      <p class="field-hint">
        As the example app shows it to a fan who can have it now. A text that is missing is shown in its
        default language.
      </p>
    </aside>
  )
}

type Named = Data<'readNamedEntries'>
const NONE: Named = { teams: [], competitions: [], sponsors: [], players: [], collectibles: [] }

/** What the draft names, as fans see it. */
function useNamed(draft: Members, language: string): Named {
  const { teamId, homeTeamId, awayTeamId, sponsorId, competition, collectibleIds, options } = draft
  const team = isMembers(options) ? options.team : undefined
  const query = {
    teams: joined(teamId, homeTeamId, awayTeamId),
    sponsors: joined(sponsorId),
    competitions: joined(competition),
    collectibles: joined(...(Array.isArray(collectibleIds) ? collectibleIds : [])),
    ...(isSlug(team) ? { playersOf: team } : {}),
  }
  const isAny = Object.values(query).some(ids => ids !== '')
  const { data } = useResource(isAny ? `named ${language} ${JSON.stringify(query)}` : null, signal =>
    api.readNamedEntries({ lang: language, ...query }, { signal }),
  )
  if (data === null) return NONE
  const { teams, competitions, sponsors, players, collectibles } = data
  const pictured = <Item extends { imageUrl: string | null }>(items: Item[]) =>
    items.map(item => ({ ...item, imageUrl: pictureOf(item.imageUrl) }))
  return {
    competitions,
    teams: teams.map(team => ({ ...team, crestUrl: pictureOf(team.crestUrl) })),
    sponsors: pictured(sponsors),
    players: pictured(players),
    collectibles: pictured(collectibles),
  }
}

const pictureOf = (address: string | null) => (address === null ? null : sourceOf(address))
const isSlug = (value: Value): value is string =>
  typeof value === 'string' && /^[a-z0-9][a-z0-9._-]{0,99}$/.test(value)
const joined = (...ids: Value[]) => ids.filter(isSlug).join(',')

/** The entry with texts in one language, and pictures where the frame can read them. */
function shown(given: Schema, value: Members, language: string, first: string): Members {
  const convert = (of: Schema, member: Value): Value => {
    const { schema } = withoutNull(of)
    const shape = shapeOf(schema)
    if (shape.is === 'text' && (typeof member === 'string' || isMembers(member))) {
      // Guarantee of the cast: the schema allows texts here.
      const text = member as Text
      return inLanguage(text, language, first) || defaultOf(text)
    }
    if (shape.is === 'picture') return typeof member === 'string' ? sourceOf(member) : null
    if (shape.is === 'list' && Array.isArray(member)) return member.map(item => convert(shape.items, item))
    if (shape.is === 'object' && isMembers(member))
      return Object.fromEntries(
        Object.entries(shape.properties).map(([name, part]) => [name, convert(part, member[name])]),
      )
    return shape.is === 'variants' ? convert(variantOf(shape.variants, member), member) : member
  }
  const converted = convert(given, value)
  return isMembers(converted) ? converted : {}
}
