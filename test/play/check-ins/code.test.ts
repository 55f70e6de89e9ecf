import { describe, expect, test } from 'bun:test'
import { createCheckInCodes } from '../../../src/play/check-ins/code.ts'

const codes = createCheckInCodes('secret')
const at = (ms: number) => new Date(Date.parse('2026-08-15T18:30:00.000Z') + ms)

describe('a check-in code', () => {
  test('is the same for 30 seconds, then another one', () => {
    const { code } = codes.issue('derby', at(0))
    expect(codes.issue('derby', at(29_999)).code).toBe(code)
    expect(codes.issue('derby', at(30_000)).code).not.toBe(code)
  })

  test('works until validUntil, at most 60 seconds after it was issued', () => {
    for (const age of [0, 12_345, 29_999]) {
      const { code, validUntil } = codes.issue('derby', at(age))
      expect(validUntil).toEqual(at(60_000))
      expect(codes.matchOf(code, at(age))).toBe('derby')
      expect(codes.matchOf(code, at(59_999))).toBe('derby')
      expect(codes.matchOf(code, at(60_000))).toBeNull()
    }
  })

  test('is not accepted before its time step', () => {
    expect(codes.matchOf(codes.issue('derby', at(30_000)).code, at(29_999))).toBeNull()
  })

  test('contains the id of its match, even an id with dots', () => {
    const { code } = codes.issue('cup.2026.final', at(0))
    expect(codes.matchOf(code, at(0))).toBe('cup.2026.final')
  })

  const [, mac = ''] = codes.issue('derby', at(0)).code.split('.')
  test.each([
    ['of another match', `final.${mac}`],
    ['of another secret', createCheckInCodes('other').issue('derby', at(0)).code],
    ['without its MAC', 'derby'],
    ['with an empty MAC', 'derby.'],
    ['with part of its MAC', `derby.${mac.slice(0, -1)}`],
    ['without its match', `.${mac}`],
    ['of white space', ' '],
  ])('%s is not a code', (_, code) => {
    expect(codes.matchOf(code, at(0))).toBeNull()
  })
})
