/** The motifs of the pictures. Each fills 200 by 200; `a` is its main colour, `b` its second one. */
import { around, box, circle, INK, line, PAPER, path, polygon, star, words } from './svg.ts'

type Motif = (a: string, b: string) => string

const SHIRT = 'M64 30L20 56L38 98L56 88V172H144V88L162 98L180 56L136 30C128 50 72 50 64 30Z'
const shirtWith =
  (number: string): Motif =>
  (a, b) =>
    `${path(SHIRT, a)}${path('M56 88L38 98L31 82L56 70ZM144 88L162 98L169 82L144 70Z', b)}${line('M64 30C74 50 126 50 136 30', b, 8)}${path('M144 88V172H112C128 150 136 120 136 88Z', '#000', 'opacity=".12"')}${words(number, 100, 138, 62, b)}`

const ballOf = (x: number, y: number, r: number) => {
  const seams = around(x, y, r * 0.4, 5)
  const rim = around(x, y, r * 0.72, 5)
  const patches = around(x, y, r * 0.98, 5, -54).map(([px, py]) => circle(px, py, r * 0.24, INK))
  return `<g>${circle(x, y, r, PAPER)}<g opacity=".92">${polygon(seams, INK)}${seams.map(([sx, sy], nth) => line(`M${sx} ${sy}L${rim[nth]?.join(' ')}`, INK, r * 0.06)).join('')}</g>
<clipPath id="ball"><circle cx="${x}" cy="${y}" r="${r}"/></clipPath><g clip-path="url(#ball)">${patches.join('')}${path(`M${x - r} ${y}A${r} ${r} 0 0 0 ${x + r} ${y}A${r * 1.2} ${r * 0.8} 0 0 1 ${x - r} ${y}Z`, '#000', 'opacity=".13"')}</g></g>`
}

const ball: Motif = () => ballOf(100, 100, 72)

const signedBall: Motif = (_, b) =>
  `${ballOf(100, 100, 76)}${line('M46 128C58 104 66 146 78 120S96 140 104 118S124 142 136 116S148 128 156 118', b, 5)}`

const phone: Motif = (a, b) =>
  `${box(54, 12, 92, 176, INK, 'rx="16"')}${box(60, 20, 80, 160, a, 'rx="10"')}${path('M60 120L140 96V180H60Z', b, 'opacity=".55"')}${circle(100, 74, 20, PAPER, 'opacity=".9"')}${box(86, 24, 28, 6, INK, 'rx="3"')}`

const bell: Motif = (a, b) =>
  `${line('M26 84C18 104 18 124 26 144M174 84C182 104 182 124 174 144', PAPER, 8)}${path('M100 26C60 26 50 62 50 96C50 130 36 138 36 150H164C164 138 150 130 150 96C150 62 140 26 100 26Z', a)}${path('M100 26C140 26 150 62 150 96C150 130 164 138 164 150H120C132 110 130 60 100 26Z', '#000', 'opacity=".12"')}${circle(100, 166, 14, b)}`

const scarf: Motif = (a, b) => {
  const bands = [0, 1, 2].map(nth => box(58, 96 + nth * 30, 38, 15, b)).join('')
  const right = [0, 1].map(nth => box(106, 90 + nth * 30, 38, 15, b)).join('')
  const fringe = [60, 70, 80, 90].map(x => line(`M${x + 2} 178v12`, a, 4)).join('')
  return `${box(58, 70, 38, 110, a)}${bands}${fringe}${box(106, 70, 38, 82, a)}${right}${[110, 120, 130, 140].map(x => line(`M${x} 150v12`, a, 4)).join('')}${path('M46 44C60 18 140 18 154 44C162 66 142 92 100 92S38 66 46 44Z', a)}${path('M70 46C80 34 120 34 130 46C126 58 74 58 70 46Z', INK, 'opacity=".35"')}${path('M108 28C130 30 150 38 155 50C150 74 134 86 116 90C128 70 124 48 108 28Z', b)}`
}

