/** What fans see of a draft, as the example app draws it: on a phone, in the language of the form, light or dark. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { nameOfLanguage } from '../../parts/format.ts'
import { sourceOf } from '../../parts/picture.tsx'
import { Choice } from '../../parts/tabs.tsx'
import type { KindName } from './kinds.ts'
import { directionOf } from './languages.tsx'
import { isMembers, type Members, type Schema, shapeOf, type Value, withoutNull } from './shapes.ts'
import { defaultOf, inLanguage, type Text } from './texts.ts'

/** Kinds that the app has a tile for. */
const PREVIEWED: KindName[] = ['reward', 'pack', 'product', 'quest', 'team']

export const hasPhone = (kind: KindName) => PREVIEWED.includes(kind)

interface PhoneProps {
  kind: KindName
  schema: Schema
  draft: Members
  language: string
  /** Of texts without languages. */
  first: string
}

export function Phone({ kind, schema, draft, language, first }: PhoneProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [scheme, setScheme] = useState<'light' | 'dark'>('light')
  const [isReady, setReady] = useState(false)
  const entry = shown(schema, draft, language, first)
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
    if (isReady) frame.current?.contentWindow?.postMessage({ kind, entry, scheme }, location.origin)
  }, [isReady, kind, scheme, JSON.stringify(entry)])
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
    return member
  }
  const converted = convert(given, value)
  return isMembers(converted) ? converted : {}
}
