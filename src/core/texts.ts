/**
 * Texts in several languages. Verbs and caches keep all languages of a text; the language is chosen when the
 * response is rendered as JSON. So one cached object serves all languages, and a response without such texts
 * needs only one look-up.
 */

/** Texts by language tag: at least one. The first is the default. */
export type TextByLanguage = Readonly<Record<string, string>>

/** The preferences of a rendering, and the languages that it has used. */
interface Scope {
  /** Language tags, the most preferred first. */
  preferences: readonly string[]
  /** Languages in which texts were rendered, and all in which they exist. */
  used: Set<string>
  available: Set<string>
}

/** The scope of the current rendering. Renderings are synchronous, so it never belongs to another request. */
let scope: Scope | undefined
let isStoring = false

const STORED = '@texts'

class Texts {
  constructor(private readonly byLanguage: TextByLanguage) {}

  /** The text in one language: the first preference in which it exists, or else its default. */
  toJSON(): unknown {
    const { byLanguage } = this
    if (isStoring) return { [STORED]: byLanguage }
    const languages = Object.keys(byLanguage)
    const language = scope?.preferences.find(tag => Object.hasOwn(byLanguage, tag)) ?? languages[0] ?? STORED
    scope?.used.add(language)
    for (const tag of languages) scope?.available.add(tag)
    return byLanguage[language]
  }
}

/** Guarantee of the cast: responses are sent only as JSON, where it is a string. Use it in responses only. */
export const asText = (byLanguage: TextByLanguage): string => new Texts(byLanguage) as unknown as string

/** `languages`: those of the texts that exist in several; empty without such texts. */
export function renderIn<T>(
  preferences: readonly string[],
  render: () => T,
): { value: T; languages: string[] } {
  const own = { preferences, used: new Set<string>(), available: new Set<string>() }
  return { value: withScope(own, render), languages: [...own.used] }
}

/** The same object, with each text in the first of these languages that it has. */
export function inLanguages<Found extends object>(found: Found, preferences: readonly string[]): Found {
  // Guarantee of the cast: JSON of the same members, with each text in one language.
  return renderIn(preferences, () => JSON.parse(JSON.stringify(found)) as Found).value
}

function withScope<T>(own: Scope, render: () => T): T {
  const outer = scope
  scope = own
  try {
    return render()
  } finally {
    scope = outer
  }
}

interface Rendering<T> {
  /** The preferences in which any of its texts exists. */
  chosen: string
  value: T
  used: Set<string>
}

interface Kept<T> {
  /** All languages of its texts. */
  available: Set<string>
  renderings: Rendering<T>[]
  byPreferences: WeakMap<readonly string[], Rendering<T>>
}

const NONE: readonly string[] = []

/**
 * Maximum number of renderings per object, so that callers with ever new preferences do not fill the memory.
 */
const MAX_RENDERINGS = 32

/** Returns a function that renders an object once for each choice of languages, and keeps the result as long as the object. */
export function createRenderings<T>() {
  const known = new WeakMap<object, Kept<T>>()
  return (of: object, render: () => T): T => {
    const kept = known.get(of)
    // Without texts in several languages there is one.
    const [only] = kept?.renderings ?? []
    if (only && kept?.available.size === 0) return only.value
    const preferences = scope?.preferences ?? NONE
    const hit = kept && find(kept, preferences)
    if (hit) return met(hit.value, hit.used, kept.available)
    const own: Scope = { preferences, used: new Set(), available: new Set() }
    const value = withScope(own, render)
    const { used, available } = own
    const rendering = { chosen: choose(preferences, available), value, used }
    if (!kept) known.set(of, { available, renderings: [rendering], byPreferences: new WeakMap() })
    else if (kept.renderings.length < MAX_RENDERINGS) kept.renderings.push(rendering)
    return met(value, used, available)
  }
}

/**
 * The same array of preferences has the same rendering: comparing tags would take a fifth of the time of a
 * list of rewards.
 */
function find<T>(kept: Kept<T>, preferences: readonly string[]): Rendering<T> | undefined {
  const known = kept.byPreferences.get(preferences)
  if (known) return known
  const chosen = choose(preferences, kept.available)
  const found = kept.renderings.find(rendering => rendering.chosen === chosen)
  if (found) kept.byPreferences.set(preferences, found)
  return found
}

const choose = (preferences: readonly string[], available: Set<string>): string =>
  available.size === 0 ? '' : preferences.filter(tag => available.has(tag)).join()

/** Adds the languages of a nested rendering to the current one. */
function met<T>(value: T, used: Set<string>, available: Set<string>): T {
  for (const tag of used) scope?.used.add(tag)
  for (const tag of available) scope?.available.add(tag)
  return value
}

/** JSON that keeps all languages, for `parseStored`. */
export function stringifyStored(value: unknown): string {
  isStoring = true
  try {
    return JSON.stringify(value)
  } finally {
    isStoring = false
  }
}

export const parseStored = (json: string): unknown =>
  json.includes(`"${STORED}"`) ? JSON.parse(json, restore) : JSON.parse(json)

// Guarantee of the cast: no member of a response has this name.
const restore = (_: string, value: unknown) =>
  typeof value === 'object' && value !== null && STORED in value
    ? asText(value[STORED] as TextByLanguage)
    : value