const tea: Motif = (a, b) =>
  `${line('M78 44C70 32 88 26 80 12M104 44C96 32 114 26 106 12M130 44C122 32 140 26 132 12', PAPER, 6, 'opacity=".75"')}${line('M146 86C184 80 184 134 142 130', a, 13)}${path('M46 60H154L144 168C143 180 134 186 124 186H76C66 186 57 180 56 168Z', a)}${path('M50 98H150L147 132H53Z', b)}<ellipse cx="100" cy="61" rx="54" ry="12" fill="#5b2c12"/>${line('M46 61C46 46 154 46 154 61C154 76 46 76 46 61Z', PAPER, 5)}`

const poster: Motif = (a, b) =>
  `${box(42, 16, 116, 168, PAPER, 'rx="4"')}${box(50, 24, 100, 112, a)}${path('M50 136V104L84 78L112 110L128 96L150 112V136Z', b)}${circle(120, 56, 17, PAPER)}${box(50, 146, 74, 10, INK)}${box(50, 164, 46, 8, INK, 'opacity=".5"')}${circle(100, 12, 7, '#e5484d')}`

const ticketOf = (a: string, b: string) =>
  `${path('M16 58H184V84A16 16 0 0 0 184 116V142H16V116A16 16 0 0 0 16 84Z', a)}${line('M134 66V134', PAPER, 4, 'stroke-dasharray="1 11"')}${star(76, 100, 28, b)}${[148, 154, 163, 168].map((x, nth) => box(x, 76, nth % 2 ? 5 : 3, 48, PAPER)).join('')}`
const ticket: Motif = (a, b) => `<g transform="rotate(-9 100 100)">${ticketOf(a, b)}</g>`
const tickets: Motif = (a, b) =>
  `<g transform="rotate(12 100 100) translate(0 -14)">${ticketOf(b, a)}</g><g transform="rotate(-10 100 100) translate(0 18)">${ticketOf(a, b)}</g>`

const coach: Motif = (a, b) =>
  `${path('M8 62C8 50 16 44 28 44H164C182 44 190 74 192 104V142H8Z', a)}${path('M20 62H50V92H20ZM58 62H88V92H58ZM96 62H126V92H96ZM134 62H164C172 72 176 84 178 92H134Z', '#d9f1ff')}${path('M8 110H192V122H8Z', b)}${[50, 148].map(x => circle(x, 144, 20, INK) + circle(x, 144, 9, '#b7c2cc')).join('')}`

const tunnel: Motif = (a, b) =>
  `${path('M14 178V64C14 34 44 16 100 16S186 34 186 64V178Z', a)}${path('M44 178V82C44 60 64 48 100 48S156 60 156 82V178Z', INK)}${path('M62 178L84 96H116L138 178Z', b)}${path('M84 96C84 74 116 74 116 96Z', '#fffbe6')}${line('M100 104V172', PAPER, 3, 'opacity=".6"')}${box(70, 22, 60, 18, PAPER, 'rx="3"')}${star(100, 31, 7, a)}`

const camera: Motif = (a, b) =>
  `${path('M18 62C18 54 24 48 32 48H62L74 30H126L138 48H168C176 48 182 54 182 62V152C182 160 176 166 168 166H32C24 166 18 160 18 152Z', a)}${circle(100, 106, 46, PAPER)}${circle(100, 106, 36, INK)}${circle(100, 106, 22, b)}${circle(90, 94, 8, '#fff', 'opacity=".8"')}${box(150, 62, 20, 10, b, 'rx="3"')}`

const mascot: Motif = (a, b) =>
  `${around(100, 104, 66, 14)
    .map(([x, y]) => circle(x, y, 24, b))
    .join(
      '',
    )}${circle(54, 52, 20, a)}${circle(146, 52, 20, a)}${circle(100, 104, 62, a)}${circle(78, 92, 9, INK)}${circle(122, 92, 9, INK)}<ellipse cx="100" cy="128" rx="30" ry="24" fill="${PAPER}"/>${path('M88 118H112L100 131Z', INK)}${line('M100 130V138M84 140C92 148 108 148 116 140', INK, 4)}`

