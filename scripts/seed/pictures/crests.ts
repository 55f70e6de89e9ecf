/** Crests: the shield, division and charge of each team, in its colours. */
import { around, box, circle, line, path, polygon, star, svg } from './svg.ts'

const SHIELDS = {
  heater: 'M20 14H140V78C140 116 112 140 80 152C48 140 20 116 20 78Z',
  round: 'M80 8A72 72 0 1 1 80 152A72 72 0 1 1 80 8Z',
  french:
    'M22 12H138V112C138 132 122 138 104 138C92 138 86 142 80 152C74 142 68 138 56 138C38 138 22 132 22 112Z',
  swiss: 'M18 22C40 22 62 18 80 8C98 18 120 22 142 22V74C142 114 114 140 80 152C46 140 18 114 18 74Z',
}

interface Crest {
  shield: keyof typeof SHIELDS
  /** Drawn in the second colour, clipped to the shield. */
  division(b: string): string
  charge(a: string, b: string): string
}

const plain = () => ''
const crests: Record<string, Crest> = {
  'ashbourne-rovers': {
    shield: 'heater',
    division: b => path('M80 0H160V160H80Z', b),
    charge: (a, b) =>
      `${circle(80, 76, 44, '#fff')}${path('M80 40C100 52 106 74 92 92C88 97 84 99 80 100C76 99 72 97 68 92C54 74 60 52 80 40Z', a)}${line('M80 56V116M80 74L92 66M80 86L68 78', b, 4)}`,
  },
  'bellavista-cf': {
    shield: 'french',
    division: b => [30, 62, 94, 126].map(x => box(x, 0, 16, 160, b)).join(''),
    charge: a =>
      `${path('M22 52H138V100H22Z', a)}${circle(112, 66, 11, '#ffd54a')}${path('M26 100L58 62L76 84L94 66L126 100Z', '#fff')}`,
  },
  'castellane-sporting': {
    shield: 'swiss',
    division: b => path('M0 100H160V160H0Z', b),
    charge: (a, b) =>
      `${path('M48 112V52H58V60H68V52H92V60H102V52H112V112Z', b, `stroke="${a}" stroke-width="5"`)}${path('M70 112V92C70 78 90 78 90 92V112Z', a)}${box(58, 72, 9, 14, a)}${box(93, 72, 9, 14, a)}`,
  },
  'drakenfels-sv': {
    shield: 'heater',
    division: b => path('M0 118L80 70L160 118V160H0Z', b),
    charge: (a, b) =>
      `${path('M80 28C90 48 112 58 112 84C112 104 98 116 80 118C62 116 48 104 48 84C48 72 56 64 60 54C65 62 69 64 73 65C76 52 74 40 80 28Z', b, `stroke="${a}" stroke-width="5"`)}${path('M80 74C86 84 96 88 96 99C96 107 89 112 80 113C71 112 64 107 64 99C64 88 76 86 80 74Z', a)}`,
  },
  'harbour-city': {
    shield: 'round',
    division: b => circle(80, 80, 58, 'none', `stroke="${b}" stroke-width="4"`),
    charge: (_, b) =>
      `${circle(80, 44, 10, 'none', `stroke="${b}" stroke-width="7"`)}${line('M80 54V120M58 70H102M42 90C44 110 60 120 80 122C100 120 116 110 118 90', b, 8)}${path('M34 96L42 80L54 94Z', b)}${path('M126 96L118 80L106 94Z', b)}`,
  },
  'kitakaze-united': {
    shield: 'round',
    division: b => path('M0 104C40 84 60 124 90 104S140 88 160 104V160H0Z', b, 'opacity=".35"'),
    charge: (_, b) =>
      line(
        'M28 66H92C112 66 112 38 94 38C84 38 80 48 86 54M36 86H112C134 86 134 116 114 116C102 116 98 106 104 100M28 106H74',
        b,
        9,
      ),
  },
  'porto-sereno': {
    shield: 'swiss',
    division: b => [112, 128, 144].map(y => line(`M0 ${y}q20 -14 40 0t40 0t40 0t40 0`, b, 6)).join(''),
    charge: (_, b) =>
      `${path('M66 106L72 52H88L94 106Z', '#fff')}${path('M70 72L90 72L92 88L68 88Z', b)}${box(70, 40, 20, 12, '#ffe082')}${path('M66 40L80 24L94 40Z', b)}${path('M94 44L138 30V58ZM66 44L22 30V58Z', '#ffe082', 'opacity=".55"')}`,
  },
  'vila-do-sol': {
    shield: 'french',
    division: b => path('M0 92H160V160H0Z', b),
    charge: (a, b) =>
      `${polygon(
        around(80, 92, 56, 16).flatMap((point, nth) => [point, around(80, 92, 36, 16, -78.75)[nth] ?? point]),
        '#fff',
      )}${circle(80, 92, 30, a, `stroke="${b}" stroke-width="4"`)}${star(80, 94, 18, b)}`,
  },
}

/** `a` and `b`: the colours of the team. */
export function drawCrest(id: string, a: string, b: string): string {
  const { shield, division, charge } = crests[id] ?? { shield: 'heater', division: plain, charge: plain }
  const edge = SHIELDS[shield]
  return svg(
    { width: 160, height: 160 },
    `<clipPath id="shield"><path d="${edge}"/></clipPath><g filter="url(#shadow)">${path(edge, a)}</g>
<g clip-path="url(#shield)">${division(b)}${charge(a, b)}${path('M80 0H160V160H80Z', '#000', 'opacity=".07"')}</g>
${path(edge, 'none', `stroke="#fff" stroke-width="7"`)}${path(edge, 'none', `stroke="#10181f" stroke-width="2.5"`)}`,
  )
}
