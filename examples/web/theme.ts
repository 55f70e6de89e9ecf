/** The colours of the fan's team on the page. */
import type { Team } from './api.ts'

const DARK = '#10181f'
const LIGHT = '#ffffff'
const STORED = 'matchday colours'
const PROPERTIES = ['--team', '--team-trim', '--on-team', '--accent', '--fill', '--fill-ink']

/** The surfaces with the lowest contrast to text. */
const SURFACES = { light: '#e0e6df', dark: '#24302a' }
/** Contrast of text: more than the 4.5 of WCAG 2.2, since accents are also used on tints of themselves. */
const TEXT_CONTRAST = 5.5
/** Contrast of a button and a dark page. On a light page, its text identifies it. */
const BUTTON_CONTRAST = 3

const channelsOf = (colour: string) =>
  [1, 3, 5].map(start => Number.parseInt(colour.slice(start, start + 2), 16))

/** Relative luminance (WCAG 2.2). */
function luminanceOf(colour: string): number {
  const [r = 0, g = 0, b = 0] = channelsOf(colour).map(channel => {
    const value = channel / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** The text colour with the higher contrast. */
export const inkOn = (colour: string) =>
  contrastOf(LIGHT, colour) >= contrastOf(DARK, colour) ? LIGHT : DARK

/** The colour, made darker or lighter until it contrasts with the surface. */
function legible(colour: string, surface: string, contrast = TEXT_CONTRAST): string {
  const towards = channelsOf(inkOn(surface))
  for (let percent = 0; percent < 100; percent += 5) {
    const mixed = channelsOf(colour).map((channel, nth) =>
      Math.round(channel + ((towards[nth] ?? 0) - channel) * (percent / 100)),
    )
    const hex = `#${mixed.map(channel => channel.toString(16).padStart(2, '0')).join('')}`
    if (contrastOf(hex, surface) >= contrast) return hex
  }
  return inkOn(surface)
}

/** Applies the colours of the team; without a team, the last ones. */
export function applyColours(team: Pick<Team, 'primaryColor' | 'secondaryColor'> | undefined): void {
  const { primaryColor, secondaryColor } = team ?? JSON.parse(localStorage.getItem(STORED) ?? '{}')
  if (team) localStorage.setItem(STORED, JSON.stringify({ primaryColor, secondaryColor }))
  if (!primaryColor) return
  const { style } = document.documentElement
  style.setProperty('--team', primaryColor)
  style.setProperty('--team-trim', secondaryColor ?? inkOn(primaryColor))
  style.setProperty('--on-team', inkOn(primaryColor))
  const [light, dark] = [legible(primaryColor, SURFACES.light), legible(primaryColor, SURFACES.dark)]
  style.setProperty('--accent', `light-dark(${light}, ${dark})`)
  const fill = legible(primaryColor, SURFACES.dark, BUTTON_CONTRAST)
  style.setProperty('--fill', `light-dark(${primaryColor}, ${fill})`)
  style.setProperty('--fill-ink', `light-dark(${inkOn(primaryColor)}, ${inkOn(fill)})`)
}

export function resetColours(): void {
  localStorage.removeItem(STORED)
  for (const name of PROPERTIES) document.documentElement.style.removeProperty(name)
}
