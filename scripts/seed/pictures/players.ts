/** Portraits of players: head and shoulders in the colours of the team, with the number. */
import { box, circle, INK, path, type Size, scatter, svg, words } from './svg.ts'

const SIZE: Size = { width: 160, height: 160 }
const SKINS = ['#f2d0b1', '#e0ac7e', '#c68642', '#8d5524', '#5c3317'] as const
const HAIRS = ['#1c1410', '#3b2417', '#7a4a22', '#c9a15a', '#2b2b33'] as const

/** `seed`: a number for each player. */
export function drawPlayer(seed: number, number: number, primary: string, secondary: string): string {
  const next = scatter(seed)
  next()
  const pick = <T>(list: readonly [T, ...T[]]): T => list[Math.floor(next() * list.length)] ?? list[0]
  const [skin, hair] = [pick(SKINS), pick(HAIRS)]
  const fringe = 38 + Math.round(next() * 14)
  const width = 27 + Math.round(next() * 5)
  return svg(
    SIZE,
    [
      box(0, 0, 160, 160, secondary),
      box(0, 0, 160, 160, primary, 'opacity=".28"'),
      path('M18 160C20 122 48 108 80 108C112 108 140 122 142 160Z', primary),
      path('M62 108H98L80 126Z', secondary),
      box(69, 84, 22, 30, skin),
      circle(80, 64, width, skin),
      path(
        `M${80 - width} 62C${80 - width} 20 ${80 + width} 20 ${80 + width} 62Q80 ${fringe} ${80 - width} 62Z`,
        hair,
      ),
      circle(70, 66, 3, INK),
      circle(90, 66, 3, INK),
      path('M71 78Q80 84 89 78L88 80Q80 87 72 80Z', INK),
      words(String(number), 80, 153, 24, secondary),
    ].join(''),
  )
}