const badge: Motif = (a, b) =>
  `${path('M70 116L52 188L100 164L148 188L130 116Z', b)}${polygon(
    around(100, 84, 74, 16).flatMap((point, nth) => [point, around(100, 84, 64, 16, -78.75)[nth] ?? point]),
    a,
  )}${circle(100, 84, 50, PAPER)}${star(100, 86, 36, INK)}`

const coin: Motif = (a, b) =>
  `<ellipse cx="104" cy="108" rx="78" ry="78" fill="#000" opacity=".25"/>${circle(100, 100, 78, b)}${circle(100, 100, 66, a)}${circle(100, 100, 58, 'none', `stroke="${b}" stroke-width="3" stroke-dasharray="2 8"`)}${words('100', 100, 118, 52, b)}`

const flag: Motif = (a, b) =>
  `<ellipse cx="74" cy="182" rx="50" ry="9" fill="#000" opacity=".25"/>${path('M70 26C96 8 124 44 164 26V88C124 106 98 70 70 88Z', a)}${path('M70 56C96 38 124 74 164 56V88C124 106 98 70 70 88Z', b)}${line('M70 18C66 70 66 130 74 182', PAPER, 8)}`

const boots: Motif = (a, b) => `<g transform="translate(20 -22)">${bootOf(b, a)}</g>${bootOf(a, b)}`
const bootOf = (a: string, b: string) =>
  `${path('M34 56L80 46L88 92C118 108 160 112 168 140C170 150 164 156 152 156H40C30 156 26 150 28 138Z', a)}${path('M28 138C64 150 120 148 169 142C169 152 164 156 152 156H40C30 156 26 150 28 138Z', INK)}${[44, 74, 118, 146].map(x => box(x, 156, 10, 14, INK, 'rx="2"')).join('')}${line('M88 70L64 78M92 86L70 96M108 98L92 112', b, 7)}${path('M34 56L80 46L82 58L34 68Z', b)}`

const song: Motif = a =>
  `${line('M80 148V44L156 28V130', a, 12)}${path('M74 44L162 25V52L74 71Z', a)}<ellipse cx="60" cy="150" rx="28" ry="22" fill="${a}"/><ellipse cx="136" cy="133" rx="28" ry="22" fill="${a}"/>${line('M22 60C14 78 14 96 22 114M180 60C188 78 188 96 180 114', PAPER, 7)}`

const tackle: Motif = (a, b) =>
  `${line('M16 172H184', PAPER, 5, 'opacity=".5"')}${line('M30 96L86 124L150 158', a, 26)}${line('M46 106L86 124', b, 26)}${path('M140 142L178 150C184 166 176 174 160 172L132 168Z', INK)}${ballOf(150, 76, 38)}${line('M96 60L108 70M88 84L104 86', PAPER, 5)}`

const gloves: Motif = (a, b) =>
  `<g transform="rotate(-14 60 110)">${gloveOf(a, b)}</g><g transform="translate(200 0) scale(-1 1) rotate(-14 60 110)">${gloveOf(a, b)}</g>`
const gloveOf = (a: string, b: string) =>
  `${[24, 42, 60, 78].map((x, nth) => box(x, [52, 36, 36, 50][nth] ?? 40, 15, 70, a, 'rx="7.5"')).join('')}${box(24, 84, 69, 62, a, 'rx="12"')}${box(84, 92, 17, 44, a, 'rx="8.5" transform="rotate(28 92 130)"')}${box(32, 92, 50, 34, b, 'rx="8"')}${box(26, 144, 64, 26, b, 'rx="5"')}`

const overhead: Motif = (a, b) =>
  `${line('M20 168C36 60 110 22 168 52', PAPER, 5, 'opacity=".55" stroke-dasharray="2 13"')}${ballOf(156, 56, 34)}${circle(62, 142, 17, '#e8b48c')}${line('M78 136L112 124', a, 28)}${line('M112 124L134 88M112 124L150 120', b, 15)}${path('M128 92L132 74L150 78L144 94Z', INK)}${line('M90 140L96 168', a, 12)}`

