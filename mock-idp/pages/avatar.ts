import { createHash } from 'node:crypto'
import type { User } from '../users/user.ts'
import { escapeMarkup } from './html.ts'

const kits = [
  ['#c8102e', '#ffffff'],
  ['#0b3d91', '#ffd100'],
  ['#00704a', '#f4f1de'],
  ['#1b1b3a', '#ff6b35'],
  ['#6a0dad', '#f7d6ff'],
  ['#004d61', '#7fe7dc'],
  ['#111111', '#f5f5f5'],
  ['#7b1e3b', '#9fd3f5'],
  ['#e2711d', '#1d1d1d'],
  ['#2a9d8f', '#fff3c4'],
  ['#0077b6', '#ffffff'],
  ['#8d0801', '#f4d58d'],
] as const

const shirt = 'M34 20 L14 29 L20 50 L29 46 V84 H67 V46 L76 50 L82 29 L62 20 C58 28 38 28 34 20 Z'

/** Draws the second colour; clipped to the shirt. */
const patterns: readonly ((colour: string) => string)[] = [
  colour => [30, 44, 58].map(x => `<rect x="${x}" y="14" width="7" height="76" fill="${colour}"/>`).join(''),
  colour =>
    [30, 46, 62, 78].map(y => `<rect x="10" y="${y}" width="76" height="8" fill="${colour}"/>`).join(''),
  colour => `<path d="M26 18 L40 18 L72 84 L58 84 Z" fill="${colour}"/>`,
  colour => `<rect x="48" y="14" width="40" height="76" fill="${colour}"/>`,
  colour => `<path d="M10 44 L48 62 L86 44 V56 L48 74 L10 56 Z" fill="${colour}"/>`,
  colour => `<rect x="40" y="14" width="16" height="76" fill="${colour}"/>`,
  colour => `<path d="M10 20 H30 V54 H10 Z M66 20 H86 V54 H66 Z" fill="${colour}"/>`,
  colour =>
    `<rect x="10" y="14" width="38" height="37" fill="${colour}"/><rect x="48" y="51" width="40" height="37" fill="${colour}"/>`,
]

/** A fan's picture: a shirt with the initials or a number. Colours and pattern depend only on `sub`. */
export function drawAvatar(user: User): string {
  const hash = createHash('sha256').update(user.sub).digest()
  const pick = <T>(list: readonly T[], byte: number) => list[(hash[byte] ?? 0) % list.length] as T
  const [shirtColour, trim] = pick(kits, 0)
  const hue = Math.round(((hash[2] ?? 0) / 255) * 360)
  const badge = escapeMarkup(badgeOf(user, hash[3] ?? 0))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" width="96" height="96">
<defs><clipPath id="c"><path d="${shirt}"/></clipPath>
<linearGradient id="g" x2="0" y2="1"><stop stop-color="hsl(${hue} 60% 88%)"/><stop offset="1" stop-color="hsl(${hue} 45% 74%)"/></linearGradient></defs>
<rect width="96" height="96" fill="url(#g)"/>
<g transform="translate(-8.6 -12) scale(1.18)">
<path d="${shirt}" transform="translate(0 3)" opacity=".18"/>
<g clip-path="url(#c)"><rect width="96" height="96" fill="${shirtColour}"/>${pick(patterns, 1)(trim)}</g>
<path d="${shirt}" fill="none" stroke="#0003" stroke-width="1.5"/>
<path d="M34 20 C38 28 58 28 62 20" fill="none" stroke="${trim}" stroke-width="4" stroke-linecap="round"/>
<circle cx="48" cy="57" r="15" fill="#fff" stroke="#0002"/>
<text x="48" y="57" dy=".36em" text-anchor="middle" font-family="system-ui, sans-serif" font-weight="700" font-size="15" fill="#16202a">${badge}</text>
</g>
</svg>
`
}

/** The initials, or a shirt number for scripts that a viewer's fonts may lack. */
function badgeOf({ given_name, family_name, name, preferred_username, sub }: User, number: number): string {
  const initials = firstLetter(given_name ?? '') + firstLetter(family_name ?? '')
  const letters = initials || firstLetter(name ?? preferred_username ?? sub)
  return /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]+$/u.test(letters)
    ? letters
    : String((number % 99) + 1)
}

function firstLetter(text: string): string {
  return (/[\p{L}\p{N}]/u.exec(text)?.[0] ?? '').toUpperCase()
}
