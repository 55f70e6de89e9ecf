/** The colours of the fan's team on the page. */
import type { Team } from './api.ts'

const DARK = '#10181f'
const LIGHT = '#ffffff'
const STORED = 'matchday colours'

/** Relative luminance (WCAG 2.2). */
function luminanceOf(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map(offset => {
    const value = Number.parseInt(colour.slice(offset, offset + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** The one of the two inks that contrasts more. */
export function inkOn(colour: string): string {
  const luminance = luminanceOf(colour)
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / (luminanceOf(DARK) + 0.05) ? LIGHT : DARK
}

/** Of the team; without one, the colours that were shown last. */
export function applyColours(team: Pick<Team, 'primaryColor' | 'secondaryColor'> | undefined): void {
  const { primaryColor, secondaryColor } = team ?? JSON.parse(localStorage.getItem(STORED) ?? '{}')
  if (team) localStorage.setItem(STORED, JSON.stringify({ primaryColor, secondaryColor }))
  if (!primaryColor) return
  const { style } = document.documentElement
  style.setProperty('--team', primaryColor)
  style.setProperty('--team-trim', secondaryColor ?? inkOn(primaryColor))
  style.setProperty('--on-team', inkOn(primaryColor))
}

export function resetColours(): void {
  localStorage.removeItem(STORED)
  for (const name of ['--team', '--team-trim', '--on-team'])
    document.documentElement.style.removeProperty(name)
}