const armband: Motif = (a, b) =>
  `${path('M36 66C70 46 130 46 164 66V134C130 154 70 154 36 134Z', a)}${path('M36 66C70 46 130 46 164 66V80C130 60 70 60 36 80ZM36 120C70 140 130 140 164 120V134C130 154 70 154 36 134Z', b)}${words('C', 100, 126, 70, b)}`

const board: Motif = a =>
  `${line('M60 120V190M140 120V190', '#55606b', 10)}${box(14, 34, 172, 104, INK, 'rx="10"')}${box(22, 42, 156, 88, '#1c2731', 'rx="6"')}${words('90+4', 100, 104, 54, a)}`

const trophy: Motif = (a, b) =>
  `${line('M56 46H30C28 84 46 98 68 102M144 46H170C172 84 154 98 132 102', a, 11)}${path('M50 26H150C150 88 136 124 100 128C64 124 50 88 50 26Z', a)}${path('M110 26H150C150 88 136 124 100 128C118 104 116 60 110 26Z', '#000', 'opacity=".13"')}${path('M90 124H110V152H90Z', a)}${path('M66 152H134L140 180H60Z', b)}${star(94, 72, 24, PAPER)}`

const mast: Motif = (_, b) =>
  `${line('M100 96V188M82 188H118', '#aebac6', 10)}${path('M36 40L164 26L168 82L40 96Z', INK)}${[0, 1, 2, 3].map(nth => circle(58 + nth * 28, 54 - nth * 3, 11, b) + circle(59 + nth * 28, 78 - nth * 3, 11, b)).join('')}${path('M36 96L-20 190H220L168 82Z', b, 'opacity=".22"')}`

const flame: Motif = (a, b) =>
  `${path('M104 12C116 52 160 70 160 122C160 162 132 188 100 188S40 162 40 122C40 96 54 82 64 62C72 78 80 84 86 86C92 60 88 36 104 12Z', a)}${path('M102 92C110 114 132 122 132 148C132 170 118 182 100 182S68 170 68 150C68 134 76 126 82 116C86 124 90 128 94 128C98 116 96 104 102 92Z', b)}`

const bag: Motif = (a, b) =>
  `${line('M70 74V54C70 16 130 16 130 54V74', b, 9)}${path('M34 68H166L176 176C176 182 172 186 166 186H34C28 186 24 182 24 176Z', a)}${path('M126 68H166L176 176C176 182 172 186 166 186H132Z', '#000', 'opacity=".12"')}${star(98, 128, 32, b)}`

const target: Motif = (a, b) =>
  `${circle(96, 104, 80, PAPER)}${circle(96, 104, 62, a)}${circle(96, 104, 42, PAPER)}${circle(96, 104, 22, a)}${line('M98 102L168 32', INK, 7)}${path('M160 18L184 16L182 40L168 44L156 32Z', b)}`

const calendar: Motif = (a, b) =>
  `${box(24, 36, 152, 148, PAPER, 'rx="14"')}${path('M24 50C24 42 30 36 38 36H162C170 36 176 42 176 50V76H24Z', a)}${line('M62 22V50M138 22V50', INK, 10)}${[0, 1, 2, 3, 4, 5].map(nth => circle(58 + (nth % 3) * 42, 106 + Math.floor(nth / 3) * 42, 14, nth < 4 ? b : '#d5d9dc')).join('')}`

const medal =
  (number: string): Motif =>
  (a, b) =>
    `${path('M60 10H92L112 70H82ZM140 10H108L88 70H118Z', b)}${circle(100, 124, 60, a)}${circle(100, 124, 47, 'none', `stroke="${b}" stroke-width="4" opacity=".55"`)}${words(number, 100, 142, 50, b)}`

