/** Contrast of colours (WCAG 2.2), and what is legible on them. */
const DARK = '#10181f'
const LIGHT = '#ffffff'
/** The surfaces with the lowest contrast to text. */
export const SURFACES = { light: '#e0e6df', dark: '#24302a' }
/** Contrast of text: more than the 4.5 of WCAG 2.2, since accents are also used on tints of themselves. */
const TEXT_CONTRAST = 5.5
/** Contrast of text on a colour (WCAG 2.2). */
const FILL_CONTRAST = 4.5
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

export function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** The text colour with the higher contrast. */
export const inkOn = (colour: string) =>
  contrastOf(LIGHT, colour) >= contrastOf(DARK, colour) ? LIGHT : DARK

/** The colour, mixed with as little of another one as it needs. */
function mixUntil(colour: string, other: string, isEnough: (mixed: string) => boolean): string {
  const towards = channelsOf(other)
  for (let percent = 0; percent < 100; percent += 5) {
    const mixed = channelsOf(colour).map((channel, nth) =>
      Math.round(channel + ((towards[nth] ?? 0) - channel) * (percent / 100)),
    )
    const hex = `#${mixed.map(channel => channel.toString(16).padStart(2, '0')).join('')}`
    if (isEnough(hex)) return hex
  }
  return other
}

/** The colour, made darker or lighter until it contrasts with the surface. */
export const legible = (colour: string, surface: string): string =>
  mixUntil(colour, inkOn(surface), mixed => contrastOf(mixed, surface) >= TEXT_CONTRAST)

/** Neither light nor dark text is legible on colours in the middle. */
const isFill = (colour: string): boolean => contrastOf(inkOn(colour), colour) >= FILL_CONTRAST
/** The colour, for text on it in the light scheme, and in the dark one. */
export const fillOf = (colour: string): string => mixUntil(colour, DARK, isFill)
export const darkFillOf = (colour: string): string =>
  mixUntil(colour, LIGHT, mixed => isFill(mixed) && contrastOf(mixed, SURFACES.dark) >= BUTTON_CONTRAST)
