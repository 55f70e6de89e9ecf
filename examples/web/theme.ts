/** The colours of the fan's team on the page. */
import type { Team } from './api.ts'
import { darkFillOf, fillOf, inkOn, legible, SURFACES } from './colours.ts'

const STORED = 'matchday colours'
const PROPERTIES = ['--team', '--team-trim', '--on-team', '--accent', '--fill', '--fill-ink']

/** Applies the colours of the team; without a team, the last ones. */
export function applyColours(team: Pick<Team, 'primaryColor' | 'secondaryColor'> | undefined): void {
  const { primaryColor, secondaryColor } = team ?? JSON.parse(localStorage.getItem(STORED) ?? '{}')
  if (team) localStorage.setItem(STORED, JSON.stringify({ primaryColor, secondaryColor }))
  if (!primaryColor) return
  const { style } = document.documentElement
  const [fill, darkFill] = [fillOf(primaryColor), darkFillOf(primaryColor)]
  style.setProperty('--team', fill)
  style.setProperty('--team-trim', secondaryColor ?? inkOn(fill))
  style.setProperty('--on-team', inkOn(fill))
  const [light, dark] = [legible(primaryColor, SURFACES.light), legible(primaryColor, SURFACES.dark)]
  style.setProperty('--accent', `light-dark(${light}, ${dark})`)
  style.setProperty('--fill', `light-dark(${fill}, ${darkFill})`)
  style.setProperty('--fill-ink', `light-dark(${inkOn(fill)}, ${inkOn(darkFill)})`)
}

export function resetColours(): void {
  localStorage.removeItem(STORED)
  for (const name of PROPERTIES) document.documentElement.style.removeProperty(name)
}