const binoculars: Motif = (a, b) =>
  `${line('M84 70H116', a, 22)}${path('M44 46H84L92 140H20Z', a)}${path('M156 46H116L108 140H180Z', a)}${circle(56, 142, 36, INK)}${circle(144, 142, 36, INK)}${circle(56, 142, 25, b)}${circle(144, 142, 25, b)}${box(46, 32, 36, 20, INK, 'rx="6"')}${box(118, 32, 36, 20, INK, 'rx="6"')}`

const stripedShirt: Motif = (a, b) =>
  `<clipPath id="stripes">${path(SHIRT, a)}</clipPath>${path(SHIRT, a)}<g clip-path="url(#stripes)">${[30, 58, 93, 128, 156].map(x => box(x, 20, 15, 160, b)).join('')}</g>${line('M64 30C74 50 126 50 136 30', b, 8)}${circle(126, 84, 11, INK)}${star(126, 85, 8, PAPER)}${path('M144 88V172H112C128 150 136 120 136 88Z', '#000', 'opacity=".12"')}`

const centenaryShirt: Motif = (a, b) =>
  `<clipPath id="sash">${path(SHIRT, a)}</clipPath>${path(SHIRT, a)}<g clip-path="url(#sash)">${path('M52 26L92 20L150 150V184H130Z', b)}</g>${path('M76 34C84 52 116 52 124 34L136 30C128 58 72 58 64 30Z', PAPER)}${circle(80, 140, 19, PAPER)}${words('100', 80, 147, 19, b)}${path('M144 88V172H112C128 150 136 120 136 88Z', '#000', 'opacity=".12"')}`

const signedShirt: Motif = (a, b) =>
  `${box(6, 10, 188, 180, '#5b3a1a', 'rx="6"')}${box(16, 20, 168, 160, PAPER)}<g transform="translate(16 16) scale(.84)">${path(SHIRT, a)}${path('M56 88L38 98L31 82L56 70ZM144 88L162 98L169 82L144 70Z', b)}${line('M64 30C74 50 126 50 136 30', b, 8)}</g>${line('M72 92C82 74 86 106 96 88S112 104 118 86S132 102 134 94M78 122C88 110 90 134 102 116S118 132 128 116', INK, 4)}`

const mug: Motif = (a, b) =>
  `<ellipse cx="94" cy="184" rx="66" ry="9" fill="#000" opacity=".25"/>${line('M144 74C190 66 190 148 142 144', a, 16)}${path('M36 40H152V160C152 174 142 184 128 184H60C46 184 36 174 36 160Z', a)}${path('M126 40H152V160C152 174 142 184 128 184H104C122 174 126 160 126 146Z', '#000', 'opacity=".12"')}<ellipse cx="94" cy="40" rx="58" ry="13" fill="${PAPER}"/><ellipse cx="94" cy="42" rx="48" ry="9" fill="#5b2c12"/>${path('M60 76H124V112C124 136 110 148 92 156C74 148 60 136 60 112Z', PAPER)}${path('M67 83H117V112C117 131 107 141 92 148C77 141 67 131 67 112Z', b)}${star(92, 114, 20, a)}`

const framed: Motif = (a, b) =>
  `${box(22, 8, 156, 184, INK, 'rx="4"')}${box(32, 18, 136, 164, PAPER)}${box(46, 32, 108, 108, b)}${path('M46 140V96C74 84 126 84 154 96V140Z', '#000', 'opacity=".22"')}${ballOf(118, 66, 20)}${line('M58 128C70 96 84 82 96 74', a, 5, 'stroke-dasharray="1 10"')}${words('94’', 84, 132, 40, a)}${box(70, 152, 60, 8, INK)}${box(84, 166, 32, 6, INK, 'opacity=".45"')}`

const anchor = (x: number, y: number, colour: string) =>
  `${circle(x, y - 20, 6, 'none', `stroke="${colour}" stroke-width="5"`)}${line(`M${x} ${y - 14}V${y + 24}M${x - 12} ${y - 6}H${x + 12}M${x - 22} ${y + 6}C${x - 20} ${y + 20} ${x - 10} ${y + 24} ${x} ${y + 25}C${x + 10} ${y + 24} ${x + 20} ${y + 20} ${x + 22} ${y + 6}`, colour, 5)}`
