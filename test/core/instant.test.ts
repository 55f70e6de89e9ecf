import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseInstant, parseQueryInstant } from '../../src/core/instant.ts'
import { onEachEngine } from '../support/world.ts'

const iso = (text: string) => parseInstant(text)?.toISOString() ?? null

describe('parseInstant', () => {
  test.each([
    ['2026-11-01T00:00:00Z', '2026-11-01T00:00:00.000Z'],
    ['2026-11-01t00:00:00z', '2026-11-01T00:00:00.000Z'],
    ['2026-11-01T02:00:00+02:00', '2026-11-01T00:00:00.000Z'],
    ['2026-10-31T18:30:00.5-05:30', '2026-11-01T00:00:00.500Z'],
    ['2026-11-01T00:00:00-00:00', '2026-11-01T00:00:00.000Z'],
    ['2026-11-01T00:00:00.000000001Z', '2026-11-01T00:00:00.001Z'],
    ['2026-12-31T23:59:59.999999999Z', '2027-01-01T00:00:00.000Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['2017-01-01T00:59:60+01:00', '2017-01-01T00:00:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ])('reads %s as %s', (text, canonical) => expect(iso(text)).toBe(canonical))

  test.each([
    '',
    '2026-11-01',
    '2026-11-01T00:00:00',
    '2026-11-01 00:00:00Z',
    '2026-11-01T00:00Z',
    '2026-11-01T24:00:00Z',
    '2026-11-01T00:60:00Z',
    '2026-11-01T00:00:60Z',
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-01T00:00:00.Z',
    '2026-11-01T00:00:00.0000000001Z',
    '2026-11-01T00:00:00,5Z',
    '2026-11-01T00:00:00+2:00',
    '2026-11-01T00:00:00+24:00',
    '2026-11-01T00:00:00+00:60',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '+002026-11-01T00:00:00Z',
    ' 2026-11-01T00:00:00Z',
  ])('refuses %p', text => expect(iso(text)).toBeNull())

  test('reads every instant in every offset and precision, and writes it canonically', () => {
    const instants = fc.integer({ min: Date.UTC(1, 0, 2), max: Date.UTC(9999, 11, 30) })
    const offsets = fc.integer({ min: -1439, max: 1439 })
    fc.assert(
      fc.property(instants, offsets, fc.integer({ min: 3, max: 9 }), (ms, offset, digits) => {
        const local = new Date(ms + offset * 60_000).toISOString()
        const part = (value: number) => String(value).padStart(2, '0')
        const size = Math.abs(offset)
        const zone = `${offset < 0 ? '-' : '+'}${part(Math.floor(size / 60))}:${part(size % 60)}`
        const text = `${local.slice(0, -1).padEnd(20 + digits, '0')}${zone}`
        expect(iso(text)).toBe(new Date(ms).toISOString())
        expect(parseQueryInstant(text.replace('+', ' '))?.getTime()).toBe(ms)
      }),
    )
  })
})

onEachEngine('GET /api/user/points', world => {
  test.each(['Z', '.0Z', '.000000000Z', '+00:00', ' 00:00', '%2B00:00', '-00:00'])(
    'accepts since and until with %s',
    async suffix => {
      const fan = await world.fan()
      await world.grant(fan, 5)
      const at = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}${suffix}`
      const read = async (query: string) => (await fan.get(`/api/user/points?${query}`)).body.entries
      expect(await read(`since=${at(world.clock.ms - 1_000)}`)).toHaveLength(1)
      expect(await read(`since=${at(world.clock.ms + 1_000)}`)).toHaveLength(0)
      expect(await read(`until=${at(world.clock.ms - 1_000)}`)).toHaveLength(0)
    },
  )

  test('422 states what is expected', async () => {
    const { status, body } = await (await world.fan()).get('/api/user/points?since=2026-11-01')
    expect([status, body.errors]).toEqual([
      422,
      [
        {
          parameter: 'since',
          message: 'must be an RFC 3339 instant, such as 2026-11-01T00:00:00Z or 2026-11-01T02:00:00%2B02:00',
        },
      ],
    ])
  })
})
