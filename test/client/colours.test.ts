/** The colours of a team in the example app: text on them is legible, whichever colour a club has. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { contrastOf, darkFillOf, fillOf, inkOn } from '../../examples/web/colours.ts'

const colour = fc.integer({ min: 0, max: 0xffffff }).map(value => `#${value.toString(16).padStart(6, '0')}`)

test('text on a button has a contrast of 4.5, and a button on a dark page one of 3', () => {
  fc.assert(
    fc.property(colour, primary => {
      const [light, dark] = [fillOf(primary), darkFillOf(primary)]
      expect(contrastOf(inkOn(light), light)).toBeGreaterThanOrEqual(4.5)
      expect(contrastOf(inkOn(dark), dark)).toBeGreaterThanOrEqual(4.5)
      expect(contrastOf(dark, '#24302a')).toBeGreaterThanOrEqual(3)
    }),
    { numRuns: 2_000 },
  )
})

test('a colour that needs no change stays as it is', () => {
  expect(fillOf('#0b6b43')).toBe('#0b6b43')
  expect(darkFillOf('#f0c020')).toBe('#f0c020')
})
