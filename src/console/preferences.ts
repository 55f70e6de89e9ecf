/** What a staff member chose for this browser: colours and time zone. */
import { computed, effect, signal } from '@preact/signals'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const THEME_KEY = 'matchday console theme'
const ZONE_KEY = 'matchday console zone'

/** The zone of this browser. */
const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone

export const ZONES = [...new Set([ownZone, 'UTC', ...Intl.supportedValuesOf('timeZone')])]

export const theme = signal<Theme>(THEMES.find(one => one === localStorage.getItem(THEME_KEY)) ?? 'system')

const chosenZone = signal(ZONES.find(one => one === localStorage.getItem(ZONE_KEY)) ?? null)

/** The zone of the club; null: it has stated none. */
export const clubZone = signal<string | null>(null)

/** All times are shown and entered in this zone: the chosen one, that of the club, or that of the browser. */
export const zone = computed(() => chosenZone.value ?? clubZone.value ?? ownZone)

export function chooseZone(name: string): void {
  chosenZone.value = name === (clubZone.value ?? ownZone) ? null : name
}

/** Counts changes of the colour scheme, so that charts draw again. */
export const colours = signal(0)

const redraw = () => {
  colours.value = colours.peek() + 1
}

effect(() => {
  const chosen = theme.value
  if (chosen === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = chosen
  remember(THEME_KEY, chosen, 'system')
  redraw()
})
effect(() => remember(ZONE_KEY, chosenZone.value, null))
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw)

function remember(key: string, value: string | null, usual: string | null): void {
  if (value === null || value === usual) localStorage.removeItem(key)
  else localStorage.setItem(key, value)
}