const pins: Motif = (a, b) =>
  `${box(14, 22, 172, 156, PAPER, 'rx="10"')}${circle(100, 38, 6, INK, 'opacity=".7"')}${circle(58, 84, 33, INK)}${ballOf(58, 84, 29)}${circle(142, 84, 33, INK)}${circle(142, 84, 29, b)}${star(142, 86, 20, a)}${circle(100, 138, 33, INK)}${circle(100, 138, 29, a)}${anchor(100, 136, b)}`

const stadium: Motif = (a, b) =>
  `<ellipse cx="100" cy="128" rx="96" ry="60" fill="${INK}"/><ellipse cx="100" cy="112" rx="96" ry="60" fill="${b}"/>${line('M12 112C22 68 178 68 188 112', PAPER, 4, 'stroke-dasharray="1 9" opacity=".7"')}<ellipse cx="100" cy="114" rx="72" ry="42" fill="${INK}" opacity=".55"/><ellipse cx="100" cy="116" rx="60" ry="33" fill="#2f9e5b"/>${line('M100 84V148M52 100C60 108 60 124 52 132M148 100C140 108 140 124 148 132', PAPER, 3)}<ellipse cx="100" cy="116" rx="16" ry="9" fill="none" stroke="${PAPER}" stroke-width="3"/>${[14, 66, 134, 186].map(x => line(`M${x} ${x === 14 || x === 186 ? 100 : 66}V30`, PAPER, 5) + box(x - 14, 18, 28, 16, a, 'rx="3"')).join('')}`

const foil = (turn: number, a: string, b: string) =>
  `<g transform="rotate(${turn} 100 120)">${path('M52 34L62 26L72 34L82 26L92 34L100 26L108 34L118 26L128 34L138 26L148 34V170L138 178L128 170L118 178L108 170L100 178L92 170L82 178L72 170L62 178L52 170Z', a)}${path('M52 58H148M52 148H148', 'none', `stroke="${PAPER}" stroke-width="2" opacity=".5"`)}${path('M62 34L92 34L60 170H52V80Z', '#fff', 'opacity=".2"')}${ballOf(100, 96, 26)}${star(100, 136, 12, b)}</g>`
const foils: Motif = (a, b) => `${foil(13, b, a)}${foil(-9, a, b)}`

const lockScreen: Motif = (a, b) =>
  `${box(48, 6, 104, 188, INK, 'rx="18"')}<clipPath id="screen"><rect x="55" y="14" width="90" height="172" rx="12"/></clipPath><g clip-path="url(#screen)">${box(55, 14, 90, 172, '#101b4d')}${path('M62 70L40 190H100Z', a, 'opacity=".35"')}${path('M138 70L160 190H100Z', a, 'opacity=".35"')}${path('M55 150C80 138 120 138 145 150V186H55Z', '#2f9e5b')}${line('M100 142V186', PAPER, 2, 'opacity=".7"')}</g>${[62, 138].map(x => box(x - 9, 62, 18, 10, b, 'rx="2"')).join('')}${words('20:45', 100, 50, 24, PAPER)}${box(86, 18, 28, 5, INK, 'rx="2.5"')}`

export const motifs = {
  ball,
  signedBall,
  phone,
  bell,
  scarf,
  tea,
  poster,
  ticket,
  tickets,
  coach,
  tunnel,
  camera,
  mascot,
  badge,
  coin,
  flag,
  boots,
  song,
  tackle,
  gloves,
  overhead,
  armband,
  board,
  trophy,
  mast,
  flame,
  bag,
  target,
  calendar,
  binoculars,
  stripedShirt,
  centenaryShirt,
  signedShirt,
  mug,
  framed,
  pins,
  stadium,
  foils,
  lockScreen,
  shirt: shirtWith('10'),
  debutShirt: shirtWith('17'),
  trainingTop: shirtWith(''),
  bronze: medal('5'),
  silver: medal('15'),
  gold: medal('30'),
} satisfies Record<string, Motif>
